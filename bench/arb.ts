// All 59 pairs recomputed: from the files of a release to every spread and state, beside the spreads alone as one SQL join over
// the same files.
import { join } from 'node:path'
import { operatorPair } from '#fixtures/dual-listings/pair.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { Pair } from '#warehouse/datasets/dual-listings/pairs.ts'
import { readArbInputs } from '#warehouse/rules/arb/inputs.ts'
import { pairSpreadOf } from '#warehouse/rules/arb/pair-spread.ts'
import { costsOn } from '#warehouse/rulesets/arb/rules.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { commit } from '#warehouse/store/lake/commit.ts'
import { lakePath, openLake } from '#warehouse/store/lake/open.ts'
import { seal } from '#warehouse/store/lake/seal.ts'
import { stage } from '#warehouse/store/lake/stage.ts'
import type { Market, ReleaseContexts } from './contexts.ts'
import { compared, interleave, type Report } from './measure.ts'

const pairCount = 59
const at = '2026-11-19T18:00:00Z'
const perRound = 20

/** Toronto and US lines of the generated market, spread over all of it. */
function pairsOf({ universe }: Market): Pair[] {
  const pick = (symbols: readonly string[]): string[] =>
    Array.from({ length: pairCount }, (_, place) => symbols[Math.floor((place * symbols.length) / pairCount)] as string)
  const toronto = pick(universe.symbols.filter(symbol => symbol.endsWith('.TO')))
  const us = pick(universe.symbols.filter(symbol => !symbol.includes('.')))
  return toronto.map((tsx_symbol, place) => operatorPair(tsx_symbol, us[place] as string))
}

const quotesSql = (symbols: readonly string[]): string => `(
  select symbol, 'eodhd' as source_name, timestamptz '2026-11-19 17:59:50+00' as quoted_at, 'trade' as time_basis, date '2026-11-19' as session_date,
    'regular' as session, price, null::double as regular_price, price - 0.01 as bid, price + 0.01 as ask, 100::bigint as bid_size, 100::bigint as ask_size,
    null::timestamptz as book_at, price as open, price as high, price as low, price as previous_close, 1000::bigint as volume,
    case when symbol like '%.%' or symbol = 'USDCAD' then 'CAD' else 'USD' end as currency, null::varchar as minor_unit, null::boolean as halted, 0::bigint as delay_seconds,
    timestamptz '2026-11-19 18:00:00+00' as known_from, 'retrieved' as known_basis, 'eodhd' as source, sha256('quotes') as raw_sha256, false as withdrawn,
    null::bigint as release_from
  from (select symbol, case when symbol = 'USDCAD' then 1.37 else 10 + (hash(symbol) % 20000) / 100.0 end::double as price
    from (select unnest([${[...symbols, 'USDCAD'].map(symbol => `'${symbol}'`).join(', ')}]) as symbol)))`
const ratesSql = `(select 'USD' as base_currency, 'CAD' as quote_currency, date '2026-11-18' as date, '1.3700' as rate, 'FXUSDCAD' as series,
  timestamptz '2026-11-18 21:30:00+00' as known_from, 'published' as known_basis, 'bank-of-canada' as source, sha256('rates') as raw_sha256, false as withdrawn,
  null::bigint as release_from)`

/** A quote of every symbol of the market and a rate, committed the way the worker commits. */
async function publish({ runtime, universe, catalogue }: Market): Promise<void> {
  const { writer } = runtime.tools
  const made = async (name: DatasetName, sql: string) => {
    const path = join(writer.stageFolder, `bench-arb-${name}.parquet`)
    const sealed = await writer.connections.use(async connection =>
      seal(writer, await stage(connection, datasetOf(name), { sql, parameters: {} }, path, datasetOf(name).key), 'new'),
    )
    return sealed
  }
  const files = [await made('quotes', quotesSql(universe.symbols)), await made('fx_rates', ratesSql)]
  const { release: base } = await catalogue()
  const key = `bench arb ${base}`
  await commit(runtime.postgres.db, { job: 'bench', partition: key, batchKey: key, files, base, derivedFrom: [], fence: null, along: async () => {} })
}

export async function arbPairs(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const pairs = pairsOf(market)
  await publish(market)
  const { writer } = market.runtime.tools
  const catalogue = await market.catalogue()
  const symbols = pairs.flatMap(pair => [pair.tsx_symbol, pair.us_symbol])
  const costs = costsOn(at.slice(0, 10))
  const recomputed = async (): Promise<number> => {
    const lake = openLake(catalogue, writer.connections, writer.verifier)
    const inputs = await readArbInputs(lake, symbols, at, null)
    // The market's prices are noise: a pair or two has quotes too far from its last closes to be believed, which is judged all the same.
    const priced = pairs.map(pair => pairSpreadOf(pair, inputs, at, costs)).filter(each => each.status !== 'no_data')
    if (priced.length !== pairCount) throw new Error(`${priced.length} of ${pairCount} pairs have quotes, expected all`)
    return priced.length
  }
  const files = (catalogue.files.get('quotes') ?? []).map(file => lakePath(market.runtime.config.dataFolder, file))
  const values = pairs.map(pair => `('${pair.tsx_symbol}', '${pair.us_symbol}')`).join(', ')
  const joined = `with pairs(toronto, us) as (values ${values}),
    quoted as (select symbol, (bid + ask) / 2 as mid from read_parquet($files) qualify row_number() over (partition by symbol order by quoted_at desc) = 1)
    select toronto, us, (t.mid / (u.mid * fx.mid) - 1) * 10000 as spread_bps
    from pairs join quoted as t on t.symbol = toronto join quoted as u on u.symbol = us join quoted as fx on fx.symbol = 'USDCAD' order by toronto`
  const plain = async (): Promise<number> => {
    const rows = await writer.connections.use(connection => queryRows(connection, joined, { files }))
    if (rows.length !== pairCount) throw new Error(`the join gives ${rows.length} pairs, expected ${pairCount}`)
    return rows.length
  }
  const timed = (run: () => Promise<number>) => async (): Promise<number> => {
    const begun = performance.now()
    for (let time = 0; time < perRound; time += 1) await run()
    return (performance.now() - begun) / perRound
  }
  await recomputed()
  await plain()
  const sides = [
    { name: 'pairs', run: timed(recomputed) },
    { name: 'join', run: timed(plain) },
  ]
  const measured = await interleave(sides, contexts.options.rounds)
  return {
    figures: [
      compared(`${pairCount} pairs recomputed`, 'ms', measured.get('pairs') ?? [], 'one SQL join of the quotes', measured.get('join') ?? [], {
        of: 'value',
        most: 100,
      }),
    ],
    notes: [
      `among ${market.universe.symbols.length} symbols with a quote each; the pairs read quotes, last closes, actions and rates and judge each pair, the join takes mid prices alone`,
    ],
  }
}

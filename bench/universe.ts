// The generated market: `scale` x 51,000 listings with 2,500 daily bars each, written straight by SQL through the real road
// (stage, seal, commit, compact), so that the lake under the benches is laid out as the worker would lay it out.
import { mkdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Runtime } from '#pipelines/ingest/runtime.ts'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { BadRequest } from '#schemas/errors.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { runSql } from '#warehouse/store/duckdb.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { collect } from '#warehouse/store/lake/collect.ts'
import { commit } from '#warehouse/store/lake/commit.ts'
import { compactAll } from '#warehouse/store/lake/compact.ts'
import { type Sealed, seal } from '#warehouse/store/lake/seal.ts'
import { stage } from '#warehouse/store/lake/stage.ts'
import { writeWarehouseFile } from '#warehouse/store/lake/views.ts'

export const fullSymbols = 51_000
const sessions = 2_500
/** The newest sessions came one release each and are not compacted yet. */
const freshDays = 3
const lastDay = '2026-11-19'
/** Bytes that a bar takes while old and merged files stand side by side. */
const bytesPerBar = 75

export type Universe = {
  readonly symbols: readonly string[]
  readonly bars: number
  readonly lastDate: string
  /** Symbols whose price halved some sessions ago and whose split nobody has reported: for the restatement. */
  readonly unreportedSplits: readonly { readonly symbol: string; readonly exDate: string }[]
}

export const symbolCount = (scale: number): number => Math.max(100, Math.round(fullSymbols * scale))

function sessionDays(): string[] {
  const days: string[] = []
  for (let at = Date.parse(`${lastDay}T00:00:00Z`); days.length < sessions; at -= 86_400_000) {
    const weekday = new Date(at).getUTCDay()
    if (weekday !== 0 && weekday !== 6) days.push(new Date(at).toISOString().slice(0, 10))
  }
  return days.reverse()
}

export function symbolOf(id: number): string {
  const letters = [17576, 676, 26, 1].map(unit => String.fromCharCode(65 + (Math.floor(id / unit) % 26))).join('')
  return `${letters}${id % 20 === 19 ? '.V' : id % 20 > 15 ? '.TO' : ''}`
}

/** What follows from the scale alone: the same for a kept universe as for the one just made. */
export function universeOf(scale: number): Universe {
  const count = symbolCount(scale)
  const days = sessionDays()
  const symbols = Array.from({ length: count }, (_, id) => symbolOf(id))
  const exDate = days[sessions - jumpBack] as string
  return {
    symbols,
    bars: count * sessions,
    lastDate: days.at(-1) as string,
    unreportedSplits: symbols.flatMap((symbol, id) => (id % 100 === 7 ? [{ symbol, exDate }] : [])),
  }
}

const jumpBack = 20

// Deterministic: stage() reads its source twice and compares.
const macros = `
create or replace macro noise(id, day, salt) as ((hash(id * 4096 + day, salt) % 2001)::double - 1000) / 50000;
create or replace macro raw_close(id, day) as round(
  (5 + (hash(id) % 20000) / 100) * exp(0.0002 * day) * (1 + 0.2 * sin(day / 37.0 + id % 100)) * (1 + noise(id, day, 1))
  * case when id % 5 = 4 then pow(2, (day < ${sessions} // 4)::int + (day < ${sessions} // 2)::int + (day < 3 * ${sessions} // 4)::int) else 1 end
  * case when id % 100 = 7 and day < ${sessions - jumpBack} then 2 else 1 end, 2)`

const provenance = (known: string, document: string, basis = 'retrieved', source = 'eodhd'): string =>
  `${known} as known_from, '${basis}' as known_basis, '${source}' as source, ${document} as raw_sha256, false as withdrawn, null::bigint as release_from`

const barsSql = (where: string, document: string): string => `(
  select i.symbol, d.date, round(c.close * (1 + noise(i.id, d.day, 2) / 4), 2) as open,
    greatest(round(c.close * (1 + abs(noise(i.id, d.day, 3)) / 2), 2), c.close, round(c.close * (1 + noise(i.id, d.day, 2) / 4), 2)) as high,
    least(round(c.close * (1 - abs(noise(i.id, d.day, 4)) / 2), 2), c.close, round(c.close * (1 + noise(i.id, d.day, 2) / 4), 2)) as low,
    c.close, (hash(i.id, d.day) % 10000000)::bigint as volume, i.currency, 'as_traded' as basis,
    ${provenance("(d.date::timestamp + interval 22 hours) at time zone 'UTC'", document)}
  from bench_ids as i, bench_days as d, lateral (select raw_close(i.id, d.day) as close) as c
  where ${where})`

/** Ex-dates of quarterly dividends of three symbols in ten, and of three 2:1 splits of one in five. */
const events = `(
  select i.id, i.symbol, i.currency, d.day, d.date, 'dividend' as kind, p.date as previous_date, raw_close(i.id, p.day) as previous_close,
    round(raw_close(i.id, p.day) * 0.004, 3) as amount
  from bench_ids as i, bench_days as d join bench_days as p on p.day = d.day - 1
  where i.id % 10 < 3 and d.day % 63 = i.id % 63 and d.day % (${sessions} // 4) <> 0
  union all
  select i.id, i.symbol, i.currency, d.day, d.date, 'split', p.date, raw_close(i.id, p.day), null
  from bench_ids as i, bench_days as d join bench_days as p on p.day = d.day - 1
  where i.id % 5 = 4 and d.day in (${sessions} // 4, ${sessions} // 2, 3 * ${sessions} // 4))`

const knownAt = "(date::timestamp + interval 12 hours) at time zone 'UTC'"
const actionsSql = (where: string): string => `(
  select symbol, kind, date as ex_date, 0::bigint as sequence, 'eodhd' as source_name, date as record_date, null::date as pay_date, null::date as declared_date,
    case when kind = 'split' then '2' end as numerator, case when kind = 'split' then '1' end as denominator, amount::decimal(18, 3)::varchar as amount,
    case when kind = 'dividend' then currency end as currency, 'post_split' as amount_basis, false as cancelled,
    ${provenance(knownAt, "sha256('actions ' || symbol)")}
  from ${events} where ${where})`
const factorsSql = (where: string): string => `(
  select symbol, date as ex_date, 'yahoo_crsp' as convention, case when kind = 'split' then '2' else '1' end as split_numerator, '1' as split_denominator,
    amount::decimal(18, 3)::varchar as cash_amount, case when kind = 'split' then 0.5 else 1 - amount / previous_close end as price_factor, previous_close,
    previous_date as previous_close_date, null::varchar as fx_rate, null::date as fx_rate_date, false as spinoff, [kind || ':eodhd:0'] as actions, 'action' as reason,
    ${provenance(knownAt, "sha256('actions ' || symbol)")}
  from ${events} where ${where})`

const symbolsSql = (where: string): string => `(
  select 'i_' || left(sha256(symbol), 16) as instrument_id, symbol, case when symbol like '%.TO' then 'TO' when symbol like '%.V' then 'V' else 'US' end as exchange,
    case when symbol like '%.TO' then 'XTSE' when symbol like '%.V' then 'XTSX' else 'XNAS' end as mic, 'Bench Holdings ' || symbol || ' Inc. Common Stock' as name,
    'Bench Holdings ' || symbol || ' Inc.' as issuer, 'common' as type, currency, case when id % 5 = 0 then lpad((9000000 + id)::varchar, 10, '0') end as cik,
    date '2017-01-02' as valid_from, null::date as valid_to, null::varchar as end_reason, null::varchar as successor, null::varchar as predecessor, false as etf,
    symbol as source_symbol, ${provenance("timestamptz '2026-11-01 10:00:00+00'", "sha256('symbols')", 'retrieved', 'nasdaqtrader')}
  from bench_ids where ${where})`

/** Builds the market in an empty installation. Throws `BadRequest` where the disk has no room for it. */
export async function buildUniverse(runtime: Runtime, scale: number, progress: (text: string) => void): Promise<Universe> {
  const universe = universeOf(scale)
  const { config, postgres, tools } = runtime
  const { writer } = tools
  const needed = universe.bars * bytesPerBar
  const disk = await statfs(config.dataFolder)
  const free = disk.bavail * disk.bsize
  if (free < needed) {
    throw new BadRequest(
      `the universe of ${universe.symbols.length} symbols needs ${gigabytes(needed)} while it is made, ${config.dataFolder} has ${gigabytes(free)} free`,
      {
        hint: 'give a smaller --scale, or another folder with --data',
      },
    )
  }
  await mkdir(writer.stageFolder, { recursive: true })
  await writer.connections.use(async connection => {
    await connection.run('create or replace table bench_days (day bigint, date date)')
    for (const [day, date] of sessionDays().entries()) await connection.run(`insert into bench_days values (${day}, '${date}')`)
    const ids = universe.symbols.map((symbol, id) => `(${id}, '${symbol}', '${/\./.test(symbol) ? 'CAD' : 'USD'}')`)
    await connection.run('create or replace table bench_ids (id bigint, symbol varchar, currency varchar)')
    for (let from = 0; from < ids.length; from += 5000)
      await connection.run(`insert into bench_ids values ${ids.slice(from, from + 5000).join(', ')}`)
    await connection.run(macros)
  })
  let file = 0
  const sealed = async (name: DatasetName, sql: string): Promise<Sealed> => {
    const dataset: DatasetDefinition = datasetOf(name)
    file += 1
    const path = join(writer.stageFolder, `bench-${file}.parquet`)
    const made = await writer.connections.use(async connection =>
      seal(writer, await stage(connection, dataset, { sql, parameters: {} }, path, dataset.key), 'new'),
    )
    return made
  }
  const publish = async (partition: string, files: readonly Sealed[]): Promise<void> => {
    const { release: base } = await loadCatalogue(postgres.db)
    const request = { job: 'bench', partition, batchKey: `bench ${partition}`, files, base, derivedFrom: [], fence: null, along: async () => {} }
    await commit(postgres.db, request)
  }
  await publish('symbols', [await sealed('symbols', symbolsSql('true'))])
  const count = universe.symbols.length
  const size = Math.min(Math.ceil(count / 4), 3000)
  for (let from = 0; from < count; from += size) {
    const range = `id >= ${from} and id < ${from + size}`
    const history = await sealed(
      'bars',
      barsSql(`i.${range.replace('and id', 'and i.id')} and d.day < ${sessions - freshDays}`, "sha256('history ' || i.symbol)"),
    )
    await publish(`history ${from}`, [
      history,
      await sealed('corporate_actions', actionsSql(range)),
      await sealed('adjustment_factors', factorsSql(range)),
    ])
    progress(`${Math.min(from + size, count)} of ${count} symbols`)
  }
  for (const done of await compactAll(postgres.db, writer)) progress(`${done.dataset}: ${done.merged} files into ${done.into}`)
  for (let day = sessions - freshDays; day < sessions; day += 1)
    await publish(`day ${day}`, [await sealed('bars', barsSql(`d.day = ${day}`, `sha256('day ${day}')`))])
  // The merged files' sources go at once: nobody reads them here.
  await collect(postgres.db, writer, 0)
  await writeWarehouseFile(config.dataFolder, await loadCatalogue(postgres.db))
  await writer.connections.use(async connection => {
    await runSql(connection, 'drop table bench_days')
    await runSql(connection, 'drop table bench_ids')
  })
  return universe
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

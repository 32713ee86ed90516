// A batch of 30 quotes: from the question over HTTP to the answer, beside plain DuckDB that reads the newest quotes and the last bars
// of the same symbols from the same files.
import { join } from 'node:path'
import { datasetOf } from '#schemas/index.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { commit } from '#warehouse/store/lake/commit.ts'
import { filesFor, lakeFolder, lakePath } from '#warehouse/store/lake/open.ts'
import { seal } from '#warehouse/store/lake/seal.ts'
import { stage } from '#warehouse/store/lake/stage.ts'
import type { Market, ReleaseContexts } from './contexts.ts'
import { shuffled } from './eod.ts'
import { eachMs } from './load.ts'
import { ascending, compared, quantile, type Report } from './measure.ts'
import { atRest } from './processes.ts'

const batch = 30
const perRound = 60
/** Sessions and commits of quotes: the newest session came in three commits, as minutes do. */
const sessions = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-19', '2026-11-19']

/** Quotes of every symbol of the market from one source, and of each third one from a second. */
const quotesSql = (source: string, date: string, version: number, every: number): string => `(
  select symbol, '${source}' as source_name, timestamptz '${date} 20:5${version}:00+00' as quoted_at, 'trade' as time_basis, date '${date}' as session_date,
    'regular' as session, 10 + (hash(symbol, ${version}) % 9000) / 100.0 as price, null::double as regular_price, 10.0 as bid, 10.02 as ask,
    100::bigint as bid_size, 200::bigint as ask_size, null::timestamptz as book_at, 10.0 as open, 100.0 as high, 9.0 as low, 10.0 as previous_close,
    (hash(symbol) % 1000000)::bigint as volume, case when contains(symbol, '.') then 'CAD' else 'USD' end as currency, null::varchar as minor_unit,
    null::boolean as halted, 900::bigint as delay_seconds, timestamptz '${date} 20:5${version}:30+00' as known_from, 'retrieved' as known_basis,
    '${source}' as source, sha256('${source} ${date} ${version}') as raw_sha256, false as withdrawn, null::bigint as release_from
  from (select unnest($symbols) as symbol) where hash(symbol) % ${every} = 0)`

async function addQuotes(market: Market): Promise<void> {
  const { postgres, tools } = market.runtime
  if (((await loadCatalogue(postgres.db)).files.get('quotes') ?? []).length > 0) return
  const { writer } = tools
  for (const [version, date] of sessions.entries())
    for (const [source, every] of [
      ['eodhd', 1],
      ['yahoo', 3],
    ] as const) {
      const path = join(writer.stageFolder, `bench-quotes-${source}-${version}.parquet`)
      const statement = { sql: quotesSql(source, date, version, every), parameters: { symbols: market.universe.symbols } }
      const quotes = datasetOf('quotes')
      const made = await writer.connections.use(async connection => seal(writer, await stage(connection, quotes, statement, path, quotes.key), 'new'))
      const { release: base } = await loadCatalogue(postgres.db)
      const partition = `quotes ${source} ${version}`
      await commit(postgres.db, {
        job: 'bench',
        partition,
        batchKey: `bench ${partition}`,
        files: [made],
        base,
        derivedFrom: [],
        fence: null,
        along: async () => {},
      })
    }
}

const list = (texts: readonly string[]): string => texts.map(text => `'${text}'`).join(', ')

/** What the answer is made of, as somebody would ask for it by hand. */
function statementsOf(market: Market, catalogue: Awaited<ReturnType<typeof loadCatalogue>>, symbols: readonly string[]): string[] {
  const { dataFolder } = market.runtime.config
  const files = (dataset: 'quotes' | 'bars'): string =>
    list(filesFor(catalogue.files.get(dataset) ?? [], symbols).map(file => lakePath(dataFolder, file)))
  return [
    `select * from read_parquet([${files('quotes')}]) where symbol in (${list(symbols)}) and session_date >= date '2026-10-21'
     qualify row_number() over (partition by symbol, source_name order by quoted_at desc, known_from desc) = 1 order by symbol`,
    `select symbol, date, open, high, low, close, volume, currency, source from read_parquet([${files('bars')}])
     where symbol in (${list(symbols)}) and date >= date '2026-10-21' qualify row_number() over (partition by symbol order by date desc) <= 2 order by symbol, date desc`,
  ]
}

export async function quotes30(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const { rounds } = contexts.options
  const { config } = market.runtime
  await addQuotes(market)
  const api = await market.api({ fresh: true })
  const address = String(api.ready['address'])
  const instance = await openDuckdb({
    memoryLimit: `${config.duckdbMemoryApiMb}MB`,
    threads: 1,
    tempFolder: '',
    folders: [lakeFolder(config.dataFolder)],
  })
  const connection = await instance.connect()
  const next = shuffled(market.universe.symbols)
  const batches = (): string[][] => Array.from({ length: perRound }, () => next(batch))
  // While the session runs quotes stand by themselves; on the weekend after it each is held against the last bars.
  const inSession = '&as_of=2026-11-19T20:55:00Z'
  const paths = (requested: readonly (readonly string[])[], more = ''): string[] =>
    requested.map(symbols => `/api/v1/market/quotes?symbols=${symbols.join(',')}${more}`)
  try {
    const catalogue = await market.catalogue()
    const plain = async (requested: readonly (readonly string[])[], isInSession = false): Promise<number[]> => {
      const times: number[] = []
      for (const symbols of requested) {
        const begun = performance.now()
        for (const statement of statementsOf(market, catalogue, symbols).slice(0, isInSession ? 1 : 2)) await connection.runAndReadAll(statement)
        times.push(performance.now() - begun)
      }
      return times
    }
    await eachMs(address, paths(batches()))
    await atRest(api.pid)
    await plain(batches())
    await eachMs(address, paths(batches(), inSession))
    const [own, other, live, plainLive]: number[][][] = [[], [], [], []]
    for (let round = 0; round < rounds; round += 1) {
      const requested = batches()
      const runs = [
        async () => void live?.push(await eachMs(address, paths(requested, inSession))),
        async () => void plainLive?.push(await plain(requested, true)),
        async () => void own?.push(await eachMs(address, paths(requested))),
        async () => void other?.push(await plain(requested)),
      ]
      for (const run of round % 2 === 0 ? runs : runs.toReversed()) await run()
    }
    const of = (rows: number[][] | undefined, q: number): number[] => (rows ?? []).map(row => quantile(ascending(row), q))
    const figures = [
      ['while the session runs', live, plainLive, 'plain DuckDB: newest quotes'],
      ['on the weekend after it', own, other, 'plain DuckDB: newest quotes, last bars'],
    ] as const
    return {
      figures: figures.flatMap(([when, ours, theirs, baseline]) => [
        compared(`p50, ${when}`, 'ms', of(ours, 0.5), baseline, of(theirs, 0.5), { of: 'ratio', most: 1.5 }),
        compared(`p99, ${when}`, 'ms', of(ours, 0.99), baseline, of(theirs, 0.99)),
      ]),
      notes: [
        `${market.universe.symbols.length} symbols x 2,500 bars, quotes of three sessions from one source, of a third of them from two; ${batch} symbols a question, each asked once, ${perRound} questions a round`,
        'the answer weighs the sources, looks for splits, compares with the close before, and says the state of each venue; plain DuckDB fetches the rows',
      ],
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

// End-of-day bars of random symbols, each asked once: from the model of prices, from the lake by the same API, and by plain DuckDB.
import { join } from 'node:path'
import { datasetOf } from '#schemas/index.ts'
import { buildPrices, findPriceBuild, type PriceBuild, readManifest } from '#warehouse/models/prices/store.ts'
import { commit } from '#warehouse/store/lake/commit.ts'
import { lakeFolder, lakePath } from '#warehouse/store/lake/open.ts'
import { seal } from '#warehouse/store/lake/seal.ts'
import { stage } from '#warehouse/store/lake/stage.ts'
import type { Market, ReleaseContexts } from './contexts.ts'
import { eodPath, shuffled } from './eod.ts'
import { answersPerSecond, eachMs, loader } from './load.ts'
import { ascending, compared, type Figure, figure, quantile, type Report } from './measure.ts'
import type { Look } from './plain-duckdb.ts'
import { atRest, cpuSeconds, startProgram } from './processes.ts'

type Looked = { readonly ms: readonly number[]; readonly withFactors: readonly number[] }
const perRound = 200
const fewOnGlob = 5
const lanes = 16
/** The load of as many connections: so long with wrk, or each path once with our client. */
const loadSeconds = 5
const loadedPaths = 2_000
/** The API looks for a build every second. */
const noticedMs = 2_500

async function looksOf(market: Market, symbols: readonly string[]): Promise<Look[]> {
  const catalogue = await market.catalogue()
  return symbols.map(symbol => ({
    symbol,
    files: market.files(catalogue, 'bars', symbol),
    factorFiles: market.files(catalogue, 'adjustment_factors', symbol),
  }))
}

/** Registers the model of prices or removes it, so that the API reads blocks or the lake. */
function switchOf(market: Market): (to: 'model' | 'lake') => Promise<void> {
  const { db } = market.runtime.postgres
  const wait = (): Promise<void> => new Promise(resolve => setTimeout(resolve, noticedMs))
  let rows: Awaited<ReturnType<typeof registered>> = []
  const registered = () => db.selectFrom('model_build').selectAll().where('model', '=', 'prices').execute()
  return async to => {
    const found = await registered()
    if (to === 'lake' && found.length > 0) {
      rows = found
      await db.deleteFrom('model_build').where('model', '=', 'prices').execute()
      await wait()
    }
    if (to === 'model' && found.length === 0) {
      for (const row of rows)
        await db
          .insertInto('model_build')
          .values({ ...row, sources: JSON.stringify(row.sources) })
          .execute()
      await wait()
    }
  }
}

/** Commits one more day of all symbols, with the prices of the last one. */
async function addDay(market: Market): Promise<void> {
  const { writer } = market.runtime.tools
  const catalogue = await market.catalogue()
  const bars = catalogue.files.get('bars') ?? []
  const last = bars.reduce((newest, { time_max }) => (time_max !== null && time_max > newest ? time_max : newest), '')
  const files = bars.filter(file => file.time_max === last).map(file => `'${lakePath(writer.data, file).replaceAll("'", "''")}'`)
  const sql = `(select * replace (date + 1 as date, known_from + interval 1 day as known_from, null::bigint as release_from)
    from read_parquet([${files.join(', ')}]) where date = '${last}'::date)`
  const dataset = datasetOf('bars')
  const sealed = await writer.connections.use(async connection =>
    seal(writer, await stage(connection, dataset, { sql, parameters: {} }, join(writer.stageFolder, 'day.parquet'), dataset.key), 'new'),
  )
  const partition = `day after ${last}`
  await commit(market.runtime.postgres.db, {
    job: 'bench',
    partition,
    batchKey: `bench ${partition}`,
    files: [sealed],
    base: catalogue.release,
    derivedFrom: [],
    fence: null,
    along: async () => {},
  })
}

/** Builds the model from the whole lake, then after a day; what each costs. */
async function buildCosts(market: Market): Promise<{ readonly figures: Figure[]; readonly note: string }> {
  const { db } = market.runtime.postgres
  const { writer } = market.runtime.tools
  await db.deleteFrom('model_build').where('model', '=', 'prices').execute()
  const timed = async (): Promise<{ build: PriceBuild; cpu: number; parts: readonly number[] }> => {
    const begun = process.cpuUsage()
    await buildPrices({ db, writer })
    const used = process.cpuUsage(begun)
    const build = await findPriceBuild(db)
    if (!build) throw new Error('no build of the model of prices')
    const { parts } = await readManifest(writer.data, build.sha256)
    return { build, cpu: (used.user + used.system) / 1e6, parts: parts.map(part => part.bytes) }
  }
  const whole = await timed()
  await addDay(market)
  const day = await timed()
  const lake = (await market.catalogue()).files.get('bars')?.reduce((sum, file) => sum + file.bytes, 0) ?? 0
  return {
    figures: [
      figure('build of the model from the whole lake', 's', [whole.build.build_ms / 1000]),
      figure('of it, processor time', 's', [whole.cpu]),
      compared('size of the model', 'MB', [whole.build.bytes / 1e6], "the lake's files of bars", [lake / 1e6]),
      figure("a day's update", 's', [day.build.build_ms / 1000]),
      figure('of it, processor time', 's', [day.cpu]),
    ],
    note: `parts of the model after a day: ${day.parts.map(bytes => `${(bytes / 1e6).toFixed(2)} MB`).join(', ')}`,
  }
}

/** Answers a second of this API and a second one next to it, each over half of the connections. */
async function answersOfTwo(market: Market, address: string, paths: () => string[], rounds: number): Promise<number[]> {
  const other = await startProgram('bench/api-process.ts', market.env)
  try {
    const addresses = [address, String(other.ready['address'])]
    // The second process has compiled nothing yet.
    await eachMs(addresses[1] as string, paths())
    await atRest(other.pid)
    const perSecond: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const both = await Promise.all(addresses.map(each => answersPerSecond(each, paths(), lanes / 2, loadSeconds)))
      perSecond.push(both.reduce((sum, each) => sum + each, 0))
    }
    return perSecond
  } finally {
    await other.stop()
  }
}

export async function eodCold(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const { rounds } = contexts.options
  const { config } = market.runtime
  const next = shuffled(market.universe.symbols)
  const costs = await buildCosts(market)
  const switchTo = switchOf(market)
  const api = await market.api({ fresh: true })
  const address = String(api.ready['address'])
  const plain = await startProgram('bench/plain-duckdb.ts', {}, null, [lakeFolder(config.dataFolder), String(config.duckdbMemoryApiMb), '1'])
  try {
    const askPlain = (looks: readonly Look[]): Promise<Looked> => plain.ask<Looked>({ looks })
    const firstTouch = ascending(await eachMs(address, next(perRound).map(eodPath)))
    // The API verifies in the background the files that no request has used yet.
    await atRest(api.pid)
    await askPlain(await looksOf(market, next(perRound)))
    const catalogue = await market.catalogue()
    const everyFile = (catalogue.files.get('bars') ?? []).map(file => lakePath(config.dataFolder, file))
    const times = {
      model: [] as (readonly number[])[],
      lake: [] as (readonly number[])[],
      both: [] as (readonly number[])[],
      glob: [] as (readonly number[])[],
    }
    const cpu = { model: [] as number[], lake: [] as number[] }
    const perSecond: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const symbols = next(perRound)
      const looks = await looksOf(market, symbols)
      const requested = async (from: 'model' | 'lake', of: readonly string[]): Promise<void> => {
        await switchTo(from)
        const before = cpuSeconds(api.pid)
        times[from].push(await eachMs(address, of.map(eodPath)))
        cpu[from].push(((cpuSeconds(api.pid) - before) / of.length) * 1000)
      }
      const looked = async (): Promise<void> => void times.both.push((await askPlain(looks)).withFactors)
      const others = next(perRound)
      const sides = [() => requested('model', symbols), looked, () => requested('lake', others)]
      for (const run of round % 2 === 0 ? sides : sides.toReversed()) await run()
      times.glob.push((await askPlain(looks.slice(0, fewOnGlob).map(look => ({ ...look, files: everyFile, factorFiles: [] })))).ms)
      await switchTo('model')
      perSecond.push(await answersPerSecond(address, next(loadedPaths).map(eodPath), lanes, loadSeconds))
    }
    const byTwo = await answersOfTwo(market, address, () => next(loadedPaths / 2).map(eodPath), rounds)
    const quantiles = (rows: readonly (readonly number[])[], q: number): number[] => rows.map(row => quantile(ascending(row), q))
    const few = market.files(catalogue, 'bars', next(1)[0] as string).length
    const [p50, p99] = [quantiles(times.model, 0.5), quantiles(times.model, 0.99)]
    const figures: Figure[] = [
      compared('p50 of the HTTP answer', 'ms', p50, 'the same API from the lake', quantiles(times.lake, 0.5)),
      compared('p99 of the HTTP answer', 'ms', p99, 'the same API from the lake', quantiles(times.lake, 0.99)),
      compared('processor time of the API for an answer', 'ms', cpu.model, 'the same API from the lake', cpu.lake),
      compared('p50 of the HTTP answer', 'ms', p50, 'plain DuckDB: its bars, its factors', quantiles(times.both, 0.5), { of: 'ratio', most: 1.3 }),
      compared('p99 of the HTTP answer', 'ms', p99, 'plain DuckDB: its bars, its factors', quantiles(times.both, 0.99)),
      figure('p50, all rounds', 'ms', [quantile(ascending(times.model.flat()), 0.5)], { of: 'value', most: 3 }),
      figure('p99, all rounds', 'ms', [quantile(ascending(times.model.flat()), 0.99)], { of: 'value', most: 10 }),
      compared('p50 of the HTTP answer', 'ms', p50, 'plain DuckDB: bars, of the glob of all files', quantiles(times.glob, 0.5)),
      figure(`answers over ${lanes} connections`, '1/s', perSecond, { of: 'value', least: 1_000 }),
      compared(`answers over ${lanes} connections, two API processes`, '1/s', byTwo, 'one', perSecond),
      figure(`first ${perRound} after the API started, p50`, 'ms', [quantile(firstTouch, 0.5)]),
      figure(`first ${perRound} after the API started, p99`, 'ms', [quantile(firstTouch, 0.99)]),
      ...costs.figures,
    ]
    return {
      figures,
      notes: [
        `${market.universe.symbols.length} symbols x 2,500 bars in ${everyFile.length} files, ${few} of them hold a symbol; each symbol asked once, one at a time, ${perRound} a round`,
        'model, lake and plain DuckDB are asked in turns; half of the symbols have factors',
        `answers over ${lanes} connections are requested by ${loader} on the same cores`,
        costs.note,
      ],
    }
  } finally {
    await plain.stop()
  }
}

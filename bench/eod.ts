// End-of-day bars of one symbol: asked again (hot), and of random symbols (cold).
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lakeFolder, lakePath } from '#warehouse/store/lake/open.ts'
import type { Market, ReleaseContexts } from './contexts.ts'
import { eachMs, loader, requestsPerSecond } from './load.ts'
import { ascending, compared, type Figure, figure, interleave, quantile, type Report } from './measure.ts'
import type { Look } from './plain-duckdb.ts'
import { atRest, type Program, startProgram } from './processes.ts'

type Outcome = Pick<Report, 'figures' | 'notes'>
const eodPath = (symbol: string): string => `/api/v1/market/eod/${symbol}`

/** One answer of the API against bare node:http that sends the same bytes and headers: bodies, then 304s. */
export async function hotRead(contexts: ReleaseContexts, api: Program, path: string, requestHeaders: readonly string[]): Promise<Outcome> {
  const { rounds, seconds } = contexts.options
  const address = String(api.ready['address'])
  const requested = [...requestHeaders, 'Accept-Encoding: identity'].map(line => line.split(': ', 2) as [string, string])
  const response = await fetch(`${address}${path}`, { headers: Object.fromEntries(requested) })
  if (response.status !== 200) throw new Error(`${path}: answered ${response.status} ${await response.text()}`)
  const body = Buffer.from(await response.arrayBuffer())
  const folder = await contexts.folder('hot')
  const own = new Set(['date', 'connection', 'keep-alive'])
  const headers = [...response.headers].filter(([name]) => !own.has(name)).flat()
  await writeFile(join(folder, 'body'), body)
  await writeFile(join(folder, 'headers.json'), JSON.stringify(headers))
  const plain = await startProgram('bench/plain-server.ts', {}, 0, [join(folder, 'body'), join(folder, 'headers.json')])
  try {
    const plainAddress = String(plain.ready['address'])
    const match = [...requestHeaders, `If-None-Match: ${response.headers.get('etag')}`]
    const ask = (at: string, lines: readonly string[], status: number) => () => requestsPerSecond(at, path, lines, seconds, status)
    const sides = [
      { name: 'api', run: ask(address, requestHeaders, 200) },
      { name: 'plain', run: ask(plainAddress, requestHeaders, 200) },
      { name: 'api 304', run: ask(address, match, 304) },
      { name: 'plain 304', run: ask(plainAddress, match, 304) },
    ]
    for (const side of sides) await side.run() // the code of both is compiled, caches are filled
    const values = await interleave(sides, rounds * 3)
    const of = (name: string): number[] => values.get(name) ?? []
    return {
      figures: [
        compared(`200, ${body.length.toLocaleString('en-US')} bytes`, 'requests/s', of('api'), 'node:http', of('plain'), { of: 'ratio', least: 0.8 }),
        compared('304', 'requests/s', of('api 304'), 'node:http', of('plain 304'), { of: 'ratio', least: 0.9 }),
      ],
      notes: [
        `${loader}, 16 keep-alive connections, ${seconds} s a round; servers pinned to one core, the load to another, where taskset is installed`,
      ],
    }
  } finally {
    await plain.stop()
  }
}

export async function eodHot(contexts: ReleaseContexts): Promise<Outcome> {
  const market = await contexts.market()
  const symbol = market.universe.symbols[12] as string
  return await hotRead(contexts, await market.api({ core: 0 }), eodPath(symbol), [])
}

/** Different symbols at each call, spread over the whole market, the same at each run. */
export function shuffled(symbols: readonly string[]): (count: number) => string[] {
  let at = 0
  let step = Math.floor(symbols.length * 0.618) | 1
  while (gcd(step, symbols.length) !== 1) step += 2
  return count => Array.from({ length: count }, () => symbols[(at++ * step + 11) % symbols.length] as string)
}
const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

async function looksOf(market: Market, symbols: readonly string[]): Promise<Look[]> {
  const catalogue = await market.catalogue()
  return symbols.map(symbol => ({
    symbol,
    files: market.files(catalogue, 'bars', symbol),
    factorFiles: market.files(catalogue, 'adjustment_factors', symbol),
  }))
}

type Looked = { readonly ms: readonly number[]; readonly withFactors: readonly number[] }
const perRound = 200
const fewOnGlob = 5

export async function eodCold(contexts: ReleaseContexts): Promise<Outcome> {
  const market = await contexts.market()
  const { rounds } = contexts.options
  const { config } = market.runtime
  const next = shuffled(market.universe.symbols)
  const api = await market.api({ fresh: true })
  const address = String(api.ready['address'])
  const plain = await startProgram('bench/plain-duckdb.ts', {}, null, [lakeFolder(config.dataFolder), String(config.duckdbMemoryApiMb), '1'])
  try {
    const askPlain = (looks: readonly Look[]): Promise<Looked> => plain.ask<Looked>({ looks })
    const firstTouch = ascending(await eachMs(address, next(perRound).map(eodPath)))
    // The API verifies the files that nobody has asked for yet in the background.
    await atRest(api.pid)
    await askPlain(await looksOf(market, next(perRound)))
    const catalogue = await market.catalogue()
    const everyFile = (catalogue.files.get('bars') ?? []).map(file => lakePath(config.dataFolder, file))
    const times = {
      api: [] as (readonly number[])[],
      bars: [] as (readonly number[])[],
      both: [] as (readonly number[])[],
      glob: [] as (readonly number[])[],
    }
    for (let round = 0; round < rounds; round += 1) {
      const symbols = next(perRound)
      const looks = await looksOf(market, symbols)
      const requested = async (): Promise<void> => void times.api.push(await eachMs(address, symbols.map(eodPath)))
      const looked = async (): Promise<void> => {
        const { ms, withFactors } = await askPlain(looks)
        times.bars.push(ms)
        times.both.push(withFactors)
      }
      for (const run of round % 2 === 0 ? [requested, looked] : [looked, requested]) await run()
      times.glob.push((await askPlain(looks.slice(0, fewOnGlob).map(look => ({ ...look, files: everyFile, factorFiles: [] })))).ms)
    }
    const quantiles = (rows: readonly (readonly number[])[], q: number): number[] => rows.map(row => quantile(ascending(row), q))
    const few = market.files(catalogue, 'bars', next(1)[0] as string).length
    const [p50, p99] = [quantiles(times.api, 0.5), quantiles(times.api, 0.99)]
    const figures: Figure[] = [
      compared('p50 of the HTTP answer', 'ms', p50, 'plain DuckDB: its bars, its factors', quantiles(times.both, 0.5), { of: 'ratio', most: 1.3 }),
      compared('p50 of the HTTP answer', 'ms', p50, 'plain DuckDB: its bars alone', quantiles(times.bars, 0.5)),
      compared('p99 of the HTTP answer', 'ms', p99, 'plain DuckDB: its bars, its factors', quantiles(times.both, 0.99)),
      figure('p50, all rounds', 'ms', [quantile(ascending(times.api.flat()), 0.5)], { of: 'value', most: 10 }),
      figure('p99, all rounds', 'ms', [quantile(ascending(times.api.flat()), 0.99)], { of: 'value', most: 30 }),
      compared('p50 of the HTTP answer', 'ms', p50, 'plain DuckDB: bars, of the glob of all files', quantiles(times.glob, 0.5)),
      figure(`first ${perRound} after the API started, p50`, 'ms', [quantile(firstTouch, 0.5)]),
      figure(`first ${perRound} after the API started, p99`, 'ms', [quantile(firstTouch, 0.99)]),
    ]
    return {
      figures,
      notes: [
        `${market.universe.symbols.length} symbols x 2,500 bars in ${everyFile.length} files, ${few} of them hold a symbol; each symbol asked once, one at a time, ${perRound} a round`,
        'API and plain DuckDB ask for the same symbols in turns, so that the pages of half of them come from the other; half of the symbols have factors',
      ],
    }
  } finally {
    await plain.stop()
  }
}

// End-of-day bars of one symbol, asked again.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReleaseContexts } from './contexts.ts'
import { loader, requestsPerSecond } from './load.ts'
import { compared, interleave, type Report } from './measure.ts'
import { type Program, startProgram } from './processes.ts'

type Outcome = Pick<Report, 'figures' | 'notes'>
export const eodPath = (symbol: string): string => `/api/v1/market/eod/${symbol}`

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

// What a key costs: a page read with one, counted against its limit, beside the same page of the same program without either.
import { type ReleaseContexts, signedPath } from './contexts.ts'
import { loader, requestsPerSecond } from './load.ts'
import { compared, interleave, type Report } from './measure.ts'
import { startProgram } from './processes.ts'

const path = signedPath

export async function keyedRead(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const { rounds, seconds } = contexts.options
  const { env, key } = await contexts.installation()
  const guarded = await startProgram('bench/api-process.ts', env, 0)
  const open = await startProgram('bench/api-process.ts', env, 0, ['get_form4'])
  try {
    const ask = (address: unknown, headers: readonly string[]) => () =>
      requestsPerSecond(String(address), path, [...headers, 'Accept-Encoding: identity'], seconds, 200)
    const refused = await fetch(`${guarded.ready['address']}${path}`)
    if (refused.status !== 401) throw new Error(`${path}: answered ${refused.status} without a key, so that nothing is compared`)
    const sides = [
      { name: 'bearer', run: ask(guarded.ready['address'], [`Authorization: Bearer ${key}`]) },
      { name: 'x-api-key', run: ask(guarded.ready['address'], [`X-API-Key: ${key}`]) },
      { name: 'open', run: ask(open.ready['address'], []) },
    ]
    for (const side of sides) await side.run() // the code of both is compiled, caches are filled
    const values = await interleave(sides, rounds * 3)
    const of = (name: string): number[] => values.get(name) ?? []
    const aim = { of: 'ratio', least: 0.85 } as const
    return {
      figures: [
        compared('with Authorization: Bearer', 'requests/s', of('bearer'), 'neither key nor limit', of('open'), aim),
        compared('with X-API-Key', 'requests/s', of('x-api-key'), 'neither key nor limit', of('open'), aim),
      ],
      notes: [
        `${loader}, 16 keep-alive connections, ${seconds} s a round; servers pinned to one core, the load to another, where taskset is installed`,
        'the key is looked up in Postgres every four seconds and its budget leased every second; between them both are in memory',
      ],
    }
  } finally {
    await guarded.stop()
    await open.stop()
  }
}

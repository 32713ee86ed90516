// Places for streams: counted when they are taken, and one stream of a run at a time.
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { runTimes } from './runs.ts'
import { createStreams } from './stream.ts'

const never = (): never => {
  throw new Error('the database is not asked here')
}
const tools = { db: {} as never, runner: { wake: never }, times: runTimes, monotonic: () => 0, closing: new AbortController().signal }

describe('places for streams', () => {
  it('are two for a session from the moment they are taken, and free when they end', () => {
    const streams = createStreams(tools)
    const places = [streams.take('s1', null), streams.take('s1', null)]
    expect(() => streams.take('s1', null)).toThrow(/2 open streams/)
    streams.take('s2', null)
    places[0]?.end()
    places[0]?.end()
    streams.take('s1', null)
    expect(() => streams.take('s1', null)).toThrow(/2 open streams/)
  })
  it('go to a client that continues its stream: the older stream of the run ends', async () => {
    const streams = createStreams(tools)
    const run = { run_id: 'm_1', user_id: 'u_1' }
    streams.take('s1', null)
    const older = streams.take('s1', null).open(run, 0, () => new Date(0))
    const closed = once(older, 'close')
    const newer = streams.take('s1', 'm_1').open(run, 1, () => new Date(0))
    await closed
    expect(() => streams.take('s1', null)).toThrow(/2 open streams/)
    expect([older.destroyed, newer.destroyed]).toEqual([true, false])
    newer.destroy()
    await once(newer, 'close')
    expect(() => streams.take('s1', null)).not.toThrow()
  })
})

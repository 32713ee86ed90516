import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Upstream as UpstreamError } from '#schemas/errors.ts'
import { edgar } from '../sources/edgar/index.ts'
import { eodhd } from '../sources/eodhd.ts'
import { tiingo } from '../sources/tiingo.ts'
import { createPoliteness, memoryStore, type SlotStore } from './politeness.ts'

/** A clock for many clients at once: time stands still until all of them sleep, then jumps to the first that wakes. */
function aClock(start = 0) {
  let time = start
  const sleepers: { at: number; wake: () => void }[] = []
  const sleep = (ms: number): Promise<void> => new Promise(wake => void sleepers.push({ at: time + ms, wake }))
  const settle = () => new Promise(resolve => setImmediate(resolve))
  const run = async (until: Promise<unknown>): Promise<void> => {
    let done = false
    until.then(
      () => (done = true),
      () => (done = true),
    )
    for (;;) {
      await settle()
      if (done) return
      sleepers.sort((a, b) => a.at - b.at)
      const next = sleepers.shift()
      if (next === undefined) continue
      time = Math.max(time, next.at)
      next.wake()
    }
  }
  return { now: () => time, sleep, run, advance: (ms: number) => (time += ms) }
}

const mostInAnySecond = (times: readonly number[]): number =>
  Math.max(...times.map(start => times.filter(time => time >= start && time <= start + 1000).length))

/** Wakes that always miss: found by chance, and kept. */
const alwaysLate: [{ requests: number; starts: number }[], number[], number[]] = [
  [
    { requests: 1, starts: 0 },
    { requests: 1, starts: 251 },
    { requests: 1, starts: 121 },
    { requests: 2, starts: 203 },
  ],
  [0, 0, 4, 0, 47, 0],
  [126],
]

describe('the SEC is asked at most ten times in any second', () => {
  test('by any number of clients, however late they wake and however slow their database is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ requests: fc.integer({ min: 1, max: 12 }), starts: fc.integer({ min: 0, max: 1500 }) }), { minLength: 2, maxLength: 8 }),
        fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 }), // ms that the store takes, each way
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 20 }), // ms that a sleeper oversleeps
        async (clients, delays, oversleeps) => {
          const clock = aClock(Date.parse('2026-11-20T00:00:00Z'))
          let turn = 0
          const pick = (list: readonly number[]): number => list[turn++ % list.length] ?? 0
          const shared = memoryStore(clock.now)
          const store: SlotStore = {
            ...shared,
            take: async (limits, cost) => {
              await clock.sleep(pick(delays))
              const taken = await shared.take(limits, cost)
              await clock.sleep(pick(delays))
              return taken
            },
          }
          const requested: number[] = []
          let gaveUp = 0
          const work = clients.map(async ({ requests, starts }) => {
            const politeness = createPoliteness(store, { now: clock.now, sleep: ms => clock.sleep(ms + pick(oversleeps) * (turn % 3 === 0 ? 1 : 0)) })
            await clock.sleep(starts)
            for (let n = 0; n < requests; n++) {
              // A client that always wakes too late for its slot gives up rather than ask too often.
              const granted = await politeness.acquire(edgar).then(
                () => true,
                (error: Error) => {
                  expect(error.message).toContain('slots in a row were lost')
                  return false
                },
              )
              if (granted) requested.push(clock.now())
              else gaveUp += 1
            }
          })
          const all = Promise.all(work)
          await clock.run(all)
          await all
          expect(requested.length + gaveUp).toBe(clients.reduce((sum, client) => sum + client.requests, 0))
          expect(mostInAnySecond(requested)).toBeLessThanOrEqual(10)
        },
      ),
      { numRuns: 60, examples: [alwaysLate] },
    )
  })

  test('and when all goes smoothly, eight times a second are used', async () => {
    const clock = aClock()
    const politeness = createPoliteness(memoryStore(clock.now), clock)
    const requested: number[] = []
    const work = Promise.all(
      Array.from({ length: 3 }, async () => {
        for (let n = 0; n < 27; n++) {
          await politeness.acquire(edgar)
          requested.push(clock.now())
        }
      }),
    )
    await clock.run(work)
    expect(requested.at(-1)).toBe(10_000) // 81 requests, 125 ms apart
    expect(mostInAnySecond(requested)).toBe(9)
  })
})

describe('everyone who shares the limits', () => {
  const shared = () => {
    const clock = aClock(Date.parse('2026-11-20T15:40:00Z'))
    const store = memoryStore(clock.now)
    return { clock, one: createPoliteness(store, clock), other: createPoliteness(store, clock) }
  }
  const refusal = async (promise: Promise<void>): Promise<UpstreamError> => {
    const error: unknown = await promise.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UpstreamError)
    return error as UpstreamError
  }

  test('sees a stop, with its reason and its end', async () => {
    const { clock, one, other } = shared()
    await one.stop(edgar, 600, 'sec_block_page')
    await one.stop(edgar, 5, 'throttled')
    const error = await refusal(other.acquire(edgar))
    expect(error.message).toBe('edgar: not requested: stopped for another 600 s: throttled')
    expect(error.retryAfterSeconds).toBe(600)
    clock.advance(600_000)
    await other.acquire(edgar)
  })

  test('a stop of one upstream is no stop of another', async () => {
    const { one, other } = shared()
    await one.stop(edgar, 600, 'sec_block_page')
    await other.acquire(eodhd)
  })

  test('sees the breaker open after five failures in a row, and only one of them probes', async () => {
    const { clock, one, other } = shared()
    for (let n = 0; n < 5; n++) await (n % 2 === 0 ? one : other).outcome(edgar, false)
    expect((await refusal(one.acquire(edgar))).retryAfterSeconds).toBe(30)
    clock.advance(30_000)
    await one.acquire(edgar)
    expect((await refusal(other.acquire(edgar))).message).toMatch(/5 requests in a row failed/)
    await one.outcome(edgar, false)
    clock.advance(29_000)
    expect((await refusal(one.acquire(edgar))).retryAfterSeconds).toBe(1)
    clock.advance(1_000)
    await other.acquire(edgar)
    await other.outcome(edgar, true)
    clock.advance(1_000)
    await one.acquire(edgar)
  })

  test('four failures and a success leave the breaker closed', async () => {
    const { one } = shared()
    for (let n = 0; n < 4; n++) await one.outcome(edgar, false)
    await one.outcome(edgar, true)
    await one.outcome(edgar, false)
    await one.acquire(edgar)
  })

  test('spends one quota: bulk calls of EODHD weigh 100 of 100,000 a day', async () => {
    const { clock, one, other } = shared()
    const spend = (async () => {
      for (let n = 0; n < 500; n++) {
        await one.acquire(eodhd, undefined, 100)
        await other.acquire(eodhd, undefined, 100)
      }
    })()
    await clock.run(spend)
    await spend
    const error = await refusal(one.acquire(eodhd))
    expect(error.message).toBe(`eodhd: not requested: the 100000 calls of this UTC day are used up`)
    clock.advance((error.retryAfterSeconds ?? 0) * 1000)
    await one.acquire(eodhd)
  })

  test('waits for the next hour when the 50 of this one are used up', async () => {
    const { clock, one } = shared()
    const spend = (async () => {
      for (let n = 0; n < 50; n++) await one.acquire(tiingo)
    })()
    await clock.run(spend)
    await spend
    const error = await refusal(one.acquire(tiingo))
    expect(error.message).toMatch(/the 50 calls of this UTC hour are used up/)
    expect(clock.now() + (error.retryAfterSeconds ?? 0) * 1000).toBeGreaterThanOrEqual(Date.parse('2026-11-20T16:00:00Z'))
  })

  test('a clock that steps back an hour stops nobody for an hour', async () => {
    const { clock, one } = shared()
    await one.acquire(edgar)
    for (let n = 0; n < 5; n++) await one.outcome(edgar, false)
    clock.advance(-3_600_000)
    const before = clock.now()
    const acquired = one.acquire(edgar)
    await clock.run(acquired)
    await acquired
    expect(clock.now() - before).toBeLessThanOrEqual(125)
    expect((await refusal(one.acquire(edgar))).retryAfterSeconds).toBe(30)
  })
})

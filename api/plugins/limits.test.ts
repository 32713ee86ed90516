import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Plans } from '#schemas/plans.ts'
import type { Lease, LeaseRequest, LimitStore } from '#warehouse/people/accounts/budget.ts'
import { plans } from '#warehouse/rulesets/plans/plans.ts'
import { buildApp } from '../app.ts'
import { aKey, fakes, keyList } from '../fakes.ts'
import { checkArrival } from './gcra.ts'
import { type Allowance, createLimiter } from './limiter.ts'

/** The published table with one rate for everything. */
function tight(limit: number, window_seconds: number, burst: number, daily: number | null = null): Plans {
  const rate = { limit, window_seconds, burst, daily }
  return { ...plans, plans: plans.plans.map(plan => ({ ...plan, rates: { reads: rate, queries: rate, files: rate, agents: rate } })) }
}
const caller = { partition: '192.0.2.1', tier: 'anonymous' } as const
const start = Date.parse('2026-11-20T21:05:00Z')

/** A shared budget in memory, as the table in Postgres keeps it. */
function memoryStore(clock: { ms: number }): LimitStore & { calls: number; down: boolean } {
  const arrivals = new Map<string, number>()
  const store = {
    calls: 0,
    down: false,
    async lease({ partition, interval_us, capacity, wanted }: LeaseRequest): Promise<Lease> {
      store.calls += 1
      if (store.down) throw new Error('connection refused')
      const step = interval_us / 1000
      const arrival = Math.max(arrivals.get(partition) ?? 0, clock.ms)
      const room = Math.floor(capacity - (arrival - clock.ms) / step + 1e-9)
      const granted = Math.max(0, Math.min(wanted, room))
      const next = arrival + granted * step
      arrivals.set(partition, next)
      const left = capacity - (next - clock.ms) / step
      return { granted, retry_ms: left >= 1 ? 0 : (1 - left) * step, left: Math.max(0, Math.floor(left)), daily_exhausted: false }
    },
  }
  return store
}
function limiterAt(clock: { ms: number }, table: Plans, store: LimitStore | null = null, warn: (message: string) => void = () => {}) {
  return createLimiter({ plans: table, store, now: () => new Date(start + clock.ms), monotonic: () => clock.ms, warn })
}
/** The most that passed in any window of `width` milliseconds. */
function mostIn(passed: readonly number[], width: number): number {
  let most = 0
  let from = 0
  for (let to = 0; to < passed.length; to++) {
    while ((passed[to] ?? 0) - (passed[from] ?? 0) >= width) from++
    most = Math.max(most, to - from + 1)
  }
  return most
}

describe('GCRA', () => {
  it('lets at most limit and burst pass in any sliding window, whatever the arrivals', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 50, maxLength: 400 }), fc.integer({ min: 1, max: 30 }), (gaps, burst) => {
        const meter = { interval: 100, capacity: burst }
        let arrival = 0
        let now = 0
        const passed: number[] = []
        for (const gap of gaps) {
          now += gap < 200 ? 0 : gap - 200
          const verdict = checkArrival(meter, arrival, now, 1)
          arrival = verdict.arrival
          if (verdict.allowed) passed.push(now)
        }
        for (const width of [100, 1000, 5000]) expect(mostIn(passed, width)).toBeLessThanOrEqual(width / meter.interval + burst)
      }),
      { numRuns: 200 },
    )
  })
  it('returns the wait of a refused request, which then succeeds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 3000 }), (capacity, cost, now) => {
        const meter = { interval: 250, capacity: Math.max(capacity, cost) }
        let arrival = 0
        for (let verdict = checkArrival(meter, arrival, now, cost); ; verdict = checkArrival(meter, arrival, now, cost)) {
          arrival = verdict.arrival
          if (verdict.allowed) continue
          expect(checkArrival(meter, arrival, now + verdict.retry_in - 1, cost).allowed).toBe(false)
          expect(checkArrival(meter, arrival, now + verdict.retry_in, cost).allowed).toBe(true)
          return
        }
      }),
    )
  })
  it('lets nothing more through when the clock goes back', () => {
    const meter = { interval: 1000, capacity: 2 }
    let arrival = 0
    for (const now of [10_000, 10_000]) arrival = checkArrival(meter, arrival, now, 1).arrival
    expect(checkArrival(meter, arrival, 5_000, 1).allowed).toBe(false)
  })
})

describe('a limit of one process', () => {
  it('holds over any second under ten times the load, and grants what it promises', () => {
    const clock = { ms: 0 }
    const limiter = limiterAt(clock, tight(100, 1, 20))
    const passed: number[] = []
    for (clock.ms = 0; clock.ms < 10_000; clock.ms++) if ((limiter.take(caller, 'reads', 1) as Allowance).allowed) passed.push(clock.ms)
    expect(mostIn(passed, 1000)).toBeLessThanOrEqual(120)
    expect(passed.length).toBeGreaterThanOrEqual(1000)
  })
  it('never refuses a client twice that waits as long as stated', () => {
    const clock = { ms: 0 }
    const limiter = limiterAt(clock, tight(60, 60, 5))
    let refusals = 0
    for (let n = 0; n < 200; n++) {
      const taken = limiter.take(caller, 'reads', 1) as Allowance
      if (taken.allowed) continue
      refusals += 1
      expect(taken.retry_seconds).toBeLessThanOrEqual(1)
      clock.ms += taken.retry_seconds * 1000
      expect((limiter.take(caller, 'reads', 1) as Allowance).allowed).toBe(true)
    }
    expect(refusals).toBeGreaterThan(50)
  })
  it('is kept apart for classes and callers, and weighs what an operation costs', () => {
    const limiter = limiterAt({ ms: 0 }, tight(60, 60, 10))
    expect((limiter.take(caller, 'files', 5) as Allowance).remaining).toBe(5)
    expect((limiter.take(caller, 'files', 5) as Allowance).allowed).toBe(true)
    expect((limiter.take(caller, 'files', 5) as Allowance).retry_seconds).toBe(5)
    expect((limiter.take(caller, 'reads', 5) as Allowance).allowed).toBe(true)
    expect((limiter.take({ ...caller, partition: 'k_1' }, 'files', 5) as Allowance).allowed).toBe(true)
  })
  it('caps a UTC day exactly, and resets at midnight', () => {
    const clock = { ms: 0 }
    const limiter = limiterAt(clock, tight(1000, 1, 1000, 7))
    const taken = Array.from({ length: 9 }, () => limiter.take(caller, 'reads', 1) as Allowance)
    expect(taken.filter(each => each.allowed)).toHaveLength(7)
    const untilMidnight = (Date.parse('2026-11-21T00:00:00Z') - start) / 1000
    expect(taken.at(-1)).toMatchObject({ policy: 'daily', retry_seconds: untilMidnight })
    clock.ms = untilMidnight * 1000
    expect((limiter.take(caller, 'reads', 1) as Allowance).allowed).toBe(true)
  })
})

describe('a budget that two processes share', () => {
  it.each([1, 3, 10])('holds over any sliding window at %s times the load, and 99 % of it is granted', async load => {
    const clock = { ms: 0 }
    const store = memoryStore(clock)
    const table = tight(600, 60, 200)
    const two = [limiterAt(clock, table, store), limiterAt(clock, table, store)]
    const passed: number[] = []
    let lookups = 0
    const every = 100 / load
    for (let at = 0; at < 180_000; at += every) {
      clock.ms = at
      lookups += 1
      // The load tilts from one process to the other and back.
      const limiter = two[Math.sin(at / 20_000) > 0.3 ? 0 : 1]!
      if ((await limiter.take(caller, 'reads', 1)).allowed) passed.push(at)
    }
    expect(mostIn(passed, 60_000)).toBeLessThanOrEqual(800)
    expect(passed.length).toBeGreaterThanOrEqual(0.99 * Math.min(lookups, 1800))
    if (load === 10) expect(store.calls).toBeLessThan(lookups / 5)
  })
  it('is asked for a slice, not for every request', async () => {
    const clock = { ms: 0 }
    const store = memoryStore(clock)
    const limiter = limiterAt(clock, tight(60_000, 60, 20_000), store)
    for (let n = 0; n < 5000; n++) {
      clock.ms += 1
      expect((await limiter.take(caller, 'reads', 1)).allowed).toBe(true)
    }
    expect(store.calls).toBeLessThan(60)
  })
  it('logs an outage of the store once, however long it lasts, and the next one again', async () => {
    const clock = { ms: 0 }
    const store = memoryStore(clock)
    const warned: string[] = []
    const limiter = limiterAt(clock, tight(10, 1, 20), store, message => void warned.push(message))
    const outage = async (down: boolean): Promise<void> => {
      store.down = down
      const before = store.calls
      for (let second = 0; second < 60; second += 1) {
        clock.ms += 1000
        await limiter.take(caller, 'reads', 1)
      }
      expect(store.calls - before).toBeGreaterThan(10)
    }
    for (const down of [false, true, false, true]) await outage(down)
    expect(warned).toHaveLength(2)
  })
  it('goes on alone at half the rate while the store is down, and together again after', async () => {
    const clock = { ms: 0 }
    const store = memoryStore(clock)
    const limiter = limiterAt(clock, tight(600, 60, 100), store)
    store.down = true
    const passed = (await Promise.all(Array.from({ length: 200 }, () => limiter.take(caller, 'reads', 1)))).filter(each => each.allowed)
    expect(passed).toHaveLength(50)
    const calls = store.calls
    await limiter.take(caller, 'reads', 1)
    expect(store.calls).toBe(calls)
    store.down = false
    clock.ms += 2001
    expect((await limiter.take(caller, 'reads', 1)).allowed).toBe(true)
    expect(store.calls).toBe(calls + 1)
  })
  it('never refuses a client twice that waits as long as stated', async () => {
    const clock = { ms: 0 }
    const limiter = limiterAt(clock, tight(600, 60, 50), memoryStore(clock))
    let refusals = 0
    for (let n = 0; n < 500; n++) {
      const taken = await limiter.take(caller, 'reads', 3)
      if (taken.allowed) continue
      refusals += 1
      clock.ms += taken.retry_seconds * 1000
      expect((await limiter.take(caller, 'reads', 3)).allowed).toBe(true)
    }
    expect(refusals).toBeGreaterThan(10)
  })
})

describe('over HTTP', () => {
  it('returns the remaining units on every answer, and the wait on 429', async () => {
    const clock = { ms: 0 }
    const app = await buildApp(fakes({ clock, plans: tight(60, 60, 3) }))
    const ask = () => app.inject('/api/v1/market/eod/NRTH.TO')
    const first = await ask()
    expect([first.headers['ratelimit'], first.headers['ratelimit-policy'], first.headers['x-cost']]).toEqual([
      '"queries";r=2;t=1',
      '"queries";q=60;w=60',
      '1',
    ])
    await ask()
    expect((await ask()).headers['ratelimit']).toBe('"queries";r=0;t=3')
    const fourth = await ask()
    expect(fourth.statusCode).toBe(429)
    expect(fourth.json()).toMatchObject({
      code: 'rate_limited',
      detail: 'the limit "queries" of tier anonymous is used up',
      hint: expect.stringContaining('API key'),
    })
    expect([fourth.headers['retry-after'], fourth.headers['ratelimit'], fourth.headers['ratelimit-policy']]).toEqual([
      '1',
      '"queries";r=0;t=1',
      '"queries";q=60;w=60',
    ])
    clock.ms += 1000
    expect((await ask()).statusCode).toBe(200)
    expect((await app.inject('/health')).headers['ratelimit']).toBeUndefined()
    await app.close()
  })
  it('counts per address and per /64, believes X-Forwarded-For only of listed proxies', async () => {
    const count = async (options: { trustedProxies?: string[] }, remotes: string[], forwarded: string[] = []) => {
      const app = await buildApp(fakes({ plans: tight(60, 60, 2), options }))
      const statuses: number[] = []
      for (const [at, remoteAddress] of remotes.entries()) {
        const headers: Record<string, string> = forwarded[at] === undefined ? {} : { 'x-forwarded-for': forwarded[at] }
        statuses.push((await app.inject({ url: '/api/v1/market/eod/A', remoteAddress, headers })).statusCode)
      }
      await app.close()
      return statuses
    }
    expect(await count({}, ['198.51.100.1', '198.51.100.2', '198.51.100.1', '198.51.100.1'])).toEqual([200, 200, 200, 429])
    expect(await count({}, ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:2::3', '2001:db8:1:3::1'])).toEqual([200, 200, 429, 200])
    expect(await count({}, ['::ffff:198.51.100.1', '198.51.100.1', '198.51.100.1'])).toEqual([200, 200, 429])
    const same = ['10.0.0.1', '10.0.0.1', '10.0.0.1']
    expect(await count({}, same, ['192.0.2.1', '192.0.2.2', '192.0.2.3'])).toEqual([200, 200, 429])
    expect(await count({ trustedProxies: ['10.0.0.0/8'] }, same, ['192.0.2.1', '192.0.2.2', '192.0.2.3'])).toEqual([200, 200, 200])
    // A client's forged entries are to the left of the one that the proxy added.
    expect(await count({ trustedProxies: ['10.0.0.0/8'] }, same, ['1.1.1.1, 192.0.2.1', '2.2.2.2, 192.0.2.1', '3.3.3.3, 192.0.2.1'])).toEqual([
      200, 200, 429,
    ])
  })
  it('counts a key by itself, from whatever address', async () => {
    const key = aKey()
    const app = await buildApp(fakes({ plans: tight(60, 60, 2), keys: keyList(key) }))
    const ask = async (remoteAddress: string) =>
      (await app.inject({ url: '/api/v1/data/health', remoteAddress, headers: { 'x-api-key': key.text } })).statusCode
    expect([await ask('192.0.2.1'), await ask('192.0.2.2'), await ask('192.0.2.3')]).toEqual([200, 200, 429])
    await app.close()
  })
  it('bounds the guessing of keys and of paths', async () => {
    const app = await buildApp(fakes({ plans: tight(60, 60, 2) }))
    const guess = async (url: string, headers = {}) => (await app.inject({ url, headers })).statusCode
    const bad = { authorization: 'Bearer cf_live_guess' }
    expect([await guess('/api/v1/data/health', bad), await guess('/api/v1/data/health', bad), await guess('/api/v1/data/health', bad)]).toEqual([
      401, 401, 429,
    ])
    expect(await guess('/nowhere')).toBe(429)
    await app.close()
  })
  it('enforces the very table that plans publishes', async () => {
    const app = await buildApp(fakes({ plans }))
    const published = (await app.inject('/api/v1/data/plans')).json()
    const anonymous = published.plans.find((plan: { tier: string }) => plan.tier === 'anonymous')
    const queries = anonymous.limits.find((each: { limit_class: string }) => each.limit_class === 'queries')
    const statuses = []
    for (let n = 0; n < queries.burst + 5; n++) statuses.push((await app.inject('/api/v1/market/eod/NRTH.TO')).statusCode)
    expect(statuses.filter(status => status === 200)).toHaveLength(queries.burst)
    expect((await app.inject('/api/v1/market/eod/NRTH.TO')).headers['ratelimit-policy']).toBe(
      `"queries";q=${queries.limit};w=${queries.window_seconds}`,
    )
    await app.close()
  })
  it('sends the old headers where they are switched on', async () => {
    const app = await buildApp(fakes({ plans: tight(60, 60, 3), options: { legacyRateHeaders: true } }))
    const { headers } = await app.inject('/api/v1/market/eod/A')
    expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']]).toEqual(['60', '2', '1'])
    await app.close()
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { Upstream as UpstreamError } from '#schemas/errors.ts'
import { edgar } from '../sources/edgar/index.ts'
import { createPoliteness, memoryStore } from './politeness.ts'
import { postgresStore } from './politeness-postgres.ts'

const { pool } = await testDatabase()
// pg's own types ask for mutable arrays; the store needs no more than this of it.
const database = { query: async (text: string, values: unknown[] = []) => ({ rows: (await pool.query<Record<string, unknown>>(text, values)).rows }) }

describe('the row in Postgres', () => {
  test('follows the same rules as the pure function, at every instant', async () => {
    let time = 0
    let group = 0
    const limits = { ...edgar.limits, perSecond: 0.1, burst: 2, perDay: 18 }
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: fc.constant('take' as const), cost: fc.integer({ min: 0, max: 3 }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), seconds: fc.integer({ min: 1, max: 100 }) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('outcome' as const), ok: fc.integer({ min: 0, max: 9 }).map(n => n === 0) }) },
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('wait' as const),
          ms: fc.oneof(
            { weight: 9, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
            { weight: 2, arbitrary: fc.integer({ min: -4_000_000, max: 4_000_000 }) },
          ),
        }),
      },
    )
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(12, null), fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), async (perHour, steps) => {
        time = Date.parse('2026-11-20T22:50:00Z')
        const mine = { ...limits, perHour, group: `equal-${group++}` }
        const memory = memoryStore(() => time)
        const postgres = postgresStore(
          { query: (text, values) => database.query(text.replaceAll(':now', `'${new Date(time).toISOString()}'::timestamptz`), values) },
          ':now',
        )
        for (const each of steps) {
          if (each.do === 'wait') time += each.ms
          else if (each.do === 'stop') for (const store of [memory, postgres]) await store.stop(mine.group, each.seconds, 'because')
          else if (each.do === 'outcome') for (const store of [memory, postgres]) await store.outcome(mine.group, each.ok)
          else {
            const expected = await memory.take(mine, each.cost)
            const taken = await postgres.take(mine, each.cost)
            seen.add(taken.verdict)
            expect(taken.verdict).toBe(expected.verdict)
            expect(taken.reason).toBe(expected.reason)
            expect(Math.abs(taken.waitMs - expected.waitMs)).toBeLessThan(0.01)
          }
        }
      }),
      { numRuns: 40, seed: 20_261_120 },
    )
    expect([...seen].sort()).toEqual(['busy', 'granted', 'open', 'quota_day', 'quota_hour', 'stopped'])
  })

  test('gives every slot to one taker only, however many ask at once', async () => {
    const limits = { ...edgar.limits, group: 'crowd', perSecond: 50 }
    const stores = Array.from({ length: 4 }, () => postgresStore(database))
    const started = await database.query('select clock_timestamp() as at')
    const before = Date.parse(String(started.rows[0]?.['at']))
    const taken = await Promise.all(
      Array.from({ length: 80 }, async (_, n) => {
        const slot = await stores[n % 4]?.take(limits, 1)
        return slot
      }),
    )
    expect(taken.map(each => each?.verdict)).toEqual(taken.map(() => 'granted'))
    const { rows } = await database.query("select extract(epoch from tat)::float8 * 1000 as tat, day_used from upstream_limit where name = 'crowd'")
    // 80 slots 20 ms apart: the next one is at least 79 steps after the first.
    expect(Number(rows[0]?.['tat'])).toBeGreaterThanOrEqual(before + 80 * 20 - 1000)
    expect(rows[0]?.['day_used']).toBe(80)
  })

  test('shows a stop to every process', async () => {
    const clock = { now: () => 0, sleep: async () => {} }
    const here = createPoliteness(postgresStore(database), clock)
    const there = createPoliteness(postgresStore(database), clock)
    await here.stop(edgar, 600, 'sec_block_page')
    await expect(there.acquire(edgar)).rejects.toThrow(/stopped for another (?:5[5-9]\d|600) s: sec_block_page/)
  })

  test('that cannot be reached means that nobody asks', async () => {
    const broken = postgresStore({ query: () => Promise.reject(new Error('connection terminated')) })
    await expect(broken.take(edgar.limits, 1)).rejects.toThrow(UpstreamError)
  })
})

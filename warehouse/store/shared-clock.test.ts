import { afterEach, expect, test, vi } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { openSharedClock } from './shared-clock.ts'

const { db, pool } = await testDatabase()
afterEach(() => vi.useRealTimers())

test('is the time of Postgres, whatever the clock of this machine shows', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2035-01-01T00:00:00Z') })
  const clock = await openSharedClock(db)
  const before = (await pool.query('select clock_timestamp() as at')).rows[0].at
  const now = clock.now().getTime()
  const after = (await pool.query('select clock_timestamp() as at')).rows[0].at
  clock.close()
  // Half a round trip of the measure is its error; a minute is more than any machine needs for one.
  expect(now).toBeGreaterThan(Date.parse(before) - 60_000)
  expect(now).toBeLessThan(Date.parse(after) + 60_000)
})

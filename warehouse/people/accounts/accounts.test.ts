import { expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { sharedBudget, sweepBudget } from './budget.ts'
import { keyDigest } from './key-text.ts'
import { createKey, findByHash, keyStore, listKeys, revokeKey } from './keys.ts'

const { db, pool } = await testDatabase()
const now = new Date('2026-11-20T21:05:00Z')

test('a key is shown once: the database holds its SHA-256 and last four characters', async () => {
  const { text, key } = await createKey(db, { name: ' notebook ', tier: 'trader' }, now)
  expect(key).toMatchObject({
    name: 'notebook',
    tier: 'trader',
    scopes: ['data:read', 'market:read'],
    last4: text.slice(-4),
    created_at: now.toISOString(),
    expires_at: '2027-11-20T21:05:00.000Z',
    revoked_at: null,
  })
  const dump = JSON.stringify((await pool.query('select * from api_key')).rows)
  expect(dump).not.toContain(text.slice(8, 40))
  expect(await findByHash(db, keyDigest(text))).toEqual(key)
  expect(await findByHash(db, keyDigest(`${text}x`))).toBeNull()
})

test('a revoked key stays revoked since the first time, and is listed', async () => {
  const { text, key } = await createKey(db, { name: 'short-lived', days: null }, now)
  expect(key.expires_at).toBeNull()
  expect((await revokeKey(db, key.key_id, now)).revoked_at).toBe(now.toISOString())
  expect((await revokeKey(db, key.key_id, new Date('2030-01-01T00:00:00Z'))).revoked_at).toBe(now.toISOString())
  expect((await keyStore(db).find(keyDigest(text)))?.revoked_at).toBe(now.toISOString())
  expect((await listKeys(db)).map(each => each.key_id)).toContain(key.key_id)
  await expect(revokeKey(db, 'k_nobody', now)).rejects.toThrow('no key k_nobody')
})

test('a key without a name or with an unknown scope is refused', async () => {
  await expect(createKey(db, { name: '' }, now)).rejects.toThrow('1 to 100')
  await expect(createKey(db, { name: 'x', scopes: ['admin' as never] }, now)).rejects.toThrow('unknown scope "admin"')
})

test('a key of the former scope opens both agent endpoints', async () => {
  const { text, key } = await createKey(db, { name: 'old', scopes: ['mcp:research'] }, now)
  await db
    .updateTable('api_key')
    .set({ scopes: ['mcp'] })
    .where('key_id', '=', key.key_id)
    .execute()
  expect((await keyStore(db).find(keyDigest(text)))?.scopes).toEqual(['mcp:research', 'mcp:mineral'])
})

test('the last use of a key is written next to it', async () => {
  const { text, key } = await createKey(db, { name: 'used' }, now)
  const first = now.toISOString()
  await keyStore(db).noteUses(new Map([[key.key_id, { at: now, as: 'query', in_query: true }]]))
  expect(await findByHash(db, keyDigest(text))).toMatchObject({ last_used_at: first, last_used_as: 'query', last_in_query_at: first })
  const later = new Date('2026-11-20T21:06:00Z')
  await keyStore(db).noteUses(new Map([[key.key_id, { at: later, as: 'bearer', in_query: false }]]))
  expect(await findByHash(db, keyDigest(text))).toMatchObject({ last_used_at: later.toISOString(), last_used_as: 'bearer', last_in_query_at: first })
})

/** A unit comes back each hour: none does while a test runs, however slow the machine is. */
const requested = { interval_us: 3_600_000_000, capacity: 10, daily: null }

test('processes that lease at the same time are given no more than the budget', async () => {
  const budget = sharedBudget(db)
  const leases = await Promise.all(Array.from({ length: 8 }, () => budget.lease({ ...requested, partition: 'reads:a', wanted: 4 })))
  const granted = leases.reduce((sum, lease) => sum + lease.granted, 0)
  expect(granted).toBe(10)
  const refused = await budget.lease({ ...requested, partition: 'reads:a', wanted: 1 })
  expect(refused).toMatchObject({ granted: 0, left: 0, daily_exhausted: false })
  expect(refused.retry_ms).toBeGreaterThan(0)
  expect(refused.retry_ms).toBeLessThanOrEqual(3_600_000)
})

test('a budget comes back with time, up to its capacity', async () => {
  const budget = sharedBudget(db)
  await budget.lease({ ...requested, partition: 'reads:b', wanted: 10 })
  const ago = (hours: number) =>
    pool.query("update rate_budget set arrival_us = arrival_us - $1::bigint * 3600000000 where partition = 'reads:b'", [hours])
  await ago(4)
  expect((await budget.lease({ ...requested, partition: 'reads:b', wanted: 10 })).granted).toBe(4)
  await ago(1000)
  expect((await budget.lease({ ...requested, partition: 'reads:b', wanted: 100 })).granted).toBe(10)
})

test('a daily cap is exact, and resets the next day', async () => {
  const budget = sharedBudget(db)
  const daily = { ...requested, capacity: 1000, daily: 7, partition: 'reads:c' }
  expect(await budget.lease({ ...daily, wanted: 5 })).toMatchObject({ granted: 5, daily_exhausted: false, left: 2 })
  expect(await budget.lease({ ...daily, wanted: 5 })).toMatchObject({ granted: 2, daily_exhausted: true })
  expect(await budget.lease({ ...daily, wanted: 5 })).toMatchObject({ granted: 0, daily_exhausted: true })
  await pool.query("update rate_budget set day = day - 1 where partition = 'reads:c'")
  expect(await budget.lease({ ...daily, wanted: 5 })).toMatchObject({ granted: 5 })
  await pool.query("update rate_budget set day = day - 2 where partition = 'reads:c'")
  await sweepBudget(db)
  expect((await pool.query("select 1 from rate_budget where partition = 'reads:c'")).rows).toEqual([])
})

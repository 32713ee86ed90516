// A database of the version before there were users is brought up: what is in it stays.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { keyDigest } from '../people/accounts/key-text.ts'
import { createKey, findByHash } from '../people/accounts/keys.ts'
import { migrate, migrationsFolder } from './migrate.ts'
import { connect } from './postgres.ts'

const lastBefore = '0008-models.sql'
const before = mkdtempSync(join(tmpdir(), 'crossfile-migrations-'))
afterAll(() => rmSync(before, { recursive: true, force: true }))

it('an upgrade from the last schema without users keeps every row, and a second one changes nothing', async () => {
  for (const name of readdirSync(migrationsFolder)) if (name <= lastBefore) cpSync(join(migrationsFolder, name), join(before, name))
  const url = await createTestDatabase({ empty: true })
  await migrate(url, { folder: before })
  const { pool, db, close } = connect(url, { applicationName: 'crossfile test' })
  try {
    await pool.query(`
      insert into release (release, committed_at, parent, job, partition, batch_key) select n, now(), n - 1, 'job', 'p', 'key ' || n from generate_series(1, 5) as n;
      insert into incident (incident_id, title, impact, body, opened_by, started_at) values ('inc_1', 'Late quotes', 'minor', 'x', 'operator', now());
      insert into rate_budget values ('reads:k_old', 1, '2026-11-20', 7, 1)`)
    const text = `cf_live_${'a'.repeat(38)}`
    await pool.query(
      "insert into api_key (key_id, name, owner, sha256, last4, tier, scopes, last_used_at, last_used_as) values ('k_old', 'operator', null, $1, 'aaaa', 'prime', '{data:read}', now(), 'query'), ('k_lost', 'of nobody', 'u_gone', sha256('x'), 'bbbb', 'core', '{data:read}', null, null)",
      [keyDigest(text)],
    )
    const tables = ['release', 'incident', 'rate_budget', 'api_key'] as const
    const rowsOf = async (): Promise<Record<string, Record<string, unknown>[]>> =>
      Object.fromEntries(await Promise.all(tables.map(async table => [table, (await pool.query(`select * from ${table} order by 1`)).rows] as const)))
    const held = await rowsOf()
    expect((await migrate(url)).length).toBeGreaterThan(3)
    const now = await rowsOf()
    for (const table of tables)
      for (const [at, row] of (held[table] ?? []).entries()) if (row['key_id'] !== 'k_lost') expect(now[table]?.[at]).toMatchObject(row)
    expect(await findByHash(db, keyDigest(text))).toMatchObject({ key_id: 'k_old', tier: 'prime', revoked_at: null })
    // A key of an unknown owner must not become the operator's and live on.
    expect(now['api_key']?.find(row => row['key_id'] === 'k_lost')).toMatchObject({ owner: null, revoked_at: expect.any(String) })
    expect((await createKey(db, { name: 'new' }, new Date())).key.name).toBe('new')
    expect(await migrate(url)).toEqual([])
    expect((await rowsOf())['api_key']).toHaveLength(3)
  } finally {
    await close()
  }
})

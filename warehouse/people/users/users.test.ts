// The ground of everything about users: sessions, own rows, idempotency, the audit chain.
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { enqueueMail } from '../mail/enqueue.ts'
import { audit, brokenAudit } from './audit.ts'
import { once, sweepIdempotency } from './idempotency.ts'
import { inventory } from './inventory.ts'
import { asService, asUser } from './own-rows.ts'
import { beginSession, endSession, endSessions, findSession, sessionTimes, sweepSessions } from './sessions.ts'

const { db, pool } = await testDatabase()
const now = new Date('2026-11-20T21:05:00Z')
const later = (ms: number): Date => new Date(now.getTime() + ms)
const visitor = { address_prefix: '192.0.2.0/24', agent: 'Firefox' }

describe('a session', () => {
  it('is found by its text alone, of which the database holds the hash', async () => {
    const user = await signedInUser(db, { now, tier: 'trader' })
    expect(await findSession(db, user.token, now)).toMatchObject({ user_id: user.user_id, kind: 'user', tier: 'trader', leaving: false })
    expect(await findSession(db, `${user.token.slice(0, -1)}x`, now)).toBeNull()
    expect(JSON.stringify((await pool.query('select * from user_session')).rows)).not.toContain(user.token.slice(8))
  })
  it('ends by idleness, by age, by sign-out; a use keeps it until its age', async () => {
    const { user_id, token } = await signedInUser(db, { now })
    const { idle, absolute } = sessionTimes.user
    expect(await findSession(db, token, later(idle + 1))).toBeNull()
    for (let at = 0; at < absolute; at += idle - 1000) expect(await findSession(db, token, later(at))).not.toBeNull()
    expect(await findSession(db, token, later(absolute))).toBeNull()
    const { text, session_id } = await beginSession(db, user_id, 'user', visitor, now)
    await endSession(db, session_id)
    expect(await findSession(db, text, now)).toBeNull()
    await sweepSessions(db, later(absolute + 1))
    expect((await pool.query('select from user_session where user_id = $1', [user_id])).rowCount).toBe(0)
  })
  it('is one of at most ten: the oldest goes', async () => {
    const { user_id, token } = await signedInUser(db, { now })
    const texts: string[] = []
    for (let n = 1; n <= 10; n += 1) texts.push((await beginSession(db, user_id, 'user', visitor, later(n))).text)
    expect(await findSession(db, token, later(20))).toBeNull()
    expect(await Promise.all(texts.map(text => findSession(db, text, later(20))))).not.toContain(null)
    const kept = await findSession(db, texts[3] as string, later(20))
    await endSessions(db, user_id, kept?.session_id)
    const left = await Promise.all(texts.map(text => findSession(db, text, later(30))))
    expect(left.filter(Boolean).map(each => each?.session_id)).toEqual([kept?.session_id])
  })
})

describe('rows of a user', () => {
  it('are all that Postgres shows in its transaction, and none of others can be written', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const seen = await asUser(db, a.user_id, trx => trx.selectFrom('app_user').select('user_id').execute())
    expect(seen).toEqual([{ user_id: a.user_id }])
    const changed = await asUser(db, a.user_id, trx =>
      trx.updateTable('app_user').set({ display_name: 'mine' }).where('user_id', '=', b.user_id).returning('user_id').execute(),
    )
    expect(changed).toEqual([])
    await expect(
      asUser(db, a.user_id, trx =>
        trx
          .insertInto('idempotency_key')
          .values({ user_id: b.user_id, key: 'x', operation: 'x', body_sha256: Buffer.alloc(1), status: 200, answer: '' })
          .execute(),
      ),
    ).rejects.toThrow('row-level security')
    await expect(asUser(db, a.user_id, trx => trx.selectFrom('receipt').selectAll().execute())).rejects.toThrow('permission denied')
  })
  it('leave the limits for a step of the service, and come back to them', async () => {
    const { user_id, email } = await signedInUser(db)
    const mail = { dedupe_key: `m ${user_id}`, user_id, to_address: email, kind: 'test', subject: 's', body: 'b' }
    const sent = await asUser(db, user_id, async trx => {
      const first = await asService(trx, () => enqueueMail(trx, mail))
      const again = await asService(trx, () => enqueueMail(trx, mail))
      return [first, again, (await trx.selectFrom('app_user').select('user_id').execute()).length]
    })
    expect(sent).toEqual([true, false, 1])
  })
})

describe('an idempotency key', () => {
  it('has its effect once, however many ask at the same time', async () => {
    const { user_id: userId } = await signedInUser(db)
    let effects = 0
    const ask = () =>
      once(db, { userId, key: 'k1', operation: 'POST /x', body: { a: 1 } }, async () => {
        effects += 1
        return { status: 201, body: { n: effects } }
      })
    const answers = await Promise.all(Array.from({ length: 1000 }, ask))
    expect(effects).toBe(1)
    expect(answers.filter(each => !each.replayed)).toHaveLength(1)
    expect(new Set(answers.map(each => JSON.stringify(each.body)))).toEqual(new Set(['{"n":1}']))
    await expect(
      once(db, { userId, key: 'k1', operation: 'POST /x', body: { a: 2 } }, async () => ({ status: 201, body: {} })),
    ).rejects.toMatchObject({ status: 409, code: 'conflict' })
    await expect(once(db, { userId, key: 'a b', operation: 'POST /x', body: {} }, async () => ({ status: 201, body: {} }))).rejects.toThrow(
      'Idempotency-Key',
    )
  })
  it('is free again where the effect failed, for another user, and after a day', async () => {
    const [{ user_id: a }, { user_id: b }] = [await signedInUser(db), await signedInUser(db)]
    const requested = { key: 'k2', operation: 'POST /x', body: {} }
    await expect(once(db, { userId: a, ...requested }, async () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await once(db, { userId: a, ...requested }, async () => ({ status: 204, body: null }))).toEqual({
      status: 204,
      body: null,
      replayed: false,
    })
    expect(await once(db, { userId: a, ...requested }, async () => ({ status: 204, body: null }))).toEqual({
      status: 204,
      body: null,
      replayed: true,
    })
    expect((await once(db, { userId: b, ...requested }, async () => ({ status: 204, body: null }))).replayed).toBe(false)
    await sweepIdempotency(db, new Date(Date.now() + 86_401_000))
    expect((await once(db, { userId: a, ...requested }, async () => ({ status: 204, body: null }))).replayed).toBe(false)
  })
})

describe('the audit chain', () => {
  it('holds, takes no change, and reports where a row was changed', async () => {
    for (let n = 1; n <= 5; n += 1)
      await db.transaction().execute(trx => audit(trx, { actor: 'operator', act: 'test', subject: `thing ${n}`, details: { n } }, later(n)))
    expect(await brokenAudit(db)).toBeNull()
    await expect(pool.query("update audit_entry set act = 'x'")).rejects.toThrow('append-only')
    await expect(pool.query('delete from audit_entry')).rejects.toThrow('append-only')
    await pool.query(`alter table audit_entry disable trigger all; update audit_entry set details = '{"n": 9}' where seq = 3`)
    expect(await brokenAudit(db)).toBe(3)
    await pool.query(`update audit_entry set details = '{"n": 3}' where seq = 3; alter table audit_entry enable trigger all`)
    expect(await brokenAudit(db)).toBeNull()
  })
})

/** Tables that name a person: by a column that is called so, or by a reference to the account. */
async function personal(): Promise<{ table: string; columns: string[] }[]> {
  const { rows } = await pool.query<{ table: string; columns: string[] }>(
    `select c.table_name::text as table, array_agg(c.column_name::text) as columns from information_schema.columns as c
     join information_schema.tables as t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' group by 1
     having bool_or(c.column_name in ('user_id', 'owner', 'email', 'email_key', 'to_address'))
       or c.table_name::text in (select conrelid::regclass::text from pg_constraint where contype = 'f' and confrelid = 'app_user'::regclass)
     order by 1`,
  )
  return rows
}

it('every table that names a user is in the inventory, with its columns', async () => {
  const rows = await personal()
  expect(inventory.map(each => each.table).sort()).toEqual(rows.map(row => row.table))
  for (const { table, columns } of rows) {
    const held = inventory.find(each => each.table === table)
    expect(columns).toEqual(expect.arrayContaining([held?.user, ...(held?.order ?? []), ...(held?.withheld ?? [])]))
  }
})

it.each([
  'forgotten (user_id text)',
  'forgotten (owner text)',
  'forgotten (email text)',
  'forgotten (to_address text)',
  'forgotten (whose text references app_user)',
])('a new table %s that is not in the inventory is seen', async table => {
  await pool.query(`create table ${table}`)
  try {
    expect((await personal()).map(each => each.table).filter(name => !inventory.some(held => held.table === name))).toEqual(['forgotten'])
  } finally {
    await pool.query('drop table forgotten')
  }
})

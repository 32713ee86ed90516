// What is over goes, what is not stays.
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { enqueueMail } from '#warehouse/people/mail/enqueue.ts'
import { once } from '#warehouse/people/users/idempotency.ts'
import { issueToken } from '#warehouse/people/users/one-time-tokens.ts'
import { bucketsOf, charge } from '#warehouse/people/users/throttle.ts'
import { sweepUsers, unconfirmedDays } from './sweep.ts'

it('forgets sessions, links, answers, failures, mail and accounts that nobody confirmed, each after its own time', async () => {
  const { db, pool } = await testDatabase()
  // The time of Postgres, which dates the rows that a program does not.
  const now = new Date((await pool.query('select clock_timestamp() as now')).rows[0].now)
  const after = (days: number): Date => new Date(now.getTime() + days * 86_400_000)
  const { user_id, email } = await signedInUser(db, { now })
  const stranger = randomBytes(6).toString('hex')
  const unconfirmed = {
    user_id: `u_${stranger}`,
    email: `${stranger}@example.org`,
    email_key: `${stranger}@example.org`,
    subject_key: randomBytes(32),
  }
  await db
    .insertInto('app_user')
    .values({ ...unconfirmed, created_at: now.toISOString() })
    .execute()
  await issueToken(db, user_id, 'reset_password', now)
  await charge(db, bucketsOf(email, '192.0.2.1'), now)
  await once(db, { userId: user_id, key: 'k', operation: 'POST /x', body: {} }, async () => ({ status: 204, body: null }))
  await enqueueMail(db, { dedupe_key: 'm', user_id, to_address: email, kind: 'test', subject: 's', body: 'b' })
  const counts = async (): Promise<number[]> => {
    const tables = ['user_session', 'one_time_token', 'sign_in_failure', 'idempotency_key', 'mail_outbox', 'app_user']
    return await Promise.all(tables.map(async table => (await pool.query(`select from ${table}`)).rowCount ?? 0))
  }
  await sweepUsers(db, now)
  expect(await counts()).toEqual([1, 1, 3, 1, 1, 2])
  expect(await sweepUsers(db, after(2))).toBe('')
  expect(await counts()).toEqual([0, 0, 0, 0, 1, 2])
  expect(await sweepUsers(db, after(unconfirmedDays + 1))).toBe('accounts never confirmed: 1')
  expect(await counts()).toEqual([0, 0, 0, 0, 1, 1])
  expect(await sweepUsers(db, after(31))).toBe('mails forgotten: 1')
  expect((await db.selectFrom('app_user').select('user_id').execute()).map(row => row.user_id)).toEqual([user_id])
})

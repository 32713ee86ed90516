// Deletes user data that is kept for a limited time, when that time is over (warehouse/people/users/inventory.ts lists the times).

import { daysBefore } from '#schemas/days.ts'
import { sweepReports } from '#warehouse/documents/reports.ts'
import { sweepUsage } from '#warehouse/people/accounts/key-usage.ts'
import { sweepChats } from '#warehouse/people/chats/sweep.ts'
import { sweepMail } from '#warehouse/people/mail/outbox.ts'
import { sweepDailyUse } from '#warehouse/people/users/daily-cap.ts'
import { sweepIdempotency } from '#warehouse/people/users/idempotency.ts'
import { sweepTokens } from '#warehouse/people/users/one-time-tokens.ts'
import { sweepOrigins } from '#warehouse/people/users/origins.ts'
import { sweepSessions } from '#warehouse/people/users/sessions.ts'
import { sweepFailures } from '#warehouse/people/users/throttle.ts'
import type { Db } from '#warehouse/store/postgres.ts'

export const unconfirmedDays = 7

export async function sweepUsers(db: Db, now: Date): Promise<string> {
  await sweepSessions(db, now)
  await sweepTokens(db, now)
  await sweepIdempotency(db, now)
  await sweepFailures(db, now)
  await sweepOrigins(db, now)
  await sweepDailyUse(db, now)
  await sweepUsage(db, now)
  const chats = await sweepChats(db, now)
  await sweepReports(db, now)
  const mails = await sweepMail(db, now)
  const accounts = await sweepUnconfirmed(db, now)
  return [
    ...(chats === 0 ? [] : [`chats, shared copies and feedback forgotten: ${chats}`]),
    ...(mails === 0 ? [] : [`mails forgotten: ${mails}`]),
    ...(accounts === 0 ? [] : [`accounts never confirmed: ${accounts}`]),
  ].join('; ')
}

/** An account whose address was never confirmed is deleted after a week, and the address becomes available again. */
async function sweepUnconfirmed(db: Db, now: Date): Promise<number> {
  const gone = await db
    .deleteFrom('app_user')
    .where('email_verified_at', 'is', null)
    .where('last_login_at', 'is', null)
    .where('is_admin', '=', false)
    .where('created_at', '<', daysBefore(now, unconfirmedDays).toISOString())
    .where('user_id', 'not in', query => query.selectFrom('user_session').select('user_id'))
    .executeTakeFirst()
  return Number(gone.numDeletedRows)
}

// What is kept about users for a while only, forgotten when its time is over (warehouse/users/inventory.ts names the times).
import { sweepMail } from '#warehouse/mail/outbox.ts'
import type { Db } from '#warehouse/postgres.ts'
import { sweepDailyUse } from '#warehouse/users/daily-cap.ts'
import { sweepIdempotency } from '#warehouse/users/idempotency.ts'
import { sweepTokens } from '#warehouse/users/one-time-tokens.ts'
import { sweepOrigins } from '#warehouse/users/origins.ts'
import { sweepSessions } from '#warehouse/users/sessions.ts'
import { sweepFailures } from '#warehouse/users/throttle.ts'

export const unconfirmedDays = 7

export async function sweepUsers(db: Db, now: Date): Promise<string> {
  await sweepSessions(db, now)
  await sweepTokens(db, now)
  await sweepIdempotency(db, now)
  await sweepFailures(db, now)
  await sweepOrigins(db, now)
  await sweepDailyUse(db, now)
  const mails = await sweepMail(db, now)
  const accounts = await sweepUnconfirmed(db, now)
  return [...(mails === 0 ? [] : [`mails forgotten: ${mails}`]), ...(accounts === 0 ? [] : [`accounts never confirmed: ${accounts}`])].join('; ')
}

/** An account whose address nobody confirmed is nobody's: after a week it goes, and the address is free again. */
async function sweepUnconfirmed(db: Db, now: Date): Promise<number> {
  const gone = await db
    .deleteFrom('app_user')
    .where('email_verified_at', 'is', null)
    .where('last_login_at', 'is', null)
    .where('is_admin', '=', false)
    .where('created_at', '<', new Date(now.getTime() - unconfirmedDays * 86_400_000).toISOString())
    .where('user_id', 'not in', query => query.selectFrom('user_session').select('user_id'))
    .executeTakeFirst()
  return Number(gone.numDeletedRows)
}

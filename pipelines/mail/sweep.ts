// What is kept about users for a while only, forgotten when its time is over (warehouse/users/inventory.ts names the times).
import { sweepMail } from '#warehouse/mail/outbox.ts'
import type { Db } from '#warehouse/postgres.ts'
import { sweepDailyUse } from '#warehouse/users/daily-cap.ts'
import { sweepIdempotency } from '#warehouse/users/idempotency.ts'
import { sweepTokens } from '#warehouse/users/one-time-tokens.ts'
import { sweepSessions } from '#warehouse/users/sessions.ts'
import { sweepFailures } from '#warehouse/users/throttle.ts'

export async function sweepUsers(db: Db, now: Date): Promise<string> {
  await sweepSessions(db, now)
  await sweepTokens(db, now)
  await sweepIdempotency(db, now)
  await sweepFailures(db, now)
  await sweepDailyUse(db, now)
  const mails = await sweepMail(db, now)
  return mails === 0 ? '' : `${mails} mails forgotten`
}

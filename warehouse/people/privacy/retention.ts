// Data with a retention period that is not tied to an account: deleted when the period that the policy states is over.
import { daysBefore } from '#schemas/days.ts'
import type { Db } from '../../store/postgres.ts'

/** Addresses that were left and never confirmed, and proofs of erasure (the policy: 24 months). */
const captureDays = 30
const proofMonths = 24

/** Deletes expired data; returns how many rows. */
export async function sweepPrivacy(db: Db, now: Date): Promise<number> {
  const open = await db
    .deleteFrom('email_capture')
    .where('confirmed_at', 'is', null)
    .where('asked_at', '<=', daysBefore(now, captureDays).toISOString())
    .executeTakeFirst()
  const since = new Date(now)
  since.setUTCMonth(since.getUTCMonth() - proofMonths)
  const proofs = await db.deleteFrom('erasure').where('erased_at', '<=', since.toISOString()).executeTakeFirst()
  return Number(open.numDeletedRows + proofs.numDeletedRows)
}

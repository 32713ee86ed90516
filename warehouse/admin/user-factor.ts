// The second factor of any user: the same rows, codes and recovery codes as an administrator's.
import { Forbidden, Unauthorized } from '#schemas/errors.ts'
import { type Db, transaction } from '../postgres.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { factorOf, removeFactor, takeCode } from './second-factor.ts'
import type { SealKey } from './secret-key.ts'

/**
 * Throws `Unauthorized` when the account has a second factor and the code is none of it. Called after the password was right: only
 * who knows it can use up the five tries of a quarter of an hour.
 */
export async function checkUserFactor(db: Db, key: () => SealKey, userId: string, code: string | null, now: Date): Promise<void> {
  if (!(await factorOf(db, userId)).enrolled) return
  if (code === null)
    throw new Unauthorized('this account needs a code of its authenticator too', { hint: 'send totp_code: six digits, or a recovery code' })
  if (!(await takeCode(db, key(), userId, code, now)))
    throw new Unauthorized('the code is not right, was used before, or too many were wrong', {
      hint: 'wait for the next code; after five wrong ones none is accepted for 15 minutes',
    })
}

/** Takes the factor away from a user. Throws `Forbidden` for an administrator, who cannot be without. */
export async function removeUserFactor(db: Db, session: { readonly user_id: string; readonly is_admin: boolean }, now: Date): Promise<void> {
  if (session.is_admin) throw new Forbidden('an administrator keeps the second factor', { hint: 'enrol another one in its place' })
  await transaction(db, async trx => {
    const user = await trx.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', '=', session.user_id).executeTakeFirstOrThrow()
    await removeFactor(trx, session.user_id)
    const pseudonym = pseudonymOf(user)
    await audit(trx, { actor: pseudonym, act: 'account.second_factor_removed', subject: pseudonym, details: {} }, now)
  })
}

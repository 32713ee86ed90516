// The second factor of any user: the same rows, codes and recovery codes as an administrator's.
import { Forbidden, Unauthorized } from '#schemas/errors.ts'
import { factorOffText } from '../mail/texts.ts'
import { type Db, transaction } from '../postgres.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import type { KnownOrigin } from '../users/origins.ts'
import { enqueueMail } from '../users/outbox.ts'
import { bucketOfCode } from '../users/throttle.ts'
import { factorOf, removeFactor, takeCode } from './second-factor.ts'
import type { SealKey } from './secret-key.ts'

/**
 * Throws `Unauthorized` when the account has a second factor and the code is none of it. Called after the password was right: only
 * who knows it can use up the five tries of a quarter of an hour. `known`: the device, address or session that is known to the account;
 * its tries are separate, so the owner signs in also while somebody with the password uses up the others.
 */
export async function checkUserFactor(
  db: Db,
  key: () => SealKey,
  userId: string,
  code: string | null,
  known: KnownOrigin | null,
  now: Date,
): Promise<void> {
  if (!(await factorOf(db, userId)).enrolled) return
  if (code === null)
    throw new Unauthorized('this account needs a code of its authenticator too', { hint: 'send totp_code: six digits, or a recovery code' })
  if (!(await takeCode(db, key(), userId, code, now, known && bucketOfCode(userId, known))))
    throw new Unauthorized('the code is not right, was used before, or too many were wrong', {
      hint: 'wait for the next code; after five wrong ones none is accepted for 15 minutes, except a recovery code',
    })
}

/**
 * Takes the factor away from a user, and mails it; false where there is none. `by`: the user, or the operator on the terminal for
 * somebody who lost both phone and recovery codes. Throws `Forbidden` for an administrator, who cannot be without.
 */
export async function removeUserFactor(
  { db, baseUrl }: { readonly db: Db; readonly baseUrl: string },
  userId: string,
  by: 'user' | 'operator',
  now: Date,
): Promise<boolean> {
  return await transaction(db, async trx => {
    const user = await trx
      .selectFrom('app_user')
      .select(['user_id', 'email', 'subject_key', 'is_admin'])
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (user.is_admin)
      throw new Forbidden('an administrator keeps the second factor', {
        hint: 'enrol another one in its place; without the old one: crossfile admin create',
      })
    const { enrolled } = await factorOf(trx, userId)
    await removeFactor(trx, userId)
    if (!enrolled) return false
    const pseudonym = pseudonymOf(user)
    const actor = by === 'user' ? pseudonym : 'operator'
    await audit(trx, { actor, act: 'account.second_factor_removed', subject: pseudonym, details: {} }, now)
    const dedupe_key = `second_factor_off ${userId} ${now.toISOString()}`
    await enqueueMail(trx, { dedupe_key, user_id: userId, to_address: user.email, ...factorOffText(baseUrl, now) })
    return true
  })
}

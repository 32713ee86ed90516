// The second factor of any user: the same rows, codes and recovery codes as an administrator's.
import { Forbidden, Unauthorized } from '#schemas/errors.ts'
import { type Db, transaction } from '../../store/postgres.ts'
import { enqueueMail } from '../mail/enqueue.ts'
import { factorOffText } from '../mail/texts.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { lockUser } from '../users/locked-user.ts'
import type { KnownOrigin } from '../users/origins.ts'
import { bucketOfCode } from '../users/throttle.ts'
import { factorOf, removeFactor, takeCode } from './second-factor.ts'
import type { SealKey } from './secret-key.ts'

/**
 * Throws `Unauthorized` if the account has a second factor and the code does not match. Called after the password was correct, so only
 * a person with the password can use up the five attempts per quarter of an hour. `known`: the device, address or session that the
 * account knows; its attempts are separate, so the owner can sign in even while another person with the password uses up the others.
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
    throw new Unauthorized('this account also requires a code from its authenticator', { hint: 'send totp_code: six digits, or a recovery code' })
  if (!(await takeCode(db, key(), userId, code, now, known && bucketOfCode(userId, known))))
    throw new Unauthorized('the code is wrong or already used, or there were too many wrong codes', {
      hint: 'wait for the next code; after five wrong codes only a recovery code is accepted for 15 minutes',
    })
}

/**
 * Removes the factor from a user, and sends mail about it; false if there is none. `by`: the user, the operator on the terminal, or an
 * administrator's pseudonym, for a user who lost both phone and recovery codes. Throws `Forbidden` for an administrator, who must have one.
 */
export async function removeUserFactor(
  { db, baseUrl }: { readonly db: Db; readonly baseUrl: string },
  userId: string,
  by: 'user' | 'operator',
  now: Date,
): Promise<boolean> {
  return await transaction(db, trx => removeFactorIn(trx, baseUrl, userId, by, now))
}

/** As `removeUserFactor`, in this transaction. Throws `NotFound` if there is no such account. */
export async function removeFactorIn(trx: Db, baseUrl: string, userId: string, by: string, now: Date): Promise<boolean> {
  const user = await lockUser(trx, userId, ['email', 'is_admin'])
  if (user.is_admin)
    throw new Forbidden('an administrator cannot remove the second factor', {
      hint: 'enrol a new one to replace it, or run crossfile admin create if you lost the old one',
    })
  const { enrolled } = await factorOf(trx, userId)
  await removeFactor(trx, userId)
  if (!enrolled) return false
  const pseudonym = pseudonymOf(user)
  const actor = by === 'user' ? pseudonym : by
  await audit(trx, { actor, act: 'account.second_factor_removed', subject: pseudonym, details: {} }, now)
  const dedupe_key = `second_factor_off ${userId} ${now.toISOString()}`
  await enqueueMail(trx, { dedupe_key, user_id: userId, to_address: user.email, ...factorOffText(baseUrl, now) })
  return true
}

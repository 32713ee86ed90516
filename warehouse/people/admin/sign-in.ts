// Signs an administrator in by address, password and code. Every failure returns the same error after the same work.
import { Unauthorized } from '#schemas/errors.ts'
import type { Tier } from '#schemas/plans.ts'
import { type Db, transaction } from '../../store/postgres.ts'
import { enqueueMail } from '../mail/enqueue.ts'
import { factorOnText } from '../mail/texts.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { emailKey } from '../users/email.ts'
import type { Client } from '../users/origins.ts'
import { findOrigin, rememberOrigin } from '../users/origins.ts'
import type { Passwords } from '../users/passwords.ts'
import { beginSession, type Visitor } from '../users/sessions.ts'
import type { Opened } from '../users/sign-in.ts'
import { bucketOfCode, bucketsOf, charge, forgive } from '../users/throttle.ts'
import { chargeTry, confirmEnrolment, type FactorState, factorOf, takeCode } from './second-factor.ts'
import type { SealKey } from './secret-key.ts'

/** Acts on tiers, administrators and erasures require a proof that is not older. */
export const proofMs = 15 * 60_000

export type AdminIn = { readonly email: string; readonly password: string; readonly code: string | null }
export type AdminTools = { readonly db: Db; readonly passwords: Passwords; readonly key: SealKey }
export type SignedIn = Pick<Opened, 'text' | 'device'> & {
  readonly user: { readonly id: string; readonly email: string; readonly tier: Tier; readonly is_admin: boolean }
  readonly factor: FactorState
}

/** Begins a session of an administrator and ends the person's others. Throws 401 for any wrong input, 429 for too many attempts. */
export async function signInAdmin(
  { db, passwords, key }: AdminTools,
  { email, password, code }: AdminIn,
  { client, visitor }: { readonly client: Client; readonly visitor: Visitor },
  now: Date,
): Promise<SignedIn> {
  const user = await db
    .selectFrom('app_user')
    .select(['user_id', 'email', 'tier', 'is_admin', 'is_active', 'email_verified_at', 'erasure_requested_at'])
    .select(['password_hash', 'subject_key'])
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()
  const known = await findOrigin(db, user ?? null, client.origin, now)
  const attempt = bucketsOf(emailKey(email), client.origin.address, known)
  await charge(db, attempt, now)
  const turn = { kind: known === null ? 'sign_in' : 'known', address: client.origin.address, gone: client.gone } as const
  const { matches } = await passwords.verify(password, user?.password_hash ?? null, turn).catch(async (error: unknown) => {
    await forgive(db, attempt)
    throw error
  })
  const open = user?.is_admin && user.is_active && user.email_verified_at !== null && user.erasure_requested_at === null
  const admin = user && matches && open ? user : null
  const factor = await factorOf(db, admin?.user_id ?? '')
  const taken = code === null ? false : await takeCode(db, key, admin?.user_id ?? '', code, now, admin && known && bucketOfCode(admin.user_id, known))
  if (admin === null || (factor.enrolled && !taken)) throw refused()
  await forgive(db, attempt)
  const { text, device } = await transaction(db, async trx => {
    await trx.deleteFrom('user_session').where('user_id', '=', admin.user_id).where('kind', '=', 'admin').execute()
    await trx.updateTable('app_user').set({ last_login_at: now.toISOString() }).where('user_id', '=', admin.user_id).execute()
    const pseudonym = pseudonymOf(admin)
    await audit(trx, { actor: pseudonym, act: 'admin.sign_in', subject: pseudonym, details: { second_factor: factor.enrolled } }, now)
    const token = await rememberOrigin(trx, admin, client.origin, now)
    return { ...(await beginSession(trx, admin.user_id, 'admin', visitor, now)), device: token }
  })
  return {
    text,
    device,
    user: { id: admin.user_id, email: admin.email, tier: admin.tier as Tier, is_admin: admin.is_admin },
    factor: taken ? await factorOf(db, admin.user_id) : factor,
  }
}

export type Confirming = {
  readonly db: Db
  readonly key: SealKey
  /** The service's public address, which the mail contains. */
  readonly baseUrl: string
  readonly act: 'admin.second_factor' | 'account.second_factor'
}

const refused = (): Unauthorized =>
  new Unauthorized('the address, the password or the code is wrong', {
    hint: 'send email, password and, once enrolled, totp_code; each code works once; after five wrong codes within 15 minutes only a recovery code is accepted',
  })

/** Confirms an enrolment of the session's user, and sends mail about it; null if the code is wrong or there were too many wrong ones. */
export async function confirmFactor(
  { db, key, baseUrl, act }: Confirming,
  session: { readonly user_id: string },
  code: string,
  now: Date,
): Promise<readonly string[] | null> {
  // Counted outside the transaction, so that a rollback does not reset the count.
  if (!(await chargeTry(db, session.user_id, now))) return null
  return await transaction(db, async trx => {
    const codes = await confirmEnrolment(trx, key, session.user_id, code, now)
    if (codes === null) return null
    const user = await trx
      .selectFrom('app_user')
      .select(['user_id', 'email', 'subject_key'])
      .where('user_id', '=', session.user_id)
      .executeTakeFirstOrThrow()
    const pseudonym = pseudonymOf(user)
    await audit(trx, { actor: pseudonym, act, subject: pseudonym, details: { recovery_codes: codes.length } }, now)
    const { user_id, email: to_address } = user
    await enqueueMail(trx, { dedupe_key: `second_factor_on ${user_id} ${now.toISOString()}`, user_id, to_address, ...factorOnText(baseUrl, now) })
    return codes
  })
}

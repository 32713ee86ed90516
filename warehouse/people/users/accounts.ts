// Accounts: registration, confirmation by mail, password reset by mail. Responses never reveal whether an address has an account; only
// the mail to the address does.
import { randomBytes } from 'node:crypto'
import { BadRequest } from '#schemas/errors.ts'
import { type Db, transaction } from '../../store/postgres.ts'
import { enqueueMail, type Mail } from '../mail/enqueue.ts'
import { alreadyRegisteredText, passwordChangedText, registeredAgainText, resetText, verifyText } from '../mail/texts.ts'
import { audit, pseudonymOf } from './audit.ts'
import { emailKey } from './email.ts'
import { lockUser } from './locked-user.ts'
import { issueToken, ownerOfToken, useToken, voidTokens } from './one-time-tokens.ts'
import { type Client, forgetOrigins, rememberOrigin } from './origins.ts'
import { asService, asUser, type Trx } from './own-rows.ts'
import { checkNewPassword } from './password-rules.ts'
import type { Passwords } from './passwords.ts'
import { endSessions } from './sessions.ts'
import { forgiveReset } from './throttle.ts'

export type Accounts = {
  readonly db: Db
  readonly passwords: Passwords
  /** The base of links in mail: from configuration, never from a header. */
  readonly baseUrl: () => string
  /** Called when mail was queued. */
  readonly ring: () => void
}
export type Registration = { readonly email: string; readonly password: string; readonly full_name: string | null }

/**
 * Minimum duration of responses that must not distinguish two cases: it hides the time of the few statements that one case needs in
 * addition.
 */
const evenMs = 100
const hourMs = 3_600_000

async function evenly(work: () => Promise<void>): Promise<void> {
  await Promise.all([work(), new Promise(resolve => setTimeout(resolve, evenMs))])
}
const hourOf = (now: Date): number => Math.floor(now.getTime() / hourMs)

/** Sends a mail, from within a transaction of the user's rows. */
async function mailUser(
  trx: Trx,
  user: { readonly user_id: string; readonly email: string },
  dedupe_key: string,
  text: Pick<Mail, 'kind' | 'subject' | 'body'>,
): Promise<void> {
  await asService(trx, () => enqueueMail(trx, { dedupe_key, user_id: user.user_id, to_address: user.email, ...text }))
}

/** Mails a link, unless the account received too many within the hour. */
async function mailLink(
  trx: Trx,
  user: { readonly user_id: string; readonly email: string },
  purpose: 'verify_email' | 'reset_password',
  textOf: (token: string) => Pick<Mail, 'kind' | 'subject' | 'body'>,
  now: Date,
): Promise<void> {
  const token = await asService(trx, () => issueToken(trx, user.user_id, purpose, now))
  if (token !== null) await mailUser(trx, user, `${purpose} ${user.user_id} ${now.toISOString()} ${randomBytes(6).toString('hex')}`, textOf(token))
}

/**
 * Registers an account that is confirmed by mail; if the address has one already, its holder is notified. Throws 422 for a password that
 * is too short or guessable.
 */
export async function register(accounts: Accounts, { email, password, full_name }: Registration, client: Client, now: Date): Promise<void> {
  const { db, passwords, baseUrl, ring } = accounts
  checkNewPassword(password, 'password', [email, full_name ?? ''])
  const password_hash = await passwords.hash(password, { kind: 'register', address: client.origin.address, gone: client.gone })
  const email_key = emailKey(email)
  await evenly(async () => {
    const user = { user_id: `u_${randomBytes(9).toString('base64url')}`, email }
    const made = await asUser(db, user.user_id, async trx => {
      const values = { ...user, email_key, full_name, password_hash, subject_key: randomBytes(32), created_at: now.toISOString() }
      const row = await trx
        .insertInto('app_user')
        .values({ ...values, tier_since: values.created_at })
        .onConflict(conflict => conflict.doNothing())
        .returning('user_id')
        .executeTakeFirst()
      if (row) await mailLink(trx, user, 'verify_email', token => verifyText(baseUrl(), token), now)
      return row !== undefined
    })
    if (!made) await notifyHolder(accounts, email_key, now)
    ring()
  })
}

/**
 * An unconfirmed account may have been registered by a person other than the owner of the mailbox. The owner therefore gets a link that
 * sets a new password, never one that confirms the other person's.
 */
async function notifyHolder({ db, baseUrl }: Accounts, email_key: string, now: Date): Promise<void> {
  const holder = await findByKey(db, email_key)
  if (!holder) return
  await asUser(db, holder.user_id, async trx => {
    if (holder.email_verified_at === null) await mailLink(trx, holder, 'reset_password', token => registeredAgainText(baseUrl(), token), now)
    else await mailUser(trx, holder, `already_registered ${holder.user_id} ${hourOf(now)}`, alreadyRegisteredText(baseUrl()))
  })
}

/** The account of an address. */
export async function findByKey(db: Db, email_key: string) {
  return await db
    .selectFrom('app_user')
    .select(['user_id', 'email', 'email_key', 'full_name', 'display_name', 'tier', 'password_hash', 'subject_key'])
    .select(['is_active', 'is_admin', 'email_verified_at', 'erasure_requested_at'])
    .where('email_key', '=', email_key)
    .executeTakeFirst()
}

/** Confirms the address of a mailed token. Throws `BadRequest` for an invalid one. */
export async function verifyEmail({ db }: Accounts, token: string, now: Date): Promise<void> {
  const userId = await ownerOfToken(db, token, 'verify_email', now)
  await asUser(db, userId, async trx => {
    await asService(trx, () => useToken(trx, token, 'verify_email', now))
    await markVerified(trx, userId, now)
  })
}

/** Records that the address is confirmed; an earlier confirmation keeps its time. */
async function markVerified(trx: Trx, userId: string, now: Date): Promise<void> {
  await trx
    .updateTable('app_user')
    .set({ email_verified_at: now.toISOString() })
    .where('user_id', '=', userId)
    .where('email_verified_at', 'is', null)
    .execute()
}

/** Mails a link that sets a new password, if the address has an account. */
export async function requestReset({ db, baseUrl, ring }: Accounts, email: string, now: Date): Promise<void> {
  await evenly(async () => {
    const user = await findByKey(db, emailKey(email))
    if (!user?.is_active) return
    await asUser(db, user.user_id, trx => mailLink(trx, user, 'reset_password', token => resetText(baseUrl(), token), now))
    ring()
  })
}

const underWay = new Map<string, Promise<unknown>>()

/** Serializes calls by name, so that of concurrent uses of a token only the first one costs a hash. */
async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = underWay.get(name) ?? Promise.resolve()
  const mine = before.then(work, work)
  const settled = mine.catch(() => undefined)
  underWay.set(name, settled)
  try {
    return await mine
  } finally {
    if (underWay.get(name) === settled) underWay.delete(name)
  }
}

/**
 * Sets a new password by a mailed token: every session ends, other links become invalid, and the address counts as confirmed, since its
 * mail was read. It does not sign the user in. Only the device and the address that set it count as known from now on, so the owner can
 * sign in from there regardless of other clients' attempts. Returns the new token of the device.
 */
export async function confirmReset(accounts: Accounts, token: string, password: string, client: Client, now: Date): Promise<string | null> {
  const { db, passwords, baseUrl, ring } = accounts
  const device = await inTurn(token, async () => {
    const userId = await ownerOfToken(db, token, 'reset_password', now)
    const known = await asUser(db, userId, trx =>
      trx.selectFrom('app_user').select(['email', 'email_key', 'full_name', 'subject_key']).where('user_id', '=', userId).executeTakeFirstOrThrow(),
    )
    checkNewPassword(password, 'new_password', [known.email, known.full_name ?? ''])
    const password_hash = await passwords.hash(password, { kind: 'reset', address: client.origin.address, gone: client.gone })
    const held = await asUser(db, userId, async trx => {
      await asService(trx, () => useToken(trx, token, 'reset_password', now))
      await setPassword(trx, userId, password_hash, 'account.reset_password', baseUrl(), now)
      await markVerified(trx, userId, now)
      await forgetOrigins(trx, userId)
      return await rememberOrigin(trx, { user_id: userId, subject_key: known.subject_key }, client.origin, now)
    })
    await forgiveReset(db, known.email_key, now)
    return held
  })
  ring()
  return device
}

/** Stores a new password, ends every session and link of the user, notifies the user and appends to the audit chain. */
export async function setPassword(trx: Trx, userId: string, password_hash: string, act: string, baseUrl: string, now: Date): Promise<void> {
  const user = await trx
    .updateTable('app_user')
    .set({ password_hash })
    .where('user_id', '=', userId)
    .returning(['user_id', 'email', 'subject_key'])
    .executeTakeFirstOrThrow()
  await endSessions(trx, userId)
  const pseudonym = pseudonymOf(user)
  await asService(trx, async () => {
    await voidTokens(trx, userId, now)
    await audit(trx, { actor: pseudonym, act, subject: pseudonym, details: {} }, now)
  })
  await mailUser(trx, user, `password_changed ${userId} ${now.toISOString()}`, passwordChangedText(baseUrl, now))
}

/**
 * Disables or enables an account in this transaction; false if it is so already. Disabling ends its sessions. `by`: `operator` for the command
 * line, or an administrator's pseudonym. Throws `NotFound`, and 409 `conflict` if an administrator would disable another one.
 */
export async function setActive(trx: Db, userId: string, active: boolean, by: string, now: Date): Promise<boolean> {
  const user = await lockUser(trx, userId, ['is_active', 'is_admin'])
  if (user.is_active === active) return false
  if (user.is_admin && !active && by !== 'operator')
    throw new BadRequest('an administrator cannot be disabled', { status: 409, code: 'conflict', hint: 'remove the role first' })
  await trx.updateTable('app_user').set({ is_active: active }).where('user_id', '=', userId).execute()
  if (!active) await endSessions(trx, userId)
  await audit(trx, { actor: by, act: active ? 'user.enable' : 'user.disable', subject: pseudonymOf(user), details: {} }, now)
  return true
}

/** As `setActive`, in a separate transaction, for the operator's commands. */
export const disableUser = (db: Db, userId: string, active: boolean, now: Date): Promise<boolean> =>
  transaction(db, trx => setActive(trx, userId, active, 'operator', now))

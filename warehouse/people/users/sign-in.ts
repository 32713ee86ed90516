// Signing in by password, and changing the password while signed in.
import { BadRequest, CrossfileError, Forbidden, Unauthorized } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'
import { type Accounts, findByKey, setPassword } from './accounts.ts'
import { emailKey } from './email.ts'
import { type Client, findOrigin, type KnownOrigin, type Origin, rememberOrigin } from './origins.ts'
import { asUser } from './own-rows.ts'
import { checkNewPassword } from './password-rules.ts'
import { beginSession, endSession, type Session, type SessionKind, type Visitor } from './sessions.ts'
import { type Attempt, bucketsOf, bucketsOfSession, charge, forgive } from './throttle.ts'

export type Credentials = { readonly email: string; readonly password: string; readonly client: Client }
export type KnownUser = NonNullable<Awaited<ReturnType<typeof findByKey>>>

/** One error for every cause: an unknown address, a wrong password, an address that was never confirmed. */
const wrongCredentials = (): Unauthorized =>
  new Unauthorized('address or password is not right, or the address was not confirmed yet', {
    hint: 'follow the link that was mailed after registering; POST /api/v1/auth/password-reset mails a new one and sets a new password',
  })

/**
 * The account with this password. Throws `Unauthorized` (the same for every cause, after the same work), `TooMany` if too many attempts
 * failed, `Forbidden` for the right password of an account that the operator disabled.
 */
export async function checkCredentials(accounts: Accounts, { email, password, client }: Credentials, now: Date): Promise<KnownUser> {
  const email_key = emailKey(email)
  const user = (await findByKey(accounts.db, email_key)) ?? null
  const known = await findOrigin(accounts.db, user, client.origin, now)
  const attempt = bucketsOf(email_key, client.origin.address, known)
  return await tryPassword(accounts, { user, password, client, known, attempt }, now)
}

/** The same for the person of a live session, whose attempts have a separate budget: failures elsewhere do not delay them. */
export async function checkOwnPassword(
  accounts: Accounts,
  session: Pick<Session, 'session_id' | 'email'>,
  { password, client }: Omit<Credentials, 'email'>,
  now: Date,
): Promise<KnownUser> {
  const user = (await findByKey(accounts.db, emailKey(session.email))) ?? null
  const known = { kind: 'device', id: session.session_id } as const
  return await tryPassword(accounts, { user, password, client, known, attempt: bucketsOfSession(session.session_id) }, now)
}

type Try = {
  readonly user: KnownUser | null
  readonly password: string
  readonly client: Client
  readonly known: KnownOrigin | null
  readonly attempt: Attempt
}
async function tryPassword({ db, passwords }: Accounts, { user, password, client, known, attempt }: Try, now: Date): Promise<KnownUser> {
  await charge(db, attempt, now)
  const turn = { kind: known === null ? 'sign_in' : 'known', address: client.origin.address, gone: client.gone } as const
  const { matches, outdated } = await passwords.verify(password, user?.password_hash ?? null, turn).catch(async (error: unknown) => {
    // The password was not checked, so this attempt revealed nothing.
    await forgive(db, attempt)
    throw error
  })
  if (!matches || !user || user.email_verified_at === null) throw wrongCredentials()
  await forgive(db, attempt)
  if (!user.is_active) throw new Forbidden('this account is not active', { hint: 'ask the operator of this service' })
  return outdated ? await renew({ db, passwords }, user, password, client) : user
}

/** Stores the hash with today's costs; if that fails now, another sign-in does it. */
async function renew(
  { db, passwords }: Pick<Accounts, 'db' | 'passwords'>,
  user: KnownUser,
  password: string,
  { origin, gone }: Client,
): Promise<KnownUser> {
  try {
    const password_hash = await passwords.hash(password, { kind: 'known', address: origin.address, gone })
    const renewed = await asUser(db, user.user_id, trx =>
      trx
        .updateTable('app_user')
        .set({ password_hash })
        .where('user_id', '=', user.user_id)
        .where('password_hash', '=', user.password_hash)
        .returning('user_id')
        .executeTakeFirst(),
    )
    return renewed ? { ...user, password_hash } : user
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    return user
  }
}

export type Opened = {
  readonly text: string
  readonly session_id: string
  /** The new token of a device; null if it was known before. */
  readonly device: string | null
}
/**
 * Begins a session, and makes device and address known to the account. The browser's previous session ends, so that a session known to
 * another person cannot be reused. Throws `Unauthorized` if the password was changed since it was checked: the change ended all sessions.
 */
export async function openSession(
  db: Db,
  { user_id, password_hash, subject_key }: Pick<KnownUser, 'user_id' | 'password_hash' | 'subject_key'>,
  kind: SessionKind,
  { visitor, origin, before }: { readonly visitor: Visitor; readonly origin: Origin; readonly before: Session | null },
  now: Date,
): Promise<Opened> {
  if (before && before.user_id !== user_id) await asUser(db, before.user_id, trx => endSession(trx, before.session_id))
  return await asUser(db, user_id, async trx => {
    const still = await trx
      .updateTable('app_user')
      .set({ last_login_at: now.toISOString() })
      .where('user_id', '=', user_id)
      .where('password_hash', '=', password_hash)
      .where('is_active', '=', true)
      .returning('user_id')
      .executeTakeFirst()
    if (!still) throw wrongCredentials()
    if (before?.user_id === user_id) await endSession(trx, before.session_id)
    const device = await rememberOrigin(trx, { user_id, subject_key }, origin, now)
    return { ...(await beginSession(trx, user_id, kind, visitor, now)), device }
  })
}

export type Change = { readonly current_password: string; readonly new_password: string; readonly client: Client; readonly visitor: Visitor }

/** Changes the password: every session ends, and a new one replaces the requesting one; returns its text. */
export async function changePassword(accounts: Accounts, session: Session, change: Change, now: Date): Promise<{ text: string; user: KnownUser }> {
  const { db, passwords, baseUrl, ring } = accounts
  const { current_password, new_password, client, visitor } = change
  const user = await checkOwnPassword(accounts, session, { password: current_password, client }, now).catch((error: unknown) => {
    if (!(error instanceof Unauthorized)) throw error
    throw new Forbidden('the current password is not right', { hint: 'POST /api/v1/auth/password-reset sets a new one without it' })
  })
  checkNewPassword(new_password, 'new_password', [user.email, user.full_name ?? ''])
  if (new_password.normalize('NFC') === current_password.normalize('NFC'))
    throw new BadRequest('the new password is the current one', {
      status: 422,
      code: 'validation_error',
      hint: 'choose another one',
      items: [{ loc: ['body', 'new_password'], msg: 'the new password is the current one', type: 'custom' }],
    })
  const password_hash = await passwords.hash(new_password, { kind: 'known', address: client.origin.address, gone: client.gone })
  const { text } = await asUser(db, user.user_id, async trx => {
    // Of concurrent changes one takes effect: the other's session has then ended.
    const mine = await trx
      .selectFrom('user_session')
      .select('session_id')
      .where('session_id', '=', session.session_id)
      .where('user_id', '=', user.user_id)
      .forUpdate()
      .executeTakeFirst()
    if (!mine) throw new Unauthorized('this session has ended', { hint: 'POST /api/v1/auth/login signs in' })
    await setPassword(trx, user.user_id, password_hash, 'account.change_password', baseUrl(), now)
    return await beginSession(trx, user.user_id, session.kind, visitor, now)
  })
  ring()
  return { text, user }
}

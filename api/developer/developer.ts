// GET /developer and its forms, without script. After an error, the page is shown again with the entered values; after success, the browser
// is redirected to it. The forms use the functions of the JSON operations.
import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { LoginRequest, PasswordResetRequest, RegisterRequest } from '#schemas/accounts.ts'
import { BadRequest, CrossfileError, Unauthorized } from '#schemas/errors.ts'
import { type KeyMade, KeyRequest } from '#schemas/keys.ts'
import type { KeyForm, Notice } from '#schemas/operations/developer.ts'
import { keyRecord, listOwnKeys, revokeOwnKey } from '#warehouse/people/accounts/own-keys.ts'
import { checkUserFactor } from '#warehouse/people/admin/user-factor.ts'
import { register, requestReset } from '#warehouse/people/users/accounts.ts'
import { formTokenOf, isFormToken } from '#warehouse/people/users/form-token.ts'
import { findOrigin } from '#warehouse/people/users/origins.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import { endSession, type Session } from '#warehouse/people/users/sessions.ts'
import { checkCredentials, openSession } from '#warehouse/people/users/sign-in.ts'
import { faultsOf } from '../form-faults.ts'
import type { Answered, Context, Handlers } from '../handler.ts'
import { setDeviceCookie, setSessionCookie } from '../plugins/cookies.ts'
import { pagePolicy } from '../public/html.ts'
import { accountsOf } from '../users/accounts.ts'
import { makeKey } from '../users/keys.ts'
import { sealKeyOf } from '../users/seal-key.ts'
import type { UserTools } from '../users/tools.ts'
import { renderSignedIn, renderSignedOut, type SignedIn, type SignedOut, type Typed } from './page.ts'

const html = 'text/html; charset=utf-8'
const page = (body: string): Answered => ({ kind: 'text', body, media_type: html, policy: pagePolicy })
/** 303: reloading the target page does not send the form again. */
const back = (outcome: Notice | null, headers: readonly string[] = []): Answered => ({
  kind: 'text',
  body: '',
  media_type: html,
  policy: pagePolicy,
  status: 303,
  headers: ['Location', outcome === null ? '/developer' : `/developer?notice=${outcome}`, ...headers],
})

/** The user of the page: not an administrator's session, and not a closed account. */
const personOf = ({ user }: Context): Session | null => (user?.kind === 'user' && user.is_active ? user : null)

/** Rethrows an error about the code as a fault of its field. */
function throwAsCodeError(error: unknown): never {
  if (!(error instanceof Unauthorized)) throw error
  const msg = `${error.message}; type the password again too`
  throw new BadRequest(error.message, { items: [{ loc: ['body', 'totp_code'], msg, type: 'code' }], cause: error })
}

/** The fields of the form as a request has them, so that faults have the names of the request. */
function readForm<S extends z.ZodType>(schema: S, typed: unknown, fields: readonly string[]): z.output<S> {
  const parsed = schema.safeParse(typed)
  if (parsed.success) return parsed.data
  const items = parsed.error.issues.map(({ path, message, code }) => ({ loc: ['body', String(path[0] ?? '')], msg: message, type: code }))
  throw new BadRequest(`${fields.length} fields are not as described`, { status: 422, code: 'validation_error', items })
}

export function developerHandlers(tools: UserTools) {
  const { db, config, baseUrl } = tools
  const accounts = accountsOf(tools)
  const key = sealKeyOf(tools)

  const signedOut = ({ plain_http: plainHttp }: Context, given: Partial<SignedOut>): Answered => {
    const rest = { outcome: undefined, form: null, typed: {}, faults: {} } as const
    return page(renderSignedOut({ ...rest, plainHttp, secureCookies: config.cookies.secure, sendsMail: config.smtpUrl !== null, ...given }))
  }

  async function signedIn(context: Context, person: Session, given: Partial<SignedIn>): Promise<Answered> {
    const token = await formTokenOf(db, person)
    if (token === null) return signedOut(context, { outcome: 'session_over' })
    const now = context.now()
    const keys = (await asUser(db, person.user_id, trx => listOwnKeys(trx, person.user_id, now))).map(key => keyRecord(key, now))
    const { email, tier, email_verified: verified, leaving } = person
    const rest = { outcome: undefined, made: null, typed: {}, faults: {} } as const
    const once = randomBytes(16).toString('base64url')
    return page(renderSignedIn({ ...rest, email, tier, verified, leaving, keys, token, once, baseUrl: baseUrl(), now, ...given }))
  }

  /** Handles a form of a signed-in user, if its token is the session's. */
  async function asPerson(context: Context, work: (person: Session) => Answered | Promise<Answered>): Promise<Answered> {
    const person = personOf(context)
    const token = person && (await formTokenOf(db, person))
    if (!person || token === null) return back('session_over')
    return isFormToken((context.body as { readonly token?: string }).token, token) ? await work(person) : back('stale')
  }

  /** Handles a form of a signed-out visitor; errors are shown next to the fields. */
  async function asVisitor(context: Context, form: NonNullable<SignedOut['form']>, work: () => Promise<Answered>): Promise<Answered> {
    try {
      return await work()
    } catch (error) {
      const { password: _, totp_code: __, ...typed } = context.body as Record<string, string>
      return signedOut(context, { form, typed, faults: faultsOf(error, ['email', 'password', 'full_name', 'totp_code']) })
    }
  }

  return {
    get_developer_page: async ({ notice: outcome }, context) => {
      const person = personOf(context)
      return person ? await signedIn(context, person, { outcome }) : signedOut(context, { outcome })
    },
    get_developer_form: () => back(null),
    post_developer_sign_in: (_question, context) =>
      asVisitor(context, 'sign-in', async () => {
        const { client, visitor, user: before, now } = context
        const { email, password, totp_code } = readForm(LoginRequest, context.body, ['email', 'password', 'totp_code'])
        const user = await checkCredentials(accounts, { email, password, client }, now())
        const known = await findOrigin(db, user, client.origin, now())
        await checkUserFactor(db, key, user.user_id, totp_code || null, known, now()).catch(throwAsCodeError)
        const { text, device } = await openSession(db, user, 'user', { visitor, origin: client.origin, before }, now())
        const cookies = setDeviceCookie(device, client.origin.devices, config.cookies)
        return back('signed_in', [...setSessionCookie('user', text, config.cookies), ...cookies])
      }),
    post_developer_sign_up: (_question, context) =>
      asVisitor(context, 'sign-up', async () => {
        const typed = context.body as { readonly full_name: string }
        const fields = { ...typed, full_name: typed.full_name.trim() === '' ? null : typed.full_name }
        await register(accounts, readForm(RegisterRequest, fields, ['email', 'password', 'full_name']), context.client, context.now())
        return back('registered')
      }),
    post_developer_forgotten: (_question, context) =>
      asVisitor(context, 'forgotten', async () => {
        await requestReset(accounts, readForm(PasswordResetRequest, context.body, ['email']).email, context.now())
        return back('reset_sent')
      }),
    post_developer_sign_out: (_question, context) =>
      asPerson(context, async ({ user_id, session_id }) => {
        await asUser(db, user_id, trx => endSession(trx, session_id))
        return back('signed_out', setSessionCookie('user', null, config.cookies))
      }),
    post_developer_key: (_question, context) =>
      asPerson(context, async person => {
        const { once = null, token: _, ...typed } = context.body as KeyForm
        const fields = ['name', 'scopes', 'expires_in_days', 'allowed_addresses']
        try {
          const request = readForm(KeyRequest, requestOf(typed), fields)
          const made: KeyMade = await makeKey(tools, { ...context, idempotency_key: once === null ? null : `form-${once}`.slice(0, 255) }, request)
          return await signedIn(context, person, { made })
        } catch (error) {
          return await signedIn(context, person, { typed: typed satisfies Typed, faults: faultsOf(error, fields) })
        }
      }),
    post_developer_key_revoke: ({ id }, context) =>
      asPerson(context, async ({ user_id }) => {
        try {
          await asUser(db, user_id, trx => revokeOwnKey(trx, user_id, id, context.now()))
        } catch (error) {
          // If the key was revoked in another window, the result is the same.
          if (!(error instanceof CrossfileError && error.status === 404)) throw error
        }
        return back('revoked')
      }),
  } satisfies Partial<Handlers>
}

/** The fields of the form as `POST /api/v1/keys` has them. */
function requestOf({ name, scopes, allowed_addresses, expires_in_days }: Omit<KeyForm, 'token' | 'once'>): object {
  const lines = allowed_addresses.split(/[\s,]+/).filter(line => line !== '')
  const days = expires_in_days === 'never' ? null : expires_in_days === '' ? undefined : Number(expires_in_days)
  return { name, scopes: [scopes].flat(), allowed_addresses: lines, expires_in_days: days }
}

// Accounts and sessions over HTTP: registering, signing in and out, passwords, the profile.

import type * as schema from '#schemas/accounts.ts'
import { utcDay } from '#schemas/days.ts'
import { Unauthorized } from '#schemas/errors.ts'
import { checkUserFactor } from '#warehouse/people/admin/user-factor.ts'
import { ringMail } from '#warehouse/people/mail/ring.ts'
import { type Accounts, confirmReset, register, requestReset, verifyEmail } from '#warehouse/people/users/accounts.ts'
import { queriesToday } from '#warehouse/people/users/daily-cap.ts'
import { findOrigin } from '#warehouse/people/users/origins.ts'
import { asUser, type Trx } from '#warehouse/people/users/own-rows.ts'
import { openPasswords } from '#warehouse/people/users/passwords.ts'
import { getProfile, rectify } from '#warehouse/people/users/profile.ts'
import { endSession } from '#warehouse/people/users/sessions.ts'
import { changePassword, checkCredentials, type KnownUser, openSession } from '#warehouse/people/users/sign-in.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import type { Answered, Context } from '../handler.ts'
import { type CookieSettings, setDeviceCookie, setSessionCookie } from '../plugins/cookies.ts'
import { withHeaders } from '../plugins/errors.ts'
import { sealKeyOf } from './seal-key.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from './tools.ts'

/** What each part that registers users or checks a password needs. */
export function accountsOf({ db, queue, config, baseUrl }: UserTools): Accounts {
  return { db, passwords: openPasswords(keysFolderOf(config.dataFolder)), baseUrl, ring: () => ringMail(queue) }
}

const accepted = (detail: string): Answered => jsonAnswer({ status: 'accepted', detail }, { status: 202 })

/** The answer to a sign-in: the session as token and cookie, and further cookies. */
export function signedIn(user: KnownUser, text: string, settings: CookieSettings, cookies: readonly string[] = []): Answered {
  const { user_id: id, email, full_name, display_name, tier, email_verified_at, erasure_requested_at } = user
  const facts = { id, email, full_name, display_name, tier, email_verified: email_verified_at !== null, erasure_requested_at }
  const body: schema.AuthResponse = { access_token: text, token_type: 'bearer', user: facts }
  return jsonAnswer(body, { headers: [...setSessionCookie('user', text, settings), ...cookies] })
}

export function accountHandlers(tools: UserTools) {
  const { db, config } = tools
  const accounts = accountsOf(tools)
  const key = sealKeyOf(tools)

  async function profile(trx: Trx, userId: string, now: Date): Promise<schema.Profile> {
    const used = await queriesToday(trx, userId, utcDay(now))
    return await getProfile(trx, userId, used)
  }

  return {
    async register_account(_question: unknown, context: Context): Promise<Answered> {
      await register(accounts, context.body as schema.RegisterRequest, context.client, context.now())
      return accepted('a mail was sent to the address; follow the link in it within 24 hours, then sign in')
    },
    async verify_email(_question: unknown, context: Context): Promise<Answered> {
      await verifyEmail(accounts, (context.body as schema.VerifyEmailRequest).token, context.now())
      return jsonAnswer({ status: 'verified', detail: 'the address is confirmed; POST /api/v1/auth/login signs in' })
    },
    async sign_in(_question: unknown, { body, client, visitor, user: before, now }: Context): Promise<Answered> {
      try {
        const user = await checkCredentials(
          accounts,
          { email: (body as schema.LoginRequest).email, password: (body as schema.LoginRequest).password, client },
          now(),
        )
        const known = await findOrigin(db, user, client.origin, now())
        await checkUserFactor(db, key, user.user_id, (body as schema.LoginRequest).totp_code || null, known, now())
        const { text, device } = await openSession(db, user, 'user', { visitor, origin: client.origin, before }, now())
        return signedIn(user, text, config.cookies, setDeviceCookie(device, client.origin.devices, config.cookies))
      } catch (error) {
        throw error instanceof Unauthorized ? withHeaders(error, { 'WWW-Authenticate': 'Session realm="api"' }) : error
      }
    },
    async sign_out(_question: unknown, context: Context): Promise<Answered> {
      const { user_id, session_id } = userOf(context)
      await asUser(db, user_id, trx => endSession(trx, session_id))
      return noContent(setSessionCookie('user', null, config.cookies))
    },
    async change_password(_question: unknown, context: Context): Promise<Answered> {
      const { body, client, visitor, now } = context
      const { text, user } = await changePassword(accounts, userOf(context), { ...(body as schema.ChangePasswordRequest), client, visitor }, now())
      return signedIn(user, text, config.cookies)
    },
    async request_password_reset(_question: unknown, context: Context): Promise<Answered> {
      await requestReset(accounts, (context.body as schema.PasswordResetRequest).email, context.now())
      return accepted('if the address has an account, a link to set a new password was mailed; it is valid for 30 minutes')
    },
    async confirm_password_reset(_question: unknown, context: Context): Promise<Answered> {
      const { token, new_password } = context.body as schema.PasswordResetConfirm
      const { client } = context
      const device = await confirmReset(accounts, token, new_password, client, context.now())
      const detail = 'the password is set and every session has ended; POST /api/v1/auth/login signs in'
      return jsonAnswer({ status: 'password_set', detail }, { headers: setDeviceCookie(device, client.origin.devices, config.cookies) })
    },
    async get_me(_question: unknown, context: Context): Promise<Answered> {
      const { user_id } = userOf(context)
      return jsonAnswer(await asUser(db, user_id, trx => profile(trx, user_id, context.now())))
    },
    async update_me(_question: unknown, context: Context): Promise<Answered> {
      const { user_id } = userOf(context)
      return await written(tools, context, async trx => {
        await rectify(trx, user_id, context.body as schema.ProfilePatch)
        return { status: 200, body: await profile(trx, user_id, context.now()) }
      })
    },
  }
}

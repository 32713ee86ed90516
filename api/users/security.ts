// The sessions of a user, and the repeated password for export and erasure.
import { Forbidden, Unauthorized } from '#schemas/errors.ts'
import { type ProveRequest, proofMinutes } from '#schemas/security.ts'
import type { SealKey } from '#warehouse/people/admin/secret-key.ts'
import { checkUserFactor } from '#warehouse/people/admin/user-factor.ts'
import type { Accounts } from '#warehouse/people/users/accounts.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import { endOtherSessions, endOwnSession, listOwnSessions } from '#warehouse/people/users/own-sessions.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import { checkOwnPassword, type KnownUser, openSession } from '#warehouse/people/users/sign-in.ts'
import type { Context, Handlers } from '../handler.ts'
import { setDeviceCookie } from '../plugins/cookies.ts'
import { accountsOf, signedIn } from './accounts.ts'
import { sealKeyOf } from './seal-key.ts'
import { jsonAnswer, noContent, type UserTools, userOf } from './tools.ts'

/** Throws `Forbidden` for a session whose password was entered longer ago than export and erasure allow. */
export function checkProof({ proved_at }: Session, now: Date): void {
  if (now.getTime() - Date.parse(proved_at) <= proofMinutes * 60_000) return
  throw new Forbidden(`this needs your password again: it was given more than ${proofMinutes} minutes ago`, {
    hint: 'POST /api/v1/auth/prove with {"password": "…"} answers with a new session; repeat the request with it. In a browser: /account/security',
  })
}

/** The account, if its password and code are correct. Throws `Forbidden` if one is wrong; the session continues. */
export async function proveIdentity(
  accounts: Accounts,
  key: () => SealKey,
  session: Session,
  { password, totp_code }: ProveRequest,
  { client, now }: Context,
): Promise<KnownUser> {
  const check = async (): Promise<KnownUser> => {
    const user = await checkOwnPassword(accounts, session, { password, client }, now())
    await checkUserFactor(accounts.db, key, session.user_id, totp_code || null, { kind: 'device', id: session.session_id }, now())
    return user
  }
  return await check().catch((error: unknown) => {
    if (!(error instanceof Unauthorized)) throw error
    const wrong = error.message.startsWith('address or password') ? 'the password is not right' : error.message
    throw new Forbidden(wrong, { hint: 'POST /api/v1/auth/password-reset sets a new password without the present one' })
  })
}

export function securityHandlers(tools: UserTools) {
  const { db, config } = tools
  const accounts = accountsOf(tools)
  const key = sealKeyOf(tools)
  return {
    list_my_sessions: async (_question, context) => {
      const session = userOf(context)
      const sessions = await asUser(db, session.user_id, trx => listOwnSessions(trx, session, context.now()))
      return jsonAnswer({ count: sessions.length, sessions })
    },
    end_my_session: async ({ id }, context) => {
      const { user_id } = userOf(context)
      await asUser(db, user_id, trx => endOwnSession(trx, user_id, id))
      return noContent()
    },
    end_other_sessions: async (_question, context) => {
      const session = userOf(context)
      await asUser(db, session.user_id, trx => endOtherSessions(trx, session))
      return noContent()
    },
    prove_identity: async (_question, context) => {
      const { body, client, visitor, now } = context
      const session = userOf(context)
      const user = await proveIdentity(accounts, key, session, body as ProveRequest, context)
      const { text, device } = await openSession(db, user, 'user', { visitor, origin: client.origin, before: session }, now())
      return signedIn(user, text, config.cookies, setDeviceCookie(device, client.origin.devices, config.cookies))
    },
  } satisfies Partial<Handlers>
}

// Administration: sign-in, second factor, accounts, their requests, the audit chain. Every action is written in a separate transaction.
import type { z } from 'zod'
import type { AdminLoginIn, AdminToggle, TotpConfirmIn } from '#schemas/admin.ts'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { Forbidden, Unauthorized } from '#schemas/errors.ts'
import { findAudit } from '#warehouse/people/admin/audit-list.ts'
import { findUsers, setAdmin } from '#warehouse/people/admin/people.ts'
import { beginEnrolment, factorOf } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey, type SealKey } from '#warehouse/people/admin/secret-key.ts'
import { confirmFactor, proofMs, signInAdmin } from '#warehouse/people/admin/sign-in.ts'
import { findRequests, fulfil } from '#warehouse/people/billing/requests.ts'
import { enqueueMail } from '#warehouse/people/mail/enqueue.ts'
import { type Act, audit, pseudonymOf } from '#warehouse/people/users/audit.ts'
import { asService, type Trx } from '#warehouse/people/users/own-rows.ts'
import { openPasswords } from '#warehouse/people/users/passwords.ts'
import { endSession, type Session, sessionTimes } from '#warehouse/people/users/sessions.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { Answered, Context, Handler } from '../handler.ts'
import { setDeviceCookie, setSessionCookie } from '../plugins/cookies.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from './tools.ts'

/** The administrator of a request: the second factor is enrolled, and with `proof` a code was entered recently. Throws `Forbidden`. */
export async function administrator({ db }: Pick<UserTools, 'db'>, context: Context, proof = false): Promise<Session> {
  const session = userOf(context)
  if (!(await factorOf(db, session.user_id)).enrolled)
    throw new Forbidden('a second factor has to be enrolled first', {
      hint: 'POST /api/v1/admin/totp/enrol gives its secret, POST /api/v1/admin/totp/confirm takes its first code',
    })
  if (proof) proven(session, context.now())
  return session
}
function proven({ proved_at }: Session, now: Date): void {
  if (now.getTime() - Date.parse(proved_at) > proofMs)
    throw new Forbidden('this needs a sign-in of the last 15 minutes', { hint: 'sign in again at POST /api/v1/admin/login' })
}

/** The administrator as the audit chain names them. */
export const pseudonym = async (db: Db, userId: string): Promise<string> =>
  pseudonymOf(await db.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', '=', userId).executeTakeFirstOrThrow())

/**
 * An action of an administrator, once for each Idempotency-Key, in one transaction with its row in the audit chain. `work` runs as the
 * service, because it changes rows of other users.
 */
export async function acted<T extends object>(
  tools: UserTools,
  context: Context,
  session: Session,
  work: (trx: Trx) => Promise<{ readonly body: T; readonly act: Omit<Act, 'actor'> | null; readonly status?: number }>,
): Promise<Answered> {
  return await written(tools, context, trx =>
    asService(trx, async () => {
      const { body, act, status = 200 } = await work(trx)
      if (act !== null) await audit(trx, { ...act, actor: await pseudonym(trx, session.user_id) }, context.now())
      return { status, body }
    }),
  )
}

/** A page of a list: the request without limit and cursor, the sort key of a row, and the rows, one more than the page shows. */
export function paged<T>(
  { operation }: Context,
  { limit, cursor: _cursor, ...filters }: { readonly limit: number; readonly cursor?: string | undefined },
  rows: readonly T[],
  keyOf: (row: T) => (string | number)[],
): { readonly rows: readonly T[]; readonly next_cursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(operation.id, filters, 0, keyOf(last)) : null }
}
/** One page of a list under its name, with count and next_cursor. `found` has one row more than the limit if there are more. */
export function listAnswer<T>(
  context: Context,
  question: { readonly limit: number; readonly cursor?: string | undefined },
  name: string,
  found: readonly T[],
  keyOf: (row: T) => (string | number)[],
): Answered {
  const { rows, next_cursor } = paged(context, question, found, keyOf)
  return jsonAnswer({ count: rows.length, [name]: rows, next_cursor })
}
export function afterCursor(
  { operation }: Context,
  { limit: _limit, cursor, ...filters }: { readonly limit: number; readonly cursor?: string | undefined },
): readonly (string | number | null)[] | null {
  return cursor === undefined ? null : decodeCursor(cursor, operation.id, filters).after
}
/** The row after which a page continues, of a list in the order of `created_at` and id; null: the first page. */
export function afterRow(...page: Parameters<typeof afterCursor>): { readonly created_at: string; readonly id: string } | null {
  const after = afterCursor(...page)
  return after === null ? null : { created_at: String(after[0]), id: String(after[1]) }
}

export function adminHandlers(tools: UserTools) {
  const { db, config } = tools
  const folder = keysFolderOf(config.dataFolder)
  let opened: SealKey | null = null
  const key = (): SealKey => {
    opened ??= openSealKey(folder)
    return opened
  }

  const login: Handler<'admin_login'> = async (_question, { body, client, visitor, now }) => {
    const { email, password, totp_code } = body as z.output<typeof AdminLoginIn>
    const at = now()
    const { text, device, user, factor } = await signInAdmin(
      { db, passwords: openPasswords(folder), key: key() },
      { email, password, code: totp_code ?? null },
      { client, visitor },
      at,
    )
    const body_ = {
      user,
      totp_enrolled: factor.enrolled,
      recovery_codes_left: factor.recovery_codes_left,
      proved_until: new Date(at.getTime() + proofMs).toISOString(),
      expires_at: new Date(at.getTime() + sessionTimes.admin.absolute).toISOString(),
    }
    return jsonAnswer(body_, {
      headers: [...setSessionCookie('admin', text, config.cookies), ...setDeviceCookie(device, client.origin.devices, config.cookies)],
    })
  }

  const logout: Handler<'admin_logout'> = async (_question, context) => {
    const session = userOf(context)
    await db.transaction().execute(async trx => {
      const name = await pseudonym(trx, session.user_id)
      await endSession(trx, session.session_id)
      await audit(trx, { actor: name, act: 'admin.sign_out', subject: name, details: {} }, context.now())
    })
    return noContent(setSessionCookie('admin', null, config.cookies))
  }

  const me: Handler<'get_admin_me'> = (_question, context) => {
    const { user_id, email, tier, is_admin } = userOf(context)
    return jsonAnswer({ id: user_id, email, tier, is_admin })
  }

  const enrol: Handler<'enrol_totp'> = async (_question, context) => {
    const session = userOf(context)
    proven(session, context.now())
    return jsonAnswer(await beginEnrolment(db, key(), session, context.now()), { status: 201 })
  }

  const confirm: Handler<'confirm_totp'> = async (_question, context) => {
    const session = userOf(context)
    proven(session, context.now())
    const codes = await confirmFactor(
      { db, key: key(), baseUrl: tools.baseUrl(), act: 'admin.second_factor' },
      session,
      (context.body as z.output<typeof TotpConfirmIn>).totp_code,
      context.now(),
    )
    if (codes === null)
      throw new Unauthorized('this code is not the one of the enrolment that waits', {
        hint: 'send the code that the authenticator shows now; after 15 minutes, or five wrong ones, start again with POST /api/v1/admin/totp/enrol',
      })
    return jsonAnswer({ totp_enrolled: true, recovery_codes: codes })
  }

  const users: Handler<'list_admin_users'> = async (question, context) => {
    await administrator(tools, context)
    const found = await findUsers(db, {
      beginning: question.query ?? null,
      after: afterRow(context, question),
      limit: question.limit + 1,
    })
    return listAnswer(context, question, 'users', found, row => [row.created_at, row.id])
  }

  const toggle: Handler<'set_admin'> = async ({ id }, context) => {
    const session = await administrator(tools, context, true)
    const { is_admin } = context.body as z.output<typeof AdminToggle>
    return await acted(tools, context, session, async trx => ({
      body: await setAdmin(trx, { admin: session.user_id }, id, is_admin, context.now()),
      act: null,
    }))
  }

  const requests: Handler<'list_account_requests'> = async (question, context) => {
    await administrator(tools, context)
    const before = afterCursor(context, question)?.[0] ?? null
    const requested = { state: question.state, before: before === null ? null : Number(before), limit: question.limit + 1 }
    return listAnswer(context, question, 'requests', await findRequests(db, requested, context.now()), row => [row.id])
  }

  const fulfilling: Handler<'fulfil_account_request'> = async ({ id }, context) => {
    const session = await administrator(tools, context, true)
    return await acted(tools, context, session, async trx => {
      const row = await fulfil(trx, id, session.user_id, context.now())
      const tier = row.target_tier ?? 'free'
      await enqueueMail(trx, {
        dedupe_key: `account request ${row.id} fulfilled`,
        user_id: row.user_id,
        to_address: row.email,
        kind: 'request_fulfilled',
        subject: 'Your account was changed',
        body: `The tier of your account is ${tier} now, as you requested on ${row.received_at.slice(0, 10)}.\n\nWhat it allows: ${tools.baseUrl()}/api/v1/data/plans\n`,
      })
      const subject = await pseudonym(trx, row.user_id)
      return { body: row, act: { act: 'request.fulfil', subject, details: { request: row.id, kind: row.kind, tier } } }
    })
  }

  const chain: Handler<'list_audit'> = async (question, context) => {
    await administrator(tools, context)
    const before = afterCursor(context, question)?.[0] ?? null
    const requested = { userId: question.user_id ?? null, before: before === null ? null : Number(before), limit: question.limit + 1 }
    return listAnswer(context, question, 'entries', await findAudit(db, requested), row => [row.seq])
  }

  return {
    admin_login: login,
    admin_logout: logout,
    get_admin_me: me,
    enrol_totp: enrol,
    confirm_totp: confirm,
    list_admin_users: users,
    set_admin: toggle,
    list_account_requests: requests,
    fulfil_account_request: fulfilling,
    list_audit: chain,
  }
}

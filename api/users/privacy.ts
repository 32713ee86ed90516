// Consent, policy, export and erasure over HTTP.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import type { ConsentRequest } from '#schemas/privacy.ts'
import { enqueueMail } from '#warehouse/people/mail/enqueue.ts'
import { findConsent, recordConsent, visitorSubject } from '#warehouse/people/privacy/consent.ts'
import { cancelBringsBack, cancelErasure, erasureEnds, graceDays, type Queued, queueErasure } from '#warehouse/people/privacy/erasure.ts'
import { exportOf } from '#warehouse/people/privacy/export.ts'
import { policyOf } from '#warehouse/people/privacy/policy.ts'
import { pseudonymOf } from '#warehouse/people/users/audit.ts'
import { asService, type Trx } from '#warehouse/people/users/own-rows.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import type { Answered, Context, Handler } from '../handler.ts'
import { setSessionCookie } from '../plugins/cookies.ts'
import { endPayments } from './billing.ts'
import { checkProof } from './security.ts'
import { stripeClient } from './stripe.ts'
import { jsonAnswer, type UserTools, userOf, written } from './tools.ts'

/** The export as a file. The caller has checked access. */
export const exported = ({ db }: Pick<UserTools, 'db'>, { user_id }: Pick<Session, 'user_id'>, now: Date): Answered => ({
  kind: 'stream',
  stream: Readable.from(exportOf(db, user_id, now)),
  media_type: 'application/json; charset=utf-8',
  filename: 'crossfile-export.json',
})

/** Ends a paid subscription before the erasure is queued. Without a Stripe key there is none. */
export async function endOwnPayments({ db, config }: Pick<UserTools, 'db' | 'config'>, userId: string): Promise<void> {
  if (config.stripeKey !== null) await endPayments({ db }, stripeClient(config), userId)
}

/** Queues the erasure with its mail, in a transaction of the user's rows. */
export async function queueOwnErasure(
  { baseUrl }: Pick<UserTools, 'baseUrl'>,
  trx: Trx,
  { user_id, email }: Pick<Session, 'user_id' | 'email'>,
  now: Date,
): Promise<Queued> {
  return await asService(trx, () =>
    queueErasure(trx, user_id, now, async ({ erase_after, requested_at }) => {
      const body = `The erasure of your account at ${baseUrl()} was requested. It is done after ${erase_after}.\n\nEnded already: ${erasureEnds.join(', ')}.\n\nTo keep the account, sign in before then and cancel the erasure at ${baseUrl()}/account/security (POST ${baseUrl()}/api/v1/user/delete/cancel). ${cancelBringsBack}\n\nIf you did not request it, sign in, cancel it, and set a new password.\n`
      const mail = { kind: 'erasure_queued', subject: 'Your account will be erased', body, to_address: email, user_id }
      await enqueueMail(trx, { ...mail, dedupe_key: `erasure ${user_id} ${requested_at}` })
    }),
  )
}

export function privacyHandlers(tools: UserTools) {
  const { db, config } = tools
  const subjectOf = async (userId: string): Promise<string> =>
    pseudonymOf(await db.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', '=', userId).executeTakeFirstOrThrow())

  const record: Handler<'record_consent'> = async (_question, { body, user, visitor, now }) => {
    const { session_id, consent_action, action, ...rest } = body as ConsentRequest
    const subject = user === null ? visitorSubject(session_id ?? null) : await subjectOf(user.user_id)
    const entry = await recordConsent(db, subject, { ...rest, consent_action: consent_action ?? action ?? '' }, visitor, now())
    const { id, consent_type, created_at, consent_version } = entry
    return jsonAnswer({ id, consent_type, consent_action: entry.consent_action, created_at, consent_version }, { status: 201 })
  }

  const history: Handler<'list_my_consent'> = async ({ limit, cursor }, context) => {
    const before = cursor === undefined ? null : Number(decodeCursor(cursor, 'list_my_consent', {}).after[0])
    const { entries, next } = await findConsent(db, await subjectOf(userOf(context).user_id), { before, limit })
    return jsonAnswer({ count: entries.length, entries, next_cursor: next === null ? null : encodeCursor('list_my_consent', {}, 0, [next]) })
  }

  const policy: Handler<'get_privacy_policy'> = () => {
    const body = Buffer.from(JSON.stringify(policyOf(config)))
    const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27)
    return { kind: 'bytes', body, etag, release: null, last_modified: null, receipt_id: null, immutable: false }
  }

  const exportOwn = (context: Context): Answered => {
    checkProof(userOf(context), context.now())
    return exported({ db }, userOf(context), context.now())
  }

  const erase: Handler<'delete_my_account'> = async (_question, context) => {
    const session = userOf(context)
    checkProof(session, context.now())
    await endOwnPayments(tools, session.user_id)
    const answer = await written({ db }, context, async trx => {
      const queued = await queueOwnErasure(tools, trx, session, context.now())
      const cancel = 'sign in and POST /api/v1/user/delete/cancel'
      return { status: 202, body: { status: 'queued', ...queued, grace_days: graceDays, ends: erasureEnds, cancel, cancelling: cancelBringsBack } }
    })
    const cookie = setSessionCookie('user', null, config.cookies)
    return answer.kind === 'bytes' ? { ...answer, headers: [...(answer.headers ?? []), ...cookie] } : answer
  }

  const cancel: Handler<'cancel_my_erasure'> = async (_question, context) => {
    const { user_id } = userOf(context)
    return await written({ db }, context, trx =>
      asService(trx, async () => {
        await cancelErasure(trx, user_id, context.now())
        return { status: 200, body: { status: 'cancelled' } }
      }),
    )
  }

  return {
    record_consent: record,
    list_my_consent: history,
    get_privacy_policy: policy,
    export_my_data: ((_question, context) => exportOwn(context)) as Handler<'export_my_data'>,
    export_my_data_alias: ((_question, context) => exportOwn(context)) as Handler<'export_my_data_alias'>,
    delete_my_account: erase,
    cancel_my_erasure: cancel,
  }
}

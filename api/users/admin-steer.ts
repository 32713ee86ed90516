// Logs of runs, storage, backups, accounts, API keys and mail for administrators: the functions of the command line over HTTP.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type OperatorKeyIn, Unread, type UserActive } from '#schemas/admin-steer.ts'
import { NotFound } from '#schemas/errors.ts'
import { createKey, revokeKey } from '#warehouse/people/accounts/keys.ts'
import { type AnyKey, anyKey, findAllKeys, getAnyKey } from '#warehouse/people/admin/all-keys.ts'
import { getUser } from '#warehouse/people/admin/people.ts'
import { readStorage } from '#warehouse/people/admin/storage.ts'
import { removeFactorIn } from '#warehouse/people/admin/user-factor.ts'
import { listMail, retryMail } from '#warehouse/people/mail/outbox.ts'
import { setActive } from '#warehouse/people/users/accounts.ts'
import { audit, brokenAudit } from '#warehouse/people/users/audit.ts'
import { once } from '#warehouse/people/users/idempotency.ts'
import { asService } from '#warehouse/people/users/own-rows.ts'
import { findRunLines } from '#warehouse/store/jobs/run-log.ts'
import { findRun } from '#warehouse/store/jobs/runs.ts'
import { findProcesses } from '#warehouse/store/processes.ts'
import type { Handler, Handlers } from '../handler.ts'
import { acted, administrator, afterCursor, listAnswer, paged, pseudonym } from './admin.ts'
import { answerOfWorker, askWorker, sendToWorker } from './operator-requests.ts'
import { jsonAnswer, noContent, type UserTools } from './tools.ts'

const Held = z.object({ place: z.string().nullable(), backups: z.array(z.looseObject({})), damaged: z.array(z.string()) })

export function adminSteerHandlers(tools: UserTools) {
  return { ...storageHandlers(tools), ...accountHandlers(tools), ...keyHandlers(tools), ...mailHandlers(tools) } satisfies Partial<Handlers>
}

/**
 * What a worker sees; null if none runs, or none answers in time, so that the rest of the page is shown. A refusal or failure of the worker is
 * thrown.
 */
export async function seenByWorker<S extends z.ZodType>(
  { db, queue }: UserTools,
  kind: 'signing' | 'unread',
  schema: S,
): Promise<z.output<S> | null> {
  if ((await findProcesses(db)).workers === 0) return null
  const job = await sendToWorker(queue, { kind, nonce: randomUUID() })
  return job === null ? null : await answerOfWorker(queue, job, schema)
}

function storageHandlers(tools: UserTools) {
  const { db, queue } = tools
  const log: Handler<'get_run_log'> = async ({ run_id, after, limit }, context) => {
    await administrator(tools, context)
    const run = await findRun(db, run_id)
    if (!run) throw new NotFound(`there is no run ${run_id}`, { hint: 'GET /api/v1/admin/jobs/{name}/runs lists them' })
    const found = await findRunLines(db, run_id, after, limit + 1)
    const lines = found.slice(0, limit)
    return jsonAnswer({ run, count: lines.length, lines, next_after: found.length > limit ? (lines.at(-1)?.line ?? null) : null })
  }
  const storage: Handler<'get_admin_storage'> = async (_question, context) => {
    await administrator(tools, context)
    const [stored, unread] = await Promise.all([readStorage(db), seenByWorker(tools, 'unread', Unread)])
    return jsonAnswer({ ...stored, unread })
  }
  const backups: Handler<'list_backups'> = async (_question, context) => {
    await administrator(tools, context)
    const { place, backups: found, damaged } = await askWorker(queue, { kind: 'backups', nonce: randomUUID() }, Held)
    return jsonAnswer({ place, count: found.length, backups: found, damaged })
  }
  const chain: Handler<'verify_audit'> = async (_question, context) => {
    await administrator(tools, context)
    const broken_at = await brokenAudit(db)
    const last = await db.selectFrom('audit_entry').select(['seq', 'at', 'hash']).orderBy('seq', 'desc').limit(1).executeTakeFirst()
    const head = last === undefined ? null : { seq: last.seq, at: last.at, hash: last.hash.toString('hex') }
    return jsonAnswer({ intact: broken_at === null, broken_at, entries: head?.seq ?? 0, head })
  }
  return { get_run_log: log, get_admin_storage: storage, list_backups: backups, verify_audit: chain }
}

function accountHandlers(tools: UserTools) {
  const active: Handler<'set_user_active'> = async ({ id }, context) => {
    const session = await administrator(tools, context, true)
    const { is_active } = context.body as z.output<typeof UserActive>
    return await acted(tools, context, session, async trx => {
      await setActive(trx, id, is_active, await pseudonym(trx, session.user_id), context.now())
      return { body: await getUser(trx, id), act: null }
    })
  }
  const factor: Handler<'remove_user_factor'> = async ({ id }, context) => {
    const session = await administrator(tools, context, true)
    await tools.db.transaction().execute(async trx => {
      const by = await pseudonym(trx, session.user_id)
      if (!(await removeFactorIn(trx, tools.baseUrl(), id, by, context.now())))
        throw new NotFound('this account has no second factor', { hint: 'GET /api/v1/admin/users shows which accounts have one' })
    })
    return noContent()
  }
  return { set_user_active: active, remove_user_factor: factor }
}

function keyHandlers(tools: UserTools) {
  const { db } = tools
  const list: Handler<'list_admin_keys'> = async (question, context) => {
    await administrator(tools, context)
    const { state, owner = null, limit } = question
    const after = afterCursor(context, question)
    const last = after === null ? null : { created_at: String(after[0]), key_id: String(after[1]) }
    const found = await findAllKeys(db, { state, owner, after: last, limit: limit + 1 }, context.now())
    return listAnswer(context, question, 'keys', found, row => [row.created_at, row.key_id])
  }
  const create: Handler<'create_operator_key'> = async (_question, context) => {
    const { user_id } = await administrator(tools, context, true)
    const { name, tier, scopes, expires_in_days: days } = context.body as z.output<typeof OperatorKeyIn>
    // The text of the key is not among what is stored for a repeated Idempotency-Key.
    let text: string | null = null
    const operation = `${context.operation.method} ${context.operation.path}`
    const done = await once(db, { userId: user_id, key: context.idempotency_key, operation, body: context.body }, trx =>
      asService(trx, async () => {
        const made = await createKey(trx, { name, tier, scopes, days }, context.now())
        text = made.text
        const details = { key: made.key.key_id, tier, scopes: scopes.join(' ') }
        await audit(trx, { actor: await pseudonym(trx, user_id), act: 'key.create', subject: 'operator', details }, context.now())
        return { status: 201, body: anyKey(made.key, null, context.now()) }
      }),
    )
    const headers = done.replayed ? ['Idempotency-Replayed', 'true'] : []
    return jsonAnswer({ key: done.replayed ? null : text, ...(done.body as AnyKey) }, { status: 201, headers })
  }
  const revoke: Handler<'revoke_admin_key'> = async ({ key_id }, context) => {
    const { user_id } = await administrator(tools, context, true)
    await db.transaction().execute(async trx => {
      const key = await getAnyKey(trx, key_id, context.now())
      if (key.revoked_at !== null) return
      await revokeKey(trx, key_id, context.now())
      const details = { key: key_id, owner: key.owner === null ? 'operator' : await pseudonym(trx, key.owner) }
      await audit(trx, { actor: await pseudonym(trx, user_id), act: 'key.revoke', subject: details.owner, details }, context.now())
    })
    return noContent()
  }
  return { list_admin_keys: list, create_operator_key: create, revoke_admin_key: revoke }
}

function mailHandlers(tools: UserTools) {
  const { db, config } = tools
  const list: Handler<'list_admin_mail'> = async (question, context) => {
    await administrator(tools, context)
    const before = afterCursor(context, question)?.[0] ?? null
    const found = await listMail(db, { state: question.state, limit: question.limit + 1, before: before === null ? null : Number(before) })
    const { rows, next_cursor } = paged(context, question, found, row => [row.mail_id])
    return jsonAnswer({ count: rows.length, sends: config.smtpUrl !== null, mails: rows, next_cursor })
  }
  const retry: Handler<'retry_mail'> = async ({ mail_id }, context) => {
    const session = await administrator(tools, context)
    return await acted(tools, context, session, async trx => {
      if (!(await retryMail(trx, mail_id, context.now())))
        throw new NotFound(`mail ${mail_id} is not waiting: it was sent or does not exist`, { hint: 'GET /api/v1/admin/mail lists all mail' })
      return { body: { mail_id, state: 'waiting' }, act: { act: 'mail.retry', subject: String(mail_id), details: {} } }
    })
  }
  return { list_admin_mail: list, retry_mail: retry }
}

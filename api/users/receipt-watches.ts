// Watches of signed answers. Whether the answer can be compared later is checked before the transaction that writes the watch.
import { randomBytes } from 'node:crypto'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import type { ReceiptWatchCreate, ReceiptWatchPatch } from '#schemas/receipt-watches.ts'
import { isLakeOperation } from '#warehouse/answers/index.ts'
import { getSigned, namedOperation, type Signed, signedPayload } from '#warehouse/answers/receipt-diff/receipt-diff.ts'
import { ringWatches } from '#warehouse/people/receipt-watches/ring.ts'
import { changeWatch, deleteWatch, findChanges, findWatches, getWatch, insertWatch, watchLimit } from '#warehouse/people/receipt-watches/watches.ts'
import { asService, asUser, type Trx } from '#warehouse/people/users/own-rows.ts'
import { type KeptAnswer, keepAnswer } from '#warehouse/store/pages.ts'
import type { Context, Handlers } from '../handler.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from './tools.ts'

type WatchOperation =
  | 'list_receipt_watches'
  | 'create_receipt_watch'
  | 'get_receipt_watch'
  | 'update_receipt_watch'
  | 'delete_receipt_watch'
  | 'list_receipt_changes'

const refused = (message: string, hint: string): BadRequest =>
  new BadRequest(message, {
    status: 422,
    code: 'validation_error',
    hint,
    items: [{ loc: ['body', 'receipt_id'], msg: message, type: 'value_error' }],
  })

/** The answer as a page, so that a watched answer stays stored. */
function answerToKeep({ id, statement }: Signed, payload: Buffer): KeptAnswer {
  const named = namedOperation(statement)
  if (named === null) throw new Broken(`receipt ${id}: its question was checked before`)
  const question = named.operation.question.parse(named.parameters)
  const { release, as_of } = statement.predicate
  return { operation: named.operation.id, question: canonicalQuery(question), release_from: release, as_of, payload, receipt_id: id }
}

/** Throws 422 for an answer that cannot be given again: of a posted request, or of a question that this version does not know. */
function checkWatchable({ id, statement }: Signed): void {
  const named = namedOperation(statement)
  const question = statement.subject[0]?.name ?? ''
  if (question.startsWith('POST '))
    throw refused(`receipt ${id} is of a posted request, of which only a hash is kept`, 'watch an answer to a GET request')
  if (named === null || !isLakeOperation(named.operation.id) || !named.operation.question.safeParse(named.parameters).success)
    throw refused(
      `receipt ${id}: this version of the service does not answer its question`,
      'ask the question again with receipt=1, and watch that receipt',
    )
}

export function receiptWatchHandlers(tools: UserTools): Pick<Handlers, WatchOperation> {
  const { db, serving, queue } = tools
  const mine = <T>(context: Context, work: (trx: Trx, userId: string) => Promise<T>): Promise<T> => {
    const { user_id } = userOf(context)
    return asUser(db, user_id, trx => work(trx, user_id))
  }

  async function create(context: Context) {
    const { receipt_id, channels } = context.body as ReceiptWatchCreate
    const { user_id, tier } = userOf(context)
    const signed = await getSigned(db, receipt_id)
    checkWatchable(signed)
    const payload = await signedPayload({ db, contextOf: (release, asOf) => serving.releaseContext(release, asOf) }, signed)
    if (payload === null)
      throw refused(
        `the answer of receipt ${receipt_id} is not stored, and making it again gives other bytes: nothing can be compared with it`,
        'ask the question again with receipt=1, and watch that receipt',
      )
    const { release } = signed.statement.predicate
    const given = {
      watch_id: `w_${randomBytes(9).toString('base64url')}`,
      question: signed.statement.subject[0]?.name ?? '',
      receipt_id,
      release,
      channels,
    }
    const kept = answerToKeep(signed, payload.payload)
    const made = await written(tools, context, async trx => {
      const body = await insertWatch(trx, user_id, tier, given, context.now().toISOString())
      await asService(trx, () => keepAnswer(trx, kept))
      return { status: 201, body }
    })
    ringWatches(queue)
    return made
  }

  return {
    list_receipt_watches: async (_, context) => {
      const watches = await mine(context, findWatches)
      return jsonAnswer({ count: watches.length, limit: watchLimit(userOf(context).tier), watches })
    },
    create_receipt_watch: (_, context) => create(context),
    get_receipt_watch: async ({ id }, context) => jsonAnswer(await mine(context, (trx, userId) => getWatch(trx, userId, id))),
    update_receipt_watch: ({ id }, context) => {
      const { channels } = context.body as ReceiptWatchPatch
      return written(tools, context, async trx => ({ status: 200, body: await changeWatch(trx, userOf(context).user_id, id, channels) }))
    },
    delete_receipt_watch: async ({ id }, context) => {
      await mine(context, (trx, userId) => deleteWatch(trx, userId, id))
      return noContent()
    },
    list_receipt_changes: async (question, context) => jsonAnswer(await mine(context, (trx, userId) => findChanges(trx, userId, question))),
  }
}

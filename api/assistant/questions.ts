// A question to the assistant: the chat and the profile that it continues, the count of the day, and the operations that answer one in one response.
import type { Conversation } from '#schemas/assistant.ts'
import type { AskIn, ChatRequest, GeoChatMessageRequest } from '#schemas/chat.ts'
import { utcDay } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { isCallable } from '#schemas/operation-calls.ts'
import { type OperationId, operations } from '#schemas/operations.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { findTurns, newSessionId } from '#warehouse/people/chats/chats.ts'
import { findAssistantProfile } from '#warehouse/people/chats/profile.ts'
import type { RunKind } from '#warehouse/people/chats/run-records.ts'
import { beginRun, type NewRun } from '#warehouse/people/chats/runs.ts'
import { assistantCap, queriesToday } from '#warehouse/people/users/daily-cap.ts'
import { asUser, type Trx } from '#warehouse/people/users/own-rows.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { Context, Handler } from '../handler.ts'
import { jsonAnswer, userOf } from '../users/tools.ts'
import { readImage, refuseImages } from './images.ts'
import type { createRunner, RunContext } from './runs.ts'

type Runner = ReturnType<typeof createRunner>
export type QuestionTools = { readonly db: Db; readonly runner: Runner; readonly takesImages: boolean }

/** What the assistant reads for every signed-in user: the operations that read market data, including those that need a key. */
const opened: ReadonlySet<OperationId> = new Set(
  operations.filter(each => isCallable(each) && each.access !== 'admin' && each.access !== 'user').map(each => each.id as OperationId),
)

export const runContextOf = (context: Context): RunContext => ({
  call: context.operation_calls(opened),
  now: context.now,
  dataNow: context.dataNow,
})

/** Who asks, and how many questions a day the tier allows. */
export function requesterOf(context: Context) {
  const { user_id, tier } = userOf(context)
  return { user_id, cap: assistantCap(tier) }
}

/** The count of the day, as it is shown in answers. */
export async function countedOf(db: Db, context: Context) {
  const { user_id, cap } = requesterOf(context)
  return { queries_today: await queriesToday(db, user_id, utcDay(context.now())), queries_per_day: cap }
}

/** The question with its context: profile, and the chat that it continues. */
export async function newRun(
  trx: Trx,
  userId: string,
  kind: RunKind,
  requested: Partial<ChatRequest> & { content: string },
  more: Partial<NewRun['request']> = {},
): Promise<NewRun> {
  const session_id = kind === 'chat' ? requested.session_id || newSessionId() : null
  const { profile } = await findAssistantProfile(trx, userId)
  const { turns, conversation } = session_id === null ? { turns: [], conversation: null } : await findTurns(trx, userId, session_id)
  const request = { content: requested.content, quality: requested.quality ?? 'fast', alts: [], conversation, profile, turns, ...more } as const
  return { kind, session_id, request, image: null }
}

/** The image of a question; null if it has none. Throws `BadRequest` if no model of this installation takes images. */
export function imageOf({ image_base64 }: ChatRequest, takesImages: boolean): Buffer | null {
  // Programs send an empty text for a missing value.
  if (image_base64 === null || image_base64 === '') return null
  refuseImages(takesImages)
  return readImage(image_base64)
}

/** Handlers of the questions that are answered in one response. */
export function questionHandlers({ db, runner, takesImages }: QuestionTools) {
  /** Begins a question in one transaction, answers it, and returns the count of the day. */
  async function answered(context: Context, given: (trx: Trx, userId: string) => Promise<NewRun>, image: Buffer | null) {
    const requester = requesterOf(context)
    const run = await asUser(
      db,
      requester.user_id,
      async trx => (await beginRun(trx, requester, { ...(await given(trx, requester.user_id)), image }, context.now())).run,
    )
    const answer = await runner.finish(run, image !== null, runContextOf(context), context.client.gone)
    return { run, answer, counted: await countedOf(db, context) }
  }

  const send: Handler<'send_chat'> = async (_question, context) => {
    const requested = context.body as ChatRequest
    const image = imageOf(requested, takesImages)
    const { run, answer, counted } = await answered(context, (trx, userId) => newRun(trx, userId, 'chat', requested), image)
    return jsonAnswer({ session_id: run.session_id, message_id: run.run_id, answer: answer.answer, envelope: answer.envelope, ...counted })
  }

  const ask: Handler<'ask_assistant'> = async (_question, context) => {
    const { query, last_ticker, alts } = context.body as AskIn
    const conversation = last_ticker === null ? null : subjectOf(last_ticker)
    const more = { conversation, alts: alts ?? [] }
    const { answer, counted } = await answered(context, (trx, userId) => newRun(trx, userId, 'ask', { content: query }, more), null)
    return jsonAnswer({ answer: answer.answer, envelope: answer.envelope, query: answer.query, ...counted })
  }

  const geochat: Handler<'send_geochat'> = async (_question, context) => {
    const { content } = context.body as GeoChatMessageRequest
    const { answer, counted } = await answered(context, (trx, userId) => newRun(trx, userId, 'geochat', { content }), null)
    return jsonAnswer({ answer: answer.answer, envelope: answer.envelope, query: answer.query, ...counted })
  }

  return { send_chat: send, ask_assistant: ask, send_geochat: geochat }
}

/** The meaning of "it" after a question about a symbol. Throws 422 if the text is not a symbol. */
function subjectOf(ticker: string): Conversation | null {
  if (ticker.trim() === '') return null
  const symbol = parseSymbol(ticker.trim())?.symbol
  if (symbol === undefined)
    throw new BadRequest('1 field of the body is not as described', {
      status: 422,
      code: 'validation_error',
      items: [{ loc: ['body', 'last_ticker'], msg: 'expected a symbol such as AAPL or RY.TO', type: 'not_valid' }],
      hint: 'correct last_ticker, or leave it out',
    })
  const subject = { kind: 'listing', symbol, us_symbol: null, name: null, cik: null, country: null, indicator: null, id: null } as const
  return { subject, measure: null, period: null, inputs: {} }
}

// The assistant over HTTP: questions with their daily cap, streams, shared copies, profile, feedback, and checks of texts.

import type { Conversation } from '#schemas/assistant.ts'
import type {
  AskIn,
  AssistantCheckRequest,
  AssistantFeedbackRequest,
  AssistantProfileRequest,
  ChatRequest,
  ChatShareRequest,
  GeoChatMessageRequest,
} from '#schemas/chat.ts'
import { utcDay } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { isCallable } from '#schemas/operation-calls.ts'
import type { StreamQuestion } from '#schemas/operations/assistant.ts'
import { type OperationId, operations } from '#schemas/operations.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { answerQuestion } from '#warehouse/assistant/answer-question.ts'
import { assistantCheckOf } from '#warehouse/assistant/check-text.ts'
import { deleteChat, findChats, findTurns, newSessionId } from '#warehouse/people/chats/chats.ts'
import { findEvents, isLast } from '#warehouse/people/chats/events.ts'
import { saveFeedback } from '#warehouse/people/chats/feedback.ts'
import { findAssistantProfile, saveAssistantProfile } from '#warehouse/people/chats/profile.ts'
import type { RunKind } from '#warehouse/people/chats/run-records.ts'
import { beginRun, beginTicket, findProgress, type NewRun, prepareRun, type Run } from '#warehouse/people/chats/runs.ts'
import { endShare, getShared, shareChat, sharedPath } from '#warehouse/people/chats/shares.ts'
import { assistantCap, queriesToday } from '#warehouse/people/users/daily-cap.ts'
import { asUser, type Trx } from '#warehouse/people/users/own-rows.ts'
import { type Answered, type Context, type Handler, partyOf } from '../handler.ts'
import { checkTextOf } from '../receipts/check.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from '../users/tools.ts'
import { readImage, refuseImages } from './images.ts'
import { createRunner, type RunContext, type RunTimes, runTimes } from './runs.ts'
import { createStreams } from './stream.ts'

export type AssistantTools = Pick<UserTools, 'db' | 'queue' | 'config' | 'serving' | 'baseUrl' | 'warn'> & {
  readonly answer?: typeof answerQuestion
  readonly times?: Partial<RunTimes>
  readonly monotonic?: () => number
}

/** What the assistant reads for every signed-in user: the operations that read market data, including those that need a key. */
const opened: ReadonlySet<OperationId> = new Set(
  operations.filter(each => isCallable(each) && each.access !== 'admin' && each.access !== 'user').map(each => each.id as OperationId),
)
/** Maximum number of chats in a list. */
const mostListed = 500
const note = 'A copy that a user of this service shared. Research data, not investment advice.'

export function openAssistant(tools: AssistantTools) {
  const { db, config } = tools
  const times = { ...runTimes, ...tools.times }
  const closing = new AbortController()
  const runner = createRunner({ ...tools, answer: tools.answer ?? answerQuestion, times })
  const monotonic = tools.monotonic ?? (() => performance.now())
  const streams = createStreams({ db, runner, times, monotonic, closing: closing.signal })
  const takesImages = config.model?.images === true

  const contextOf = (context: Context): RunContext => ({ call: context.operation_calls(opened), now: context.now, dataNow: context.dataNow })
  const requesterOf = (context: Context) => {
    const { user_id, tier } = userOf(context)
    return { user_id, cap: assistantCap(tier) }
  }

  /** The question with its context: profile, and the chat that it continues. */
  async function newRun(
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

  /** Begins a question in one transaction, answers it, and returns the count of the day. */
  async function answered(context: Context, given: (trx: Trx, userId: string) => Promise<NewRun>, image: Buffer | null) {
    const requester = requesterOf(context)
    const run = await asUser(
      db,
      requester.user_id,
      async trx => (await beginRun(trx, requester, { ...(await given(trx, requester.user_id)), image }, context.now())).run,
    )
    const answer = await runner.finish(run, image !== null, contextOf(context), context.client.gone)
    return { run, answer, counted: await countedOf(context) }
  }
  async function countedOf(context: Context) {
    const { user_id, cap } = requesterOf(context)
    return { queries_today: await queriesToday(db, user_id, utcDay(context.now())), queries_per_day: cap }
  }

  function imageOf({ image_base64 }: ChatRequest): Buffer | null {
    // Programs send an empty text for a missing value.
    if (image_base64 === null || image_base64 === '') return null
    refuseImages(takesImages)
    return readImage(image_base64)
  }

  const send: Handler<'send_chat'> = async (_question, context) => {
    const requested = context.body as ChatRequest
    const image = imageOf(requested)
    const { run, answer, counted } = await answered(context, (trx, userId) => newRun(trx, userId, 'chat', requested), image)
    return jsonAnswer({ session_id: run.session_id, message_id: run.run_id, answer: answer.answer, envelope: answer.envelope, ...counted })
  }

  const ticket: Handler<'create_chat_ticket'> = async (_question, context) => {
    const requested = context.body as ChatRequest
    const image = imageOf(requested)
    const { user_id } = userOf(context)
    const made = await asUser(
      db,
      user_id,
      async trx => await prepareRun(trx, user_id, { ...(await newRun(trx, user_id, 'chat', requested)), image }, context.now()),
    )
    return jsonAnswer(
      { ticket: made.ticket, url: `/api/v1/chat/stream-thinking?ticket=${made.ticket}`, expires_at: made.expires_at },
      { status: 201 },
    )
  }

  const stream: Handler<'stream_chat'> = async (question, context) => {
    const { user_id, session_id: login } = userOf(context)
    if (context.last_event_id !== null) return await resumed(context.last_event_id, context)
    const place = streams.take(login, null)
    try {
      const { run, image } = await beginStream(question, context)
      runner.start(run, image, contextOf(context))
      return { kind: 'events', stream: place.open({ run_id: run.run_id, user_id }, 0, context.now) }
    } catch (error) {
      place.end()
      throw error
    }
  }

  async function beginStream(
    { content, quality, session_id, ticket: named }: StreamQuestion,
    context: Context,
  ): Promise<{ run: Run; image: boolean }> {
    const requester = requesterOf(context)
    if ((content === undefined) === (named === undefined) || (named !== undefined && (quality ?? session_id) !== undefined))
      throw new BadRequest('a stream needs content, or a ticket alone', {
        hint: 'send content (with quality and session_id if you like), or the ticket of POST /api/v1/chat/tickets',
      })
    return await asUser(db, requester.user_id, async trx => {
      const { run } =
        named === undefined
          ? await beginRun(
              trx,
              requester,
              await newRun(trx, requester.user_id, 'chat', { content: content ?? '', quality, session_id }),
              context.now(),
            )
          : await beginTicket(trx, requester, named, context.now())
      return { run, image: named !== undefined && (await hasImage(trx, run)) }
    })
  }

  async function hasImage(trx: Trx, run: Run): Promise<boolean> {
    const row = await trx
      .selectFrom('chat_run')
      .select(({ eb }) => eb('image', 'is not', null).as('has'))
      .where('user_id', '=', run.user_id)
      .where('run_id', '=', run.run_id)
      .executeTakeFirst()
    return row?.has === true
  }

  /** Continues a stream after an event; 204 after its last one, which ends an EventSource. */
  async function resumed(last: string, context: Context): Promise<Answered> {
    const { user_id, session_id: login } = userOf(context)
    const match = /^(m_[A-Za-z0-9_-]{20})-(\d{1,9})$/.exec(last)
    if (!match)
      throw new BadRequest('Last-Event-ID is no event of a stream', { hint: 'send the id of the last event that you got, or no Last-Event-ID' })
    const [run, n] = [{ run_id: match[1] ?? '', user_id }, Number(match[2])]
    const progress = await findProgress(db, run, context.now())
    const held = await findEvents(db, user_id, run.run_id, Math.max(0, n - 1), context.now())
    if (progress === null || progress.state === 'ticket' || (progress.state !== 'running' && held.length === 0))
      throw new NotFound('the stream of Last-Event-ID is over', {
        hint: 'events are kept for five minutes; send the question again without Last-Event-ID, which counts it again',
      })
    if (held.some(event => event.n === n && isLast(event))) return noContent()
    return { kind: 'events', stream: streams.take(login, run.run_id).open(run, n, context.now) }
  }

  const share: Handler<'share_chat'> = async (_question, context) =>
    await written(tools, context, async trx => {
      const { id, ...made } = await shareChat(trx, userOf(context).user_id, context.body as ChatShareRequest, context.now())
      return { status: 201, body: { id, url: `${tools.baseUrl()}${sharedPath(id)}`, ...made } }
    })
  const shared: Handler<'get_shared_chat'> = async ({ id }, context) => {
    const { title, created_at, expires_at, messages } = await getShared(db, id, context.now())
    return jsonAnswer({ id, title, created_at, expires_at, messages, note })
  }
  const unshare: Handler<'end_shared_chat'> = async ({ id }, context) => {
    const { user_id } = userOf(context)
    await asUser(db, user_id, trx => endShare(trx, user_id, id))
    return noContent()
  }

  const chats: Handler<'list_chats'> = async (_question, context) => {
    const { user_id } = userOf(context)
    const found = await asUser(db, user_id, trx => findChats(trx, user_id, mostListed))
    return jsonAnswer({ count: found.length, chats: found })
  }
  const deleteOne: Handler<'delete_chat'> = async ({ session_id }, context) => {
    const { user_id } = userOf(context)
    await asUser(db, user_id, trx => deleteChat(trx, user_id, session_id))
    return noContent()
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

  const feedback: Handler<'give_assistant_feedback'> = async (_question, context) =>
    await written(tools, context, async trx => ({
      status: 201,
      body: await saveFeedback(trx, userOf(context).user_id, context.body as AssistantFeedbackRequest, context.now()),
    }))

  async function profileOf(context: Context): Promise<object> {
    const { user_id } = userOf(context)
    const now = context.now()
    const { profile, updated_at } = await asUser(db, user_id, trx => findAssistantProfile(trx, user_id))
    const resets_at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString()
    return { ...profile, updated_at, ...(await countedOf(context)), resets_at }
  }
  const getProfile: Handler<'get_assistant_profile'> = async (_question, context) => jsonAnswer(await profileOf(context))
  const putProfile: Handler<'put_assistant_profile'> = async (_question, context) => {
    const { user_id } = userOf(context)
    await asUser(db, user_id, trx => saveAssistantProfile(trx, user_id, context.body as AssistantProfileRequest, context.now()))
    return jsonAnswer(await profileOf(context))
  }

  const check: Handler<'check_assistant_text'> = async (_question, context) => {
    const { text, receipts } = context.body as AssistantCheckRequest
    return jsonAnswer(assistantCheckOf(await checkTextOf(tools.serving, text, receipts, partyOf(context), context.client.gone)))
  }

  return {
    handlers: {
      send_chat: send,
      create_chat_ticket: ticket,
      stream_chat: stream,
      share_chat: share,
      get_shared_chat: shared,
      end_shared_chat: unshare,
      list_chats: chats,
      delete_chat: deleteOne,
      ask_assistant: ask,
      send_geochat: geochat,
      give_assistant_feedback: feedback,
      get_assistant_profile: getProfile,
      put_assistant_profile: putProfile,
      check_assistant_text: check,
    },
    /** Ends the streams, which clients continue at another process, and the questions of this process. */
    async close(): Promise<void> {
      closing.abort()
      await runner.close()
    },
  }
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

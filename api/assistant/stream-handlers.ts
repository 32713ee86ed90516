// Questions whose answer is streamed: tickets, the beginning of a stream, and its continuation after an event.
import type { ChatRequest } from '#schemas/chat.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { StreamQuestion } from '#schemas/operations/assistant.ts'
import { findEvents, isLast } from '#warehouse/people/chats/events.ts'
import { beginRun, beginTicket, findProgress, prepareRun, type Run } from '#warehouse/people/chats/runs.ts'
import { asUser, type Trx } from '#warehouse/people/users/own-rows.ts'
import type { Answered, Context, Handler } from '../handler.ts'
import { jsonAnswer, noContent, userOf } from '../users/tools.ts'
import { imageOf, newRun, type QuestionTools, requesterOf, runContextOf } from './questions.ts'
import type { createStreams } from './stream.ts'

type StreamTools = QuestionTools & { readonly streams: ReturnType<typeof createStreams> }

/** Handlers of streams and of the tickets that begin one. */
export function streamHandlers({ db, runner, takesImages, streams }: StreamTools) {
  const ticket: Handler<'create_chat_ticket'> = async (_question, context) => {
    const requested = context.body as ChatRequest
    const image = imageOf(requested, takesImages)
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
      runner.start(run, image, runContextOf(context))
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

  return { create_chat_ticket: ticket, stream_chat: stream }
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

// Questions that count against the daily cap, from their start to their end. Each ends exactly once: `answered`, `failed` or `cancelled`,
// by whichever process is first. If nothing was answered, its count is refunded in the same transaction.

import { sql } from 'kysely'
import type { AssistantEvent } from '#schemas/assistant.ts'
import { utcDay } from '#schemas/days.ts'
import { NotFound, TooMany } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'
import { type DailyUse, giveBackDaily, takeDaily } from '../users/daily-cap.ts'
import { asUser, type Trx } from '../users/own-rows.ts'
import { addMessage, newMessageId } from './chats.ts'
import { appendEvents, lastEvent } from './events.ts'
import type { RunAnswer, RunKind, RunRequest } from './run-records.ts'

/** A run without a heartbeat for this long has lost its process. */
const aliveMs = 20_000
/** For how long a ticket opens a stream. */
const ticketMs = 60_000
/** Questions of one user that are answered at the same time. */
const runsPerUser = 4
/** For how long a run is kept after its end: clients may still read its events. */
const endedMs = 10 * 60_000

export type Run = {
  readonly run_id: string
  readonly user_id: string
  readonly kind: RunKind
  readonly session_id: string | null
  readonly request: RunRequest
}
export type NewRun = Omit<Run, 'run_id' | 'user_id'> & { readonly image: Buffer | null }
/** The user and the daily cap of the user's tier. */
export type Requester = { readonly user_id: string; readonly cap: number }

const later = (now: Date, ms: number): string => new Date(now.getTime() + ms).toISOString()

/** Takes one question of the day and begins to answer. Throws `TooMany` at the daily cap, and at more than four questions at the same time. */
export async function beginRun(trx: Trx, requester: Requester, given: NewRun, now: Date): Promise<{ readonly run: Run; readonly use: DailyUse }> {
  const { kind, session_id, request, image } = given
  const run: Run = { run_id: newMessageId(), user_id: requester.user_id, kind, session_id, request }
  const use = await countRun(trx, requester, now)
  await trx
    .insertInto('chat_run')
    .values({ ...rowOf(run, image, now), state: 'running', counted_on: utcDay(now), alive_until: later(now, aliveMs) })
    .execute()
  await keepQuestion(trx, run, now)
  return { run, use }
}

/** Keeps a question for a stream that is opened with the ticket within a minute. It is counted when the stream is opened. */
export async function prepareRun(
  trx: Trx,
  userId: string,
  given: NewRun,
  now: Date,
): Promise<{ readonly ticket: string; readonly expires_at: string }> {
  const run: Run = { run_id: newMessageId(), user_id: userId, kind: given.kind, session_id: given.session_id, request: given.request }
  const { n } = await trx
    .selectFrom('chat_run')
    .select(each => each.fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .where('state', '=', 'ticket')
    .where('created_at', '>', later(now, -ticketMs))
    .executeTakeFirstOrThrow()
  if (n >= runsPerUser * 2)
    throw new TooMany(`${n} tickets of this account are open`, {
      retryAfterSeconds: ticketMs / 1000,
      hint: 'open the streams of the tickets that you have, or wait a minute',
    })
  await trx
    .insertInto('chat_run')
    .values({ ...rowOf(run, given.image, now), state: 'ticket', counted_on: null, alive_until: later(now, ticketMs) })
    .execute()
  return { ticket: run.run_id, expires_at: later(now, ticketMs) }
}

/** Starts the run of a ticket, once. Throws `NotFound` for a ticket that is unknown, used, or older than a minute. */
export async function beginTicket(trx: Trx, requester: Requester, ticket: string, now: Date): Promise<{ readonly run: Run; readonly use: DailyUse }> {
  const row = await trx
    .updateTable('chat_run')
    .set({ state: 'running', counted_on: utcDay(now), alive_until: later(now, aliveMs) })
    .where('user_id', '=', requester.user_id)
    .where('run_id', '=', ticket)
    .where('state', '=', 'ticket')
    .where('created_at', '>', later(now, -ticketMs))
    .returning(['kind', 'session_id', 'request'])
    .executeTakeFirst()
  if (!row?.request)
    throw new NotFound('the ticket is unknown, was used before, or is older than a minute', { hint: 'POST /api/v1/chat/tickets gives another one' })
  const use = await countRun(trx, requester, now, ticket)
  const run: Run = { run_id: ticket, user_id: requester.user_id, kind: row.kind, session_id: row.session_id, request: row.request }
  await keepQuestion(trx, run, now)
  return { run, use }
}

async function countRun(trx: Trx, { user_id, cap }: Requester, now: Date, except = ''): Promise<DailyUse> {
  await settleLost(trx, user_id, now)
  const { n } = await trx
    .selectFrom('chat_run')
    .select(each => each.fn.countAll<number>().as('n'))
    .where('user_id', '=', user_id)
    .where('state', '=', 'running')
    .where('run_id', '<>', except)
    .executeTakeFirstOrThrow()
  if (n >= runsPerUser)
    throw new TooMany(`${n} questions of this account are being answered`, {
      retryAfterSeconds: 5,
      hint: 'wait for an answer, then send the next question',
    })
  const use = await takeDaily(trx, user_id, 'assistant', cap, now)
  if (use.allowed) return use
  const seconds = Math.max(1, Math.ceil((Date.parse(use.resets_at) - now.getTime()) / 1000))
  throw new TooMany(`the daily cap of ${cap} assistant queries is used up`, {
    retryAfterSeconds: seconds,
    hint: `the count resets at ${use.resets_at}; GET /api/v1/data/plans has the cap of each tier`,
  })
}

function rowOf(run: Run, image: Buffer | null, now: Date) {
  const { run_id, user_id, kind, session_id, request } = run
  return {
    run_id,
    user_id,
    kind,
    session_id,
    request: JSON.stringify(request),
    image,
    answer: null,
    created_at: now.toISOString(),
    followed_until: null,
    ended_at: null,
  }
}

async function keepQuestion(trx: Trx, run: Run, now: Date): Promise<void> {
  if (run.session_id === null) return
  const message = { message_id: newMessageId(), role: 'user', content: run.request.content, answer: null } as const
  await addMessage(trx, run.user_id, run.session_id, message, now)
}

/** How a run ends. `counts` false: its unit of the daily limit is refunded. */
export type RunEnd =
  | { readonly state: 'answered'; readonly answer: RunAnswer; readonly counts: boolean; readonly last: AssistantEvent }
  | { readonly state: 'failed' | 'cancelled'; readonly counts: boolean; readonly last: AssistantEvent }

/**
 * Ends a run with its last event, numbered `n` (null: after the newest one). False if it ended before: nothing is changed then.
 */
export async function endRun(db: Db, run: Pick<Run, 'run_id' | 'user_id'>, end: RunEnd, n: number | null, now: Date): Promise<boolean> {
  return await asUser(db, run.user_id, trx => endWithin(trx, run, end, n, now))
}

async function endWithin(trx: Trx, { run_id, user_id }: Pick<Run, 'run_id' | 'user_id'>, end: RunEnd, n: number | null, now: Date): Promise<boolean> {
  const row = await trx
    .selectFrom('chat_run')
    .select(['counted_on', 'session_id'])
    .where('user_id', '=', user_id)
    .where('run_id', '=', run_id)
    .where('state', '=', 'running')
    .forUpdate()
    .executeTakeFirst()
  if (!row) return false
  const answer = end.state === 'answered' ? end.answer : null
  await trx
    .updateTable('chat_run')
    .set({
      state: end.state,
      request: null,
      image: null,
      // A process that waits for a worker reads the answer here; if no chat keeps it, it is deleted with the run.
      answer: answer === null ? null : JSON.stringify(answer),
      counted_on: end.counts ? row.counted_on : null,
      ended_at: now.toISOString(),
    })
    .where('user_id', '=', user_id)
    .where('run_id', '=', run_id)
    .execute()
  if (!end.counts && row.counted_on !== null) await giveBackDaily(trx, user_id, 'assistant', row.counted_on)
  if (answer !== null && row.session_id !== null)
    await addMessage(trx, user_id, row.session_id, { message_id: run_id, role: 'assistant', content: answer.answer, answer }, now)
  const last = { n: n ?? (await lastEvent(trx, user_id, run_id)) + 1, event: end.last }
  await appendEvents(trx, { run_id, user_id }, [last], now)
  return true
}

/** The end of a run whose process ended. */
export const lostEnd: RunEnd = {
  state: 'failed',
  counts: false,
  last: {
    event: 'error',
    code: 'upstream_unavailable',
    detail: 'the process that answered this question ended before it was done',
    hint: 'send the question again; it was not counted',
    retryable: true,
  },
}

/** Ends the user's runs without a heartbeat, and refunds what they counted. */
async function settleLost(trx: Trx, userId: string, now: Date): Promise<number> {
  const lost = await trx
    .selectFrom('chat_run')
    .select('run_id')
    .where('user_id', '=', userId)
    .where('state', '=', 'running')
    .where('alive_until', '<', now.toISOString())
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { run_id } of lost) await endWithin(trx, { run_id, user_id: userId }, lostEnd, null, now)
  return lost.length
}

const updateRunning = (db: Db, run: Pick<Run, 'run_id' | 'user_id'>) =>
  db.updateTable('chat_run').where('user_id', '=', run.user_id).where('run_id', '=', run.run_id).where('state', '=', 'running')

/** A heartbeat; false if the run has ended. `ms`: how long the next one may take. */
export async function keepAlive(db: Db, run: Pick<Run, 'run_id' | 'user_id'>, now: Date, ms = aliveMs): Promise<boolean> {
  const { numUpdatedRows } = await updateRunning(db, run)
    .set({ alive_until: later(now, ms) })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Records that a client reads the events until `ms` from now; 0 or less: that none does. */
export async function noteFollower(db: Db, run: Pick<Run, 'run_id' | 'user_id'>, now: Date, ms: number): Promise<void> {
  await updateRunning(db, run)
    .set({ followed_until: later(now, ms) })
    .execute()
}

export type Progress = {
  readonly state: 'ticket' | 'running' | 'answered' | 'failed' | 'cancelled'
  readonly answer: RunAnswer | null
  readonly alive_until: string
  /** False if clients were reading the events and none does any more. */
  readonly followed: boolean
}

/** The progress of a run of the user; null if there is none. */
export async function findProgress(db: Db, run: Pick<Run, 'run_id' | 'user_id'>, now: Date): Promise<Progress | null> {
  const row = await db
    .selectFrom('chat_run')
    .select(['state', 'answer', 'alive_until', 'followed_until'])
    .where('user_id', '=', run.user_id)
    .where('run_id', '=', run.run_id)
    .executeTakeFirst()
  if (!row) return null
  const { followed_until, ...rest } = row
  return { ...rest, followed: followed_until === null || Date.parse(followed_until) > now.getTime() }
}

/** A worker's input: the question of a run in progress, with its image; null if it has ended. */
export async function findRun(db: Db, runId: string): Promise<(Run & { readonly image: Buffer | null }) | null> {
  const row = await db
    .selectFrom('chat_run')
    .select(['user_id', 'kind', 'session_id', 'request', 'image'])
    .where('run_id', '=', runId)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return row?.request
    ? { run_id: runId, user_id: row.user_id, kind: row.kind, session_id: row.session_id, request: row.request, image: row.image }
    : null
}

/** Ends runs of ended processes, and deletes runs that ended and unused tickets; returns how many it deleted. */
export async function sweepRuns(db: Db, now: Date): Promise<number> {
  const lost = await db
    .selectFrom('chat_run')
    .select(['run_id', 'user_id'])
    .where('state', '=', 'running')
    .where('alive_until', '<', now.toISOString())
    .execute()
  for (const run of lost) await endRun(db, run, lostEnd, null, now)
  const gone = await sql<{ n: number }>`
    with gone as (delete from chat_run where (ended_at is not null and ended_at < ${later(now, -endedMs)}::timestamptz)
      or (state = 'ticket' and created_at < ${later(now, -ticketMs)}::timestamptz) returning 1)
    select count(*) as n from gone`.execute(db)
  return gone.rows[0]?.n ?? 0
}

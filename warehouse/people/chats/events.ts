// The events of a stream: written by the process that answers, read by any API process for five minutes after they were written.
import type { AssistantEvent } from '#schemas/assistant.ts'
import type { Db } from '../../store/postgres.ts'
import type { Trx } from '../users/own-rows.ts'

/** For how long a client can continue a stream from its last event. */
export const resumeMs = 5 * 60_000

export type StoredEvent = { readonly n: number; readonly event: string; readonly data: string }

/** The last event of every stream. */
export const isLast = ({ event }: Pick<StoredEvent, 'event'>): boolean => event === 'done' || event === 'error'

type Numbered = { readonly n: number; readonly event: AssistantEvent }
/** Writes events of a run with their numbers, which begin at 1; at least one. */
export async function appendEvents(
  db: Db | Trx,
  run: { readonly run_id: string; readonly user_id: string },
  events: readonly Numbered[],
  now: Date,
): Promise<void> {
  const { run_id, user_id } = run
  const rows = events.map(({ n, event: { event, ...data } }) => ({
    run_id,
    n,
    user_id,
    event,
    data: JSON.stringify(data),
    created_at: now.toISOString(),
  }))
  await db.insertInto('chat_event').values(rows).execute()
}

/** The number of the newest event of a run, 0 if there is none. */
export async function lastEvent(db: Db | Trx, userId: string, runId: string): Promise<number> {
  const row = await db
    .selectFrom('chat_event')
    .select(each => each.fn.max('n').as('n'))
    .where('user_id', '=', userId)
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return row?.n ?? 0
}

/** Events of a run of the user after the n-th, in their order, that are not older than five minutes. */
export async function findEvents(db: Db, userId: string, runId: string, after: number, now: Date): Promise<StoredEvent[]> {
  return await db
    .selectFrom('chat_event')
    .select(['n', 'event', 'data'])
    .where('user_id', '=', userId)
    .where('run_id', '=', runId)
    .where('n', '>', after)
    .where('created_at', '>', new Date(now.getTime() - resumeMs).toISOString())
    .orderBy('n')
    .limit(500)
    .execute()
}

// Deletes expired data of the assistant (warehouse/people/users/inventory.ts defines the periods).
import { dayMs } from '#schemas/days.ts'
import type { Db } from '../../store/postgres.ts'
import { chatDays } from './chats.ts'
import { resumeMs } from './events.ts'
import { feedbackDays } from './feedback.ts'
import { sweepRuns } from './runs.ts'

/** Ends runs of ended processes and deletes expired data; returns how many chats, shared copies and feedbacks were deleted. */
export async function sweepChats(db: Db, now: Date): Promise<number> {
  const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString()
  await sweepRuns(db, now)
  await db.deleteFrom('chat_event').where('created_at', '<', ago(resumeMs)).execute()
  const chats = await db
    .deleteFrom('chat_session')
    .where('last_at', '<', ago(chatDays * dayMs))
    .executeTakeFirst()
  const shares = await db.deleteFrom('chat_share').where('expires_at', '<', now.toISOString()).executeTakeFirst()
  const feedback = await db
    .deleteFrom('assistant_feedback')
    .where('created_at', '<', ago(feedbackDays * dayMs))
    .executeTakeFirst()
  return Number(chats.numDeletedRows + shares.numDeletedRows + feedback.numDeletedRows)
}

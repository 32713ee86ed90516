// What a user reports about an answer.
import { randomBytes } from 'node:crypto'
import type { AssistantFeedbackRequest } from '#schemas/chat.ts'
import type { Trx } from '../users/own-rows.ts'

/** Days for which feedback is kept. */
export const feedbackDays = 400

export async function saveFeedback(
  trx: Trx,
  userId: string,
  feedback: AssistantFeedbackRequest,
  now: Date,
): Promise<{ id: string; created_at: string }> {
  const [id, created_at] = [`fb_${randomBytes(12).toString('base64url')}`, now.toISOString()]
  await trx
    .insertInto('assistant_feedback')
    .values({ feedback_id: id, user_id: userId, ...feedback, created_at })
    .execute()
  return { id, created_at }
}

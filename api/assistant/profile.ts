// The profile that a user gives the assistant, and feedback on answers.
import type { AssistantFeedbackRequest, AssistantProfileRequest } from '#schemas/chat.ts'
import { saveFeedback } from '#warehouse/people/chats/feedback.ts'
import { findAssistantProfile, saveAssistantProfile } from '#warehouse/people/chats/profile.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import type { Context, Handler } from '../handler.ts'
import { jsonAnswer, type UserTools, userOf, written } from '../users/tools.ts'
import { countedOf } from './questions.ts'

/** Handlers of the assistant's profile and of feedback. */
export function profileHandlers(tools: Pick<UserTools, 'db' | 'queue' | 'baseUrl' | 'warn'>) {
  const { db } = tools
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
    return { ...profile, updated_at, ...(await countedOf(db, context)), resets_at }
  }
  const getProfile: Handler<'get_assistant_profile'> = async (_question, context) => jsonAnswer(await profileOf(context))
  const putProfile: Handler<'put_assistant_profile'> = async (_question, context) => {
    const { user_id } = userOf(context)
    await asUser(db, user_id, trx => saveAssistantProfile(trx, user_id, context.body as AssistantProfileRequest, context.now()))
    return jsonAnswer(await profileOf(context))
  }

  return { give_assistant_feedback: feedback, get_assistant_profile: getProfile, put_assistant_profile: putProfile }
}

// The chats of a user: messages in order, and the state from which a follow-up question continues.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { AssistantAnswer, Conversation } from '#schemas/assistant.ts'
import { NotFound } from '#schemas/errors.ts'
import type { Trx } from '../users/own-rows.ts'

/** Days after its newest message at which a chat is forgotten (warehouse/people/users/inventory.ts names the rule). */
export const chatDays = 180
/** Turns of a chat that a model is given. */
const turnsGiven = 12

export const newMessageId = (): string => `m_${randomBytes(15).toString('base64url')}`
export const newSessionId = (): string => `c_${randomBytes(12).toString('base64url')}`

export type Turn = { readonly role: 'user' | 'assistant'; readonly content: string }

/** The last turns of a chat, oldest first, and the subject of its last answer; empty for a chat that is not there. */
export async function findTurns(
  trx: Trx,
  userId: string,
  sessionId: string,
): Promise<{ readonly turns: Turn[]; readonly conversation: Conversation | null }> {
  const rows = await trx
    .selectFrom('chat_message')
    .select(['role', 'content', 'envelope'])
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .orderBy('ordinal', 'desc')
    .limit(turnsGiven)
    .execute()
  const conversation = rows.find(row => row.envelope?.subject)?.envelope?.subject ?? null
  return { turns: rows.reverse().map(({ role, content }) => ({ role, content })), conversation }
}

/** Appends a message to a chat, which is created if it does not exist. */
export async function addMessage(
  trx: Trx,
  userId: string,
  sessionId: string,
  message: { readonly message_id: string; readonly role: 'user' | 'assistant'; readonly content: string; readonly answer: AssistantAnswer | null },
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  // The lock on the chat's row gives concurrent questions different ordinals.
  await trx
    .insertInto('chat_session')
    .values({ user_id: userId, session_id: sessionId, created_at: at, last_at: at })
    .onConflict(conflict => conflict.columns(['user_id', 'session_id']).doUpdateSet({ last_at: at }))
    .execute()
  const { envelope } = message.answer ?? { envelope: null }
  await sql`insert into chat_message (message_id, user_id, session_id, ordinal, role, content, envelope, model, created_at)
    select ${message.message_id}, ${userId}, ${sessionId},
      coalesce((select max(ordinal) from chat_message where user_id = ${userId} and session_id = ${sessionId}), 0) + 1,
      ${message.role}, ${message.content}, ${envelope === null ? null : JSON.stringify(envelope)}::json, ${envelope?.model ?? null}, ${at}::timestamptz`.execute(
    trx,
  )
}

export type OwnChat = {
  readonly session_id: string
  readonly created_at: string
  readonly last_at: string
  readonly messages: number
  readonly first_question: string
}
/** The chats of a user, the one continued last first. */
export async function findChats(trx: Trx, userId: string, most: number): Promise<OwnChat[]> {
  const { rows } = await sql<OwnChat>`select s.session_id, s.created_at, s.last_at,
      (select count(*)::int from chat_message m where m.user_id = s.user_id and m.session_id = s.session_id) as messages,
      coalesce((select left(m.content, 200) from chat_message m where m.user_id = s.user_id and m.session_id = s.session_id and m.role = 'user'
        order by m.ordinal limit 1), '') as first_question
    from chat_session s where s.user_id = ${userId} order by s.last_at desc, s.session_id limit ${most}`.execute(trx)
  return rows.map(row => ({ ...row, created_at: new Date(row.created_at).toISOString(), last_at: new Date(row.last_at).toISOString() }))
}

/** Deletes a chat with its messages and the stored data of its answered questions. Throws `NotFound` for a chat that the user does not have. */
export async function deleteChat(trx: Trx, userId: string, sessionId: string): Promise<void> {
  const gone = await trx.deleteFrom('chat_session').where('user_id', '=', userId).where('session_id', '=', sessionId).executeTakeFirst()
  if (gone.numDeletedRows === 0n) throw new NotFound('you have no chat with this id', { hint: 'GET /api/v1/chat/sessions lists your chats' })
  await trx
    .deleteFrom('chat_run')
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .where('state', 'in', ['answered', 'failed', 'cancelled'])
    .execute()
}

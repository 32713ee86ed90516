// The chats of a user, and the copies of them that the user shares.
import type { ChatShareRequest } from '#schemas/chat.ts'
import { deleteChat, findChats } from '#warehouse/people/chats/chats.ts'
import { endShare, getShared, shareChat, sharedPath } from '#warehouse/people/chats/shares.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import type { Handler } from '../handler.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from '../users/tools.ts'

/** Maximum number of chats in a list. */
const mostListed = 500
const note = 'A copy that a user of this service shared. Research data, not investment advice.'

/** Handlers of stored chats. */
export function chatHandlers(tools: Pick<UserTools, 'db' | 'queue' | 'baseUrl' | 'warn'>) {
  const { db } = tools
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

  return { share_chat: share, get_shared_chat: shared, end_shared_chat: unshare, list_chats: chats, delete_chat: deleteOne }
}

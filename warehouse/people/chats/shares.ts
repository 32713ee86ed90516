// Shared copies of chats: public under an id of 144 random bits until their owner ends them or a year is over.

import { createHash, randomBytes } from 'node:crypto'
import { type ChatShareRequest, type SharedChatMessage, SharedEnvelope } from '#schemas/chat.ts'
import { dayMs } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'
import type { Trx } from '../users/own-rows.ts'

const shareDays = 365
/** Shared copies that one user may have at a time. */
const sharesPerUser = 200
export const sharedPath = (id: string): string => `/api/v1/chat/shared/${id}`

const removed = '[removed]'
/** Removes e-mail addresses, and the keys and tokens of this service, from a shared text. */
const private_ = [
  /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu,
  /cf_(?:live|sess)_[A-Za-z0-9_-]+/g,
  /whsec_\w+|\bsk-[\w-]{16,}/g,
]

/** The text without private data, and how much was removed. */
export function withoutPrivate(text: string): { readonly text: string; readonly redacted: number } {
  let redacted = 0
  const clean = private_.reduce(
    (sum, pattern) =>
      sum.replace(pattern, () => {
        redacted += 1
        return removed
      }),
    text,
  )
  return { text: clean, redacted }
}

/** A value of JSON with its texts changed. Names of members stay: they are those of our schemas. */
export function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(each => withTexts(each, change))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member, change)]))
}

/**
 * Publishes a copy of messages. An answer of this service is marked as such if the user received exactly that text; any other text counts
 * as the user's. Throws 422 for a message id that does not belong to the user, 409 `conflict` at 200 copies.
 */
export async function shareChat(
  trx: Trx,
  userId: string,
  requested: ChatShareRequest,
  now: Date,
): Promise<{ id: string; created_at: string; expires_at: string; redacted: number }> {
  const { n } = await trx
    .selectFrom('chat_share')
    .select(each => each.fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  if (n >= sharesPerUser)
    throw new BadRequest(`there are ${n} shared chats, the most that an account may have`, {
      status: 409,
      code: 'conflict',
      hint: `end one with DELETE ${sharedPath('{id}')}`,
    })
  let redacted = 0
  const clean = (text: string): string => {
    const done = withoutPrivate(text)
    redacted += done.redacted
    return done.text
  }
  const own = await findOwn(trx, userId, requested)
  const messages = requested.messages.map((message, at): SharedChatMessage => {
    const { message_id = null, role = 'user', content = '' } = message
    const kept = message_id === null ? own.get(digestOf(role, content)) : own.get(message_id)
    if (message_id !== null && !kept) throw noMessage(at)
    const envelope = kept?.role === 'assistant' && kept.envelope !== null ? SharedEnvelope.parse(withoutPerson(kept.envelope)) : null
    return {
      role: kept?.role ?? role,
      content: clean(kept?.content ?? content),
      verified: envelope !== null,
      envelope: envelope === null ? null : (withTexts(envelope, clean) as SharedChatMessage['envelope']),
    }
  })
  const id = randomBytes(18).toString('base64url')
  const created_at = now.toISOString()
  const expires_at = new Date(now.getTime() + shareDays * dayMs).toISOString()
  const title = requested.title === null ? null : clean(requested.title)
  await trx
    .insertInto('chat_share')
    .values({ share_id: id, user_id: userId, title, messages: JSON.stringify(messages), created_at, expires_at })
    .execute()
  return { id, created_at, expires_at, redacted }
}

type Own = { readonly role: 'user' | 'assistant'; readonly content: string; readonly envelope: object | null }
const digestOf = (role: string, content: string): string => createHash('sha256').update(`${role} ${content}`).digest('hex')

/** The user's stored messages that are named, or whose text is sent, by id and by digest. */
async function findOwn(trx: Trx, userId: string, { messages }: ChatShareRequest): Promise<ReadonlyMap<string, Own>> {
  const ids = messages.flatMap(each => each.message_id ?? [])
  const texts = messages.flatMap(each => (each.role === 'assistant' && each.content !== undefined ? [each.content] : []))
  const found = new Map<string, Own>()
  if (ids.length + texts.length === 0) return found
  const rows = await trx
    .selectFrom('chat_message')
    .select(['message_id', 'role', 'content', 'envelope'])
    .where('user_id', '=', userId)
    .where(where => where.or([where('message_id', '=', where.fn.any(where.val(ids))), where('content', '=', where.fn.any(where.val(texts)))]))
    .execute()
  for (const row of rows) {
    found.set(row.message_id, row)
    found.set(digestOf(row.role, row.content), row)
  }
  return found
}

function withoutPerson(envelope: object): object {
  const { subject, candidates, ...rest } = envelope as Record<string, unknown>
  return rest
}

function noMessage(at: number): BadRequest {
  return new BadRequest('1 field of the body is not as described', {
    status: 422,
    code: 'validation_error',
    items: [{ loc: ['body', 'messages', at, 'message_id'], msg: 'no message of yours has this id', type: 'custom' }],
    hint: `correct messages.${at}.message_id, or send role and content`,
  })
}

const noShare = (): NotFound => new NotFound('no chat is shared under this id', { hint: 'its owner may have ended it; ask for another link' })

export type SharedCopy = {
  readonly id: string
  readonly title: string | null
  readonly created_at: string
  readonly expires_at: string
  readonly messages: SharedChatMessage[]
}

/** A shared copy, for anyone with its id. Throws `NotFound` if there is none, it was ended, or it is older than a year. */
export async function getShared(db: Db, id: string, now: Date): Promise<SharedCopy> {
  const row = await db
    .selectFrom('chat_share as s')
    .innerJoin('app_user as u', 'u.user_id', 's.user_id')
    .select(['s.title', 's.created_at', 's.expires_at', 's.messages'])
    .where('s.share_id', '=', id)
    .where('s.expires_at', '>', now.toISOString())
    .where('u.is_active', '=', true)
    .executeTakeFirst()
  if (!row) throw noShare()
  return { id, ...row }
}

/** Ends a shared copy of the user's. Throws `NotFound` for any other. */
export async function endShare(trx: Trx, userId: string, id: string): Promise<void> {
  const { numDeletedRows } = await trx.deleteFrom('chat_share').where('user_id', '=', userId).where('share_id', '=', id).executeTakeFirst()
  if (numDeletedRows !== 1n) throw noShare()
}

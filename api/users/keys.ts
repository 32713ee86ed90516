// GET and POST /api/v1/keys, PATCH and DELETE /api/v1/keys/{id}: the keys of the user who is signed in.
import { type KeyMade, type KeyPatch, type KeyRequest, maxKeys } from '#schemas/keys.ts'
import { listOwnUsage } from '#warehouse/people/accounts/key-usage.ts'
import { changeOwnKey, keyRecord, listOwnKeys, makeOwnKey, revokeOwnKey } from '#warehouse/people/accounts/own-keys.ts'
import { once } from '#warehouse/people/users/idempotency.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import type { Answered, Context, Handlers } from '../handler.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from './tools.ts'

/**
 * Creates a key of the signed-in user. Its text is not stored: a repeated Idempotency-Key returns null in its place. Throws
 * as `makeOwnKey` does.
 */
export async function makeKey(
  { db, baseUrl }: Pick<UserTools, 'db' | 'baseUrl'>,
  context: Context,
  request: KeyRequest,
): Promise<KeyMade & { readonly replayed: boolean }> {
  const { user_id: userId } = userOf(context)
  let key: string | null = null
  const requested = { userId, key: context.idempotency_key, operation: `${context.operation.method} ${context.operation.path}`, body: request }
  const done = await once(db, requested, async trx => {
    const now = context.now()
    const made = await makeOwnKey(trx, userId, request, { now, page: `${baseUrl()}/developer` })
    key = made.text
    return { status: 201, body: { ...keyRecord(made.key, now), key: null } }
  })
  return { ...(done.body as KeyMade), key: done.replayed ? null : key, replayed: done.replayed }
}

export function keyHandlers(tools: UserTools) {
  const { db } = tools
  return {
    list_keys: async (_question, context) => {
      const { user_id } = userOf(context)
      const now = context.now()
      const keys = (await asUser(db, user_id, trx => listOwnKeys(trx, user_id, now))).map(key => keyRecord(key, now))
      return jsonAnswer({ count: keys.length, keys, limit: maxKeys })
    },
    list_key_usage: async (_question, context) => {
      const { user_id } = userOf(context)
      return jsonAnswer(await asUser(db, user_id, trx => listOwnUsage(trx, user_id, context.now())))
    },
    create_key: async (_question, context): Promise<Answered> => {
      const { replayed, ...made } = await makeKey(tools, context, context.body as KeyRequest)
      return jsonAnswer(made, { status: 201, headers: replayed ? ['Idempotency-Replayed', 'true'] : [] })
    },
    update_key: ({ id }, context) => {
      const { user_id } = userOf(context)
      return written(tools, context, async trx => {
        const now = context.now()
        return { status: 200, body: keyRecord(await changeOwnKey(trx, user_id, id, context.body as KeyPatch, now), now) }
      })
    },
    revoke_key: async ({ id }, context) => {
      const { user_id } = userOf(context)
      await asUser(db, user_id, trx => revokeOwnKey(trx, user_id, id, context.now()))
      return noContent()
    },
  } satisfies Partial<Handlers>
}

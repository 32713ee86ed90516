// What the handlers of user operations receive, and how they respond.
import { createHash } from 'node:crypto'
import type { Config } from '#schemas/config.ts'
import { Broken } from '#schemas/errors.ts'
import { type Effect, once } from '#warehouse/people/users/idempotency.ts'
import type { Trx } from '#warehouse/people/users/own-rows.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { Queue } from '#warehouse/store/queue.ts'
import type { Answered, Context } from '../handler.ts'
import type { Serving } from '../serving.ts'

export type UserTools = {
  readonly db: Db
  readonly queue: Queue
  /** The warehouse, for prices and listings. */
  readonly serving: Serving
  readonly config: Config
  /** The address of the service, without a slash at the end. */
  readonly baseUrl: () => string
  /** One line in the operator's log. */
  readonly warn: (message: string) => void
}

/** The signed-in user. Throws `Broken` if the operation's access is neither `user` nor `admin`. */
export function userOf({ user, operation }: Context): Session {
  if (user === null) throw new Broken(`${operation.id} is open to users who are not signed in`)
  return user
}

/** An answer about a user: never cached, never signed. */
export function jsonAnswer(
  body: object,
  { status = 200, headers = [] }: { readonly status?: number; readonly headers?: readonly string[] } = {},
): Answered {
  const bytes = Buffer.from(JSON.stringify(body))
  const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
  return { kind: 'bytes', body: bytes, etag, release: null, last_modified: null, receipt_id: null, immutable: false, status, headers }
}
export const noContent = (headers: readonly string[] = []): Answered => ({ kind: 'empty', status: 204, headers })

/**
 * Writes rows of the signed-in user, once for each Idempotency-Key. `effect` runs in a transaction that sees only the rows of this user. A
 * repeated request returns the first answer again, with `Idempotency-Replayed: true`.
 */
export async function written({ db }: Pick<UserTools, 'db'>, context: Context, effect: (trx: Trx) => Promise<Effect>): Promise<Answered> {
  const { operation, parameters, idempotency_key: key, body } = context
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '')
  const done = await once(db, { userId: userOf(context).user_id, key, operation: `${operation.method} ${path}`, body }, effect)
  const headers = done.replayed ? ['Idempotency-Replayed', 'true'] : []
  return done.body === null ? noContent(headers) : jsonAnswer(done.body, { status: done.status, headers })
}

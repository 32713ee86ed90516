// A person's sessions as shown to that person.
import { NotFound } from '#schemas/errors.ts'
import type { OwnSession } from '#schemas/security.ts'
import type { Trx } from './own-rows.ts'
import { endSessions, type Session } from './sessions.ts'

type Own = Pick<Session, 'user_id' | 'session_id'>

/** Live sessions of the user, the one used last first; an administrator's sessions are not among them. */
export async function listOwnSessions(trx: Trx, { user_id, session_id }: Own, now: Date): Promise<OwnSession[]> {
  const at = now.toISOString()
  const rows = await trx
    .selectFrom('user_session')
    .select(['session_id as id', 'created_at', 'seen_at as last_used_at', 'expires_at', 'address_prefix', 'agent'])
    .where('user_id', '=', user_id)
    .where('kind', '=', 'user')
    .where('idle_until', '>', at)
    .where('expires_at', '>', at)
    .orderBy('seen_at', 'desc')
    .orderBy('session_id')
    .execute()
  return rows.map(({ id, ...row }) => ({ id, current: id === session_id, ...row }))
}

/** Ends one session of the user. Throws `NotFound` for one that has ended or belongs to another account. */
export async function endOwnSession(trx: Trx, userId: string, sessionId: string): Promise<void> {
  const ended = await trx
    .deleteFrom('user_session')
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'user')
    .returning('session_id')
    .executeTakeFirst()
  if (!ended) throw new NotFound('you have no such session', { hint: 'GET /api/v1/auth/sessions lists them' })
}

/** Ends every session of the user except the requesting one. */
export const endOtherSessions = (trx: Trx, { user_id, session_id }: Own): Promise<void> => endSessions(trx, user_id, session_id)

// The CSRF token in a session's forms: a page of another site cannot read our pages, so it does not have the token.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../store/postgres.ts'
import { asUser } from './own-rows.ts'

/** The token of a session, derived from the stored hash of its text, which is never shown; null if the session has ended. */
export async function formTokenOf(
  db: Db,
  { user_id, session_id }: { readonly user_id: string; readonly session_id: string },
): Promise<string | null> {
  const row = await asUser(db, user_id, trx =>
    trx.selectFrom('user_session').select('sha256').where('user_id', '=', user_id).where('session_id', '=', session_id).executeTakeFirst(),
  )
  return row ? createHmac('sha256', row.sha256).update('crossfile forms 1').digest('base64url') : null
}

/** Whether a form contains the token; constant time for every wrong one. */
export function isFormToken(sent: string | undefined, token: string): boolean {
  const [given, wanted] = [Buffer.from(sent ?? ''), Buffer.from(token)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

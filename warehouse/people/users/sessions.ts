// Sessions: created at sign-in, looked up by the hash of the browser's token, ended by idleness, age, sign-out or a new password.

import { randomBytes } from 'node:crypto'
import { dayMs } from '#schemas/days.ts'
import type { Tier } from '#schemas/plans.ts'
import type { Db } from '../../store/postgres.ts'
import { keepNewest } from './own-rows.ts'
import { mintSessionText, sessionDigest } from './session-text.ts'

export type SessionKind = 'user' | 'admin'
/** Milliseconds (reliability.md, 5). */
export const sessionTimes: Readonly<Record<SessionKind, { readonly idle: number; readonly absolute: number }>> = {
  user: { idle: 12 * 3_600_000, absolute: 14 * dayMs },
  admin: { idle: 15 * 60_000, absolute: 8 * 3_600_000 },
}

export type Session = {
  readonly session_id: string
  readonly user_id: string
  readonly kind: SessionKind
  readonly email: string
  readonly tier: Tier
  readonly is_admin: boolean
  readonly is_active: boolean
  readonly email_verified: boolean
  /** Erasure is queued: only cancelling it is allowed. */
  readonly leaving: boolean
  readonly proved_at: string
  readonly created_at: string
}
export type Visitor = { readonly address_prefix: string; readonly agent: string }

const sessionsPerUser = 10
/** Begins a session and returns its text, which cannot be read later; above ten, the oldest ends. */
export async function beginSession(
  db: Db,
  userId: string,
  kind: SessionKind,
  visitor: Visitor,
  now: Date,
): Promise<{ text: string; session_id: string }> {
  const text = mintSessionText()
  const session_id = `s_${randomBytes(9).toString('base64url')}`
  const { idle, absolute } = sessionTimes[kind]
  const at = now.toISOString()
  await db
    .insertInto('user_session')
    .values({
      session_id,
      user_id: userId,
      sha256: sessionDigest(text),
      kind,
      created_at: at,
      seen_at: at,
      idle_until: new Date(now.getTime() + idle).toISOString(),
      expires_at: new Date(now.getTime() + absolute).toISOString(),
      proved_at: at,
      ...visitor,
    })
    .execute()
  await keepNewest(db, 'user_session', userId, { id: 'session_id', by: 'created_at', most: sessionsPerUser })
  return { text, session_id }
}

/** The minimum time between stored uses: idleness is counted in hours. */
const touchMs = 60_000
/** The live session of a cookie's text, null if there is none; restarts its idle time. */
export async function findSession(db: Db, text: string, now: Date): Promise<Session | null> {
  const at = now.toISOString()
  const row = await db
    .selectFrom('user_session as s')
    .innerJoin('app_user as u', 'u.user_id', 's.user_id')
    .select(['s.session_id', 's.user_id', 's.kind', 's.proved_at', 's.created_at', 's.seen_at', 's.expires_at'])
    .select(['u.email', 'u.tier', 'u.is_admin', 'u.is_active', 'u.email_verified_at', 'u.erasure_requested_at'])
    .where('s.sha256', '=', sessionDigest(text))
    .where('s.idle_until', '>', at)
    .where('s.expires_at', '>', at)
    .executeTakeFirst()
  if (!row) return null
  const { seen_at, expires_at, email_verified_at, erasure_requested_at, ...rest } = row
  if (now.getTime() - Date.parse(seen_at) > touchMs) {
    const idleUntil = new Date(Math.min(now.getTime() + sessionTimes[row.kind].idle, Date.parse(expires_at))).toISOString()
    await db.updateTable('user_session').set({ seen_at: at, idle_until: idleUntil }).where('session_id', '=', row.session_id).execute()
  }
  return { ...rest, tier: row.tier as Tier, email_verified: email_verified_at !== null, leaving: erasure_requested_at !== null }
}

/** Whether a session that was found before is still valid: not ended, not expired, its account active. For responses that last minutes. */
export async function isLive(db: Db, sessionId: string, now: Date): Promise<boolean> {
  const at = now.toISOString()
  const row = await db
    .selectFrom('user_session as s')
    .innerJoin('app_user as u', 'u.user_id', 's.user_id')
    .select('u.is_active')
    .where('s.session_id', '=', sessionId)
    .where('s.idle_until', '>', at)
    .where('s.expires_at', '>', at)
    .where('u.erasure_requested_at', 'is', null)
    .executeTakeFirst()
  return row?.is_active === true
}

/** Ends a session. */
export async function endSession(db: Db, sessionId: string): Promise<void> {
  await db.deleteFrom('user_session').where('session_id', '=', sessionId).execute()
}
/** Ends every session of a user but one. */
export async function endSessions(db: Db, userId: string, except: string | null = null): Promise<void> {
  await db
    .deleteFrom('user_session')
    .where('user_id', '=', userId)
    .$if(except !== null, query => query.where('session_id', '<>', except ?? ''))
    .execute()
}
/** Deletes expired sessions. */
export async function sweepSessions(db: Db, now: Date): Promise<void> {
  const at = now.toISOString()
  await db
    .deleteFrom('user_session')
    .where(where => where.or([where('idle_until', '<', at), where('expires_at', '<', at)]))
    .execute()
}

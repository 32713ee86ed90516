// Mailed links: 32 random bytes, stored as a hash; each works once within its validity.
import { hash, randomBytes } from 'node:crypto'
import { BadRequest } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'

export type Purpose = 'verify_email' | 'reset_password'
/** Milliseconds (reliability.md, 5). */
const tokenTimes: Readonly<Record<Purpose, number>> = { verify_email: 24 * 3_600_000, reset_password: 30 * 60_000 }
/** Mails of one purpose that an account gets within a period, so that requests cannot flood a mailbox. */
const mostMails = 3
/**
 * Reset links are counted over their validity: an attacker who uses up the three leaves the owner with a link that works.
 */
const countedMs: Readonly<Record<Purpose, number>> = { verify_email: 3_600_000, reset_password: tokenTimes.reset_password }

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** A new token for the mail; null if the account received too many recently. */
export async function issueToken(db: Db, userId: string, purpose: Purpose, now: Date): Promise<string | null> {
  const { sent } = await db
    .selectFrom('one_time_token')
    .select(select => select.fn.countAll<number>().as('sent'))
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('created_at', '>', new Date(now.getTime() - countedMs[purpose]).toISOString())
    .executeTakeFirstOrThrow()
  if (Number(sent) >= mostMails) return null
  const token = randomBytes(32).toString('base64url')
  const expires_at = new Date(now.getTime() + tokenTimes[purpose]).toISOString()
  await db
    .insertInto('one_time_token')
    .values({ sha256: digestOf(token), user_id: userId, purpose, created_at: now.toISOString(), expires_at })
    .execute()
  return token
}

/** The user of a valid token. Throws the same `BadRequest` for an unknown, used or expired one. */
export async function ownerOfToken(db: Db, token: string, purpose: Purpose, now: Date): Promise<string> {
  const row = await db
    .selectFrom('one_time_token')
    .select('user_id')
    .where('sha256', '=', digestOf(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  if (!row) throw notUsable()
  return row.user_id
}

/** Uses a token; of concurrent uses one succeeds, the others throw `BadRequest`. */
export async function useToken(db: Db, token: string, purpose: Purpose, now: Date): Promise<void> {
  const used = await db
    .updateTable('one_time_token')
    .set({ used_at: now.toISOString() })
    .where('sha256', '=', digestOf(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .returning('user_id')
    .executeTakeFirst()
  if (!used) throw notUsable()
}

/** Invalidates every unused token of a user. */
export async function voidTokens(db: Db, userId: string, now: Date): Promise<void> {
  await db.updateTable('one_time_token').set({ used_at: now.toISOString() }).where('user_id', '=', userId).where('used_at', 'is', null).execute()
}

/** Deletes tokens that expired more than a day ago. */
export async function sweepTokens(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('one_time_token')
    .where('created_at', '<', new Date(now.getTime() - tokenTimes.verify_email).toISOString())
    .where('expires_at', '<', now.toISOString())
    .execute()
}

const notUsable = (): BadRequest =>
  new BadRequest('this link is not valid: it was used, has expired, or was copied incompletely', {
    hint: 'POST /api/v1/auth/password-reset mails a new one; an address that is already confirmed needs none',
  })

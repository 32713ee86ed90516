// Links that are mailed: 32 random bytes, of which the hash is kept; each is good for one use within its time.
import { hash, randomBytes } from 'node:crypto'
import { BadRequest } from '#schemas/errors.ts'
import type { Db } from '../postgres.ts'

export type Purpose = 'verify_email' | 'reset_password'
/** Milliseconds (reliability.md, 5). */
export const tokenTimes: Readonly<Record<Purpose, number>> = { verify_email: 24 * 3_600_000, reset_password: 30 * 60_000 }
/** Mails of a purpose that one account gets within a time: no mailbox is flooded by requests. */
const mostMails = 3
/**
 * Links to reset are counted over the time that they are good for: whoever uses the three up leaves the owner with a link that works.
 */
const countedMs: Readonly<Record<Purpose, number>> = { verify_email: 3_600_000, reset_password: tokenTimes.reset_password }

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** A new token for the mail; null where the account got enough of them lately. */
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

/** Whose token it is, while it can be used. Throws `BadRequest` for any that is unknown, used or over: always the same. */
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

/** Uses a token up; of any number of uses at the same time one succeeds, the others throw `BadRequest`. */
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

/** Makes every unused token of a user worthless. */
export async function voidTokens(db: Db, userId: string, now: Date): Promise<void> {
  await db.updateTable('one_time_token').set({ used_at: now.toISOString() }).where('user_id', '=', userId).where('used_at', 'is', null).execute()
}

/** Forgets tokens of more than a day ago that nobody can use. */
export async function sweepTokens(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('one_time_token')
    .where('created_at', '<', new Date(now.getTime() - tokenTimes.verify_email).toISOString())
    .where('expires_at', '<', now.toISOString())
    .execute()
}

const notUsable = (): BadRequest =>
  new BadRequest('this link is not valid: it was used, it is too old, or it was not copied whole', {
    hint: 'POST /api/v1/auth/password-reset mails a new one; an address that was confirmed already needs none',
  })

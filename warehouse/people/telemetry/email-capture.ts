// Addresses that visitors leave: stored with a request for confirmation, and unused until they confirm. The same link confirms and
// withdraws.

import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { dayMs, daysBefore } from '#schemas/days.ts'
import { type Db, transaction } from '../../store/postgres.ts'
import { captureText, consentText } from '../mail/capture-text.ts'
import { enqueueMail } from '../mail/enqueue.ts'
import { emailKey } from '../users/email.ts'
import { pageOf } from './strip.ts'

export type Capturing = { readonly email: string; readonly source: string; readonly context: string | null }
/** The minimum time before the question is mailed again, and the time after which an unanswered one is deleted. */
const askAgainMs = dayMs
const openDays = 30

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Page addresses without query and fragment, truncated to the stored length. */
export function strippedContext(context: string | null): string | null {
  if (context === null) return null
  return context.replaceAll(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, address => `${URL.parse(address)?.host ?? ''}${pageOf(address) ?? ''}`).slice(0, 500)
}

/** Stores an address and mails the question, at most once a day; a confirmed one is unchanged. True if a mail was written. */
export async function captureEmail(db: Db, given: Capturing, baseUrl: string, now: Date): Promise<boolean> {
  const email_key = emailKey(given.email)
  const token = randomBytes(32).toString('base64url')
  const [at, token_sha256] = [now.toISOString(), digestOf(token)]
  const [source, context] = [(strippedContext(given.source) ?? '').slice(0, 64), strippedContext(given.context)]
  return await transaction(db, async trx => {
    const kept = await trx
      .insertInto('email_capture')
      .values({ email_key, email: given.email, source, context, token_sha256, asked_at: at })
      .onConflict(conflict =>
        conflict
          .column('email_key')
          .doUpdateSet({ token_sha256, asked_at: at })
          .where('email_capture.confirmed_at', 'is', null)
          .where('email_capture.asked_at', '<=', new Date(now.getTime() - askAgainMs).toISOString()),
      )
      .returning('email_key')
      .executeTakeFirst()
    if (!kept) return false
    // An account that verified the address owns captures of it.
    await sql`update email_capture c set user_id = u.user_id from app_user u
      where c.email_key = ${email_key} and u.email_key = c.email_key and u.email_verified_at is not null`.execute(trx)
    const { user_id } = await trx.selectFrom('email_capture').select('user_id').where('email_key', '=', email_key).executeTakeFirstOrThrow()
    const dedupe_key = `capture ${token_sha256.toString('hex').slice(0, 32)}`
    return await enqueueMail(trx, { dedupe_key, user_id, to_address: given.email, ...captureText(baseUrl, token) })
  })
}

/** Records the confirmation and the consent text; false for an unknown link. Idempotent. */
export async function confirmCapture(db: Db, token: string, addressPrefix: string, now: Date): Promise<boolean> {
  await db
    .updateTable('email_capture')
    .set({ confirmed_at: now.toISOString(), consent_text: consentText, confirmed_from: addressPrefix })
    .where('token_sha256', '=', digestOf(token))
    .where('confirmed_at', 'is', null)
    .execute()
  return (await db.selectFrom('email_capture').select('email_key').where('token_sha256', '=', digestOf(token)).executeTakeFirst()) !== undefined
}

/** Deletes the address of a link; false if there is none. */
export async function withdrawCapture(db: Db, token: string): Promise<boolean> {
  return (await db.deleteFrom('email_capture').where('token_sha256', '=', digestOf(token)).returning('email_key').executeTakeFirst()) !== undefined
}

/** Deletes unconfirmed addresses. */
export async function sweepCaptures(db: Db, now: Date): Promise<void> {
  const before = daysBefore(now, openDays).toISOString()
  await db.deleteFrom('email_capture').where('confirmed_at', 'is', null).where('asked_at', '<', before).execute()
}

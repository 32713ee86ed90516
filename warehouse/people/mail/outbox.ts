// The outbox for sending: a due mail is claimed for a period, sent, and marked. If a worker crashes between sending and marking, the mail
// is sent again when the claim expires, with the same Message-ID. None is lost, because only an accepted mail is marked.

import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { dayMs, daysBefore } from '#schemas/days.ts'
import type { Db } from '../../store/postgres.ts'

export type Waiting = {
  readonly mail_id: number
  readonly to_address: string
  readonly kind: string
  readonly subject: string
  readonly body: string
  readonly attempts: number
  readonly created_at: string
}
export const mostAttempts = 10
/** How long a worker's claim on a mail lasts: longer than all timeouts of the connection together. */
const takenMs = 5 * 60_000
const longestWaitMs = 6 * 3_600_000
/** A mail that waits longer has expired: its links are valid for at most a day. */
export const staleMs = 3 * dayMs

/** The wait after the n-th failed attempt: one minute, two, four, … six hours. */
export const waitMs = (attempts: number): number => Math.min(60_000 * 2 ** Math.max(0, attempts - 1), longestWaitMs)

/** Claims the mail that has waited longest and counts one more attempt; null if none is due. */
export async function takeMail(db: Db, now: Date): Promise<Waiting | null> {
  const row = await db
    .updateTable('mail_outbox')
    .set({ attempts: sql<number>`attempts + 1`, next_try_at: new Date(now.getTime() + takenMs).toISOString() })
    .where('mail_id', '=', query =>
      query
        .selectFrom('mail_outbox')
        .select('mail_id')
        .where('sent_at', 'is', null)
        .where('given_up_at', 'is', null)
        .where('next_try_at', '<=', now.toISOString())
        .orderBy('next_try_at')
        .orderBy('mail_id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['mail_id', 'to_address', 'kind', 'subject', 'body', 'attempts', 'created_at'])
    .executeTakeFirst()
  return row ?? null
}

/** Marks a mail as sent and deletes its text, which (mostly links) is no longer needed. */
export async function markSent(db: Db, mailId: number, now: Date): Promise<void> {
  await db.updateTable('mail_outbox').set({ sent_at: now.toISOString(), body: '', error: null }).where('mail_id', '=', mailId).execute()
}

/** Marks an attempt as failed; `final`: the receiver rejects it permanently. True if it is given up. */
export async function markFailed(db: Db, mail: Waiting, reason: string, final: boolean, now: Date): Promise<boolean> {
  const over = final || mail.attempts >= mostAttempts || now.getTime() - Date.parse(mail.created_at) > staleMs
  await db
    .updateTable('mail_outbox')
    .set({
      error: reason.slice(0, 300),
      next_try_at: new Date(now.getTime() + waitMs(mail.attempts)).toISOString(),
      given_up_at: over ? now.toISOString() : null,
    })
    .where('mail_id', '=', mail.mail_id)
    .where('sent_at', 'is', null)
    .execute()
  return over
}

/** The Message-ID: the same at every attempt, so that receivers recognize a duplicate. */
export function messageIdOf(mail: Pick<Waiting, 'mail_id' | 'created_at'>, from: string): string {
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
  const name = createHash('sha256').update(`${mail.mail_id} ${mail.created_at}`).digest('hex').slice(0, 24)
  return `<crossfile.${mail.mail_id}.${name}@${domain}>`
}

export type MailState = 'waiting' | 'sent' | 'given_up'
export type Listed = {
  readonly mail_id: number
  readonly state: MailState
  readonly to_address: string
  readonly kind: string
  readonly subject: string
  readonly created_at: string
  readonly next_try_at: string
  readonly attempts: number
  readonly sent_at: string | null
  readonly given_up_at: string | null
  readonly error: string | null
}
const columns = ['mail_id', 'to_address', 'kind', 'subject', 'created_at', 'next_try_at', 'attempts', 'sent_at', 'given_up_at', 'error'] as const
type Row = Omit<Listed, 'state'>
const listed = (row: Row): Listed => ({ ...row, state: row.sent_at !== null ? 'sent' : row.given_up_at !== null ? 'given_up' : 'waiting' })

/** The newest mail of the outbox, without its text; `before`: the last mail that was read. */
export async function listMail(
  db: Db,
  { state, limit, before = null }: { readonly state: MailState | 'all'; readonly limit: number; readonly before?: number | null },
): Promise<Listed[]> {
  const rows = await db
    .selectFrom('mail_outbox')
    .select(columns)
    .$if(state === 'sent', query => query.where('sent_at', 'is not', null))
    .$if(state === 'given_up', query => query.where('given_up_at', 'is not', null))
    .$if(state === 'waiting', query => query.where('sent_at', 'is', null).where('given_up_at', 'is', null))
    .$if(before !== null, query => query.where('mail_id', '<', before ?? 0))
    .orderBy('mail_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(listed)
}

/** One mail with its text; a sent mail has none any more. */
export async function findMail(db: Db, mailId: number): Promise<(Listed & { readonly body: string }) | null> {
  const row = await db.selectFrom('mail_outbox').select(columns).select('body').where('mail_id', '=', mailId).executeTakeFirst()
  return row ? { ...listed(row), body: row.body } : null
}

/**
 * Makes an unsent mail due now, as if it had been tried once, so that it is sent however old it is. False if it was sent or does not
 * exist.
 */
export async function retryMail(db: Db, mailId: number, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('mail_outbox')
    .set({ attempts: 1, given_up_at: null, next_try_at: now.toISOString() })
    .where('mail_id', '=', mailId)
    .where('sent_at', 'is', null)
    .returning('mail_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes mail 30 days after it was sent or given up, or if unsent, written. */
export async function sweepMail(db: Db, now: Date): Promise<number> {
  const old = daysBefore(now, 30).toISOString()
  const gone = await db.deleteFrom('mail_outbox').where(sql<string>`coalesce(sent_at, given_up_at, created_at)`, '<', old).executeTakeFirst()
  return Number(gone.numDeletedRows)
}

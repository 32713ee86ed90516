// Mail is written where the thing that it tells is done, in the same transaction; a job sends it.
import type { Db } from '../postgres.ts'

export type Mail = {
  /** The same event has the same key, and is told once. */
  readonly dedupe_key: string
  /** Null: an address that belongs to no account. */
  readonly user_id: string | null
  readonly to_address: string
  /** `verify_email`, `alert_fired`: what the operator sees in the list. */
  readonly kind: string
  readonly subject: string
  /** Plain text. */
  readonly body: string
}

/** Puts a mail into the outbox; false where the event is there already. */
export async function enqueueMail(db: Db, mail: Mail): Promise<boolean> {
  const row = await db
    .insertInto('mail_outbox')
    .values(mail)
    .onConflict(conflict => conflict.column('dedupe_key').doNothing())
    .returning('mail_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Puts many mails into the outbox at once; those whose event is there already are left out. */
export async function enqueueMails(db: Db, mails: readonly Mail[]): Promise<void> {
  if (mails.length === 0) return
  await db
    .insertInto('mail_outbox')
    .values([...mails])
    .onConflict(conflict => conflict.column('dedupe_key').doNothing())
    .execute()
}

// Mail is written in the transaction of the event that it reports; a job sends it.
import type { Db } from '../../store/postgres.ts'

export type Mail = {
  /** The same event has the same key and is sent once. */
  readonly dedupe_key: string
  /** Null: an address that belongs to no account. */
  readonly user_id: string | null
  readonly to_address: string
  /** `verify_email`, `alert_fired`: shown to the operator in the list. */
  readonly kind: string
  readonly subject: string
  /** Plain text. */
  readonly body: string
}

/** Puts a mail into the outbox; false if it already contains the event. */
export async function enqueueMail(db: Db, mail: Mail): Promise<boolean> {
  const row = await db
    .insertInto('mail_outbox')
    .values(mail)
    .onConflict(conflict => conflict.column('dedupe_key').doNothing())
    .returning('mail_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Puts many mails into the outbox in one statement, except those whose event it already contains. */
export async function enqueueMails(db: Db, mails: readonly Mail[]): Promise<void> {
  if (mails.length === 0) return
  await db
    .insertInto('mail_outbox')
    .values([...mails])
    .onConflict(conflict => conflict.column('dedupe_key').doNothing())
    .execute()
}

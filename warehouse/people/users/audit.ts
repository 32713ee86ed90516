// The audit chain: who did what to whom.
import { createHmac } from 'node:crypto'
import type { Db } from '../../store/postgres.ts'
import { brokenAt, linkHash, nextPlace } from './chain.ts'

export type Act = {
  /** A pseudonym (`pseudonymOf`), `operator` (the command line) or `system`. */
  readonly actor: string
  /** `admin.toggle`, `user.erase`. */
  readonly act: string
  readonly subject: string
  readonly details: Readonly<Record<string, string | number | boolean | null>>
}

/** A user in the chains: an HMAC with the key that erasing the account destroys, so that afterwards it identifies no person. */
export const pseudonymOf = (user: { readonly user_id: string; readonly subject_key: Buffer }): string =>
  `p_${createHmac('sha256', user.subject_key).update(user.user_id).digest('base64url').slice(0, 27)}`

/** Appends an act, in the transaction of the act. */
export async function audit(trx: Db, { actor, act, subject, details }: Act, at: Date): Promise<void> {
  const { seq, previous } = await nextPlace(trx, 'audit_entry')
  const row = { seq, at: at.toISOString(), actor, act, subject, details }
  await trx
    .insertInto('audit_entry')
    .values({ ...row, details: JSON.stringify(details), previous, hash: linkHash(previous, row) })
    .execute()
}

/** The first row that does not follow from the previous one; null if the chain is intact. */
export const brokenAudit = (db: Db): Promise<number | null> => brokenAt(db, 'audit_entry')

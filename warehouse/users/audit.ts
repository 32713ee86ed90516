// The audit chain: who did what to whom, each row hashed over the one before it (SHA-256 over its bytes and the row as RFC 8785 JSON).
import { createHmac, hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import type { Db } from '../postgres.ts'

export type Act = {
  /** A pseudonym (`pseudonymOf`), `operator` (the command line) or `system`. */
  readonly actor: string
  /** `admin.toggle`, `user.erase`. */
  readonly act: string
  readonly subject: string
  readonly details: Readonly<Record<string, string | number | boolean | null>>
}
const genesis = Buffer.alloc(32)
const chainLock = 0x61756474

/** A user in the chains: an HMAC by the key that erasing the account destroys, so that afterwards it names nobody. */
export const pseudonymOf = (user: { readonly user_id: string; readonly subject_key: Buffer }): string =>
  `p_${createHmac('sha256', user.subject_key).update(user.user_id).digest('base64url').slice(0, 27)}`

/** Appends an act, in the transaction of what it tells. */
export async function audit(trx: Db, { actor, act, subject, details }: Act, at: Date): Promise<void> {
  await sql`select pg_advisory_xact_lock(${chainLock})`.execute(trx)
  const last = await trx.selectFrom('audit_entry').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1).executeTakeFirst()
  const seq = (last?.seq ?? 0) + 1
  const previous = last?.hash ?? genesis
  const row = { seq, at: at.toISOString(), actor, act, subject, details }
  await trx
    .insertInto('audit_entry')
    .values({ ...row, details: JSON.stringify(details), previous, hash: linkHash(previous, row) })
    .execute()
}

/** The hash of a row of a chain. */
export function linkHash(previous: Buffer, row: object): Buffer {
  return hash('sha256', Buffer.concat([previous, Buffer.from(canonicalize(row) ?? '')]), 'buffer')
}

/** The first row that does not follow from the one before it; null where the chain holds. */
export async function brokenAudit(db: Db): Promise<number | null> {
  let previous: Buffer = genesis
  for (let seq = 0; ; ) {
    const rows = await db.selectFrom('audit_entry').selectAll().where('seq', '>', seq).orderBy('seq').limit(500).execute()
    if (rows.length === 0) return null
    for (const { previous: before, hash: link, ...row } of rows) {
      const own = { ...row, at: new Date(row.at).toISOString() }
      if (row.seq !== seq + 1 || !before.equals(previous) || !linkHash(previous, own).equals(link)) return row.seq
      previous = link
      seq = row.seq
    }
  }
}

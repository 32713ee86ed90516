// Chains of rows, each hashed over the previous one (SHA-256 over its bytes and the row as RFC 8785 JSON), so that a changed, removed or
// inserted row is detected.
import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import type { Db } from '../../store/postgres.ts'

const chains = { audit_entry: 0x61756474, consent_entry: 0x636f6e73 } as const
export type Chain = keyof typeof chains
export type Place = { readonly seq: number; readonly previous: Buffer }
const genesis = Buffer.alloc(32)

/** The position of a chain's next row, locked until this transaction ends. */
export async function nextPlace(trx: Db, chain: Chain): Promise<Place> {
  await sql`select pg_advisory_xact_lock(${chains[chain]})`.execute(trx)
  const last = await trx.selectFrom(chain).select(['seq', 'hash']).orderBy('seq', 'desc').limit(1).executeTakeFirst()
  return { seq: (last?.seq ?? 0) + 1, previous: last?.hash ?? genesis }
}

/** The hash of a row of a chain. */
export function linkHash(previous: Buffer, row: object): Buffer {
  return hash('sha256', Buffer.concat([previous, Buffer.from(canonicalize(row) ?? '')]), 'buffer')
}

/** The first row that does not follow from the previous one; null if the chain is intact. */
export async function brokenAt(db: Db, chain: Chain): Promise<number | null> {
  let previous: Buffer = genesis
  for (let seq = 0; ; ) {
    const rows = await db.selectFrom(chain).selectAll().where('seq', '>', seq).orderBy('seq').limit(500).execute()
    if (rows.length === 0) return null
    for (const { previous: before, hash: link, ...row } of rows) {
      const own = { ...row, at: new Date(row.at).toISOString() }
      if (row.seq !== seq + 1 || !before.equals(previous) || !linkHash(previous, own).equals(link)) return row.seq
      previous = link
      seq = row.seq
    }
  }
}

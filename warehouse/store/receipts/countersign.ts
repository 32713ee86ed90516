// After a revocation: receipts that this database stored before the theft are signed again, by the active key over the same statement. The
// id and the stored first signature do not change, and an offline verifier accepts the second.

import { sql } from 'kysely'
import { ed25519Holds } from '../ed25519.ts'
import type { Db } from '../postgres.ts'
import { signedBytes } from './dsse.ts'
import { keyRing } from './keys.ts'
import { findSigning, type SigningFault } from './rotation.ts'
import { receiptId } from './statement.ts'
import { listKeys } from './store.ts'

export type Countersigned = {
  readonly signed: number
  /** Rows whose id or first signature does not fit their statement: they stay unchanged and are not valid. */
  readonly refused: number
  /** The reason of an early end; null if nothing is left. */
  readonly fault: SigningFault | null
}

/** Receipts per statement and transaction, which limits how long a rotation waits. */
const rowsAtOnce = 1_000

type Waiting = { readonly receipt_id: string; readonly statement: Buffer; readonly signature: Buffer; readonly kid: string }

const waitingRows = sql`
  receipt r join signing_key k on k.kid = r.kid
    left join receipt_countersignature c on c.receipt_id = r.receipt_id
    left join signing_key ck on ck.kid = c.kid
  where k.status = 'compromised' and r.created_at < k.compromised_from and (c.kid is null or ck.status = 'compromised')`

/** How many receipts wait for a second signature. */
export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from ${waitingRows}`.execute(db)
  return rows[0]?.waiting ?? 0
}

/** Signs pending receipts in batches, until nothing is left, `signal` aborts or the key cannot be used. After a kill, the next call continues. */
export async function countersign(db: Db, folder: string, signal: AbortSignal, onBatch: (signed: number) => void = () => {}): Promise<Countersigned> {
  const ring = keyRing(await listKeys(db))
  let signed = 0
  let refused = 0
  let after = ''
  while (!signal.aborted) {
    const batch = await db.transaction().execute(async trx => {
      const { rows } = await sql<Waiting>`
        select r.receipt_id, r.statement, r.signature, r.kid from ${waitingRows} and r.receipt_id > ${after}
        order by r.receipt_id limit ${rowsAtOnce}`.execute(trx)
      if (rows.length === 0) return { rows, good: 0, fault: null }
      const { signer, fault } = await findSigning(trx, folder)
      if (!signer) return { rows, good: 0, fault }
      const good = rows.filter(row => {
        const key = ring.get(row.kid)
        return key && receiptId(row.statement) === row.receipt_id && ed25519Holds(signedBytes(row.statement), row.signature, key.publicKey)
      })
      if (good.length > 0)
        await trx
          .insertInto('receipt_countersignature')
          .values(good.map(row => ({ receipt_id: row.receipt_id, kid: signer.kid, signature: signer.sign(signedBytes(row.statement)) })))
          .onConflict(conflict =>
            conflict.column('receipt_id').doUpdateSet(eb => ({
              kid: eb.ref('excluded.kid'),
              signature: eb.ref('excluded.signature'),
              signed_at: sql<string>`clock_timestamp()`,
            })),
          )
          .execute()
      return { rows, good: good.length, fault: null }
    })
    if (batch.fault) return { signed, refused, fault: batch.fault }
    if (batch.rows.length === 0) break
    signed += batch.good
    refused += batch.rows.length - batch.good
    after = batch.rows.at(-1)?.receipt_id ?? after
    onBatch(signed)
  }
  return { signed, refused, fault: null }
}

// Receipts and public keys in Postgres (migrations/0003-receipts.sql, 0020-signing-keys.sql), read by both programs. `rotation.ts` and
// `countersign.ts` contain the functions of the worker and the command line.

import { sql } from 'kysely'
import { ReceiptId } from '#schemas/answer.ts'
import { BadRequest, Broken, NotFound } from '#schemas/errors.ts'
import type { KeySet, KeyStatus } from '#schemas/receipts.ts'
import type { Db } from '../postgres.ts'
import { parseCanonical } from './canonical.ts'
import { publicKeyEntry } from './keys.ts'
import type { Receipt } from './receipt.ts'
import { checkStatement, questionOf } from './statement.ts'

export type StoredReceipt = Receipt & {
  readonly operation: string
  readonly parameters: string
  readonly release: number
  readonly payload_sha256: string
}

// Eight columns per row, and Postgres accepts 65,535 parameters per statement.
const ROWS_AT_ONCE = 1000

/**
 * Stores receipts; an existing one is kept, so that its first signature is served permanently, unless a revoked key made it after the
 * theft: then the new signature replaces it. Returns how many were stored.
 */
export async function insertReceipts(db: Db, receipts: readonly Receipt[]): Promise<number> {
  let added = 0
  for (let at = 0; at < receipts.length; at += ROWS_AT_ONCE) {
    const rows = receipts.slice(at, at + ROWS_AT_ONCE).map(rowOf)
    const result = await db
      .insertInto('receipt')
      .values(rows)
      .onConflict(c =>
        c
          .column('receipt_id')
          .doUpdateSet(eb => ({ kid: eb.ref('excluded.kid'), signature: eb.ref('excluded.signature'), created_at: sql<string>`clock_timestamp()` }))
          .where(({ exists, selectFrom }) =>
            exists(
              selectFrom('signing_key')
                .select('signing_key.kid')
                .whereRef('signing_key.kid', '=', 'receipt.kid')
                .whereRef('signing_key.compromised_from', '<=', 'receipt.created_at'),
            ),
          ),
      )
      .executeTakeFirst()
    added += Number(result.numInsertedOrUpdatedRows ?? 0)
  }
  return added
}

/** As `insertReceipts`, for one. */
export async function insertReceipt(db: Db, receipt: Receipt): Promise<boolean> {
  return (await insertReceipts(db, [receipt])) === 1
}

/**
 * The receipt with its parsed request and the signature that counts now: the second one if a revoked key made the first and it was stored
 * before the theft. `BadRequest` for an invalid receipt id, `NotFound` for one that was never issued here.
 */
export async function getReceipt(db: Db, id: string): Promise<StoredReceipt> {
  if (!ReceiptId.safeParse(id).success) {
    throw new BadRequest(`receipt "${id.slice(0, 64)}": not a receipt id`, { hint: 'a receipt id is r1_ and 52 lower-case letters or digits 2 to 7' })
  }
  const row = await db.selectFrom('receipt').selectAll().where('receipt_id', '=', id).executeTakeFirst()
  if (row === undefined) {
    throw new NotFound(`receipt ${id}: never issued here`, { hint: 'the id of an answer is its receipt_id, and in the header X-Receipt-Id' })
  }
  const second = await findCountersignature(db, id)
  return {
    receipt_id: row.receipt_id,
    statement_bytes: row.statement,
    signature: second?.signature ?? row.signature,
    kid: second?.kid ?? row.kid,
    operation: row.operation,
    parameters: row.parameters,
    release: row.release,
    payload_sha256: row.payload_sha256,
  }
}

async function findCountersignature(db: Db, id: string): Promise<{ readonly kid: string; readonly signature: Buffer } | undefined> {
  return await db
    .selectFrom('receipt_countersignature as c')
    .innerJoin('signing_key as second', 'second.kid', 'c.kid')
    .innerJoin('receipt', 'receipt.receipt_id', 'c.receipt_id')
    .innerJoin('signing_key as first', 'first.kid', 'receipt.kid')
    .select(['c.kid', 'c.signature'])
    .where('c.receipt_id', '=', id)
    .where('second.status', '!=', 'compromised')
    .whereRef('receipt.created_at', '<', 'first.compromised_from')
    .executeTakeFirst()
}

/** The key set as published, oldest key first; retired and compromised keys stay in it permanently. */
export async function listKeys(db: Db): Promise<KeySet> {
  const rows = await db
    .selectFrom('signing_key')
    .select(['x', 'status', 'valid_from', 'valid_to', 'from_index', 'to_index'])
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
  return { keys: rows.map(({ x, status, ...life }) => publicKeyEntry(x, status, life)) }
}

/** A key as the operator sees it. */
export type KeyRow = {
  readonly kid: string
  readonly x: string
  readonly status: KeyStatus
  readonly valid_from: number | null
  readonly valid_to: number | null
  readonly compromised_from: string | null
  readonly created_at: string
  /** Receipts that carry its signature. */
  readonly receipts: number
}

/** Every key with the data for the operator, oldest first. */
export async function findKeyRows(db: Db): Promise<KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select k.kid, k.x, k.status, k.valid_from, k.valid_to, k.compromised_from, k.created_at,
      (select count(*) from receipt r where r.kid = k.kid)::int as receipts
    from signing_key k order by k.created_at, k.kid`.execute(db)
  return rows
}

function rowOf(receipt: Receipt) {
  const parsed = parseCanonical(receipt.statement_bytes, 'statement')
  if ('fault' in parsed) throw new Broken(`receipt ${receipt.receipt_id}: its statement is ${parsed.fault}`)
  const statement = checkStatement(parsed.value)
  const { operation, query } = questionOf(statement)
  return {
    receipt_id: receipt.receipt_id,
    statement: receipt.statement_bytes,
    signature: receipt.signature,
    kid: receipt.kid,
    operation,
    parameters: query,
    release: statement.predicate.release,
    payload_sha256: statement.subject[0]?.digest.sha256 ?? '',
  }
}

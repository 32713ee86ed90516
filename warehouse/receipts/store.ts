// Receipts and public keys in Postgres (migrations/0003-receipts.sql). Reading is for both programs; `rotation.ts` has what
// only the worker does.

import { ReceiptId } from '#schemas/answer.ts'
import { BadRequest, Broken, NotFound } from '#schemas/errors.ts'
import type { KeySet } from '#schemas/receipts.ts'
import type { Db } from '../postgres.ts'
import { parseCanonical } from './canonical.ts'
import { publicKeyEntry } from './keys.ts'
import type { Receipt } from './receipt.ts'
import { checkStatement, questionOf } from './statement.ts'

export type { ReceiptTables } from './tables.ts'

export type StoredReceipt = Receipt & {
  readonly operation: string
  readonly parameters: string
  readonly release: number
  readonly payload_sha256: string
}

// Eight columns a row, and Postgres takes 65,535 parameters a statement.
const ROWS_AT_ONCE = 1000

/** Stores receipts; one that is there already stays as it is, so that its first signature is served for ever. Returns how many were new. */
export async function insertReceipts(db: Db, receipts: readonly Receipt[]): Promise<number> {
  let added = 0
  for (let at = 0; at < receipts.length; at += ROWS_AT_ONCE) {
    const rows = receipts.slice(at, at + ROWS_AT_ONCE).map(rowOf)
    const result = await db
      .insertInto('receipt')
      .values(rows)
      .onConflict(c => c.column('receipt_id').doNothing())
      .executeTakeFirst()
    added += Number(result.numInsertedOrUpdatedRows ?? 0)
  }
  return added
}

/** As `insertReceipts`, for one. */
export async function insertReceipt(db: Db, receipt: Receipt): Promise<boolean> {
  return (await insertReceipts(db, [receipt])) === 1
}

/** The receipt with its question taken apart; `BadRequest` for what is no receipt id, `NotFound` for one never issued here. */
export async function getReceipt(db: Db, id: string): Promise<StoredReceipt> {
  if (!ReceiptId.safeParse(id).success) {
    throw new BadRequest(`receipt "${id.slice(0, 64)}": not a receipt id`, { hint: 'a receipt id is r1_ and 52 lower-case letters or digits 2 to 7' })
  }
  const row = await db.selectFrom('receipt').selectAll().where('receipt_id', '=', id).executeTakeFirst()
  if (row === undefined) {
    throw new NotFound(`receipt ${id}: never issued here`, { hint: 'the id of an answer is its receipt_id, and in the header X-Receipt-Id' })
  }
  return {
    receipt_id: row.receipt_id,
    statement_bytes: row.statement,
    signature: row.signature,
    kid: row.kid,
    operation: row.operation,
    parameters: row.parameters,
    release: row.release,
    payload_sha256: row.payload_sha256,
  }
}

/** The key set as published, oldest key first; retired and compromised keys stay in it for ever. */
export async function listKeys(db: Db): Promise<KeySet> {
  const rows = await db.selectFrom('signing_key').selectAll().orderBy('created_at').orderBy('kid').execute()
  return { keys: rows.map(({ x, status, ...life }) => publicKeyEntry(x, status, life)) }
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

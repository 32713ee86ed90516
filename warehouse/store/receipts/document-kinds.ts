// What the documents of a receipt are: the statement has their SHA-256, and the reader that read the bytes names their kind.
import { documentKinds } from '#schemas/document-kinds.ts'
import type { ReceiptDocument } from '#schemas/receipts.ts'
import type { Db } from '../postgres.ts'

/** How many hashes one statement compares. */
const step = 1000

/**
 * The kind of each document, in the order of `hashes`: in words, or the name of its reader if `documentKinds` has no words for it; null if this service does not have the document, or has not read it.
 */
export async function findDocumentKinds(db: Db, hashes: readonly string[]): Promise<ReceiptDocument[]> {
  const kinds = new Map<string, string>()
  for (let from = 0; from < hashes.length; from += step) {
    const rows = await db
      .selectFrom('raw_document as d')
      .innerJoin('reading as r', 'r.raw_id', 'd.raw_id')
      .select(['d.sha256', 'r.reader'])
      .where('d.holds_body', '=', true)
      .where('d.sha256', 'in', hashes.slice(from, from + step))
      .orderBy('d.raw_id')
      .execute()
    for (const { sha256, reader } of rows) {
      if (reader !== null) kinds.set(sha256, documentKinds[reader] ?? reader)
    }
  }
  return hashes.map(sha256 => ({ sha256, kind: kinds.get(sha256) ?? null }))
}

// The entry of the log that a statement of a receipt becomes.
import { MAX_ENTRY_BYTES } from '../../transparency/tiles.ts'
import { canonicalText } from '../canonical.ts'
import { receiptId } from '../statement.ts'

/**
 * The entry of a statement: its bytes. A statement that is longer than an entry may be (65,535 bytes, tlog-tiles) is represented by its
 * receipt id, which is its hash, and its length. A verifier derives the same entry from the statement.
 */
export function entryOfStatement(statement: Buffer): Buffer {
  if (statement.byteLength <= MAX_ENTRY_BYTES) return statement
  return Buffer.from(
    canonicalText({ _type: 'urn:crossfile:log:long-statement:v1', bytes: statement.byteLength, receipt_id: receiptId(statement) }, 'statement'),
    'utf8',
  )
}

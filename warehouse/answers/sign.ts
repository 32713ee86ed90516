// A payload becomes a signed answer: its statement names the question, the release, the raw documents and the bytes.
import { canonicalName } from '#schemas/operations/canonical.ts'
import type { ReceiptSource } from '#schemas/receipts.ts'
import { issueReceipt, type Receipt } from '../receipts/receipt.ts'
import type { Signer } from '../receipts/signer.ts'
import { buildStatement } from '../receipts/statement.ts'
import { type Payload, type RowOrigin, sourceTitle } from './answer.ts'

/** What computes answers; a mended bug in a builder raises it, so that old receipts stay explained. */
export const transform = 'answers@1'

const sourceOf = (origin: RowOrigin): ReceiptSource =>
  origin.accession ? { accession: origin.accession, sha256: origin.raw_sha256 } : { source: sourceTitle(origin.source), sha256: origin.raw_sha256 }

/** `path` is the operation's, with its parameters in braces. */
export async function signPayload(
  operation: { readonly id: string; readonly method: string; readonly path: string },
  question: Readonly<Record<string, unknown>>,
  answer: Payload,
  signer: Signer,
): Promise<Receipt> {
  const statement = buildStatement({
    name: canonicalName(operation.method, operation.path, question),
    release: answer.release,
    as_of: answer.as_of,
    sources: (await answer.origins()).map(sourceOf),
    schema: `${operation.id}/1`,
    transform,
    payload: answer.payload,
  })
  return issueReceipt(statement, signer)
}

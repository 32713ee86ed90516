// Signs a payload: the answer's statement contains the request, the release, the raw documents and the bytes.
import { canonicalName } from '#schemas/operations/canonical.ts'
import { MAX_LISTED_SOURCES, type ReceiptSource, type ReproductionLevel, type Statement } from '#schemas/receipts.ts'
import { type Payload, type RowOrigin, sourceTitle } from '../context/answer.ts'
import { issueReceipt, type Receipt } from '../store/receipts/receipt.ts'
import type { Signer } from '../store/receipts/signer.ts'
import { buildStatement, sortedSources } from '../store/receipts/statement.ts'

/** The version of the calculations; a bug fix in a builder increases it, so that old receipts can be explained. */
const transform = 'answers@2'

const sourceOf = (origin: RowOrigin): ReceiptSource =>
  origin.accession ? { accession: origin.accession, sha256: origin.raw_sha256 } : { source: sourceTitle(origin.source), sha256: origin.raw_sha256 }

/** What the statement records for a reproduction: the listed documents, else the files of its release; nothing if a body was posted. */
const levelOf = (method: string, sources: readonly ReceiptSource[]): ReproductionLevel =>
  method !== 'GET' ? 'none' : sortedSources(sources).length > MAX_LISTED_SOURCES ? 'release' : 'documents'

type Named = { readonly id: string; readonly method: string; readonly path: string }

/** The statement about an answer, from which its receipt id follows. `path` is the operation's, with its parameters in braces. */
export async function statementOf(operation: Named, question: Readonly<Record<string, unknown>>, answer: Payload): Promise<Statement> {
  const sources = (await answer.origins()).map(sourceOf)
  return buildStatement({
    name: canonicalName(operation.method, operation.path, question),
    release: answer.release,
    as_of: answer.as_of,
    sources,
    schema: `${operation.id}/1`,
    transform,
    reproduction: levelOf(operation.method, sources),
    payload: answer.payload,
  })
}

/** The signed receipt of an answer. */
export async function signPayload(operation: Named, question: Readonly<Record<string, unknown>>, answer: Payload, signer: Signer): Promise<Receipt> {
  return issueReceipt(await statementOf(operation, question, answer), signer)
}

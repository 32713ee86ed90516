// Signs an answer that was requested, and stores it as a page: the same question to the same release has the same receipt.
import type { Transaction } from 'kysely'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import { isLakeOperation } from '#warehouse/answers/index.ts'
import { pagedOperation } from '#warehouse/answers/paged.ts'
import { signPayload } from '#warehouse/answers/sign.ts'
import type { Payload, ReleaseContext } from '#warehouse/context/answer.ts'
import { insertPages, type Page } from '#warehouse/store/pages.ts'
import type { Database } from '#warehouse/store/postgres.ts'
import type { Receipt } from '#warehouse/store/receipts/receipt.ts'
import type { Signer } from '#warehouse/store/receipts/signer.ts'
import type { IngestTools } from './ingest.ts'
import { findSigningLogged } from './signing.ts'

type Named = { readonly id: string; readonly method: string; readonly path: string }

/** Whether the question has a stored page: its newest page answers later releases too, so that none of them is removed. */
const isStandard = (id: string, question: Readonly<Record<string, unknown>>, context: ReleaseContext): boolean =>
  isLakeOperation(id) && (pagedOperation(id)?.standard(question, context) ?? false)

/** Stores the answer with its receipt, and returns the receipt's id. `context`: the release that answered. */
export async function storeSigned(
  trx: Transaction<Database>,
  signer: Signer,
  operation: Named,
  question: Readonly<Record<string, unknown>>,
  answer: Payload,
  context: ReleaseContext,
): Promise<string> {
  const receipt = await signPayload(operation, question, answer, signer)
  await insertPages(trx, [pageOf(operation, question, answer, context, receipt)])
  return receipt.receipt_id
}

/** The signed answer as it is stored. `context`: the release that answered. */
export const pageOf = (
  operation: Named,
  question: Readonly<Record<string, unknown>>,
  answer: Payload,
  context: ReleaseContext,
  receipt: Receipt,
): Page => ({
  operation: operation.id,
  question: canonicalQuery(question),
  release_from: Math.max(answer.release, 1),
  as_of: answer.as_of,
  payload: answer.payload,
  receipt,
  requested: !isStandard(operation.id, question, context),
})

/** As `storeSigned`, in one transaction; null if no key can be used. */
export async function signAndStore(
  tools: Pick<IngestTools, 'db' | 'keysFolder' | 'log'>,
  operation: Named,
  question: Readonly<Record<string, unknown>>,
  answer: Payload,
  context: ReleaseContext,
): Promise<string | null> {
  return await tools.db.transaction().execute(async trx => {
    const { signer } = await findSigningLogged(trx, tools)
    return signer === null ? null : await storeSigned(trx, signer, operation, question, answer, context)
  })
}

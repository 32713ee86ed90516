// Rebuilds a signed answer from the files of its release. Each file is checked against its SHA-256 before it is read, and the question
// is answered from exactly that release. For answers with too many documents to read again.

import { Upstream } from '#schemas/errors.ts'
import type { ReproducedFrom } from '#schemas/receipts.ts'
import { buildPayload, isLakeOperation } from '#warehouse/answers/index.ts'
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import type { Models } from '#warehouse/context/model-rows.ts'
import { ModelMissing } from '#warehouse/models/missing.ts'
import { models } from '#warehouse/models/model.ts'
import { buildModel } from '#warehouse/models/store.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { IngestTools } from './ingest.ts'

/** Up to this number of listings a model is recomputed for one answer (51,000 take more than a minute); above it, its stored build is read. */
export const listingsComputed = 5_000

type Again = { readonly payload: Buffer | null; readonly from: ReproducedFrom } | { readonly reason: string }

/** The payload that the release gives for the question now; `reason`: why it cannot be answered at present. */
export async function answerFromRelease(tools: IngestTools, operation: string, question: object, release: number, now: string): Promise<Again> {
  if (!isLakeOperation(operation)) return { reason: 'this answer is not made from the lake' }
  const { connections, verifier } = tools.writer
  const lake = openLake(await loadCatalogue(tools.db), connections, verifier, release)
  const asOf = 'as_of' in question && typeof question.as_of === 'string' ? question.as_of : null
  const payloadOf = async (context: ReleaseContext): Promise<Buffer | null> =>
    (await buildPayload(operation, context, question as never, now))?.payload ?? null
  try {
    const context = await tools.contexts(lake, asOf)
    const isSmall = context.symbols.all.length <= listingsComputed
    if (isSmall || !tools.models) return { payload: await payloadOf(context), from: 'release' }
    const stored = watched(tools.models)
    const payload = await withBuild(tools, () => payloadOf({ ...context, models: stored.models }))
    return { payload, from: stored.wasRead() ? 'stored_model' : 'release' }
  } catch (error) {
    // A damaged file, or a missing release, proves nothing about the receipt.
    if (error instanceof Upstream) return { reason: error.message }
    throw error
  }
}

/** Runs `work`, and again after creating the build that it lacked. */
async function withBuild<T>(tools: IngestTools, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const model = error instanceof ModelMissing ? models.find(each => each.name === error.model.name) : undefined
    if (!(error instanceof ModelMissing) || !model) throw error
    await buildModel({ db: tools.db, writer: tools.writer }, model, error.release, error.asOf)
    return await work()
  }
}

/** Models that record whether an answer read one. */
function watched(from: Models): { readonly models: Models; readonly wasRead: () => boolean } {
  let read = false
  return {
    models: {
      read: (model, release, asOf, work) => {
        read = true
        return from.read(model, release, asOf, work)
      },
    },
    wasRead: () => read,
  }
}

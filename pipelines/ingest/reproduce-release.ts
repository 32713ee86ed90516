// Makes a signed answer again from the files of its release: each is checked against its SHA-256 before it is read, and the question is
// asked of exactly that release. For answers whose documents are too many to be read again.

import { Upstream } from '#schemas/errors.ts'
import type { ReproducedFrom } from '#schemas/receipts.ts'
import type { Ground } from '#warehouse/answers/answer.ts'
import { buildPayload, isLakeOperation } from '#warehouse/answers/index.ts'
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { openLake } from '#warehouse/lake/open.ts'
import { ModelMissing } from '#warehouse/models/missing.ts'
import { models } from '#warehouse/models/model.ts'
import type { Models } from '#warehouse/models/rows.ts'
import { buildModel } from '#warehouse/models/store.ts'
import type { IngestTools } from './ingest.ts'

/** Listings up to which a model is computed again for one answer (51,000 take more than a minute); above, its stored build is read. */
const listingsComputed = 5_000

type Again = { readonly payload: Buffer | null; readonly from: ReproducedFrom } | { readonly reason: string }

/** The payload that the release gives to the question now; `reason`: why it cannot be asked at present. */
export async function answerFromRelease(tools: IngestTools, operation: string, question: object, release: number, now: string): Promise<Again> {
  if (!isLakeOperation(operation)) return { reason: 'this answer is not made from the lake' }
  const { connections, verifier } = tools.writer
  const lake = openLake(await loadCatalogue(tools.db), connections, verifier, release)
  const asOf = 'as_of' in question && typeof question.as_of === 'string' ? question.as_of : null
  const payloadOf = async (ground: Ground): Promise<Buffer | null> => (await buildPayload(operation, ground, question as never, now))?.payload ?? null
  try {
    const ground = await tools.grounds(lake, asOf)
    const isSmall = ground.symbols.all.length <= listingsComputed
    if (isSmall || !tools.models) return { payload: await payloadOf(ground), from: 'release' }
    const stored = watched(tools.models)
    const payload = await withBuild(tools, () => payloadOf({ ...ground, models: stored.models }))
    return { payload, from: stored.wasRead() ? 'stored_model' : 'release' }
  } catch (error) {
    // A damaged file, or a release that is gone, says nothing about the receipt.
    if (error instanceof Upstream) return { reason: error.message }
    throw error
  }
}

/** `work`, a second time after the build that it lacked was made. */
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

/** Models that tell whether an answer read one. */
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

// What the API asks of the worker, which alone holds the signing key, the readers and the routes of backfills: to sign an answer, to
// make a signed answer again from raw bytes, to build a model, to cut a backfill into windows.
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { Config } from '#schemas/config.ts'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { canonicalQuery, inputSha256 } from '#schemas/operations/canonical.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import { buildPayload, isLakeOperation } from '#warehouse/answers/index.ts'
import { signPayload } from '#warehouse/answers/sign.ts'
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { openLake } from '#warehouse/lake/open.ts'
import { models } from '#warehouse/models/model.ts'
import { buildModel } from '#warehouse/models/store.ts'
import { insertPages } from '#warehouse/pages.ts'
import type { Database } from '#warehouse/postgres.ts'
import { backfillQueue, buildQueue, type Claimed, type Queue, type SignOutput, signQueue } from '#warehouse/queue.ts'
import type { RawStore } from '#warehouse/raw/raw.ts'
import type { Signer } from '#warehouse/receipts/signer.ts'
import { planBackfill } from '../cli/backfill-plan.ts'
import { sendWindows } from '../cli/backfill-rows.ts'
import { getJob } from '../cli/named-job.ts'
import type { IngestTools } from '../ingest/ingest.ts'
import { reproduce } from '../ingest/reproduce.ts'
import { findSigningLogged } from '../ingest/signing.ts'
import { type Jobs, whyOff } from '../jobs-file.ts'
import { finishRun, startRun } from './runs.ts'

export const SignRequest = z.object({
  operation: z.string(),
  question: z.record(z.string(), z.unknown()),
  release: z.int(),
  now: z.string(),
  /** What was posted, where the question names it by its hash. */
  body: z.unknown().optional(),
})
export const ReproduceRequest = z.object({ receipt_id: z.string() })

export const BackfillRequest = z.object({ backfill_id: z.int() })

export type RequestTools = {
  readonly ingest: IngestTools
  readonly queue: Queue
  readonly raw: RawStore
  readonly jobs: Jobs
  readonly config: Config
  /** YYYY-MM-DD in UTC. */
  readonly today: string
}
export const BuildRequest = z.object({ model: z.string(), release: z.int(), as_of: z.string().nullable() })

const operations = new Map(lakeOperations.map(operation => [operation.id as string, operation]))

/** Answers one request and completes its job. */
export async function runRequest(tools: RequestTools, claimed: Claimed): Promise<void> {
  if (claimed.queue === signQueue) await signAnswer(tools, claimed)
  else if (claimed.queue === buildQueue) await buildAsked(tools, claimed)
  else if (claimed.queue === backfillQueue) await cutBackfill(tools, claimed)
  else {
    const { receipt_id } = ReproduceRequest.parse(claimed.data.request)
    const result = await reproduce(tools.ingest, tools.raw, receipt_id)
    await tools.ingest.db.transaction().execute(async trx => tools.queue.complete(claimed, result, trx))
  }
}

/**
 * Cuts a backfill that an administrator asked for into windows and sends their jobs. Killed half way, the next attempt sends the rest.
 * Where that cannot be, a failed run of the job says why.
 */
async function cutBackfill({ ingest: { db }, queue, jobs, config, today }: RequestTools, claimed: Claimed): Promise<void> {
  const { backfill_id } = BackfillRequest.parse(claimed.data.request)
  const asked = await db.selectFrom('backfill').selectAll().where('backfill_id', '=', backfill_id).executeTakeFirstOrThrow()
  try {
    const job = getJob(jobs, asked.job)
    const why = whyOff(job, config, jobs)
    if (why !== null) throw new BadRequest(`${job.name} is off: ${why}`)
    const plan = planBackfill(job, { from: asked.from_date, to: asked.to_date, symbols: asked.symbols?.join(',') }, today)
    const { done, waiting, sent } = await sendWindows(db, queue, plan, backfill_id, null)
    await db.transaction().execute(async trx => queue.complete(claimed, { windows: plan.windows.length, done, waiting, sent }, trx))
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    await db.transaction().execute(async trx => {
      const data = { ...claimed.data, backfill_id }
      const run = await startRun(trx, { job: asked.job, claimed: { ...claimed, data }, worker: 'backfills' })
      const tally = { documents: 0, fetched: 0, rows: 0, refused: 0, release: null }
      await finishRun(trx, run, data, { state: 'failed', tally, error: error.message })
      await queue.complete(claimed, { refused: error.message }, trx)
    })
  }
}

/** Builds a model of a release or day that somebody asked about. */
async function buildAsked({ ingest, queue }: RequestTools, claimed: Claimed): Promise<void> {
  const { model: name, release, as_of } = BuildRequest.parse(claimed.data.request)
  const model = models.find(each => each.name === name)
  if (!model) throw new BadRequest(`there is no model ${name.slice(0, 40)}`)
  const build = await buildModel({ db: ingest.db, writer: ingest.writer }, model, release, as_of)
  await ingest.db.transaction().execute(async trx => queue.complete(claimed, { rows: build?.rows ?? 0 }, trx))
}

async function signAnswer({ ingest, queue }: RequestTools, claimed: Claimed): Promise<void> {
  const { operation: id, question, release, now, body } = SignRequest.parse(claimed.data.request)
  const operation = operations.get(id)
  if (!operation || !isLakeOperation(id)) throw new BadRequest(`operation ${id.slice(0, 40)}: its answers are not signed`)
  if (operation.body !== null && question['input_sha256'] !== inputSha256(body))
    throw new Broken(`operation ${id}: the body is not the one that its question names`)
  const { db, writer } = ingest
  const catalogue = await loadCatalogue(db)
  const asOf = typeof question['as_of'] === 'string' ? question['as_of'] : null
  const known = await ingest.grounds(openLake(catalogue, writer.connections, writer.verifier, release), asOf)
  const ground = ingest.models ? { ...known, models: ingest.models } : known
  const answer = await buildPayload(id, ground, (operation.body === null ? question : { ...question, body }) as never, now)
  await db.transaction().execute(async trx => {
    const { signer } = await findSigningLogged(trx, ingest)
    if (answer && signer) await store(trx, signer, operation, question, answer)
    await queue.complete(claimed, { signed: answer !== null && signer !== null, signing: signer === null ? 'off' : 'on' } satisfies SignOutput, trx)
  })
}

async function store(
  trx: Transaction<Database>,
  signer: Signer,
  operation: { readonly id: string; readonly method: string; readonly path: string },
  question: Readonly<Record<string, unknown>>,
  answer: NonNullable<Awaited<ReturnType<typeof buildPayload>>>,
): Promise<void> {
  const receipt = await signPayload(operation, question, answer, signer)
  await insertPages(trx, [
    {
      operation: operation.id,
      question: canonicalQuery(question),
      release_from: Math.max(answer.release, 1),
      as_of: answer.as_of,
      payload: answer.payload,
      receipt,
    },
  ])
}

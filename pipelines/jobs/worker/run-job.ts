// One attempt of one job: its documents are fetched (or found stored), read, followed and committed in batches. The last
// batch's transaction also completes the job, so that a killed or overtaken attempt changes nothing twice.

import type { Transaction } from 'kysely'
import { some } from '#schemas/counts.ts'
import { utcDay } from '#schemas/days.ts'
import { CrossfileError, NotFound, Upstream } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { type Folders, findDiskFault } from '#warehouse/store/disk-faults.ts'
import { holdsFence } from '#warehouse/store/lake/commit.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Database, Db } from '#warehouse/store/postgres.ts'
import type { Claimed, Queue } from '#warehouse/store/queue.ts'
import { loadDecisions } from '#warehouse/store/raw/decisions.ts'
import type { Kept, RawStore } from '#warehouse/store/raw/raw.ts'
import type { HttpClient } from '../../fetch/http.ts'
import { getUpstream, upstreamOf } from '../../fetch/sources/index.ts'
import { type IngestTools, ingest, type Outcome, rowsOf } from '../../ingest/ingest.ts'
import { type HeldDocument, readDocument } from '../../ingest/read-document.ts'
import { findRead } from '../../ingest/was-read.ts'
import type { RawDocument } from '../../read/parsed.ts'
import { readArchive } from '../bulk/read-archive.ts'
import { routePlan } from '../bulk/routes.ts'
import { type Lookup, type Plan, plans, type Wanted, type Window } from '../plans/plans.ts'
import { createRunLog, noteRun, withRunLog } from './run-log.ts'
import { finishRun, loseRun, recordProgress, startRun, type Tally } from './runs.ts'
import { lakeBucket, logFailed, type SourceLog } from './source-log.ts'

/** Writes to the run what is committed when the transaction is. */
export type RecordCommitted = (trx: Transaction<Database>, committed: Tally) => Promise<void>
/** `tally` has what is committed; the task adds to it after each commit. */
export type Task = (window: Window, signal: AbortSignal, tally: Tally, record: RecordCommitted) => Promise<string>

export type JobTools = {
  readonly config: Folders
  readonly db: Db
  readonly queue: Queue
  readonly raw: RawStore
  readonly ingest: IngestTools
  readonly http: HttpClient
  readonly lookup: Lookup
  readonly log: Log
  readonly sources: SourceLog
  readonly now: () => number
  /** The clock that all processes share, for the times of log lines. */
  readonly clock: () => Date
  /** Identifies this worker in its runs. */
  readonly worker: string
  /** Housekeeping and other plans that are code rather than addresses: each adds what it reads to the tally and returns a note. */
  readonly tasks: ReadonlyMap<string, Task>
  /** Called with every release that a job or a request committed. */
  readonly onRelease: (release: number) => void
  /** Points at which a test ends the process; nothing otherwise. */
  readonly crashPoint: (name: string) => void
}

/** Documents and bytes after which a batch is committed before the end. */
const batchDocuments = 1000
const batchBytes = 32 * 1024 * 1024
/** Seconds after which a small batch is committed, so that a slow source's documents do not wait. */
const batchSeconds = 30
/** Documents that are requested ahead of the one being read; the upstream limits concurrent requests. */
const ahead = 64

export async function runJob(tools: JobTools, job: JobDefinition, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const { data } = claimed
  tools.crashPoint('claimed')
  const today = utcDay(tools.now())
  const window: Window = { partition: data.partition, from: data.from ?? today, to: data.to ?? today, symbols: data.symbols, today }
  const run = await startRun(tools.db, { job: job.name, claimed, worker: tools.worker })
  const log = createRunLog(tools.db, run, tools.clock, error => tools.log('debug', `the log of run ${run}: ${String(error)}`))
  try {
    await withRunLog(log, () => attemptRun(tools, job, claimed, { run, window }, signal))
  } finally {
    await log.close()
  }
}

/** Ends the run and its job with the tally, in the transaction of the last commit. */
type Complete = (trx: Transaction<Database>, note: string) => Promise<void>
type Attempt = { readonly run: number; readonly window: Window }

async function attemptRun(tools: JobTools, job: JobDefinition, claimed: Claimed, { run, window }: Attempt, signal: AbortSignal): Promise<void> {
  const { data } = claimed
  noteRun(
    'info',
    `attempt ${claimed.fence.attempt + 1} by ${tools.worker}: ${window.from === window.to ? window.from : `${window.from} to ${window.to}`}${window.symbols === null ? '' : `, ${window.symbols.length} symbols`}`,
  )
  const tally: Tally = { documents: 0, fetched: 0, rows: 0, refused: 0, release: null }
  const record: RecordCommitted = async (trx, committed) => await recordProgress(trx, run, committed)
  const complete: Complete = async (trx, note) => {
    await finishRun(trx, run, data, { state: 'done', tally, error: note === '' ? null : note })
    await tools.queue.complete(claimed, { release: tally.release, rows: tally.rows }, trx)
    tools.crashPoint('completed')
  }
  try {
    const task = tools.tasks.get(job.plan)
    if (task) {
      const note = await task(window, signal, tally, record)
      await tools.db.transaction().execute(async trx => complete(trx, note))
    } else {
      const plan = planOf(job, data.route ?? null)
      const since = plan.wantsSince ? { since: await upToDateSince(tools.db, job.name) } : {}
      await runPlan(tools, job, plan, { ...window, ...since }, claimed, signal, tally, { record, complete })
    }
    if (tally.fetched > 0) tools.sources.answered(job.source)
    if (tally.release !== null) tools.sources.answered(lakeBucket)
    // Most runs find nothing new; only runs that changed something are logged.
    const idle = tally.documents + tally.rows + tally.refused === 0 && tally.release === null
    tools.log(idle ? 'debug' : 'info', `${job.name} ${data.partition}: ${describe(tally)}`)
  } catch (error) {
    await giveUp(tools, job, claimed, run, tally, error, signal)
  }
}

function planOf(job: JobDefinition, route: string | null): Plan {
  const plan = route === null ? plans.get(job.plan) : routePlan(job.plan, route)
  if (!plan) throw new TypeError(`job ${job.name}: no plan is called ${job.plan}${route === null ? '' : ` by ${route}`}`)
  return plan
}

/** Start of the newest run of a job that left nothing open; null if there is none. */
async function upToDateSince(db: Db, job: string): Promise<string | null> {
  const run = await db
    .selectFrom('job_run')
    .select('started_at')
    .where('job', '=', job)
    .where('state', '=', 'done')
    .where('error', 'is', null)
    .orderBy('run_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return run ? new Date(run.started_at).toISOString() : null
}

const describe = (tally: Tally): string =>
  `${some(tally.documents, 'document')} (${tally.fetched} fetched), ${some(tally.rows, 'row')}, ${tally.refused} held back${tally.release === null ? '' : `, release ${tally.release}`}`

async function runPlan(
  tools: JobTools,
  job: JobDefinition,
  plan: Plan,
  window: Window,
  claimed: Claimed,
  signal: AbortSignal,
  tally: Tally,
  { record, complete }: { readonly record: RecordCommitted; readonly complete: Complete },
): Promise<void> {
  const decisions = await loadDecisions(tools.db)
  const waiting: Wanted[] = [...(await plan.first(window, tools.lookup))]
  const seen = new Set(waiting.map(wanted => wanted.url))
  const seenFirst = new Set(seen)
  const missing: string[] = []
  const notYet: string[] = []
  let beyond: string | null = null
  let batch: HeldDocument[] = []
  let bytes = 0
  let since = performance.now()
  const commitBatch = async (last: boolean): Promise<void> => {
    const before = { ...tally }
    const outcome = await ingest(tools.ingest, {
      job: job.name,
      partition: window.partition,
      documents: batch,
      decisions,
      fence: claimed.fence,
      onPart: tools.onRelease,
      along: async (trx, result) => {
        tools.crashPoint('before-commit')
        Object.assign(tally, withCommit(before, result))
        await (last ? complete(trx, openOf(notYet, beyond)) : record(trx, tally))
      },
    }).catch(error => takeBack(tally, before, error))
    tools.crashPoint('after-commit')
    announceCommit(tools, outcome)
    batch = []
    bytes = 0
    since = performance.now()
  }
  const take = async (held: HeldDocument): Promise<void> => {
    batch.push(held)
    bytes += held.document.body.byteLength
    if (batch.length >= batchDocuments || bytes >= batchBytes || performance.now() - since > batchSeconds * 1000) await commitBatch(false)
  }
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await commitBatch(false)
  }
  const archives = {
    data: tools.ingest.writer.data,
    db: tools.db,
    readers: tools.ingest.readers,
    raw: tools.raw,
    http: tools.http,
    take,
    flush,
    crashPoint: tools.crashPoint,
  }
  const stop = new AbortController()
  const requesting = AbortSignal.any([signal, stop.signal])
  const ask = (wanted: Wanted, kept: Kept | null): Query => {
    const obtained = wanted.archive ? null : obtain(tools, job, wanted, kept, requesting, seenFirst.has(wanted.url) && !wanted.isDue ? null : missing)
    obtained?.catch(() => undefined) // reported where it is awaited
    return { wanted, obtained }
  }
  const requested: Query[] = []
  try {
    while (waiting.length > 0 || requested.length > 0) {
      signal.throwIfAborted()
      // Half of them at a time, so that one lookup covers many documents.
      if (requested.length <= ahead / 2 && waiting.length > 0) {
        const next = waiting.splice(0, ahead - requested.length)
        const kept = await tools.raw.held(next.flatMap(({ url, archive }) => (archive ? [] : [url])))
        requested.push(...next.map(each => ask(each, kept.get(each.url) ?? null)))
      }
      const { wanted, obtained: pending } = requested.shift() as Query
      if (wanted.archive) {
        const upstream = upstreamOf(wanted.url) ?? getUpstream(job.source)
        if (await readArchive({ ...archives, upstream }, { ...wanted, archive: wanted.archive }, signal)) tally.fetched += 1
        continue
      }
      let obtained: Obtained | null
      try {
        obtained = await pending
      } catch (error) {
        if (!wanted.mayBeBeyond || !(error instanceof Upstream)) throw error
        beyond = error.message
        continue
      }
      if (!obtained) {
        if (!seenFirst.has(wanted.url) && wanted.final) notYet.push(wanted.url)
        continue
      }
      if (obtained.fetched) tally.fetched += 1
      tools.crashPoint('after-fetch')
      let { held } = obtained
      if (plan.next) {
        // The batch takes this reading, so the document is not read twice.
        const reading = readDocument(tools.ingest.readers, held)
        held = { ...held, reading }
        for (const follow of reading.parsed ? plan.next(wanted.url, reading.parsed, window) : []) {
          if (!seen.has(follow.url)) waiting.push(follow)
          seen.add(follow.url)
        }
      }
      if (!obtained.fetched && (await findRead(tools.ingest, [held])).has(held.raw_id)) continue
      await take(held)
    }
  } finally {
    stop.abort(new Error('the job ended'))
  }
  if (missing.length === 0) return await commitBatch(true)
  // Existing documents are read. Those that an index names but the source does not have (yet) are requested again, then reported.
  await commitBatch(false)
  throw new Upstream(`${missing.length} of the documents that are named do not exist at the source, such as ${missing[0]}`)
}

const withCommit = (tally: Tally, result: Pick<Outcome, 'documents' | 'readings' | 'rows' | 'refused' | 'release'>): Tally => ({
  ...tally,
  documents: tally.documents + result.documents,
  rows: tally.rows + rowsOf(result),
  refused: tally.refused + result.refused.length,
  release: result.release ?? tally.release,
})

/** After a transaction that changed nothing: the tally as it was. Throws the error. */
function takeBack(tally: Tally, before: Tally, error: unknown): never {
  Object.assign(tally, before)
  throw error
}

/** Refused rows of a commit that the log of its run names. */
const refusedShown = 50

/** Lines of the run's log about a commit, and what follows a release. */
function announceCommit(tools: JobTools, outcome: Outcome): void {
  const { documents, refused, release } = outcome
  if (release !== null) tools.onRelease(release)
  if (documents + refused.length === 0 && release === null) return
  const commit = release === null ? 'nothing new' : `release ${release}`
  noteRun('info', `${commit}: ${some(documents, 'document')}, ${some(rowsOf(outcome), 'row')}, ${refused.length} held back`)
  for (const each of refused.slice(0, refusedShown)) noteRun('warn', `held back: ${each.dataset} ${each.reason} ${each.subject}: ${each.detail}`)
  if (refused.length > refusedShown) noteRun('warn', `held back: ${refused.length - refusedShown} more, which the quarantine lists`)
}

/** What a successful run left undone, for its row; empty if nothing. */
function openOf(notYet: readonly string[], beyond: string | null): string {
  const absent = notYet.length === 0 ? [] : [`${notYet.length} of the filings that are listed are not at the source yet, such as ${notYet[0]}`]
  return [...absent, ...(beyond === null ? [] : [`the list was read up to a page that is unavailable: ${beyond}`])].join('; ')
}

type Obtained = { readonly held: HeldDocument; readonly fetched: boolean }
/** A document requested ahead; null for an archive, which is read in its turn. */
type Query = { readonly wanted: Wanted; readonly obtained: Promise<Obtained | null> | null }

/**
 * A stored document that is final is not requested again. Null if it may be missing and is, or
 * if another document named it, which `missing` then collects.
 */
async function obtain(
  tools: JobTools,
  job: JobDefinition,
  wanted: Wanted,
  kept: Kept | null,
  signal: AbortSignal,
  missing: string[] | null,
): Promise<Obtained | null> {
  if (kept && wanted.final)
    return {
      held: { raw_id: kept.raw_id, document: { ...(await tools.raw.read(kept.sha256)), url: wanted.url, retrieved_at: kept.retrieved_at } },
      fetched: false,
    }
  const upstream = upstreamOf(wanted.url) ?? getUpstream(job.source)
  try {
    if (kept) {
      const before = await tools.raw.read(kept.sha256)
      const answer = await tools.http.fetchChanged(upstream, { url: wanted.url }, before, signal)
      // Some addresses (EDGAR's submissions) never answer 304: equal bytes mean the same.
      if (answer.kind === 'unchanged' || answer.document.sha256 === kept.sha256)
        return { held: { raw_id: kept.raw_id, document: { ...before, url: wanted.url, retrieved_at: kept.retrieved_at } }, fetched: false }
      return { held: await keep(tools, answer.document), fetched: true }
    }
    return { held: await keep(tools, await tools.http.fetchRaw(upstream, { url: wanted.url }, signal)), fetched: true }
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    if (wanted.mayBeMissing) return null
    if (missing) {
      missing.push(wanted.url)
      return null
    }
    throw error
  }
}

async function keep(tools: JobTools, document: RawDocument): Promise<HeldDocument> {
  const [kept] = await tools.raw.keep([document])
  if (!kept) throw new TypeError('the raw store kept nothing')
  return { raw_id: kept.raw_id, document }
}

/** Why the jobs of a stopping worker end: they are released. */
export class WorkerStopping extends Error {
  constructor() {
    super('the worker is stopping')
  }
}

/** Seconds for which a failed attempt tries to record its failure: Postgres itself may have failed, and be back within moments. */
const giveUpSeconds = 60

/** A failed attempt: retried after its backoff, made a dead letter, or done with nothing, by the kind of error; released if the worker stops. */
async function giveUp(
  tools: JobTools,
  job: JobDefinition,
  claimed: Claimed,
  run: number,
  tally: Tally,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const fault = await findDiskFault(error, tools.config)
  const own = error instanceof Error ? error.message : String(error)
  const message = fault === null ? own : `${fault.message}; ${fault.hint}`
  const reaction = error instanceof CrossfileError ? error.reaction : 'retry'
  const reason = {
    error: error instanceof Error ? error.name : 'Error',
    message,
    ...(error instanceof Upstream && error.retryAfterSeconds !== null ? { retry_after_seconds: error.retryAfterSeconds } : {}),
  }
  const buried = reaction === 'dead_letter' || reaction === 'stop'
  const last = claimed.last || buried
  const stopping = signal.reason instanceof WorkerStopping
  const next = stopping ? 'given back' : reaction === 'done' ? 'nothing to do' : last ? 'given up' : 'will be tried again'
  const line = `${job.name} ${claimed.data.partition}: ${message}; ${next}`
  if (stopping) tools.log('info', line)
  else if (error instanceof Upstream && !last) logFailed(tools.sources, tools.log, job.source, error, line)
  else tools.log(reaction === 'stop' ? 'error' : reaction === 'done' ? 'info' : 'warn', line)
  const say = async (): Promise<void> =>
    await tools.db.transaction().execute(async trx => {
      // An attempt that was taken over may no longer change the job or its window.
      if (!(await holdsFence(trx, claimed.fence))) return await loseRun(trx, run, message)
      if (stopping) {
        await recordProgress(trx, run, tally)
        await loseRun(trx, run, message)
        await tools.queue.giveBack(claimed, reason, trx)
        return
      }
      if (reaction === 'done') {
        await finishRun(trx, run, claimed.data, { state: 'done', tally, error: message })
        return await tools.queue.complete(claimed, reason, trx)
      }
      await finishRun(trx, run, claimed.data, { state: 'failed', tally, error: message }, last)
      await (buried ? tools.queue.bury(claimed, reason, trx) : tools.queue.fail(claimed, reason, trx))
    })
  for (let tries = 1; ; tries += 1) {
    try {
      return await say()
    } catch (failing) {
      if (failing instanceof CrossfileError || signal.aborted || tries >= giveUpSeconds) throw failing
      await new Promise(resolve => setTimeout(resolve, 1000))
    }
  }
}

// Plans that are code rather than addresses: housekeeping, and the drop-in folder.

import type { Transaction } from 'kysely'
import { count, some } from '#schemas/counts.ts'
import { daysFrom } from '#schemas/days.ts'
import { dropDamagedBuilds } from '#warehouse/models/check.ts'
import { collectModelObjects, collectModels } from '#warehouse/models/collect.ts'
import { makeDueCopies } from '#warehouse/models/copies.ts'
import { sweepBudget } from '#warehouse/people/accounts/budget.ts'
import { mailJob } from '#warehouse/people/mail/ring.ts'
import { openErasureList } from '#warehouse/people/privacy/erasure-list.ts'
import { sweepPushes } from '#warehouse/people/push/outbox.ts'
import { pushJob } from '#warehouse/people/push/send.ts'
import { publishVapid } from '#warehouse/people/push/vapid.ts'
import { watchesJob } from '#warehouse/people/receipt-watches/ring.ts'
import { sweepCaptures } from '#warehouse/people/telemetry/email-capture.ts'
import { aggregateVitals, sweepTelemetry } from '#warehouse/people/telemetry/store.ts'
import { sweepDailyUse } from '#warehouse/people/users/daily-cap.ts'
import { easternDay } from '#warehouse/rules/arb/market-hours.ts'
import { dataNow, findDataClock, releaseDataClock } from '#warehouse/store/data-clock.ts'
import { sweepRunLines } from '#warehouse/store/jobs/run-log.ts'
import { collect } from '#warehouse/store/lake/collect.ts'
import { compactAll } from '#warehouse/store/lake/compact.ts'
import type { Database } from '#warehouse/store/postgres.ts'
import { loadDecisions } from '#warehouse/store/raw/decisions.ts'
import { sweepRequested } from '#warehouse/store/requested-answers.ts'
import { makeFolder } from '#warehouse/store/start-check/start-check.ts'
import { readDropIn } from '../../fetch/sources/csv.ts'
import { ingest, rowsOf } from '../../ingest/ingest.ts'
import { findLeftBehind, type ReadHeld, readHeld } from '../../ingest/read-held.ts'
import type { Runtime } from '../../ingest/runtime.ts'
import { findUnread, keepUnread } from '../../ingest/was-read.ts'
import type { RawDocument } from '../../read/parsed.ts'
import { type LeftFile, noteOf, readTranscriptFolder } from '../../read/transcripts/drop-in.ts'
import { alertsJob, evaluateDue } from '../alerts/evaluate-due.ts'
import { backUpBySchedule, verifyNewestBackup } from '../backup/run.ts'
import { readJobs } from '../jobs-file.ts'
import { sendMail } from '../mail/send.ts'
import { sweepUsers } from '../mail/sweep.ts'
import { buildDueModels, buildDuePrices } from '../models/models.ts'
import type { Window } from '../plans/plans.ts'
import { eraseDaily } from '../privacy/erase.ts'
import { deliverPushes, pushSubject } from '../push/deliver.ts'
import { evaluateWatches } from '../receipt-watches/evaluate.ts'
import { runRepair } from '../repair/run-repair.ts'
import { reproduceJob, reproduceSample } from '../reproduce/reproduce-sample.ts'
import { noteOfUpdates, writeDays, writeDueUpdates } from '../updates/write-days.ts'
import type { RecordCommitted, Task } from './run-job.ts'
import { alsoToRun, noteRun } from './run-log.ts'
import type { Tally } from './runs.ts'

/** The job of jobs.yaml that builds models, and its plan: also sent after a release. */
export const modelsJob = 'models'
/** Milliseconds that the job waits for attempts of other jobs, whose documents may look unread until they commit. */
const otherJobsMs = 600_000
/** The job of jobs.yaml that reads documents that were stored but never read, and its plan: also sent when a worker starts. */
export const readHeldJob = 'read-held'

/** What tasks use. `announce` is the follow-up of a release that a task committed, the same as for any other job. */
type Context = {
  readonly runtime: Runtime
  readonly now: () => Date
  readonly ask: (job: string) => void
  readonly announce: () => void
}

/** `onModels` is called when a model was built; `ask` sends another job now, outside its schedule; `now` is the clock that all processes share. */
export function housekeeping(
  runtime: Runtime,
  onModels: () => void,
  ask: (job: string) => void = () => {},
  now: () => Date = () => new Date(),
): ReadonlyMap<string, Task> {
  const { tools, postgres, config } = runtime
  const db = postgres.db
  const announce = (): void => {
    onModels()
    for (const job of [modelsJob, alertsJob, watchesJob]) ask(job)
  }
  const context: Context = { runtime, now, ask, announce }
  return new Map<string, Task>([
    [
      'lake-compact',
      async () => {
        const done = await compactAll(db, tools.writer)
        // The analyst's views and the Delta logs name the merged files before the old ones are deleted.
        if (done.length > 0) onModels()
        return done
          .map(each => `${each.dataset}: ${some(each.merged, 'file')} of tier ${each.tier} into ${each.into}, ${some(each.rows, 'row')}`)
          .join('; ')
      },
    ],
    [
      'lake-collect',
      async () => {
        const done = await collect(db, tools.writer)
        const { remote, data } = tools.writer
        const objects = remote ? await collectModelObjects(db, data, remote) : null
        await sweepBudget(db)
        await sweepDailyUse(db, now())
        await sweepRunLines(db, now())
        const answers = await sweepRequested(db)
        const swept = answers === 0 ? '' : `, ${some(answers, 'answer')} removed that were signed on request`
        const ofModels =
          objects === null || objects.files === 0 ? '' : `, ${some(objects.files, 'object')} of models deleted, ${some(objects.bytes, 'byte')}`
        return `${some(done.removed, 'file')}, ${some(done.orphans, 'orphan')} and ${some(done.staged, 'staged leftover')} deleted, ${some(done.bytes, 'byte')}${ofModels}${swept}`
      },
    ],
    [modelsJob, async () => await buildModels(context, onModels)],
    ['backup', async (_window, signal) => await backUpBySchedule(runtime, signal)],
    ['backup-verify', async (_window, signal) => await verifyNewestBackup(config, alsoToRun(runtime.log), signal)],
    ['repair', async (_window, signal) => await runRepair({ log: alsoToRun(runtime.log), signal })],
    ['csv-drop-in', async (_window, signal, tally) => await dropIn(context, signal, tally)],
    ['updates', async (window, signal) => await writeUpdates(context, window, signal)],
    ['transcripts-drop-in', async (_window, signal, tally) => await readTranscripts(context, signal, tally)],
    [readHeldJob, async (_window, signal, tally, record) => await readLeftBehind(context, signal, tally, record)],
    [mailJob, async (_window, signal) => await mail(context, signal)],
    ['users-sweep', async () => await sweepUsers(db, now())],
    ['erasure', async () => await eraseDaily(db, openErasureList(config.dataFolder, tools.writer.remote ?? null), now())],
    [alertsJob, async (_window, signal) => await alerts(context, signal)],
    [reproduceJob, async (_window, signal) => await reproduceSample(tools, runtime.raw, config.reproduceSample, now, signal)],
    [watchesJob, async (_window, signal) => await watches(context, signal)],
    [
      'telemetry',
      async () => {
        const made = await aggregateVitals(db)
        await sweepTelemetry(db, now())
        await sweepCaptures(db, now())
        return made === 0 ? '' : `${made} figures of pages`
      },
    ],
    [pushJob, async (_window, signal) => await sendPushes(context, signal)],
  ])
}

async function buildModels({ runtime, now }: Context, onModels: () => void): Promise<string> {
  const { tools, postgres, config } = runtime
  const { remote = null } = tools.writer
  const damaged = await dropDamagedBuilds(postgres.db, config.dataFolder, { remote })
  const sources = { db: postgres.db, writer: tools.writer, report: (line: string) => noteRun('info', line) }
  // The model of prices takes less time, and answers that are read from it are faster.
  const prices = await buildDuePrices(sources, now().getTime())
  const built = [...prices, ...(await buildDueModels(sources, now().getTime()))]
  if (built.length > 0) onModels()
  const copied = await makeDueCopies({ db: postgres.db, writer: tools.writer })
  const gone = await collectModels(postgres.db, config.dataFolder, remote)
  const made = built.map(({ model, release, rows, ms }) => `${model}: ${some(rows, 'row')} of release ${release} in ${ms} ms`)
  const copies = copied.map(({ copy, rows, ms }) => `${copy}: ${some(rows, 'row')} of a file in ${ms} ms`)
  const dropped = damaged.map(({ model, release }) => `${model}: damaged build of release ${release} dropped`)
  return [
    ...dropped,
    ...made,
    ...copies,
    ...(gone.files > 0 ? [`${some(gone.builds, 'build')} forgotten, ${some(gone.files, 'file')} deleted`] : []),
  ].join('; ')
}

/** The days of a backfill; on schedule (whose own day is not over yet), the days that are due. */
async function writeUpdates({ runtime: { tools, postgres }, now }: Context, { from, to }: Window, signal: AbortSignal): Promise<string> {
  const at = dataNow(await findDataClock(postgres.db), now()).toISOString()
  const reporting = { ...tools, report: (line: string) => noteRun('info', line) }
  const past = daysFrom(from, to).filter(day => day < easternDay(at))
  const written = past.length === 0 ? await writeDueUpdates(reporting, at, signal) : await writeDays(reporting, past, signal)
  return noteOfUpdates(written)
}

async function mail({ runtime: { tools, postgres, config }, now }: Context, signal: AbortSignal): Promise<string> {
  const sender = { db: postgres.db, config, now, crashPoint: tools.writer.crashPoint ?? (() => {}) }
  const { sent, failed, given_up } = await sendMail(sender, signal)
  return sent + failed === 0 ? '' : `${sent} sent, ${failed - given_up} put off, ${given_up} given up`
}

async function alerts({ runtime: { tools, postgres, config }, now, ask }: Context, signal: AbortSignal): Promise<string> {
  const { fired, note } = await evaluateDue(
    { db: postgres.db, writer: tools.writer, contexts: tools.contexts, baseUrl: config.publicUrl ?? '' },
    () => now().getTime(),
    signal,
  )
  if (fired > 0) for (const job of [pushJob, mailJob]) ask(job)
  return note
}

async function watches({ runtime: { tools, config }, now, ask }: Context, signal: AbortSignal): Promise<string> {
  const done = await evaluateWatches({ ...tools, baseUrl: config.publicUrl ?? '' }, () => now().getTime(), signal)
  if (done.changes > 0) for (const job of [pushJob, mailJob]) ask(job)
  if (done.questions === 0) return ''
  const left = `${done.left === 0 ? '' : `, ${done.left} without an answer yet`}${done.waiting === 0 ? '' : `, ${done.waiting} wait`}`
  return `${some(done.questions, 'question')} on release ${done.release}, ${some(done.changes, 'change')}${left}`
}

async function sendPushes({ runtime: { tools, postgres, config }, now }: Context, signal: AbortSignal): Promise<string> {
  const db = postgres.db
  const vapid = await publishVapid(db, tools.keysFolder)
  const sender = { db, vapid, subject: pushSubject(config), hosts: config.pushHosts, now, random: Math.random }
  const { sent, gone, retry, give_up } = await deliverPushes(sender, signal)
  await sweepPushes(db, now())
  return sent + gone + retry + give_up === 0 ? '' : `${sent} sent, ${gone} subscriptions over, ${retry} put off, ${give_up} given up`
}

/**
 * Reads every file of the folder whose content was not read yet; the files stay in place. A file that fails
 * does not stop the others: it is retried with the job's next attempt.
 */
async function dropIn(context: Context, signal: AbortSignal, tally: Tally): Promise<string> {
  const { config } = context.runtime
  await makeFolder(config.csvFolder, 'CROSSFILE_CSV')
  const failed: { readonly file: string; readonly error: unknown }[] = []
  for await (const document of readDropIn(config.csvFolder, () => context.now().getTime())) {
    signal.throwIfAborted()
    await readFile(context, document, tally).catch((error: unknown) => failed.push({ file: document.url, error }))
  }
  const [first] = failed
  if (first) {
    const why = first.error instanceof Error ? first.error.message : String(first.error)
    throw new Error(`${failed.length === 1 ? '' : `${failed.length} files were not read, such as `}${first.file}: ${why}`, { cause: first.error })
  }
  return tally.documents === 0 ? 'nothing new in the drop-in folder' : ''
}

/** Reads manifests and caption files of the transcripts folder whose content was not read yet; the note names skipped files. */
async function readTranscripts(context: Context, signal: AbortSignal, tally: Tally): Promise<string> {
  const { config } = context.runtime
  await makeFolder(config.transcriptsFolder, 'CROSSFILE_TRANSCRIPTS')
  const left: LeftFile[] = []
  for await (const document of readTranscriptFolder(
    config.transcriptsFolder,
    () => context.now().getTime(),
    file => left.push(file),
  )) {
    signal.throwIfAborted()
    await readFile(context, document, tally, 'transcripts')
  }
  return noteOf(left)
}

async function readFile({ runtime, now, announce }: Context, document: RawDocument, tally: Tally, job = 'drop-in'): Promise<void> {
  const { tools, postgres, raw } = runtime
  const db = postgres.db
  const unread = await findUnread(tools, [document], 'newest')
  if (unread.length === 0) return
  await releaseDataClock(db, now())
  const documents = await keepUnread(db, raw, unread)
  tools.writer.crashPoint?.('after-fetch')
  const outcome = await ingest(tools, {
    job,
    partition: document.url,
    documents,
    decisions: await loadDecisions(db),
    fence: null,
    onPart: announce,
  })
  tools.writer.crashPoint?.('after-commit')
  tally.documents += outcome.documents
  tally.rows += rowsOf(outcome)
  tally.refused += outcome.refused.length
  tally.release = outcome.release ?? tally.release
  if (outcome.release !== null) announce()
}

/** Reads documents that a process stored and did not commit before it ended. */
async function readLeftBehind({ runtime, announce }: Context, signal: AbortSignal, tally: Tally, record: RecordCommitted): Promise<string> {
  const { postgres, config } = runtime
  const tallyOf = ({ documents, rows, refused, releases }: ReadHeld): Tally => ({
    ...tally,
    documents,
    rows,
    refused,
    release: releases.at(-1) ?? null,
  })
  const along = async (trx: Transaction<Database>, done: ReadHeld): Promise<void> => await record(trx, tallyOf(done))
  const places = await findLeftBehind(postgres.db, [...readJobs(config).values()], { signal, limitMs: otherJobsMs, lookMs: 1000 })
  if (places === null) return 'jobs that read documents did not end in time; the next run looks again (crossfile read-held reads now)'
  const onProgress = (done: ReadHeld, total: number): void => {
    Object.assign(tally, tallyOf(done))
    const { documents, rows, refused, release } = tally
    noteRun('info', `release ${release ?? '-'}: ${count(documents)} of ${some(total, 'document')}, ${some(rows, 'row')}, ${count(refused)} held back`)
  }
  const { failed } = await readHeld(runtime, { signal, places, along, onProgress, onRelease: announce })
  if (failed.length > 0)
    throw new Error(`${some(failed.length, 'document stays', 'documents stay')} unread, such as ${failed[0]?.url}: ${failed[0]?.reason}`)
  return ''
}

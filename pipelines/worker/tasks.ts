// Plans that are code rather than addresses: housekeeping, and the drop-in folder.
import { sweepBudget } from '#warehouse/accounts/budget.ts'
import { releaseDataClock } from '#warehouse/data-clock.ts'
import { collect } from '#warehouse/lake/collect.ts'
import { compactAll } from '#warehouse/lake/compact.ts'
import { mailJob } from '#warehouse/mail/ring.ts'
import { collectModels, dropDamagedBuilds } from '#warehouse/models/store.ts'
import { sweepPushes } from '#warehouse/push/outbox.ts'
import { pushJob } from '#warehouse/push/send.ts'
import { publishVapid } from '#warehouse/push/vapid.ts'
import { makeFolder } from '#warehouse/start-check/start-check.ts'
import { sweepCaptures } from '#warehouse/telemetry/email-capture.ts'
import { aggregateVitals, sweepTelemetry } from '#warehouse/telemetry/store.ts'
import { sweepDailyUse } from '#warehouse/users/daily-cap.ts'
import { alertsJob, evaluateDue } from '../alerts/evaluate-due.ts'
import { backUpBySchedule } from '../backup/run.ts'
import { loadDecisions } from '../ingest/decisions.ts'
import { ingest, rowsOf } from '../ingest/ingest.ts'
import { type ReadHeld, readHeld } from '../ingest/read-held.ts'
import { findUnread, keepUnread } from '../ingest/was-read.ts'
import { sendMail } from '../mail/send.ts'
import { sweepUsers } from '../mail/sweep.ts'
import { buildDueModels } from '../models/models.ts'
import type { RawDocument } from '../parsed.ts'
import type { Window } from '../plans.ts'
import { eraseDaily } from '../privacy/erase.ts'
import { deliverPushes, pushSubject } from '../push/deliver.ts'
import type { Runtime } from '../runtime.ts'
import { readDropIn } from '../sources/csv.ts'
import type { Task } from './run-job.ts'
import type { Tally } from './runs.ts'

/** The job of jobs.yaml that builds models, and its plan: also sent after a release. */
export const modelsJob = 'models'
/** The job of jobs.yaml that reads documents which were kept and never read, and its plan: also sent when a worker starts. */
export const readHeldJob = 'read-held'

/** `onModels` is told where a model was built; `ask` sends another job now, rather than by its schedule; `now` is the clock that all processes share. */
export function housekeeping(
  runtime: Runtime,
  onModels: () => void,
  ask: (job: string) => void = () => {},
  now: () => Date = () => new Date(),
): ReadonlyMap<string, Task> {
  const { tools, postgres, raw, config } = runtime
  const db = postgres.db
  return new Map<string, Task>([
    [
      'lake-compact',
      async () => {
        const done = await compactAll(db, tools.writer)
        return done.map(each => `${each.dataset}: ${each.merged} files of tier ${each.tier} into ${each.into}, ${each.rows} rows`).join('; ')
      },
    ],
    [
      'lake-collect',
      async () => {
        const done = await collect(db, config.dataFolder, tools.writer.stageFolder)
        await sweepBudget(db)
        await sweepDailyUse(db, now())
        return `${done.removed} files, ${done.orphans} orphans and ${done.staged} staged leftovers deleted, ${done.bytes} bytes`
      },
    ],
    [
      modelsJob,
      async () => {
        const damaged = await dropDamagedBuilds(db, config.dataFolder)
        const built = await buildDueModels({ db, writer: tools.writer }, now().getTime())
        if (built.length > 0) onModels()
        const gone = await collectModels(db, config.dataFolder)
        const made = built.map(({ model, release, rows, ms }) => `${model}: ${rows} rows of release ${release} in ${ms} ms`)
        const dropped = damaged.map(({ model, release }) => `${model}: damaged build of release ${release} dropped`)
        return [...dropped, ...made, ...(gone.files > 0 ? [`${gone.builds} builds forgotten, ${gone.files} files deleted`] : [])].join('; ')
      },
    ],
    ['backup', async (_window: Window, signal: AbortSignal) => backUpBySchedule(runtime, signal)],
    ['csv-drop-in', async (_window, signal, tally) => dropIn(signal, tally)],
    [readHeldJob, async (_window, signal, tally) => readLeftBehind(signal, tally)],
    [mailJob, async (_window: Window, signal: AbortSignal) => mail(signal)],
    ['users-sweep', async () => sweepUsers(db, now())],
    ['erasure', async () => eraseDaily(db, config.dataFolder, now())],
    [alertsJob, async (_window: Window, signal: AbortSignal) => alerts(signal)],
    [
      'telemetry',
      async () => {
        const made = await aggregateVitals(db)
        await sweepTelemetry(db, now())
        await sweepCaptures(db, now())
        return made === 0 ? '' : `${made} figures of pages`
      },
    ],
    [pushJob, async (_window: Window, signal: AbortSignal) => sendPushes(signal)],
  ])

  async function mail(signal: AbortSignal): Promise<string> {
    const sender = { db, config, now, crashPoint: tools.writer.crashPoint ?? (() => {}) }
    const { sent, failed, given_up } = await sendMail(sender, signal)
    return sent + failed === 0 ? '' : `${sent} sent, ${failed - given_up} put off, ${given_up} given up`
  }

  async function alerts(signal: AbortSignal): Promise<string> {
    const { fired, note } = await evaluateDue(
      { db, writer: tools.writer, grounds: tools.grounds, baseUrl: config.publicUrl ?? '' },
      () => now().getTime(),
      signal,
    )
    if (fired > 0) for (const job of [pushJob, mailJob]) ask(job)
    return note
  }

  async function sendPushes(signal: AbortSignal): Promise<string> {
    const vapid = await publishVapid(db, tools.keysFolder)
    const sender = { db, vapid, subject: pushSubject(config), hosts: config.pushHosts, now, random: Math.random }
    const { sent, gone, retry, give_up } = await deliverPushes(sender, signal)
    await sweepPushes(db, now())
    return sent + gone + retry + give_up === 0 ? '' : `${sent} sent, ${gone} subscriptions over, ${retry} put off, ${give_up} given up`
  }

  /** What follows a release that a task committed, as it follows the release of any other job. */
  function announce(): void {
    onModels()
    for (const job of [modelsJob, alertsJob]) ask(job)
  }

  /**
   * Reads every file of the folder whose content was not read yet; a file stays where the operator put it. One whose reading fails
   * keeps none of the others back: it is tried again with the job's next attempt.
   */
  async function dropIn(signal: AbortSignal, tally: Tally): Promise<string> {
    await makeFolder(config.csvFolder, 'CROSSFILE_CSV')
    const failed: { readonly file: string; readonly error: unknown }[] = []
    for await (const document of readDropIn(config.csvFolder, () => now().getTime())) {
      signal.throwIfAborted()
      await readFile(document, tally).catch((error: unknown) => failed.push({ file: document.url, error }))
    }
    const [first] = failed
    if (first) {
      const why = first.error instanceof Error ? first.error.message : String(first.error)
      throw new Error(`${failed.length === 1 ? '' : `${failed.length} files were not read, such as `}${first.file}: ${why}`, { cause: first.error })
    }
    return tally.documents === 0 ? 'nothing new in the drop-in folder' : ''
  }

  async function readFile(document: RawDocument, tally: Tally): Promise<void> {
    const unread = await findUnread(tools, [document], 'newest')
    if (unread.length === 0) return
    await releaseDataClock(db, now())
    const documents = await keepUnread(db, raw, unread)
    tools.writer.crashPoint?.('after-fetch')
    const outcome = await ingest(tools, {
      job: 'drop-in',
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

  /** Reads documents that a process kept and did not commit before it ended. */
  async function readLeftBehind(signal: AbortSignal, tally: Tally): Promise<string> {
    const onProgress = ({ documents, rows, refused, releases }: ReadHeld): void => {
      Object.assign(tally, { documents, rows, refused, release: releases.at(-1) ?? null })
    }
    const { failed } = await readHeld(runtime, { signal, onProgress, onRelease: announce })
    if (failed.length > 0) throw new Error(`${failed.length} documents stay unread, such as ${failed[0]?.url}: ${failed[0]?.reason}`)
    return ''
  }
}

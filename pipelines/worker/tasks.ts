// Plans that are code rather than addresses: housekeeping, and the drop-in folder.
import { mkdir } from 'node:fs/promises'
import { sweepBudget } from '#warehouse/accounts/budget.ts'
import { releaseDataClock } from '#warehouse/data-clock.ts'
import { collect } from '#warehouse/lake/collect.ts'
import { compactAll } from '#warehouse/lake/compact.ts'
import { mailJob } from '#warehouse/mail/ring.ts'
import { collectModels } from '#warehouse/models/store.ts'
import { sweepPushes } from '#warehouse/push/outbox.ts'
import { pushJob } from '#warehouse/push/send.ts'
import { publishVapid } from '#warehouse/push/vapid.ts'
import { sweepCaptures } from '#warehouse/telemetry/email-capture.ts'
import { aggregateVitals, sweepTelemetry } from '#warehouse/telemetry/store.ts'
import { sweepDailyUse } from '#warehouse/users/daily-cap.ts'
import { alertsJob, evaluateDue } from '../alerts/evaluate-due.ts'
import { backUpBySchedule } from '../backup/run.ts'
import { loadDecisions } from '../ingest/decisions.ts'
import { ingest } from '../ingest/ingest.ts'
import { sendMail } from '../mail/send.ts'
import { sweepUsers } from '../mail/sweep.ts'
import { buildDueModels } from '../models/models.ts'
import type { Window } from '../plans.ts'
import { eraseDaily } from '../privacy/erase.ts'
import { deliverPushes, pushSubject } from '../push/deliver.ts'
import type { Runtime } from '../runtime.ts'
import { readDropIn } from '../sources/csv.ts'

/** The job of jobs.yaml that builds models, and its plan: also sent after a release. */
export const modelsJob = 'models'

/** `onModels` is told where a model was built; `ask` sends another job now, rather than by its schedule; `now` is the clock that all processes share. */
export function housekeeping(
  runtime: Runtime,
  onModels: () => void,
  ask: (job: string) => void = () => {},
  now: () => Date = () => new Date(),
): ReadonlyMap<string, (window: Window, signal: AbortSignal) => Promise<string>> {
  const { tools, postgres, raw, config } = runtime
  const db = postgres.db
  return new Map([
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
        const built = await buildDueModels({ db, writer: tools.writer }, now().getTime())
        if (built.length > 0) onModels()
        const gone = await collectModels(db, config.dataFolder)
        const made = built.map(({ model, release, rows, ms }) => `${model}: ${rows} rows of release ${release} in ${ms} ms`)
        return [...made, ...(gone.files > 0 ? [`${gone.builds} builds forgotten, ${gone.files} files deleted`] : [])].join('; ')
      },
    ],
    ['backup', async (_window: Window, signal: AbortSignal) => backUpBySchedule(runtime, signal)],
    ['csv-drop-in', async () => dropIn()],
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

  /** Reads every file of the folder that is new or changed; a file stays where the operator put it. */
  async function dropIn(): Promise<string> {
    await mkdir(config.csvFolder, { recursive: true })
    let files = 0
    let rows = 0
    for await (const document of readDropIn(config.csvFolder, () => now().getTime())) {
      if ((await raw.newest(document.url))?.sha256 === document.sha256) continue
      if (files === 0) await releaseDataClock(postgres.db, now())
      const [kept] = await raw.keep([document])
      if (!kept) continue
      const outcome = await ingest(tools, {
        job: 'drop-in',
        partition: document.url,
        documents: [{ raw_id: kept.raw_id, document }],
        decisions: await loadDecisions(postgres.db),
        fence: null,
      })
      files += 1
      rows += Object.values(outcome.rows).reduce((sum, count) => sum + count, 0)
    }
    if (files > 0) ask(alertsJob)
    return files === 0 ? 'nothing new in the drop-in folder' : `${files} files, ${rows} rows`
  }
}

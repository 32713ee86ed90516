// `crossfile backfill`: a job over a past range, split into windows. The request and each window are rows, so repeating the
// command resumes it. The windows are jobs: any worker runs them, and this process does if no worker is alive.
import { utcDay } from '#schemas/days.ts'
import { insertBackfill, listBackfills } from '#warehouse/store/jobs/backfills.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import { costsOf } from '../jobs/backfill/backfill-cost.ts'
import { type BackfillPlan, planBackfill } from '../jobs/backfill/backfill-plan.ts'
import { type Sent, sendWindows } from '../jobs/backfill/backfill-rows.ts'
import { getJob } from '../jobs/backfill/named-job.ts'
import { defineQueue, readJobs } from '../jobs/jobs-file.ts'
import { readArguments, wholeNumber } from './arguments.ts'
import { printCosts } from './backfill-cost.ts'
import { commands } from './commands.ts'
import { readDataNow } from './data-now.ts'
import { withDatabase } from './database.ts'
import { type Followed, follow } from './follow.ts'
import type { Io } from './io.ts'
import { checkMayRun } from './may-run.ts'
import { columnsOf, count, duration, printJson, printTable, relative, some } from './output.ts'
import { createProgress } from './progress.ts'

export async function backfill(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('backfill', commands.backfill.options, argv, { least: 1, most: 1, what: 'the name of the job' })
  const jobs = readJobs(io.config())
  const today = utcDay(await readDataNow(io))
  const plan = planBackfill(getJob(jobs, rest[0] ?? ''), values, today)
  const costs = costsOf(plan, today)
  printCosts(io, costs)
  if (values['dry-run']) {
    if (values.json) printJson(io, { ...asJson(plan), windows: plan.windows.length, ...costs })
    else io.out(`${plan.job.name} ${plan.from} to ${plan.to}: ${some(plan.windows.length, 'window')}; nothing was requested or written`)
    return 0
  }
  return await withDatabase(io, { write: true }, async ({ db }) => {
    await checkMayRun(io, db, plan.job, jobs)
    const queue = await openQueue(db, false, message => io.log('warn', message))
    let sent: Sent
    try {
      await defineQueue(queue, jobs, plan.job.name)
      sent = await sendWindows(db, queue, plan, await insertBackfill(db, { ...plan, job: plan.job.name }), createProgress(io, 'sending', 'windows'))
    } finally {
      await queue.close()
    }
    io.err(opening(plan, sent))
    if (values['no-wait']) {
      if (values.json)
        printJson(io, {
          backfill_id: sent.backfill_id,
          ...asJson(plan),
          windows: plan.windows.length,
          already_done: sent.done,
          sent: sent.sent,
          waiting_already: sent.waiting,
        })
      return 0
    }
    const followed = await follow(io, db, jobs, { backfill_id: sent.backfill_id, name: plan.job.name })
    report(io, plan, followed, values.json)
    return followed.stopped ? 130 : followed.failed.length > 0 ? 1 : 0
  })
}

const asJson = ({ job, from, to, symbols }: BackfillPlan) => ({ job: job.name, from, to, symbols })

function opening(plan: BackfillPlan, sent: Sent): string {
  const what = `backfill ${sent.backfill_id}: ${plan.job.name} ${plan.from} to ${plan.to}, ${some(plan.windows.length, 'window')}`
  const parts = [
    ...(sent.done > 0 ? [`${count(sent.done)} done before`] : []),
    ...(sent.waiting > 0 ? [`${count(sent.waiting)} waiting already`] : []),
    ...(sent.sent > 0 ? [`${count(sent.sent)} sent`] : []),
  ]
  return `${what} (${parts.join(', ')})`
}

function report(io: Io, plan: BackfillPlan, followed: Followed, json: boolean): void {
  const { backfill_id, windows, rows, documents, fetched, failed, stopped, tookMs } = followed
  if (json) {
    printJson(io, { backfill_id, ...asJson(plan), finished: windows.waiting === 0, windows, documents, fetched, rows, failed })
    return
  }
  if (stopped) {
    io.out(
      `${count(windows.done)} of ${some(windows.total, 'window')} done. ${followed.inWorker ? 'The worker continues; the same command follows it again.' : 'The same command resumes it.'}`,
    )
    return
  }
  if (failed.length > 0) {
    printTable(
      io,
      columnsOf('failed window', '>tries', '*reason'),
      failed.map(each => [each.partition, each.attempts, each.reason]),
    )
    io.out('')
  }
  io.out(
    `${count(windows.done)} of ${some(windows.total, 'window')} done, ${some(documents, 'document')} (${count(fetched)} fetched), ${some(rows, 'row')}, ${duration(tookMs)}`,
  )
  if (failed.length > 0) io.out('The same command retries the failed windows.')
}

export async function backfillList(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('backfill list', commands['backfill list'].options, argv)
  const limit = wholeNumber('--limit', values.limit, { from: 1, to: 10_000, otherwise: 20 })
  const backfills = await withDatabase(io, { write: false }, ({ db }) => listBackfills(db, limit))
  if (values.json) printJson(io, { backfills })
  else if (backfills.length === 0) io.out('no backfill has been requested yet')
  else {
    const columns = columnsOf('>id', 'job', 'from', 'to', '>windows', '>done', '>waiting', '>failed', 'requested', '*symbols')
    const rows = backfills.map(each => [
      String(each.backfill_id),
      each.job,
      each.from_date,
      each.to_date,
      each.total,
      each.done,
      each.waiting,
      each.failed,
      relative(new Date(each.requested_at), io.now()),
      each.symbols?.join(',') ?? '',
    ])
    printTable(io, columns, rows)
  }
  return 0
}

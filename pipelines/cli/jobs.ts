// `crossfile jobs`: every job, on or off and why, its next run, and the result of its last run. While a worker is alive, it states what the worker
// runs, and separately what the settings of this shell would change.
import { CrossfileError } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { findDeadLetters } from '#warehouse/store/jobs/dead-letters.ts'
import { findLastRuns, type LastRun } from '#warehouse/store/jobs/runs.ts'
import { nextTick } from '#warehouse/store/jobs/ticks.ts'
import type { RunningWorkers } from '#warehouse/store/jobs/workers.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { type CurrentJob, type CurrentJobs, readCurrentJobs } from './current-jobs.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, count, paintState, printJson, relative, some, table, zoned } from './output.ts'

type JobLine = {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly datasets: readonly string[]
  /** Whether a worker that is alive runs it; without a worker whose jobs are known, whether the settings of this shell would run it. */
  readonly on: boolean
  readonly why_off: string | null
  /** The job on each worker whose jobs are known. */
  readonly workers: CurrentJob['workers']
  readonly this_shell: CurrentJob['shell']
  readonly schedule: JobDefinition['schedule']
  readonly backfill: JobDefinition['backfill']
  readonly next_run: string | null
  readonly last_run: LastRun | null
  readonly dead_letters: number
}
type Found = {
  readonly current: CurrentJobs
  readonly lines: readonly JobLine[]
  /** Why past runs and workers are not known; null if the database was read. */
  readonly missing: string | null
}

export async function jobs(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('jobs', commands.jobs.options, argv)
  const found = await readLines(io)
  if (values.json) printJson(io, asJson(found))
  else for (const line of render(found, io)) io.out(line)
  return 0
}

/** The table is printed without a database too: then past runs are unknown, and `missing` gives the reason. */
async function readLines(io: Io): Promise<Found> {
  const config = io.config()
  const known = await withDatabase(io, { write: false }, async ({ db }) => ({
    runs: await findLastRuns(db),
    dead: await findDeadLetters(db),
    current: await readCurrentJobs(db, config),
    missing: null,
  })).catch(async error => {
    if (!(error instanceof CrossfileError) || error.status !== 503) throw error
    return {
      runs: new Map<string, LastRun>(),
      dead: [],
      current: await readCurrentJobs(null, config),
      missing: `${error.message}${error.hint ? ` (${error.hint})` : ''}`,
    }
  })
  const lines = known.current.jobs.map(({ job, why_off, workers, shell }) => ({
    name: job.name,
    title: job.title,
    source: job.source,
    datasets: job.datasets,
    on: why_off === null,
    why_off,
    workers,
    this_shell: shell,
    schedule: job.schedule,
    backfill: job.backfill,
    next_run: why_off === null ? (nextTick(job, io.now())?.toISOString() ?? null) : null,
    last_run: known.runs.get(job.name) ?? null,
    dead_letters: known.dead.filter(letter => letter.job === job.name).length,
  }))
  return { current: known.current, lines, missing: known.missing }
}

const asJson = ({ current: { workers }, lines, missing }: Found) => ({
  settings_of: workers.known.length > 0 ? ('workers' as const) : ('this_shell' as const),
  workers: workers.known.map(({ jobs: _jobs, ...facts }) => facts),
  unknown_workers: workers.unknown,
  database: missing,
  jobs: lines,
})

function render({ current: { workers }, lines, missing }: Found, io: Io): string[] {
  const now = io.now()
  const next = (line: JobLine): string => {
    if (!line.on) return '-'
    if (!line.schedule) return line.backfill === 'none' ? 'on request' : 'by backfill'
    return line.next_run ? `${zoned(new Date(line.next_run), line.schedule.time_zone)} (${relative(new Date(line.next_run), now)})` : 'never'
  }
  const last = ({ last_run: run }: JobLine): string =>
    run === null ? 'never' : `${run.state} ${relative(new Date(run.at), now)}${run.state === 'done' ? `, ${some(run.rows, 'row')}` : ''}`
  const paint = paintState(io)
  const rows = lines.map(line => [
    line.name,
    line.on ? 'on' : 'off',
    line.schedule ? `${line.schedule.cron}${line.schedule.calendar ? ` ${line.schedule.calendar}` : ''}` : '-',
    next(line),
    last(line),
    line.dead_letters,
  ])
  const columns = columnsOf('job', { head: 'state', paint }, 'schedule', 'next run', { head: 'last run', wide: true, paint }, '>dead')
  const off = lines.filter(line => !line.on)
  return [
    ...table(io, columns, rows),
    '',
    off.length === 0
      ? `All ${count(lines.length)} are on by ${settingsOf(workers, missing)}.`
      : `${count(off.length)} of ${count(lines.length)} are off by ${settingsOf(workers, missing)}:`,
    ...grouped(off, line => line.why_off),
    ...differences(lines, workers),
    ...(missing === null ? [] : ['', `No past runs and no workers are shown: ${missing}`]),
  ]
}

/** Whose settings the table shows. */
function settingsOf({ known, unknown }: RunningWorkers, missing: string | null): string {
  if (missing !== null) return 'the settings of this shell (whether a worker runs is not known)'
  const [first] = known
  const others = unknown === 0 ? '' : `; the jobs of ${some(unknown, 'other worker')} are not known: starting, or of another version`
  if (first === undefined)
    return `the settings of this shell (${unknown === 0 ? 'no worker runs' : `the jobs of the ${some(unknown, 'worker')} that runs are not known: starting, or of another version`})`
  if (known.length === 1) return `the settings of the worker that runs (process ${first.process} on ${first.host}${others})`
  return `the settings of the ${some(known.length, 'worker')} that run${others}`
}

/** Names of jobs by a text of each, with the text below. */
const grouped = (lines: readonly JobLine[], by: (line: JobLine) => string | null): string[] =>
  [...Map.groupBy(lines, by)].flatMap(([why, group]) => [`  ${group.map(line => line.name).join(', ')}`, `    ${why ?? 'on'}`])

/** Jobs that not all workers run, and those that a worker with the settings of this shell would start or leave out. */
function differences(lines: readonly JobLine[], { known }: RunningWorkers): string[] {
  if (known.length === 0) return []
  const split = lines.filter(line => line.workers.some(each => each.on) && line.workers.some(each => !each.on))
  const places = new Map(known.map(({ worker, host, process }) => [worker, `process ${process} on ${host}`]))
  const where = (line: JobLine): string =>
    line.workers.map(each => `${places.get(each.worker)}: ${each.on ? 'on' : `off: ${each.why_off}`}`).join('\n    ')
  const lost = lines.filter(line => line.on && !line.this_shell.on)
  const gained = lines.filter(line => !line.on && line.this_shell.on)
  return [
    ...(split.length === 0 ? [] : ['', 'Only some of the workers run:', ...grouped(split, where)]),
    ...(lost.length === 0 && gained.length === 0
      ? []
      : ['', 'The settings of this shell differ from those of the service. This does not affect the service.']),
    ...(lost.length === 0
      ? []
      : [
          `A worker started from this shell would not run ${count(lost.length)} of the jobs that run now (crossfile jobs --json gives each reason):`,
          `  ${lost.map(line => line.name).join(', ')}`,
        ]),
    ...(gained.length === 0 ? [] : ['A worker started from this shell would also run:', `  ${gained.map(line => line.name).join(', ')}`]),
  ]
}

// `crossfile jobs`: every job of jobs.yaml, on or off and why, its next run, and the result of its last run.
import { CrossfileError } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { findDeadLetters } from '#warehouse/store/jobs/dead-letters.ts'
import { findLastRuns, type LastRun } from '#warehouse/store/jobs/runs.ts'
import { nextTick } from '#warehouse/store/jobs/ticks.ts'
import { readJobs, whyOff } from '../jobs/jobs-file.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, count, paintState, printJson, relative, some, table, zoned } from './output.ts'

export type JobLine = {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly datasets: readonly string[]
  readonly on: boolean
  readonly why_off: string | null
  readonly schedule: JobDefinition['schedule']
  readonly backfill: JobDefinition['backfill']
  readonly next_run: string | null
  readonly last_run: LastRun | null
  readonly dead_letters: number
}

export async function jobs(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('jobs', commands.jobs.options, argv)
  const { lines, missing } = await readLines(io)
  if (values.json) printJson(io, { jobs: lines })
  else for (const line of render(lines, missing, io)) io.out(line)
  return 0
}

/** The table is printed without a database too: then past runs are unknown, and `missing` gives the reason. */
async function readLines(io: Io): Promise<{ lines: JobLine[]; missing: string | null }> {
  const known = await withDatabase(io, { write: false }, async ({ db }) => ({
    runs: await findLastRuns(db),
    dead: await findDeadLetters(db),
    missing: null,
  })).catch(error => {
    if (!(error instanceof CrossfileError) || error.status !== 503) throw error
    return { runs: new Map<string, LastRun>(), dead: [], missing: `${error.message}${error.hint ? ` (${error.hint})` : ''}` }
  })
  const config = io.config()
  const all = readJobs(config)
  const lines = [...all.values()].map(job => {
    const why = whyOff(job, config, all)
    return {
      name: job.name,
      title: job.title,
      source: job.source,
      datasets: job.datasets,
      on: why === null,
      why_off: why,
      schedule: job.schedule,
      backfill: job.backfill,
      next_run: why === null ? (nextTick(job, io.now())?.toISOString() ?? null) : null,
      last_run: known.runs.get(job.name) ?? null,
      dead_letters: known.dead.filter(letter => letter.job === job.name).length,
    }
  })
  return { lines, missing: known.missing }
}

function render(lines: readonly JobLine[], missing: string | null, io: Io): string[] {
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
  const off = Map.groupBy(
    lines.filter(line => line.why_off !== null),
    line => line.why_off,
  )
  return [
    ...table(io, columns, rows),
    ...(off.size === 0
      ? []
      : ['', `${count(lines.filter(line => !line.on).length)} of ${count(lines.length)} are off by the settings of this shell:`]),
    ...[...off].flatMap(([why, group]) => [`  ${group.map(line => line.name).join(', ')}`, `    ${why}`]),
    ...(missing === null ? [] : ['', `No past runs are shown: ${missing}`]),
  ]
}

// `crossfile runs`: runs, newest first; the dead letters, and how to put them back.
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { nearest } from '#schemas/nearest-name.ts'
import { type DeadLetter, findDeadLetters, redrive } from '#warehouse/store/jobs/dead-letters.ts'
import { findRunLines } from '#warehouse/store/jobs/run-log.ts'
import { findRun, findRuns, runStates } from '#warehouse/store/jobs/runs.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { openQueue, type Queue } from '#warehouse/store/queue.ts'
import { defineQueue, type Jobs, readJobs } from '../jobs/jobs-file.ts'
import { oneOf, readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, count, duration, paintState, printJson, printTable, relative, some, table } from './output.ts'

export async function runs(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('runs', commands.runs.options, argv)
  const limit = wholeNumber('--limit', values.limit, { from: 1, to: 10_000, otherwise: 20 })
  const state = values.state === undefined ? null : oneOf('--state', values.state, runStates)
  const found = await withDatabase(io, { write: false }, async ({ db }) => {
    if (values.job !== undefined) await checkRan(db, readJobs(io.config()), values.job)
    return await findRuns(db, { job: values.job ?? null, state, limit })
  })
  if (values.json) printJson(io, { runs: found })
  else if (found.length === 0) io.out(values.job || state ? 'no run matches' : 'no runs yet')
  else for (const line of renderRuns(found, io)) io.out(line)
  return 0
}

/** One run with its log. */
export async function runsLog(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('runs log', commands['runs log'].options, argv, { least: 1, most: 1, what: 'the id of the run' })
  const id = wholeNumber('RUN', rest[0], { from: 1, to: 999_999_999_999, otherwise: 0 })
  const { run, lines } = await withDatabase(io, { write: false }, async ({ db }) => {
    const found = await findRun(db, id)
    if (!found) throw new NotFound(`there is no run ${id}`, { hint: 'crossfile runs lists them' })
    return { run: found, lines: await findRunLines(db, id, 0, 10_000) }
  })
  if (values.json) printJson(io, { run, lines })
  else {
    io.out(`run ${run.run_id}: ${run.job} ${run.partition}, ${run.state}${run.error === null ? '' : `: ${run.error}`}`)
    for (const line of lines) io.out(`${new Date(line.at).toISOString().slice(11, 23)} ${line.level.padEnd(5)} ${line.message}`)
    if (lines.length === 0) io.err('No line is stored: lines are removed after 30 days.')
  }
  return 0
}

/** A name that is neither a job nor appears in any run is an error. */
async function checkRan(db: Db, jobs: Jobs, name: string): Promise<void> {
  if (jobs.has(name)) return
  const ran = await db.selectFrom('job_run').select('job').distinct().execute()
  if (ran.some(row => row.job === name)) return
  const near = nearest(name, [...jobs.keys(), ...ran.map(row => row.job)])
  throw new BadRequest(`there is no job ${JSON.stringify(name)}`, { hint: near ? `did you mean ${near}?` : 'crossfile jobs lists them' })
}

function renderRuns(found: Awaited<ReturnType<typeof findRuns>>, io: Io): string[] {
  const now = io.now()
  const took = (run: (typeof found)[number]): string =>
    duration((run.finished_at === null ? now : new Date(run.finished_at)).getTime() - new Date(run.started_at).getTime())
  const columns = columnsOf(
    '>run',
    'job',
    'window',
    { head: 'state', paint: paintState(io) },
    'started',
    '>took',
    '>documents',
    '>fetched',
    '>rows',
    '>refused',
    '>release',
    '*note',
  )
  return table(
    io,
    columns,
    found.map(run => [
      String(run.run_id),
      run.job,
      run.partition,
      run.attempt === 0 ? run.state : `${run.state}, try ${run.attempt + 1}`,
      relative(new Date(run.started_at), now),
      took(run),
      run.documents,
      run.fetched,
      run.rows,
      run.refused,
      run.release === null ? '-' : String(run.release),
      run.error ?? '',
    ]),
  )
}

const forJob = (letters: readonly DeadLetter[], job: string | undefined): readonly DeadLetter[] =>
  job === undefined ? letters : letters.filter(letter => letter.job === job)

export async function runsDead(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('runs dead', commands['runs dead'].options, argv)
  const letters = await withDatabase(io, { write: false }, async ({ db }) => {
    if (values.job !== undefined) await checkRan(db, readJobs(io.config()), values.job)
    return forJob(await findDeadLetters(db), values.job)
  })
  if (values.json)
    printJson(io, { dead_letters: letters.map(({ data, ...letter }) => ({ ...letter, from: data.from, to: data.to, symbols: data.symbols })) })
  else if (letters.length === 0) io.out('no dead letters')
  else {
    const columns = columnsOf('id', 'job', 'window', 'since', '>tries', '*reason')
    printTable(
      io,
      columns,
      letters.map(letter => [
        letter.id.slice(0, 8),
        letter.job,
        letter.partition,
        relative(new Date(letter.since), io.now()),
        letter.attempts,
        letter.reason,
      ]),
    )
    io.out(`\n${some(letters.length, 'dead letter')}; crossfile runs redrive puts them back`)
  }
  return 0
}

export async function runsRedrive(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('runs redrive', commands['runs redrive'].options, argv, { most: 1000 })
  const jobs = readJobs(io.config())
  const outcome = await withDatabase(io, { write: true }, async ({ db }) => {
    if (values.job !== undefined) await checkRan(db, jobs, values.job)
    const letters = chosen(forJob(await findDeadLetters(db), values.job), rest)
    const homeless = letters.filter(letter => !jobs.has(letter.job))
    for (const letter of homeless) io.err(`${letter.job} ${letter.partition}: no such job in jobs.yaml; it stays in the queue`)
    const queue = await openQueue(db, false, message => io.log('warn', message))
    try {
      return await redriveAll(
        db,
        queue,
        jobs,
        letters.filter(letter => jobs.has(letter.job)),
      )
    } finally {
      await queue.close()
    }
  })
  if (values.json) printJson(io, { redriven: outcome })
  else if (outcome.length === 0) io.out('no dead letters to put back')
  else
    for (const [job, letters] of Map.groupBy(outcome, each => each.job))
      io.out(
        `${job}: ${count(letters.length)} put back (${letters
          .slice(0, 5)
          .map(each => each.partition)
          .join(', ')}${letters.length > 5 ? ', …' : ''})`,
      )
  return 0
}

/** The letters whose ids begin with one of `ids`; all if none is given. Throws `NotFound` for an id that matches none. */
function chosen(letters: readonly DeadLetter[], ids: readonly string[]): readonly DeadLetter[] {
  if (ids.length === 0) return letters
  const byId = ids.map(id => {
    const fitting = letters.filter(letter => letter.id.startsWith(id.toLowerCase()))
    if (fitting.length === 1) return fitting[0] as DeadLetter
    throw fitting.length === 0
      ? new NotFound(`no dead letter ${id}`, { hint: 'crossfile runs dead shows the ids' })
      : new BadRequest(`${fitting.length} dead letters begin with ${id}`, { hint: 'give more of the id (crossfile runs dead --json)' })
  })
  return [...new Set(byId)]
}

async function redriveAll(db: Db, queue: Queue, jobs: Jobs, letters: readonly DeadLetter[]) {
  for (const name of new Set(letters.map(letter => letter.job))) await defineQueue(queue, jobs, name)
  const done: { id: string; job: string; partition: string }[] = []
  for (const letter of letters) if (await redrive(db, queue, letter)) done.push({ id: letter.id, job: letter.job, partition: letter.partition })
  return done
}

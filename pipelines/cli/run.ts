// `crossfile run`: sends one job now and waits for its result.

import { sql } from 'kysely'
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { dataNow, findDataClock } from '#warehouse/store/data-clock.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { findProcesses } from '#warehouse/store/processes.ts'
import { type JobData, openQueue } from '#warehouse/store/queue.ts'
import { getJob } from '../jobs/backfill/named-job.ts'
import { planRun } from '../jobs/backfill/plan-run.ts'
import { defineQueue, type Jobs, readJobs } from '../jobs/jobs-file.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import { drive, pause } from './drive.ts'
import type { Io } from './io.ts'
import { checkMayRun } from './may-run.ts'
import { count, duration, printJson, some } from './output.ts'

const pollMs = 300
const careMs = 10_000
type Queued = { readonly state: string; readonly retry_count: number; readonly wait_ms: number | null }
type Attempt = {
  readonly run_id: number
  readonly attempt: number
  readonly state: string
  readonly documents: number
  readonly fetched: number
  readonly rows: number
  readonly refused: number
  readonly release: number | null
  readonly error: string | null
}
type Ended = { readonly attempt: Attempt | null; readonly state: 'done' | 'failed' | 'stopped'; readonly tookMs: number }

export async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('run', commands.run.options, argv, { least: 1, most: 1, what: 'the name of the job' })
  const jobs = readJobs(io.config())
  const job = getJob(jobs, rest[0] ?? '')
  return await withDatabase(io, { write: true }, async ({ db }) => {
    const today = dataNow(await findDataClock(db), io.now())
      .toISOString()
      .slice(0, 10)
    const data = planRun(job, values, today)
    await checkMayRun(io, db, job, jobs)
    const { id, joined } = await send(io, db, jobs, job, data)
    if (joined) io.err(`${job.name} ${data.partition} is already waiting or running`)
    if (values['no-wait']) {
      if (values.json) printJson(io, { job: job.name, partition: data.partition, queue_job: id, joined })
      else io.out(`${job.name} ${data.partition}: ${joined ? 'already waiting or running' : 'sent'}; crossfile runs --job ${job.name} shows it`)
      return 0
    }
    const ended = await watch(io, db, jobs, job.name, id)
    report(io, job.name, data.partition, ended, values.json)
    return ended.state === 'done' ? 0 : ended.state === 'stopped' ? 130 : 1
  })
}

/** Sends the job; if the same one is waiting or running, that one is used. */
async function send(io: Io, db: Db, jobs: Jobs, job: JobDefinition, data: JobData): Promise<{ id: string; joined: boolean }> {
  const queue = await openQueue(db, false, message => io.log('warn', message))
  try {
    await defineQueue(queue, jobs, job.name)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const id = await queue.send(job.name, data, { priority: 1 })
      if (id !== null) return { id, joined: false }
      const key = `${data.partition}|${data.symbols?.join(',') ?? ''}`
      const { rows } = await sql<{
        id: string
      }>`select id from pgboss.job where name = ${job.name} and singleton_key = ${key} and state < 'completed' limit 1`.execute(db)
      if (rows[0]) return { id: rows[0].id, joined: true }
    }
  } finally {
    await queue.close()
  }
  throw new BadRequest(`${job.name} ${data.partition} was not sent: other processes send and end it at the same time`, { hint: 'try again' })
}

/** Waits for the end of a queued job, retries included; runs it in this process while no worker is alive. */
async function watch(io: Io, db: Db, jobs: Jobs, name: string, id: string): Promise<Ended> {
  const interrupted = io.interrupted()
  const started = io.now().getTime()
  const end = new AbortController()
  const stop = AbortSignal.any([interrupted, end.signal])
  let driving: Promise<void> | null = null
  let failure: unknown = null
  let caredAt = 0
  let reported = -1
  const ended = async (state: Ended['state']): Promise<Ended> => ({
    attempt: await newestAttempt(db, id),
    state,
    tookMs: io.now().getTime() - started,
  })
  try {
    for (;;) {
      if (failure !== null) throw failure
      const { rows } = await sql<Queued>`
        select state, retry_count, (extract(epoch from start_after - now()) * 1000)::float8 as wait_ms from pgboss.job where name = ${name} and id = ${id}::uuid`.execute(
        db,
      )
      const [job] = rows
      // A missing row failed and was moved, or was swept after its end: its last attempt shows which.
      if (!job || job.state === 'completed' || job.state === 'failed' || job.state === 'cancelled') {
        const attempt = await newestAttempt(db, id)
        return await ended(attempt?.state === 'done' ? 'done' : 'failed')
      }
      if (interrupted.aborted) return await ended('stopped')
      const attempt = await newestAttempt(db, id)
      if (attempt && attempt.state !== 'running' && attempt.state !== 'done' && attempt.run_id > reported) {
        reported = attempt.run_id
        // A job that runs in this process logs its own errors.
        if (!driving)
          io.err(
            `${name}: try ${attempt.attempt + 1} failed: ${attempt.error ?? 'its worker was killed'}${job.state === 'retry' ? `; next try in ${duration(Math.max(0, job.wait_ms ?? 0))}` : ''}`,
          )
      }
      io.bar(
        `${name}: ${job.state === 'active' ? 'running' : job.state === 'retry' ? `waiting for try ${job.retry_count + 1}` : 'waiting for a worker'}, ${duration(io.now().getTime() - started)}`,
      )
      if (!driving && (caredAt === 0 || performance.now() - caredAt > careMs)) {
        caredAt = performance.now()
        if ((await findProcesses(db)).workers === 0) {
          io.err('no worker is alive: it runs in this process')
          driving = drive(io, jobs, name, stop).catch(error => {
            failure = error
          })
        }
      }
      await pause(pollMs, stop)
    }
  } finally {
    io.bar(null)
    end.abort()
    await driving
  }
}

async function newestAttempt(db: Db, id: string): Promise<Attempt | null> {
  const row = await db
    .selectFrom('job_run')
    .select(['run_id', 'attempt', 'state', 'documents', 'fetched', 'rows', 'refused', 'release', 'error'])
    .where('queue_job', '=', id)
    .orderBy('run_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

function report(io: Io, name: string, partition: string, { attempt, state, tookMs }: Ended, json: boolean): void {
  if (json) {
    printJson(io, { job: name, partition, state, run: attempt })
    return
  }
  const result = attempt
    ? `${some(attempt.documents, 'document')} (${count(attempt.fetched)} fetched), ${some(attempt.rows, 'row')}, ${count(attempt.refused)} held back${attempt.release === null ? ', nothing new' : `, release ${attempt.release}`}`
    : 'no attempt was made'
  if (state === 'stopped') io.out(`${name} ${partition} is not done; it stays queued for a worker, and the same command waits for it again`)
  else if (state === 'failed') io.out(`${name} ${partition} failed: ${attempt?.error ?? result}`)
  else io.out(`${name} ${partition}: ${result}, ${duration(tookMs)}${attempt?.error ? `\n${attempt.error}` : ''}`)
}

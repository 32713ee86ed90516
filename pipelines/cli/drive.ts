// Runs a queue inside a command if no worker is alive: waiting jobs, jobs that return after a backoff, and the jobs of a
// killed worker, until the caller's condition is met.
import { sql } from 'kysely'
import type { Db } from '#warehouse/store/postgres.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import type { Jobs } from '../jobs/jobs-file.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'

const restMs = 1_000
const longestRestMs = 10_000

/** Resolves after `ms`, or immediately if the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })

/** Runs the jobs of one queue in this process until `stop`; a job that is running then is released. */
export async function drive(io: Io, jobs: Jobs, name: string, stop: AbortSignal): Promise<void> {
  await withRuntime(io, async runtime => {
    const { runQueued } = await import('../jobs/worker/worker.ts')
    const { db } = runtime.postgres
    // Between two rounds, look for jobs whose worker was killed.
    const supervisor = await openQueue(db, true, message => io.log('warn', message))
    try {
      while (!stop.aborted) {
        await runQueued(runtime, jobs, [name], stop)
        await pause(await untilNext(db, name), stop)
      }
    } finally {
      await supervisor.close()
    }
  })
}

/** Milliseconds until a job of the queue is ready again; short, since another job may be sent meanwhile. */
async function untilNext(db: Db, name: string): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(start_after) - now()) * 1000)::float8 as ms from pgboss.job where name = ${name} and state in ('created', 'retry')`.execute(
    db,
  )
  return Math.min(longestRestMs, Math.max(restMs, rows[0]?.ms ?? restMs))
}

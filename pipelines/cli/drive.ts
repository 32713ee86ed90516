// Running a queue inside a command, for where no worker is alive: what waits, what comes back after a backoff, and what a
// killed worker left behind, until the caller has what it wanted.
import { sql } from 'kysely'
import type { Db } from '#warehouse/postgres.ts'
import { openQueue } from '#warehouse/queue.ts'
import type { Jobs } from '../jobs-file.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'

const restMs = 1_000
const longestRestMs = 10_000

/** Resolves after `ms`, or at once where the signal says stop. */
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

/** Runs the jobs of one queue in this process until `stop`; a job that then runs is given back. */
export async function drive(io: Io, jobs: Jobs, name: string, stop: AbortSignal): Promise<void> {
  await withRuntime(io, async runtime => {
    const { runQueued } = await import('../worker.ts')
    const { db } = runtime.postgres
    // Between two rounds somebody must notice jobs whose worker was killed.
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

/** Milliseconds until a job of the queue is ready again; short, since another may be sent meanwhile. */
async function untilNext(db: Db, name: string): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(start_after) - now()) * 1000)::float8 as ms from pgboss.job where name = ${name} and state in ('created', 'retry')`.execute(
    db,
  )
  return Math.min(longestRestMs, Math.max(restMs, rows[0]?.ms ?? restMs))
}

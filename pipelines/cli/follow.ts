// Follows a backfill until its windows are done, and runs them in this process while no worker is alive.
import type { Db } from '#warehouse/store/postgres.ts'
import { findProcesses } from '#warehouse/store/processes.ts'
import { type FailedWindow, failAbandoned, findFailedWindows, findFailures, readState, type State } from '../jobs/backfill/backfill-rows.ts'
import type { Jobs } from '../jobs/jobs-file.ts'
import { drive, pause } from './drive.ts'
import type { Io } from './io.ts'
import { count, some } from './output.ts'
import { createProgress } from './progress.ts'

export type Followed = State & {
  readonly backfill_id: number
  readonly failed: readonly FailedWindow[]
  /** True if this process was stopped before the end. */
  readonly stopped: boolean
  /** A worker continues with the remaining windows. */
  readonly inWorker: boolean
  readonly tookMs: number
}

const pollMs = 500
/** Interval between checks for live workers and abandoned jobs. */
const careMs = 10_000

/** Resolves when no window is waiting, or when this process has to stop. */
export async function follow(
  io: Io,
  db: Db,
  jobs: Jobs,
  { backfill_id, name }: { readonly backfill_id: number; readonly name: string },
): Promise<Followed> {
  const interrupted = io.interrupted()
  const started = io.now().getTime()
  const end = new AbortController()
  const stop = AbortSignal.any([interrupted, end.signal])
  const progress = createProgress(io, name, 'windows')
  let driving: Promise<void> | null = null
  let failure: unknown = null
  let caredAt = 0
  let lastRun = (await findFailures(db, backfill_id, 0)).at(-1)?.run_id ?? 0
  const reported = new Set<string>()
  let state = await readState(db, backfill_id)
  try {
    while (state.windows.waiting > 0 && !interrupted.aborted && failure === null) {
      if (performance.now() - caredAt > careMs || caredAt === 0) {
        caredAt = performance.now()
        await failAbandoned(db, backfill_id, name)
        if (!driving && (await findProcesses(db)).workers === 0) {
          io.err('no worker is alive: the windows run in this process')
          driving = drive(io, jobs, name, stop).catch(error => {
            failure = error
          })
        }
      }
      for (const { run_id, partition, error } of await findFailures(db, backfill_id, lastRun)) {
        lastRun = run_id
        // Report the same error of every window once. Windows that run in this process report it themselves.
        const reason = error ?? 'its worker was killed'
        if (!driving && !reported.has(reason)) io.err(`${name} ${partition}: ${reason}`)
        reported.add(reason)
      }
      const { windows, rows } = state
      progress.update({
        done: windows.done + windows.failed,
        total: windows.total,
        note: `${some(rows, 'row')}${windows.failed > 0 ? `, ${count(windows.failed)} failed` : ''}`,
      })
      await pause(pollMs, stop)
      state = await readState(db, backfill_id)
    }
  } finally {
    progress.end()
    end.abort()
    await driving
  }
  if (failure !== null) throw failure
  const last = await readState(db, backfill_id)
  return {
    ...last,
    backfill_id,
    failed: await findFailedWindows(db, backfill_id),
    stopped: last.windows.waiting > 0,
    inWorker: (await findProcesses(db)).workers > 0,
    tookMs: io.now().getTime() - started,
  }
}

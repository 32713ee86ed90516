// The log of each run, next to the log of the worker: what is logged while a job runs, requests included, is kept with its run, whatever the
// level of the worker's log.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type RunLine, storeRunLines } from '#warehouse/store/jobs/run-log.ts'
import { type Level, type Log, oneLine } from '#warehouse/store/log.ts'
import type { Db } from '#warehouse/store/postgres.ts'

/** Lines of any level that a run keeps. */
const mostLines = 1500
/** Further lines of the levels warn and error. */
const mostWarnings = 500
const mostCharacters = 2000
const flushMs = 2000
const flushLines = 200

export type RunLog = {
  readonly add: (level: Level, message: string) => void
  /** Stores what is left, with the number of lines that the limits left out. */
  readonly close: () => Promise<void>
}

/** `clock`: the clock that all processes share. `failed` is called when lines could not be stored: they are stored with the next ones. */
export function createRunLog(db: Db, runId: number, clock: () => Date, failed: (error: unknown) => void): RunLog {
  let count = 0
  let warnings = 0
  let omitted = 0
  let waiting: RunLine[] = []
  let storing: Promise<void> = Promise.resolve()
  const push = (level: Level, message: string): void => {
    count += 1
    const text = oneLine(message)
    const shown = text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}…`
    waiting.push({ line: count, at: clock().toISOString(), level, message: shown })
  }
  const store = async (): Promise<void> => {
    const lines = waiting
    waiting = []
    try {
      await storeRunLines(db, runId, lines)
    } catch (error) {
      waiting = [...lines, ...waiting]
      failed(error)
    }
  }
  const flush = (): Promise<void> => {
    storing = storing.then(store)
    return storing
  }
  const timer = setInterval(() => void (waiting.length > 0 && flush()), flushMs)
  return {
    add(level, message) {
      const isWarning = level === 'warn' || level === 'error'
      if (count >= mostLines && (!isWarning || warnings >= mostWarnings)) {
        omitted += 1
        return
      }
      if (count >= mostLines) warnings += 1
      push(level, message)
      if (waiting.length >= flushLines) void flush()
    },
    async close() {
      clearInterval(timer)
      if (omitted > 0)
        push('info', `${omitted} more lines are left out: a run keeps ${mostLines} lines, and ${mostWarnings} warnings and errors more`)
      await flush()
    },
  }
}

const current = new AsyncLocalStorage<RunLog>()

/** Runs `work` so that what is logged during it also goes to the log of its run. */
export const withRunLog = <T>(log: RunLog, work: () => Promise<T>): Promise<T> => current.run(log, work)

/** A line of the run during which it is called; nothing outside of a run. */
export const noteRun = (level: Level, message: string): void => current.getStore()?.add(level, message)

/** A log that also writes to the log of the run during which it is called. */
export const alsoToRun =
  (log: Log): Log =>
  (level, message) => {
    log(level, message)
    noteRun(level, message)
  }

// One log line per source and change of state. Jobs of a source that does not answer fail again and again; `crossfile runs` lists
// every attempt, and the log reports only that the source stopped answering, why, and that it answers again.
import { Damaged, StoreUnavailable, type Upstream } from '#schemas/errors.ts'
import { Conflict } from '#warehouse/store/lake/commit.ts'
import type { Log } from '#warehouse/store/log.ts'

export type SourceLog = {
  /** Notes why a request to a source failed; the reason is printed with the next change of state. */
  noteFailure(source: string, reason: string): void
  /** A job failed because its source did not answer. The full message goes to the debug log. */
  failed(source: string, message: string): void
  /** A job read something from its source. */
  answered(source: string): void
}

/** Starts with every source in the state "answers". */
export function createSourceLog(log: Log): SourceLog {
  const failing = new Set<string>()
  const reasons = new Map<string, string>()
  return {
    // The first reason is the cause; later ones say that requests are paused because of it.
    noteFailure: (source, reason) => void (reasons.has(source) || reasons.set(source, reason)),
    failed(source, message) {
      log('debug', message)
      if (failing.has(source)) return
      failing.add(source)
      const reason = reasons.get(source)
      log(
        'warn',
        `${source} does not answer${reason === undefined ? '' : ` (${reason})`}; its jobs retry, and this is logged once (crossfile runs lists every attempt)`,
      )
    },
    answered(source) {
      reasons.delete(source)
      if (failing.delete(source)) log('info', `${source} answers again`)
    },
  }
}

/** What the log of sources calls the bucket of the lake. */
export const lakeBucket = 'the bucket of the lake'

/**
 * Logs a failed attempt that is repeated: by what did not answer, its source or the bucket of the lake. Damage and a commit of others in
 * between are no failures of the source.
 */
export function logFailed(sources: SourceLog, log: Log, source: string, error: Upstream, line: string): void {
  if (error instanceof StoreUnavailable) sources.failed(lakeBucket, line)
  else if (error instanceof Damaged) log('warn', line)
  else if (error instanceof Conflict) log('debug', line)
  else sources.failed(source, line)
}

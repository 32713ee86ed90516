// Retries work after the connection to Postgres was lost. Each step of a start can be repeated.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from '#warehouse/store/connection-errors.ts'
import type { Log } from '#warehouse/store/log.ts'

const pauseMs = 1_000

/** Runs `work`, and repeats it while it fails because Postgres cannot be reached; throws any other error. */
export async function outlast<T>(work: () => Promise<T>, log: Log, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionError(error)) throw error
      log('warn', `the connection to the database was lost, retrying until it returns: ${error instanceof Error ? error.message : String(error)}`)
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

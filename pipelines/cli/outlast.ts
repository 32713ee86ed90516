// Work that goes on after Postgres was lost: each step of a start can be done again.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from '#warehouse/connection-errors.ts'
import type { Log } from '../log.ts'

const pauseMs = 1_000

/** Does `work`, and does it again for as long as it fails because Postgres cannot be reached; any other error is thrown. */
export async function outlast<T>(work: () => Promise<T>, log: Log, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionError(error)) throw error
      log('warn', `the connection to the database was lost, going on when it is back: ${error instanceof Error ? error.message : String(error)}`)
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

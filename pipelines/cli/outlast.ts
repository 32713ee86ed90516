// Retries work after the connection to Postgres was lost. Each step of a start can be repeated.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#schemas/config.ts'
import { isConnectionError } from '#warehouse/store/connection-errors.ts'
import type { Log } from '#warehouse/store/log.ts'
import { explainFullDisk } from '#warehouse/store/start-check/full-disk.ts'

const pauseMs = 1_000

/**
 * Runs `work`, and repeats it while it fails because Postgres cannot be reached; throws any other error. Throws `BadRequest` that names the
 * setting if a disk is full: retries would only repeat the same failure.
 */
export async function outlast<T>(
  work: () => Promise<T>,
  config: Pick<Config, 'dataFolder' | 'databaseUrl'>,
  log: Log,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isOfConnection = isConnectionError(error)
      const explained = await explainFullDisk(error, config, isOfConnection)
      if (!isOfConnection || explained !== error) throw explained
      log('warn', `the connection to the database was lost, retrying until it returns: ${error instanceof Error ? error.message : String(error)}`)
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

// Work that only one process of a database does at a time, such as the first load of the bundled universe.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Log } from '#warehouse/store/log.ts'
import type { Db } from '#warehouse/store/postgres.ts'

const pauseMs = 250

/**
 * Runs `work` while this process holds the lock `name`, which ends with the process. Waits for another holder until `stop` is aborted, and
 * then throws its reason.
 */
export async function oneAtATime<T>(db: Db, name: string, log: Log, stop: AbortSignal, work: () => Promise<T>): Promise<T> {
  return await db.connection().execute(async session => {
    const take = async (): Promise<boolean> =>
      (await sql<{ taken: boolean }>`select pg_try_advisory_lock(hashtext(${name})) as taken`.execute(session)).rows[0]?.taken === true
    if (!(await take())) {
      log('info', `waiting until another process has finished: ${name}`)
      while (!(await take())) await sleep(pauseMs, undefined, { signal: stop })
    }
    try {
      return await work()
    } finally {
      // A lost session has no lock, and the error of the work is the one to report.
      await sql`select pg_advisory_unlock(hashtext(${name}))`.execute(session).catch(() => undefined)
    }
  })
}

// A pool of DuckDB connections.
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Upstream } from '#schemas/errors.ts'
import { closeConnection } from '../duckdb.ts'

export type ConnectionPool = {
  use<T>(work: (connection: DuckDBConnection) => Promise<T>, timeoutMs?: number): Promise<T>
  close(): void
}

/** Connections of one instance; a caller waits for a free one. `timeoutMs` interrupts the statement. */
export async function openConnections(instance: DuckDBInstance, size: number): Promise<ConnectionPool> {
  const free: DuckDBConnection[] = []
  for (let index = 0; index < size; index += 1) free.push(await instance.connect())
  const waiting: ((connection: DuckDBConnection) => void)[] = []
  return {
    async use(work, timeoutMs) {
      const connection = free.pop() ?? (await new Promise<DuckDBConnection>(resolve => waiting.push(resolve)))
      let interrupted = false
      const timer =
        timeoutMs === undefined
          ? null
          : setTimeout(() => {
              interrupted = true
              connection.interrupt()
            }, timeoutMs)
      try {
        return await work(connection)
      } catch (cause) {
        if (!interrupted) throw cause
        throw new Upstream(`the query took longer than ${timeoutMs} ms and was stopped`, { cause, hint: 'ask for a smaller range' })
      } finally {
        if (timer) clearTimeout(timer)
        const next = waiting.shift()
        if (next) next(connection)
        else free.push(connection)
      }
    },
    close() {
      for (const connection of free.splice(0)) closeConnection(connection)
    },
  }
}

// What this machine, or the container of this process, has for DuckDB.
import { availableParallelism, totalmem } from 'node:os'

/**
 * Megabytes (10^6 bytes) for DuckDB where no setting gives them. `worker`, also for commands: a quarter of the memory, at least 256;
 * PostgreSQL, Node and the file cache have the rest. `api`: the same, from 64 to 256, which is enough for its answers.
 */
export function duckdbMemory(memoryBytes = usableMemory()): { readonly worker: number; readonly api: number } {
  const quarter = Math.floor(memoryBytes / 4e6)
  return { worker: Math.max(256, quarter), api: Math.min(256, Math.max(64, quarter)) }
}

/** One thread for each processor, and at most one for each 125 MB: with less, DuckDB's documentation warns, queries run out of memory. */
export const duckdbThreads = (memoryMb: number, processors = availableParallelism()): number =>
  Math.max(1, Math.min(processors, Math.floor(memoryMb / 125)))

/** Bytes of the machine, or fewer if the process is limited, as in a container. Without a limit, Linux states 0 or more than there is. */
function usableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

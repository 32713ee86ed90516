// Which cached files of a lake in a bucket are deleted: those that were not used for longest, above the limit, and never one that is in use or
// that the bucket does not have.
import { readdirSync, statSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'

export type EvictionOptions = {
  /** Bytes that the cached files may have at rest. */
  readonly limitBytes: number
  /** Milliseconds for which a file stays after its download or last use: other processes that read it now are not known here. */
  readonly keepMs?: number
  readonly log?: (level: 'info' | 'warn', message: string) => void
}

export type Eviction = {
  /** Marks a file as in use until `release`, at most some minutes. */
  use(path: string): void
  release(path: string): void
  /** Deletes files some time from now, when those that were just used may be deleted. */
  schedule(): void
  /** Deletes files until the limit holds; returns their number. */
  evict(): Promise<number>
}

/** A file that was opened and not released stays this long: the longest statement and merge. */
const pinnedMs = 900_000
const keptMs = 60_000
/** Part of the limit that is free after an eviction, so that the next download does not start another. */
const slack = 0.1

type Use = { open: number; lastMs: number }

/** The eviction of the files below `tables`. `storedBytes`: the size of a file's object in the bucket; null if it has none. */
export function createEviction(tables: string, storedBytes: (path: string) => Promise<number | null>, options: EvictionOptions): Eviction {
  const { limitBytes, keepMs = keptMs, log = () => {} } = options
  const uses = new Map<string, Use>()
  let evicting: Promise<number> | null = null
  let timer: NodeJS.Timeout | null = null

  function mark(path: string, change: 1 | -1): void {
    const use = uses.get(path) ?? { open: 0, lastMs: 0 }
    uses.set(path, { open: Math.max(0, use.open + change), lastMs: Date.now() })
  }

  /** Looks at the size of the cache after the files that were just downloaded may be deleted. */
  function schedule(): void {
    if (timer !== null) return
    timer = setTimeout(() => {
      timer = null
      evict().catch(error => log('warn', `the cache of the lake was not made smaller: ${error instanceof Error ? error.message : String(error)}`))
    }, keepMs + 1_000)
    timer.unref()
  }

  async function evictNow(): Promise<number> {
    const files = cachedFiles(tables)
    const present = new Set(files.map(({ path }) => path))
    // Merged files are deleted by the collector: their uses are of no interest.
    for (const [path, { open }] of uses) if (open === 0 && !present.has(path)) uses.delete(path)
    let total = files.reduce((sum, file) => sum + file.bytes, 0)
    if (total <= limitBytes) return 0
    const now = Date.now()
    const lastOf = (file: CachedFile): number => Math.max(uses.get(file.path)?.lastMs ?? 0, file.usedMs)
    const oldest = files.map(file => ({ ...file, last: lastOf(file) })).sort((a, b) => a.last - b.last)
    const aim = limitBytes * (1 - slack)
    let removed = 0
    let pinned = 0
    for (const file of oldest) {
      if (total <= aim) break
      const use = uses.get(file.path)
      const isOpen = use !== undefined && use.open > 0 && now - use.lastMs < pinnedMs
      if (isOpen || Math.max(0, now - file.last) < keepMs) {
        pinned += 1
        continue
      }
      // Asked of the bucket each time: a file that was sealed and not yet uploaded exists only here.
      if ((await storedBytes(file.path)) !== file.bytes) continue
      await unlink(file.path).catch(ignoreMissing)
      uses.delete(file.path)
      total -= file.bytes
      removed += 1
    }
    if (total > limitBytes && pinned > 0) schedule()
    return removed
  }

  async function evict(): Promise<number> {
    evicting ??= evictNow().finally(() => {
      evicting = null
    })
    return await evicting
  }

  return { use: path => mark(path, 1), release: path => mark(path, -1), schedule, evict }
}

type CachedFile = { readonly path: string; readonly bytes: number; readonly usedMs: number }

/** The lake files on this disk. `usedMs`: the newest of download and last read, as far as the file system records it. */
function cachedFiles(tables: string): CachedFile[] {
  const found: CachedFile[] = []
  for (const dataset of namesIn(tables))
    for (const bucket of namesIn(join(tables, dataset))) {
      if (bucket === '_delta_log') continue
      for (const name of namesIn(join(tables, dataset, bucket))) {
        const path = join(tables, dataset, bucket, name)
        const facts = statSync(path, { throwIfNoEntry: false })
        if (facts?.isFile()) found.push({ path, bytes: facts.size, usedMs: Math.max(facts.ctimeMs, facts.atimeMs) })
      }
    }
  return found
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return []
    throw error
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

// Verifies lake files by SHA-256 and proves, at every use, that the verified content was read. A use is: `open` (the content was hashed,
// and the file's identity has not changed since), the read, `confirm` (the identity still has not changed). docs/reliability.md, "Damaged
// lake files", describes what each level detects and what it costs.
import { createHash, subtle } from 'node:crypto'
import { type BigIntStats, createReadStream, statSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { Damaged, Upstream } from '#schemas/errors.ts'
import { fileSystemNow } from '../file-clock.ts'
import type { LakeFile } from './catalogue.ts'
import type { Remote } from './remote.ts'
import { turns } from './turns.ts'

export const lakeFolder = (data: string): string => join(data, 'lake')
/** The folder of all files of the lake: live, superseded and not yet committed. Each of its folders is a Delta table (publication/). */
export const tablesFolder = (data: string): string => join(lakeFolder(data), 'delta')
/** The folder of downloads in progress, on the file system of the lake. */
export const incomingFolder = (data: string): string => join(lakeFolder(data), 'incoming')
/** Path of a lake file, computed from the catalogue's row. It stays the same until the collector deletes the file. */
export const lakePath = (data: string, file: { readonly dataset: string; readonly bucket: string; readonly sha256: string }): string =>
  join(tablesFolder(data), file.dataset, file.bucket, `${file.sha256}.parquet`)

/** A file to verify: `dataset` is named in errors and in the status, `path` only inside this process. */
export type Expected = { readonly dataset: string; readonly sha256: string; readonly path: string }
/** A file whose content was hashed and found equal. Valid until `confirm` returns false. */
export type Verified = Expected & {
  readonly identity: BigIntStats
  /** False: the file changed so shortly before it was hashed that its timestamps cannot show another change. */
  readonly settled: boolean
  /** Milliseconds of this process (`performance.now`), independent of changes of the clock. */
  readonly hashedAt: number
}

export type Verifier = {
  /** Resolves when the content equals the SHA-256; throws `Damaged` if it does not, `Upstream` if it could not be read now. */
  open(file: LakeFile): Promise<Verified>
  openPath(file: Expected): Promise<Verified>
  /** The same as `open`, for callers that need only the path. */
  verify(file: LakeFile): Promise<string>
  /** True if the content cannot have been changed through the file system since `open` returned. Call it after the last read. */
  confirm(files: readonly Verified[]): Promise<boolean>
  /** Hashes the content again, independent of its identity, unless it was hashed within `maxAgeMs`. Throws as `open`. */
  recheck(file: Expected, maxAgeMs?: number): Promise<Verified>
  /** Hashes the content on this disk before anything reads it: again with `again`. Does nothing for a file that only the bucket has. */
  lookAhead(file: Expected, again?: boolean): Promise<void>
  expected(file: LakeFile): Expected
}

export type VerifierOptions = {
  /** Called once for each damaged file, and again only if it was whole in between. */
  readonly onDamage?: (file: Expected, reason: string) => void
  /** Hash again before a use if the last hash is older. Default: never, the identity decides; for processes that sign. */
  readonly maxAgeMs?: number
  /** The bucket that has the files; a file that is missing or damaged here is downloaded from it. Null: the files are here only. */
  readonly remote?: Remote | null
}

/** A query about a whole market opens a thousand files. */
const hashedAtOnce = 8
/** A failed file is hashed again after this time even if its identity is the same: a disk may have recovered. */
const failureMs = 5_000
/** Kernels stamp files with the time of their last tick, at most 10 ms old. */
const tickMs = 10
const settleMs = 5 * tickMs
/** How long a comparison of the two clocks is used, because a clock may be set while a service runs. */
const skewMs = 60_000
/** Errors of this process or moment, which are not about the file. */
const momentary = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR'])
export const isMomentary = (error: unknown): boolean => momentary.has(String((error as NodeJS.ErrnoException).code))

type State = { readonly result: Promise<Verified>; seen: BigIntStats | null; verified: Verified | null; failedAt: number | null }

const same = (a: BigIntStats | null, b: BigIntStats | null): boolean =>
  a === null || b === null ? a === b : a.ctimeNs === b.ctimeNs && a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev

/** Inode, size and times of a file; null if it cannot be reached. Synchronous: 3 µs, where the thread pool takes 60. */
function identityOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (isMomentary(error)) throw error
    return null
  }
}

/** Verifies the lake of a data folder. One verifier per process, so that each file is hashed once while it does not change. */
export function createVerifier(data: string, options: VerifierOptions = {}): Verifier {
  const { onDamage = () => {}, maxAgeMs = Number.POSITIVE_INFINITY, remote = null } = options
  const states = new Map<string, State>()
  const reported = new Set<string>()
  const inTurn = turns(hashedAtOnce)
  let compared: { readonly at: number; readonly skew: Promise<number> } | null = null

  /** The time that the file system would give to a change now, as a lower limit: its clock may differ from that of this process. */
  async function fileTimeNow(): Promise<number> {
    const at = performance.now()
    if (compared === null || at - compared.at > skewMs) compared = { at, skew: compareClocks(data) }
    const skew = await compared.skew
    return Date.now() + skew
  }

  /** The fault of the file on this disk; null if its content changed while it was hashed. */
  async function hashHere(file: Expected): Promise<Verified | Damaged | null> {
    const begun = await fileTimeNow()
    const hashedAt = performance.now()
    const identity = identityOf(file.path)
    if (identity === null) return damaged(file, 'one of its files is missing or cannot be reached')
    try {
      if (await leadsElsewhere(data, file.path)) return damaged(file, 'one of its files is a symbolic link to another folder')
      const found = await inTurn(() => sha256OfFile(file.path))
      if (!same(identity, identityOf(file.path))) return null
      if (found !== file.sha256) return damaged(file, 'the content of one of its files differs from its SHA-256')
    } catch (cause) {
      return unreadable(file, cause)
    }
    return { ...file, identity, settled: begun - Number(identity.ctimeMs) > settleMs, hashedAt }
  }

  async function hash(file: Expected): Promise<Verified> {
    const source = remote?.covers(file.path) ? remote : null
    // A cached file may be deleted after it was downloaded and before it is hashed.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const found = await hashHere(file)
      if (found === null) continue
      if (!(found instanceof Damaged)) {
        reported.delete(file.path)
        return found
      }
      if (source === null) throw found
      await source.fetch(file)
    }
    throw new Upstream(`dataset ${file.dataset}: one of its files is being changed`, { retryAfterSeconds: 5, hint: 'repeat the request' })
  }

  function usable(state: State, path: string, age: number): boolean {
    const { verified, failedAt } = state
    if (failedAt !== null) return performance.now() - failedAt < failureMs && same(identityOf(path), state.seen)
    if (verified === null) return true // it is being hashed now
    return verified.settled && performance.now() - verified.hashedAt <= age && same(identityOf(path), verified.identity)
  }

  function start(file: Expected): State {
    const state: State = { result: hash(file), seen: identityOf(file.path), verified: null, failedAt: null }
    states.set(file.path, state)
    state.result.then(
      verified => {
        state.verified = verified
      },
      (error: unknown) => {
        state.failedAt = performance.now()
        if (!(error instanceof Damaged) || reported.has(file.path)) return
        reported.add(file.path)
        onDamage(file, error.message)
      },
    )
    return state
  }

  const within = async (file: Expected, age: number): Promise<Verified> => {
    const known = states.get(file.path)
    return await (known && usable(known, file.path, age) ? known : start(file)).result
  }
  const expected = (file: LakeFile): Expected => ({ dataset: file.dataset, sha256: file.sha256, path: lakePath(data, file) })
  const unchanged = async (file: Verified): Promise<boolean> => {
    if (!same(file.identity, identityOf(file.path))) return false
    if (file.settled) return true
    const found = await sha256OfFile(file.path).catch((error: NodeJS.ErrnoException) => {
      // A cached file was deleted in this moment.
      if (error.code === 'ENOENT') return null
      throw error
    })
    return found === file.sha256
  }
  /** Until `confirm`, the file stays in the cache. */
  async function using(file: Expected, result: Promise<Verified>): Promise<Verified> {
    if (!remote?.covers(file.path)) return await result
    remote.use(file.path)
    try {
      return await result
    } catch (error) {
      remote.release(file.path)
      throw error
    }
  }
  const opened = (file: Expected): Promise<Verified> => using(file, within(file, maxAgeMs))

  return {
    expected,
    open: file => opened(expected(file)),
    openPath: opened,
    verify: async file => (await opened(expected(file))).path,
    async confirm(files) {
      for (const file of files) if (remote?.covers(file.path)) remote.release(file.path)
      for (const file of files) if (!(await unchanged(file))) return false
      return true
    },
    recheck: (file, age = 0) => using(file, age > 0 ? within(file, age) : start(file).result),
    async lookAhead(file, again = false) {
      if (remote?.covers(file.path) && identityOf(file.path) === null) return
      await (again ? start(file).result : within(file, maxAgeMs))
    },
  }
}

/**
 * Milliseconds by which the file system's clock is ahead of this process's. A process that may not write to the folder (an API with a
 * read-only mount) can only use its own clock: 0.
 */
async function compareClocks(data: string): Promise<number> {
  try {
    const before = Date.now()
    const dated = await fileSystemNow(data)
    const after = Date.now()
    const agree = dated >= before - tickMs && dated <= after && after - before <= tickMs
    return agree ? 0 : dated - after
  } catch {
    return 0
  }
}

/**
 * True if a symbolic link leads from the path out of its folder of the data folder (lake/, models/). DuckDB refuses to open such a file;
 * the folder itself may be a link.
 */
export async function leadsElsewhere(data: string, path: string): Promise<boolean> {
  const [folder = ''] = relative(data, path).split(sep)
  return !(await realpath(path)).startsWith((await realpath(join(data, folder))) + sep)
}

const damaged = (file: Expected, what: string): Damaged => new Damaged(file.dataset, what)

/** The damage that an error of a read shows. Throws `Upstream` for an error of this process or moment. */
function unreadable(file: Expected, cause: unknown): Damaged {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
  if (momentary.has(code))
    throw new Upstream(`dataset ${file.dataset}: one of its files could not be read now (${code})`, { cause, retryAfterSeconds: 5 })
  return new Damaged(file.dataset, `one of its files cannot be read (${code})`, { cause })
}

/** Larger files are hashed in parts, so that they need not fit into memory. */
const wholeBytes = 16 * 1024 * 1024

/** The thread pool hashes a file of ordinary size, so that the event loop continues. */
export async function sha256OfFile(path: string): Promise<string> {
  if ((await stat(path)).size <= wholeBytes) return Buffer.from(await subtle.digest('SHA-256', await readFile(path))).toString('hex')
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

// Opens the files of a release: each verified by its SHA-256 before its first use in this process, then read by explicit path.
import { createHash, subtle } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { queryRows } from '../duckdb.ts'
import { type Catalogue, type LakeFile, versionAt } from './catalogue.ts'
import { type ConnectionPool, type Lake, lakeOver } from './lake.ts'
import { columnList, fileRelation, type Range } from './relation.ts'
import { type Since, tailsOf } from './tails.ts'

export const lakeFolder = (data: string): string => join(data, 'lake')
/** Where a file of the lake lies; computed, never looked up. */
export const lakePath = (data: string, file: { readonly dataset: string; readonly bucket: string; readonly sha256: string }): string =>
  join(lakeFolder(data), file.dataset, file.bucket, `${file.sha256}.parquet`)

export type Verifier = {
  /** Resolves once the file's bytes were found to have its SHA-256; throws `Broken` naming the file otherwise. */
  verify(file: LakeFile): Promise<string>
  /** The file was hashed while it was sealed in this process. */
  trust(sha256: string): void
}

const hashedAtOnce = 8

/** Hashes each file once per process. A file that fails stays failed until the process ends or its catalogue row goes. */
export function createVerifier(data: string, onDamage: (file: LakeFile, reason: string) => void = () => {}): Verifier {
  const verified = new Map<string, Promise<void>>()
  const waiting: (() => void)[] = []
  let hashing = 0
  /** A question about a whole market asks for a thousand files at once, and each is read whole to be hashed. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (hashing >= hashedAtOnce) await new Promise<void>(resolve => waiting.push(resolve))
    else hashing += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else hashing -= 1
    }
  }
  async function check(file: LakeFile, path: string): Promise<void> {
    try {
      const found = await inTurn(() => sha256OfFile(path))
      if (found !== file.sha256)
        throw new Broken(`lake file ${file.dataset}/${file.bucket}/${file.sha256}.parquet: its SHA-256 is ${found}; the file was damaged`)
    } catch (cause) {
      const error =
        cause instanceof Broken ? cause : new Broken(`lake file ${file.dataset}/${file.bucket}/${file.sha256}.parquet cannot be read`, { cause })
      onDamage(file, error.message)
      throw error
    }
  }
  return {
    async verify(file) {
      const path = lakePath(data, file)
      let pending = verified.get(file.sha256)
      if (!pending) {
        pending = check(file, path)
        verified.set(file.sha256, pending)
        pending.catch(() => verified.delete(file.sha256))
      }
      await pending
      return path
    },
    trust: sha256 => void verified.set(sha256, Promise.resolve()),
  }
}

/** Above it a file is hashed piece by piece, so that it need not fit into memory. */
const wholeBytes = 16 * 1024 * 1024

/** A file of ordinary size is hashed by the thread pool, so that the event loop goes on. */
export async function sha256OfFile(path: string): Promise<string> {
  if ((await stat(path)).size <= wholeBytes) return Buffer.from(await subtle.digest('SHA-256', await readFile(path))).toString('hex')
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/**
 * Verifies a catalogue's files ahead of their first use, the newest first, with pauses twice as long as the work, until
 * `signal`: a market of a thousand files is through in some seconds, and nobody waits for a hash. Damage is told by the
 * verifier, and again to whoever needs the file.
 */
export async function verifyAhead(catalogue: Catalogue, verifier: Verifier, signal: AbortSignal): Promise<void> {
  const files = [...catalogue.files.values()].flat().sort((a, b) => (b.fresh_release ?? 0) - (a.fresh_release ?? 0))
  for (const file of files) {
    const begun = performance.now()
    await verifier.verify(file).catch(() => undefined)
    const taken = performance.now() - begun
    if (signal.aborted) return
    // What was verified before takes no time and needs no pause.
    if (taken > 0.2) await new Promise(resolve => setTimeout(resolve, 2 * taken))
  }
}

/** The files of a dataset that can hold rows of the range. */
export function filesFor(files: readonly LakeFile[], range: Range): readonly LakeFile[] {
  if (range === 'all') return files
  return files.filter(file => range.some(key => file.key_min <= key && key <= file.key_max))
}

/** Keys of files that were asked for, by the file's SHA-256: a file never changes, so neither does its list. */
const keyLists = new Map<string, Promise<ReadonlySet<string>>>()
const mostKeyLists = 1_000

/** The values of a file's first order column, read once. */
async function keysOf(file: LakeFile, connections: ConnectionPool, verifier: Verifier): Promise<ReadonlySet<string>> {
  let keys = keyLists.get(file.sha256)
  if (!keys) {
    keys = verifier.verify(file).then(async path => {
      const [column] = datasetOf(file.dataset as DatasetName).order
      const rows = await connections.use(connection =>
        queryRows<{ key: string }>(connection, `select distinct "${column}"::varchar as key from read_parquet([$path])`, { path }),
      )
      return new Set(rows.map(row => row.key))
    })
    if (keyLists.size >= mostKeyLists) keyLists.clear()
    keyLists.set(file.sha256, keys)
    keys.catch(() => keyLists.delete(file.sha256))
  }
  return await keys
}

/** Up to so many keys a file's row groups are passed over by their names; more are as good as all. */
const manyKeys = 64

/** A lake at `release` (default: the catalogue's) over the catalogue's files. */
export function openLake(
  catalogue: Catalogue,
  connections: ConnectionPool,
  verifier: Verifier,
  release = catalogue.release,
  timeoutMs?: number,
): Lake {
  // A fresh file is of one release: those of later ones are not even opened.
  const filesOf = (name: DatasetName, range: Range, since?: Since): readonly LakeFile[] =>
    filesFor(catalogue.files.get(name) ?? [], range)
      .filter(file => file.fresh_release === null || file.fresh_release <= release)
      .filter(file => since === undefined || (file.time_max ?? '9999') >= since.time)
  return lakeOver(
    release,
    connections,
    async (name, range, since) => {
      const dataset = datasetOf(name)
      // Versions of one key are of one time only where the time is a part of the key.
      const pruned = since !== undefined && dataset.key.includes(dataset.time) ? since : undefined
      const files = filesOf(name, range, pruned)
      const settled = files.every(file => file.release_max <= release)
      const open = await Promise.all(files.map(async file => ({ path: await verifier.verify(file), file, fresh_release: file.fresh_release })))
      const merged = open.filter(each => each.fresh_release === null)
      const tail = pruned && (range === 'all' || range.length > manyKeys) ? await tailsOf(connections).relation(dataset, merged, pruned) : null
      if (!tail) return { ...fileRelation(dataset, open), settled }
      const fresh = fileRelation(
        dataset,
        open.filter(each => each.fresh_release !== null),
      )
      const columns = columnList(dataset)
      return {
        sql: `(select ${columns} from ${fresh.sql} union all select ${columns} from ${tail.sql})`,
        parameters: { ...fresh.parameters, ...tail.parameters },
        settled,
      }
    },
    {
      versionOf: datasets => versionAt(catalogue, datasets, release),
      holds: async (name, keys) => {
        const found = await Promise.all(filesOf(name, keys).map(file => keysOf(file, connections, verifier)))
        return found.some(held => keys.some(key => held.has(key)))
      },
    },
    timeoutMs,
  )
}

// Opens the files of a release: each is verified before and after every read (verifier.ts), then read by explicit path.
import { cacheLimits } from '#schemas/cache-limits.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { queryRows } from '../duckdb.ts'
import { type Catalogue, type LakeFile, versionAt } from './catalogue.ts'
import type { ConnectionPool } from './connections.ts'
import { copiedRelation, type FindCopies } from './copies.ts'
import { mayHaveKeys } from './key-order.ts'
import { type Lake, lakeOver } from './lake.ts'
import { proofOf, proven } from './proof.ts'
import { columnList, fileRelation, type Range } from './relation.ts'
import { type Since, tailsOf } from './tails.ts'
import type { Expected, Verifier } from './verifier.ts'

export { createVerifier, incomingFolder, lakeFolder, lakePath, leadsElsewhere, sha256OfFile, tablesFolder, type Verifier } from './verifier.ts'

/**
 * Verifies the files of a catalogue and then their copies ahead of their first use, the newest first, with pauses twice as long as the
 * work, until `signal`. Files that only a bucket has are not downloaded. A market of a thousand files takes some seconds, and no request
 * waits for these hashes. The verifier reports damage, and again when a file is used.
 */
export async function verifyAhead(
  catalogue: Catalogue,
  verifier: Verifier,
  signal: AbortSignal,
  copies: Promise<readonly Expected[]>,
): Promise<void> {
  const files = [...catalogue.files.values()].flat().sort((a, b) => (b.fresh_release ?? 0) - (a.fresh_release ?? 0))
  for (const file of [...files.map(each => verifier.expected(each)), ...(await copies)]) {
    const begun = performance.now()
    await verifier.lookAhead(file).catch(() => undefined) // reported by the verifier's onDamage
    const taken = performance.now() - begun
    if (signal.aborted) return
    // A file that was verified before takes no time and needs no pause.
    if (taken > 0.2) await new Promise(resolve => setTimeout(resolve, 2 * taken))
  }
}

/** The files of a dataset that may have rows of the range. */
export function filesFor(files: readonly LakeFile[], range: Range): readonly LakeFile[] {
  if (range === 'all') return files
  const filters = range.map(key => mayHaveKeys(key, key))
  return files.filter(file => filters.some(mayHave => mayHave(file)))
}

/** Keys of files that were queried, by SHA-256: a file does not change, so neither does its list. */
const keyLists = new Map<string, Promise<ReadonlySet<string>>>()

/** The values of a file's first order column, read once. */
async function keysOf(file: LakeFile, connections: ConnectionPool, verifier: Verifier): Promise<ReadonlySet<string>> {
  let keys = keyLists.get(file.sha256)
  if (!keys) {
    const [column] = datasetOf(file.dataset as DatasetName).order
    keys = proven(
      async () => {
        const verified = await verifier.open(file)
        return { path: verified.path, proof: proofOf(verifier, [verified]) }
      },
      async ({ path }) => {
        const rows = await connections.use(connection =>
          queryRows<{ key: string }>(
            connection,
            `select distinct "${column}"::varchar as key from read_parquet([$path], hive_partitioning = false)`,
            { path },
          ),
        )
        return new Set(rows.map(row => row.key))
      },
    )
    if (keyLists.size >= cacheLimits.fileKeys) keyLists.clear()
    keyLists.set(file.sha256, keys)
    keys.catch(() => keyLists.delete(file.sha256))
  }
  return await keys
}

/** Up to this number of keys, row groups of a file are skipped by key; with more keys, nearly all groups are needed. */
const manyKeys = 64

/** A lake at `release` (default: the catalogue's) over the catalogue's files, and over their copies if `findCopies` is given. */
export function openLake(
  catalogue: Catalogue,
  connections: ConnectionPool,
  verifier: Verifier,
  release = catalogue.release,
  timeoutMs?: number,
  findCopies: FindCopies = async () => new Map(),
): Lake {
  // A fresh file belongs to one release: files of later releases are not opened.
  const filesOf = (name: DatasetName, range: Range, since?: Since): readonly LakeFile[] =>
    filesFor(catalogue.files.get(name) ?? [], range)
      .filter(file => file.fresh_release === null || file.fresh_release <= release)
      .filter(file => since === undefined || (file.time_max ?? '9999') >= since.time)
  return lakeOver(
    release,
    connections,
    async (name, range, since, copy) => {
      const dataset = datasetOf(name)
      // All versions of a key have the same time only if the time is part of the key.
      const pruned = since !== undefined && dataset.key.includes(dataset.time) ? since : undefined
      const files = filesOf(name, range, pruned)
      const settled = files.every(file => file.release_max <= release)
      if (copy) return { ...(await copiedRelation(dataset, copy, files, verifier, findCopies)), settled }
      const verified = await Promise.all(files.map(file => verifier.open(file)))
      const proof = proofOf(verifier, verified)
      const open = files.map((file, at) => ({ path: verified[at]?.path as string, file, fresh_release: file.fresh_release, lacks: file.lacks }))
      const merged = open.filter(each => each.fresh_release === null)
      const tail = pruned && (range === 'all' || range.length > manyKeys) ? await tailsOf(connections).relation(dataset, merged, pruned, proof) : null
      if (!tail) return { ...fileRelation(dataset, open), settled, proof }
      const fresh = fileRelation(
        dataset,
        open.filter(each => each.fresh_release !== null),
      )
      const columns = columnList(dataset)
      return {
        sql: `(select ${columns} from ${fresh.sql} union all select ${columns} from ${tail.sql})`,
        parameters: { ...fresh.parameters, ...tail.parameters },
        settled,
        proof,
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

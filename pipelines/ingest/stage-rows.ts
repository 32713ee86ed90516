// Converts rows to files: spooled as NDJSON, staged and checked, one file per dataset, with the release that the commit will probably get.
// A commit that gets another one copies the files with it. Both give the same bytes.
import { randomBytes } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Broken, StoreUnavailable } from '#schemas/errors.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { Unsealed } from '#warehouse/store/lake/commit.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import { readJsonSql, type Spooled } from '#warehouse/store/lake/json-lines.ts'
import { type PackedRows, readPackedSql, spoolPacked } from '#warehouse/store/lake/packed-rows.ts'
import type { Relation } from '#warehouse/store/lake/relation.ts'
import { type Sealed, seal } from '#warehouse/store/lake/seal.ts'
import { type Staged, spoolRows, stage, stageReleased, versionKey, withRelease } from '#warehouse/store/lake/stage.ts'
import type { PackedByDataset, RowsByDataset } from './types.ts'

/** Rows as files; `sha256` identifies the rows, whatever release they get. */
export type StagedRows = Unsealed & {
  readonly content: readonly { readonly dataset: string; readonly sha256: string }[]
  /** Deletes the staged files. */
  discard(): Promise<void>
}

/** A file of more rows is staged while no other is, because sorting them needs much memory: 100,000 of 13F up to 250 MB. */
const rowsTogether = 100_000

/** The rows of a file: objects, or those of documents that are text already. */
type RowList = { readonly name: DatasetName; readonly count: number } & (
  | { readonly rows: readonly object[] }
  | { readonly packed: readonly PackedRows[] }
)
type Hashed = { readonly staged: Staged; readonly sha256: string }

/** `expected`: the release that the rows get unless another commit comes first. `packed`: datasets that `rows` does not have. */
export async function stageRows(writer: LakeWriter, rows: RowsByDataset, expected: number, packed: PackedByDataset = new Map()): Promise<StagedRows> {
  const lists = [
    ...[...rows].map(([name, list]): RowList => ({ name, count: list.length, rows: list })),
    ...[...packed].map(([name, list]): RowList => ({ name, count: list.reduce((sum, each) => sum + each.rows, 0), packed: list })),
  ]
    .filter(({ count }) => count > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const files: Hashed[] = []
  const discard = async (): Promise<void> => {
    for (const { staged } of files) await remove(staged.path)
  }
  const atOnce = writer.stagesAtOnce ?? 1
  const small = ({ count }: RowList): boolean => count <= rowsTogether
  const byName = await inTurns(lists, small, atOnce, async list => {
    const file = await stageList(writer, list, expected)
    // Also known if the file of another dataset fails.
    files.push(file)
    return file
  }).catch(async (error: unknown) => {
    await discard()
    throw error
  })
  return {
    length: byName.length,
    content: byName.map(({ staged, sha256 }) => ({ dataset: staged.dataset.name, sha256 })),
    discard,
    ready: async () => await refuseWhileAway(writer),
    seal: async release =>
      await inTurns(
        byName,
        ({ staged }) => staged.rows <= rowsTogether,
        atOnce,
        async ({ staged }) => await sealReleased(writer, staged, release),
      ),
  }
}

/** Throws `Upstream` that names the bucket of the lake while it does not answer or refuses. */
async function refuseWhileAway({ remote }: LakeWriter): Promise<void> {
  const fault = (await remote?.availability.check()) ?? null
  if (fault === null) return
  throw new StoreUnavailable(`nothing is committed while the bucket of the lake is away: ${fault}`, {
    hint: 'check CROSSFILE_S3_ENDPOINT and that the store runs; jobs are repeated',
    retryAfterSeconds: 10,
  })
}

async function stageList(writer: LakeWriter, list: RowList, release: number): Promise<Hashed> {
  const { name } = list
  const dataset = datasetOf(name)
  const id = randomBytes(8).toString('hex')
  const spools: string[] = []
  const parquet = join(writer.stageFolder, `${name}-${id}.parquet`)
  try {
    const { rows, sha256, source: spooled } = await spoolList(list, number => join(writer.stageFolder, `${name}-${id}-${number}.ndjson`), spools)
    writer.crashPoint?.('spooled')
    const source = withRelease(spooled, release)
    const staged = await writer.connections.use(connection => stage(connection, dataset, source, parquet, versionKey(dataset)))
    if (staged.rows !== rows) throw new Broken(`${name}: ${staged.rows} rows were staged of ${rows}`)
    writer.crashPoint?.('staged')
    return { staged, sha256 }
  } catch (error) {
    await remove(parquet)
    throw error
  } finally {
    for (const spool of spools) await remove(spool)
  }
}

type SpooledList = Pick<Spooled, 'rows' | 'sha256'> & { readonly source: Relation }
/** Writes a list into files, whose paths are added to `files`. */
async function spoolList(list: RowList, pathOf: (file: number) => string, files: string[]): Promise<SpooledList> {
  const dataset = datasetOf(list.name)
  if ('packed' in list) {
    const { longest, ...spooled } = await spoolPacked(list.packed, pathOf, files)
    return { ...spooled, source: readPackedSql(dataset, files, longest) }
  }
  const path = pathOf(0)
  files.push(path)
  const { longest, ...spooled } = await spoolRows(list.rows, path)
  return { ...spooled, source: readJsonSql(dataset, path, longest) }
}

/**
 * The results of `work` in the order of `items`. At most `limit` of those that are `together` are under way at the same time, then the others
 * one by one. After a failure nothing more begins, and its error is thrown when everything that was under way has ended.
 */
async function inTurns<Item, Result>(
  items: readonly Item[],
  together: (item: Item) => boolean,
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const workThrough = async (places: number[]): Promise<void> => {
    for (let at = places.shift(); at !== undefined && failures.length === 0; at = places.shift()) {
      try {
        results[at] = await work(items[at] as Item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  const placesOf = (wanted: boolean): number[] => items.flatMap((item, at) => (together(item) === wanted ? [at] : []))
  const shared = placesOf(true)
  await Promise.all(Array.from({ length: limit }, () => workThrough(shared)))
  await workThrough(placesOf(false))
  if (failures.length > 0) throw failures[0]
  return results
}

async function sealReleased(writer: LakeWriter, staged: Staged, release: number): Promise<Sealed> {
  if (staged.release_max === release) return await seal(writer, staged, 'new')
  const path = staged.path.replace(/\.parquet$/, `-${release}.parquet`)
  try {
    const released = await writer.connections.use(connection => stageReleased(connection, staged, release, path))
    return await seal(writer, released, 'new')
  } finally {
    await remove(path)
  }
}

/** The remains of a failed attempt would keep a full disk full. */
async function remove(path: string): Promise<void> {
  await unlink(path).catch(error => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  })
}

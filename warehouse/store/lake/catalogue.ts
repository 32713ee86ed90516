// The catalogue for a reader: the live files of every dataset and the releases that changed it, at one moment.
import { hash } from 'node:crypto'
import { isCorrectable } from '#schemas/corrections.ts'
import type { Db } from '../postgres.ts'

export type LakeFile = {
  readonly dataset: string
  readonly bucket: string
  readonly sha256: string
  readonly bytes: number
  readonly rows: number
  readonly tier: number
  readonly key_min: string
  readonly key_max: string
  readonly time_min: string | null
  readonly time_max: string | null
  /** The release of all its rows; null if it was merged from files of several. */
  readonly fresh_release: number | null
  /** The oldest release in its rows; null: not known, or the rows do not contain it. */
  readonly release_min: number | null
  readonly release_max: number
  /** Columns of the dataset that the file does not have; readers fill them in. */
  readonly lacks: readonly string[]
  /** False for a commit's file from before rows contained their release: readers take it from `fresh_release`. */
  readonly release_in_rows?: boolean
}

type Described = 'sha256' | 'bytes' | 'rows' | 'key_min' | 'key_max' | 'time_min' | 'time_max' | 'fresh_release'
/** What manifests and the list of files state about a file. */
export const describeFile = (file: Pick<LakeFile, Described>) => ({
  sha256: file.sha256,
  bytes: file.bytes,
  rows: file.rows,
  key_min: file.key_min,
  key_max: file.key_max,
  time_min: file.time_min,
  time_max: file.time_max,
  release_from: file.fresh_release,
})

export type DatasetRelease = { readonly release: number; readonly committed_at: string }

export type Catalogue = {
  readonly release: number
  readonly version: number
  readonly files: ReadonlyMap<string, readonly LakeFile[]>
  /** Per dataset, ascending: the releases that changed it. */
  readonly releases: ReadonlyMap<string, readonly DatasetRelease[]>
}

export const emptyCatalogue: Catalogue = { release: 0, version: 0, files: new Map(), releases: new Map() }

/** Reads the catalogue in one snapshot; `db` may be a transaction. */
export async function loadCatalogue(db: Db): Promise<Catalogue> {
  const read = async (trx: Db): Promise<Catalogue> => {
    const head = await trx.selectFrom('head').select(['release', 'catalogue_version']).executeTakeFirstOrThrow()
    const files = await trx
      .selectFrom('lake_file')
      .select([
        'dataset',
        'bucket',
        'sha256',
        'bytes',
        'rows',
        'tier',
        'key_min',
        'key_max',
        'time_min',
        'time_max',
        'fresh_release',
        'release_min',
        'release_max',
        'lacks',
        'release_in_rows',
      ])
      .where('removed_version', 'is', null)
      .orderBy('file_id')
      .execute()
    const releases = await trx
      .selectFrom('dataset_release as d')
      .innerJoin('release as r', 'r.release', 'd.release')
      .select(['d.dataset', 'd.release', 'r.committed_at'])
      .orderBy('d.release')
      .execute()
    return {
      release: head.release,
      version: head.catalogue_version,
      files: Map.groupBy(files, file => file.dataset),
      releases: Map.groupBy(releases, release => release.dataset),
    }
  }
  if (db.isTransaction) return await read(db)
  return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

/** With the corrections of their rows, which are part of what the datasets state. */
const withCorrections = (datasets: readonly string[]): readonly string[] =>
  datasets.some(isCorrectable) ? [...datasets, 'filing_corrections'] : datasets

/** The newest release at or before `release` that changed one of `datasets` or corrected a row of them; release 0 if none did. */
export function versionAt(catalogue: Catalogue, datasets: readonly string[], release: number): DatasetRelease {
  let newest: DatasetRelease = { release: 0, committed_at: '1970-01-01T00:00:00Z' }
  for (const dataset of withCorrections(datasets)) {
    const list = catalogue.releases.get(dataset) ?? []
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((list[middle] as DatasetRelease).release <= release) low = middle + 1
      else high = middle
    }
    const found = list[low - 1]
    if (found && found.release > newest.release) newest = { release: found.release, committed_at: found.committed_at }
  }
  return newest
}

const names = new WeakMap<Catalogue, Map<string, string>>()

/**
 * A name of the files of `datasets` in a catalogue: a SHA-256 over their hashes, in base64url. They hold every row of each release up to
 * that of the catalogue, so that the same name and release are the same rows. A merge of files changes the name.
 */
export function filesName(catalogue: Catalogue, datasets: readonly string[]): string {
  const held = names.get(catalogue) ?? new Map<string, string>()
  names.set(catalogue, held)
  const key = datasets.join(' ')
  const known = held.get(key)
  if (known !== undefined) return known
  const files = withCorrections(datasets).flatMap(dataset =>
    (catalogue.files.get(dataset) ?? []).map(({ sha256, fresh_release }) => `${dataset} ${sha256} ${fresh_release ?? '-'}`),
  )
  const name = hash('sha256', files.sort().join('\n'), 'base64url')
  held.set(key, name)
  return name
}

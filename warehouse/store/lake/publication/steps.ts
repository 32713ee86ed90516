// Which versions of a Delta log, and which manifests, follow from the file lists of the catalogue. Pure functions.
import { join } from 'node:path'
import { describeFile } from '../catalogue.ts'
import { lakeFolder } from '../verifier.ts'
import type { TableFile } from './delta.ts'

/** Releases whose single steps are looked up; a publication that is further behind has one step for them. */
export const steppedReleases = 300

/** The folder of the manifests, and the name of one, below the folder `lake`. */
export const manifestsName = 'manifests'
export const manifestName = (release: number): string => `${manifestsName}/${release}.json`
/** The file of the manifest of a release. */
export const manifestPath = (data: string, release: number): string => join(lakeFolder(data), manifestName(release))

export type ListedFile = TableFile & {
  readonly dataset: string
  readonly fresh_release: number | null
  readonly added_version: number
  readonly removed_version: number | null
}

/** Rows of a dataset that were committed up to a release. */
export type RowsUpTo = (dataset: string, release: number) => number

const isLiveAt = (file: ListedFile, version: number): boolean =>
  file.added_version <= version && (file.removed_version === null || file.removed_version > version)

export const filesAt = (files: readonly ListedFile[], version: number): ListedFile[] => files.filter(file => isLiveAt(file, version))

const newestRelease = (files: readonly ListedFile[]): number => files.reduce((newest, file) => Math.max(newest, file.release_max), 0)
export const rowsOf = (files: readonly ListedFile[]): number => files.reduce((sum, file) => sum + file.rows, 0)

/**
 * True if the files are all files of their time. A file that was merged away is forgotten a day later; the lists of that time then lack
 * its rows.
 */
const isComplete = (dataset: string, files: readonly ListedFile[], rowsUpTo: RowsUpTo): boolean =>
  rowsOf(files) === rowsUpTo(dataset, newestRelease(files))

export type Change = {
  readonly catalogue_version: number
  readonly release: number
  readonly files: readonly ListedFile[]
  readonly added: readonly ListedFile[]
  readonly removed: readonly ListedFile[]
}

/**
 * The changes of a dataset's files after catalogue version `since`, oldest first. Changes whose files are no longer all known are part of
 * the next one.
 */
export function changesSince(dataset: string, files: readonly ListedFile[], since: number, rowsUpTo: RowsUpTo): Change[] {
  const versions = [...new Set(files.flatMap(file => [file.added_version, file.removed_version ?? 0]))]
    .filter(version => version > since)
    .sort((a, b) => a - b)
  const changes: Change[] = []
  let before = filesAt(files, since)
  for (const [at, version] of versions.entries()) {
    const now = filesAt(files, version)
    if (at < versions.length - 1 && !isComplete(dataset, now, rowsUpTo)) continue
    const known = new Set(before.map(file => file.sha256))
    const kept = new Set(now.map(file => file.sha256))
    changes.push({
      catalogue_version: version,
      release: newestRelease(now),
      files: now,
      added: now.filter(file => !known.has(file.sha256)),
      removed: before.filter(file => !kept.has(file.sha256)),
    })
    before = now
  }
  return changes
}

export type ManifestInputs = {
  readonly release: number
  readonly parent: number
  readonly committed_at: string
  /** Datasets that the release changed, and for all others with rows the release that changed them last. */
  readonly changed: readonly string[]
  readonly unchanged: ReadonlyMap<string, number>
}

/** The text of `manifests/<release>.json`; null if a file of that time is no longer known. */
export function manifestText(inputs: ManifestInputs, files: ReadonlyMap<string, readonly ListedFile[]>, rowsUpTo: RowsUpTo): string | null {
  const own = [...files.values()].flat().filter(file => file.fresh_release === inputs.release)
  if (own.length === 0) return null
  const version = Math.min(...own.map(file => file.added_version))
  const datasets: object[] = []
  for (const dataset of inputs.changed) {
    const live = filesAt(files.get(dataset) ?? [], version)
    if (!isComplete(dataset, live, rowsUpTo) || newestRelease(live) !== inputs.release) return null
    datasets.push({ dataset, rows: rowsOf(live), files: live.map(manifestFile).sort((a, b) => (a.path < b.path ? -1 : 1)) })
  }
  const unchanged = [...inputs.unchanged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([dataset, manifest]) => ({ dataset, manifest }))
  const { release, parent, committed_at } = inputs
  return `${JSON.stringify({ format: 'crossfile-manifest/1', release, parent, committed_at, datasets, unchanged })}\n`
}

const manifestFile = (file: ListedFile) => ({
  path: `${file.dataset}/${file.bucket}/${file.sha256}.parquet`,
  ...describeFile(file),
  release_max: file.release_max,
})

// Files of a Delta log: versions, checkpoints, and what is kept of them.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { runSql } from '../../duckdb.ts'
import type { LakeWriter } from '../compact.ts'
import { tablesFolder } from '../verifier.ts'
import { checkpointActions, checkpointColumns, type TableFile } from './delta.ts'

/** A reader opens the newest checkpoint and at most so many versions after it. */
export const checkpointEvery = 10
/** Versions behind the newest whose log is kept, from the checkpoint in front of them. */
export const keptVersions = 200

export const logFolder = (data: string, dataset: string): string => join(tablesFolder(data), dataset, '_delta_log')
export const versionName = (version: number): string => `${String(version).padStart(20, '0')}.json`
const checkpointName = (version: number): string => `${String(version).padStart(20, '0')}.checkpoint.parquet`
const lastCheckpoint = '_last_checkpoint'

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Replaces a file; readers see the old content or the new. Not synced: what a power cut loses, the start of the worker writes again. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeFile(temporary, text)
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
}

export async function writeVersion(data: string, dataset: string, version: number, text: string): Promise<void> {
  await mkdir(logFolder(data, dataset), { recursive: true })
  await replaceFile(join(logFolder(data, dataset), versionName(version)), text)
}

/** Writes the checkpoint of a version, then the file that names the newest one. */
export async function writeCheckpoint(
  writer: LakeWriter,
  dataset: DatasetDefinition,
  version: number,
  files: readonly TableFile[],
  timestamp: number,
): Promise<void> {
  const folder = logFolder(writer.data, dataset.name)
  await mkdir(folder, { recursive: true })
  const id = randomBytes(6).toString('hex')
  const lines = join(writer.stageFolder, `checkpoint-${id}.ndjson`)
  const staged = join(writer.stageFolder, `checkpoint-${id}.parquet`)
  const actions = checkpointActions(dataset, files, timestamp)
  try {
    await writeFile(lines, actions.map(action => `${JSON.stringify(action)}\n`).join(''))
    const columns = Object.entries(checkpointColumns).map(([name, type]) => `"${name}": '${type}'`)
    await writer.connections.use(connection =>
      runSql(
        connection,
        `copy (select * from read_json($lines, format = 'newline_delimited', columns = {${columns.join(', ')}}, maximum_object_size = 67108864)) to '${staged.replaceAll("'", "''")}' (format parquet, compression zstd)`,
        { lines },
      ),
    )
    await rename(staged, join(folder, checkpointName(version)))
    await replaceFile(join(folder, lastCheckpoint), JSON.stringify({ version, size: actions.length }))
  } finally {
    await rm(lines, { force: true })
    await rm(staged, { force: true })
  }
}

/** The checkpoint from which the log of `newest` is kept; `first` is the version of the oldest one. */
export const keptFrom = (newest: number, first: number): number =>
  Math.max(first, Math.floor(Math.max(0, newest - keptVersions) / checkpointEvery) * checkpointEvery)

/** Deletes versions and checkpoints before `from` and after `newest`, and what killed processes left. */
export async function trimLog(data: string, dataset: string, from: number, newest: number): Promise<void> {
  const folder = logFolder(data, dataset)
  for (const name of await readdir(folder)) {
    const version = /^(\d{20})\.(?:json|checkpoint\.parquet)$/.exec(name)?.[1]
    const isExcess = version === undefined ? name.endsWith('.tmp') : Number(version) < from || Number(version) > newest
    if (isExcess) await rm(join(folder, name), { force: true })
  }
}

/** Deletes the log of a dataset. */
export async function removeLog(data: string, dataset: string): Promise<void> {
  await rm(logFolder(data, dataset), { recursive: true, force: true })
}

/** True if each version from `from` on is in the folder with the content that was written, and the newest checkpoint before it too. */
export async function isWhole(
  data: string,
  dataset: string,
  versions: readonly { readonly version: number; readonly log_sha256: string }[],
  from: number,
): Promise<boolean> {
  const folder = logFolder(data, dataset)
  const names = new Set(await readdir(folder).catch(() => [] as string[]))
  const newest = versions.at(-1)?.version ?? 0
  const excess = [...names].some(name => /^\d{20}\.json$/.test(name) && Number(name.slice(0, 20)) > newest)
  if (excess || !names.has(checkpointName(from))) return false
  for (const { version, log_sha256 } of versions) {
    if (version < from) continue
    if (version % checkpointEvery === 0 && !names.has(checkpointName(version))) return false
    const text = await readFile(join(folder, versionName(version)), 'utf8').catch(() => null)
    if (text === null || sha256OfText(text) !== log_sha256) return false
  }
  const named = await readFile(join(folder, lastCheckpoint), 'utf8').catch(() => '')
  const checkpoint = Math.max(from, Math.floor(newest / checkpointEvery) * checkpointEvery)
  return named.startsWith(`{"version":${checkpoint},`)
}

// Files of a Delta log: versions, checkpoints, and what is kept of them.
import { createHash, randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runSql } from '../../duckdb.ts'
import type { LakeWriter } from '../compact.ts'
import { jsonSql } from '../json-lines.ts'
import { sha256OfFile, tablesFolder } from '../verifier.ts'
import { checkpointActions, checkpointColumns, type Table, type TableFile } from './delta.ts'
import { type LogStore, logStoreOf } from './log-store.ts'

/** A reader opens the newest checkpoint and at most so many versions after it. */
export const checkpointEvery = 10
/** Versions behind the newest whose log is kept, from the checkpoint in front of them. */
export const keptVersions = 200

export const logFolder = (data: string, dataset: string): string => join(tablesFolder(data), dataset, '_delta_log')
export const versionName = (version: number): string => `${String(version).padStart(20, '0')}.json`
const checkpointName = (version: number): string => `${String(version).padStart(20, '0')}.checkpoint.parquet`
const lastCheckpoint = '_last_checkpoint'
/** In the file that names the newest checkpoint: its SHA-256, under the field that Delta has for what a writer adds. */
const sha256Tag = 'crossfile.sha256'
const readAtOnce = 16

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The name of that folder in a store. */
const logName = (dataset: string): string => `delta/${dataset}/_delta_log`

export async function writeVersion(store: LogStore, dataset: string, version: number, text: string): Promise<void> {
  await store.writeOnce(`${logName(dataset)}/${versionName(version)}`, text)
}

/** Whether the log has a version. */
export async function hasVersion(store: LogStore, dataset: string, version: number): Promise<boolean> {
  return await store.has(`${logName(dataset)}/${versionName(version)}`)
}

/** Writes the checkpoint of a version, then the file that names the newest one. */
export async function writeCheckpoint(
  writer: LakeWriter,
  table: Table,
  version: number,
  files: readonly TableFile[],
  timestamp: number,
): Promise<void> {
  const store = logStoreOf(writer)
  const folder = logName(table.dataset.name)
  const id = randomBytes(6).toString('hex')
  const lines = join(writer.stageFolder, `checkpoint-${id}.ndjson`)
  const staged = join(writer.stageFolder, `checkpoint-${id}.parquet`)
  const actions = checkpointActions(table, files, timestamp).map(action => `${JSON.stringify(action)}\n`)
  try {
    await writeFile(lines, actions.join(''))
    const columns = Object.entries(checkpointColumns).map(([name, type]) => ({ name, type }))
    // DuckDB reserves twice the length of the longest line in each thread.
    const longest = actions.reduce((most, line) => Math.max(most, Buffer.byteLength(line)), 0)
    const source = jsonSql(columns, 'lines', longest)
    await writer.connections.use(connection =>
      runSql(connection, `copy (select * from ${source}) to '${staged.replaceAll("'", "''")}' (format parquet, compression zstd)`, { lines }),
    )
    const sha256 = await sha256OfFile(staged)
    await store.move(staged, `${folder}/${checkpointName(version)}`)
    await store.write(`${folder}/${lastCheckpoint}`, JSON.stringify({ version, size: actions.length, tags: { [sha256Tag]: sha256 } }))
  } finally {
    await rm(lines, { force: true })
    await rm(staged, { force: true })
  }
}

/** The checkpoint from which the log of `newest` is kept; `first` is the version of the oldest one. */
export const keptFrom = (newest: number, first: number): number =>
  Math.max(first, Math.floor(Math.max(0, newest - keptVersions) / checkpointEvery) * checkpointEvery)

/** Deletes versions and checkpoints before `from` and after `newest`, and what killed processes left. */
export async function trimLog(store: LogStore, dataset: string, from: number, newest: number): Promise<void> {
  const folder = logName(dataset)
  for (const name of await store.names(folder)) {
    const version = /^(\d{20})\.(?:json|checkpoint\.parquet)$/.exec(name)?.[1]
    const isExcess = version === undefined ? name.endsWith('.tmp') : Number(version) < from || Number(version) > newest
    if (isExcess) await store.remove(`${folder}/${name}`)
  }
}

/** Deletes the log of a dataset. */
export async function removeLog(store: LogStore, dataset: string): Promise<void> {
  await store.removeFolder(logName(dataset))
}

type Written = { readonly version: number; readonly log_sha256: string }

/**
 * The fault of a log; null if each version from `from` on is in the folder with the content that was written, and the newest checkpoint before it
 * too. What looks damaged is read again: a log that is rebuilt loses its older versions, and the way from a bucket can change a byte.
 */
export async function findLogFault(store: LogStore, dataset: string, versions: readonly Written[], from: number): Promise<string | null> {
  return (await readLogFault(store, dataset, versions, from)) === null ? null : await readLogFault(store, dataset, versions, from)
}

async function readLogFault(store: LogStore, dataset: string, versions: readonly Written[], from: number): Promise<string | null> {
  const folder = logName(dataset)
  const names = new Set(await store.names(folder))
  const newest = versions.at(-1)?.version ?? 0
  const excess = [...names].find(name => /^\d{20}\.json$/.test(name) && Number(name.slice(0, 20)) > newest)
  if (excess !== undefined) return `${excess} is newer than the newest version, ${newest}`
  const kept = versions.filter(({ version }) => version >= from)
  const checkpoints = [from, ...kept.map(({ version }) => version).filter(version => version % checkpointEvery === 0)]
  const lost = checkpoints.map(checkpointName).find(name => !names.has(name))
  if (lost !== undefined) return `${lost} is missing`
  // Several at the same time: a bucket takes some milliseconds for each.
  for (let at = 0; at < kept.length; at += readAtOnce) {
    const some = kept.slice(at, at + readAtOnce)
    const texts = await Promise.all(some.map(({ version }) => store.text(`${folder}/${versionName(version)}`)))
    for (const [each, { version, log_sha256 }] of some.entries()) {
      const text = texts[each] ?? null
      if (text === null) return `${versionName(version)} is missing or cannot be read`
      if (sha256OfText(text) !== log_sha256) return `${versionName(version)} is damaged: its SHA-256 differs`
    }
  }
  const named = (await store.text(`${folder}/${lastCheckpoint}`)) ?? ''
  const checkpoint = Math.max(from, Math.floor(newest / checkpointEvery) * checkpointEvery)
  if (!named.startsWith(`{"version":${checkpoint},`)) return `${lastCheckpoint} is missing, or does not name version ${checkpoint}`
  // Readers begin with this file. Those of older versions of this program have no SHA-256.
  const sha256 = new RegExp(`"${sha256Tag}":"([0-9a-f]{64})"`).exec(named)?.[1]
  if (sha256 === undefined || (await store.sha256(`${folder}/${checkpointName(checkpoint)}`)) === sha256) return null
  return `${checkpointName(checkpoint)} is damaged: its SHA-256 differs`
}

// `crossfile repair`: hashes every lake file and restores damaged ones from a backup or from the raw documents. Damaged records
// of the raw packs are restored from a backup.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { openBackups } from '#warehouse/backup/take-back.ts'
import { folderTarget } from '#warehouse/backup/target.ts'
import { dropDamagedBuilds, findDamagedBuilds } from '#warehouse/models/check.ts'
import { modelDataset } from '#warehouse/models/folder.ts'
import { pricesModel } from '#warehouse/models/prices/part.ts'
import { findPriceBuild } from '#warehouse/models/prices/store.ts'
import { modelPath } from '#warehouse/models/store.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { type DeadLetter, findDeadLetters } from '#warehouse/store/jobs/dead-letters.ts'
import { type Catalogue, type LakeFile, loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { recheckDamage, recordDamage } from '#warehouse/store/lake/damage.ts'
import { lakeFolder } from '#warehouse/store/lake/open.ts'
import {
  type Damage,
  findDamagedFiles,
  findDamagedObjects,
  findInBackup,
  isWholeHere,
  type Remade,
  remakeFile,
  restoreFile,
  restoreObject,
} from '#warehouse/store/lake/restore.ts'
import { inspectWarehouseFile } from '#warehouse/store/lake/views.ts'
import { recheckRawDamage } from '#warehouse/store/raw/damage.ts'
import { findWholeJournal, rewriteJournal } from '#warehouse/store/raw/decisions.ts'
import { journalName } from '#warehouse/store/raw/journal.ts'
import { describeDamage, fixRecords, type IndexedRecord } from '#warehouse/store/raw/pack.ts'
import { fetchDamagedPack, isHere, type PackCopies, type RawPlace, rawFolder, readCopies, replaceObjectPack } from '#warehouse/store/raw/place.ts'
import { indexedRecords } from '#warehouse/store/raw/raw.ts'
import { sweepRebuildSpaces } from '../ingest/rebuild-space.ts'
import { openRuntime, type Runtime } from '../ingest/runtime.ts'
import { openTarget } from '../jobs/backup/run.ts'
import { refreshModels, writeAnalystFile } from '../jobs/models/models.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { checkHasDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, count, printJson, printTable, some } from './output.ts'
import { withRebuiltCopy } from './rebuild.ts'

type Row = {
  readonly dataset: string
  readonly file: string
  readonly rows: number
  readonly reason: string
  readonly result: string
  readonly repaired: boolean
}

/** Exit code 0: every file is whole (now); 1: a file is damaged and was not repaired. */
export async function repair(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('repair', commands.repair.options, argv)
  checkHasDatabase(io.config())
  const runtime = await openRuntime(io.config(), (level, message) => (level === 'error' ? undefined : io.log(level, message)), 'crossfile repair')
  try {
    if (!values['dry-run']) await sweepRebuildSpaces(runtime, (_level, message) => io.err(message))
    const catalogue = await loadCatalogue(runtime.postgres.db)
    const files = [...catalogue.files.values()].flat().length
    // First, because files that are made again from raw follow from its decisions.
    const journal = await repairJournal(runtime, catalogue.release === 0, values['dry-run'] === true)
    const objects = await repairObjects(runtime, catalogue, values['dry-run'] === true)
    const damage = await findDamagedFiles(catalogue, runtime.tools.writer.verifier, objects.left)
    for (const { file, reason } of damage) await recordDamage(runtime.postgres.db, runtime.tools.writer.verifier.expected(file), reason, 'cli')
    const from = values.from === undefined ? null : await openPlace(values.from, io)
    // All of raw is read if something is rebuilt from it, or if a backup can repair it.
    const raw = await fixRaw(runtime, from, values['dry-run'] === true, from === null && damage.length === 0)
    const rows = [...journal, ...raw, ...objects.rows, ...(await repairAll(runtime, io, catalogue, damage, from, values['dry-run'] === true))]
    if (!values['dry-run'] && damage.length > 0) await recheckDamage(runtime.postgres.db, runtime.tools.writer.verifier)
    rows.push(...(await repairModels(runtime, io, values['dry-run'] === true)))
    if (!values['dry-run']) await recheckRawDamage(runtime.postgres.db, runtime.raw.place)
    const analystFile = await inspectWarehouseFile(runtime.config.dataFolder)
    const lost = analystFile.state === 'damaged' ? analystFile.reason : analystFile.state === 'missing' && files > 0 ? 'the file is missing' : null
    // A replaced file has a new name, which the analyst's views must list.
    if (!values['dry-run'] && (damage.length > 0 || lost !== null)) await writeAnalystFile(runtime)
    if (lost !== null)
      rows.push({
        dataset: 'warehouse.duckdb',
        file: '-',
        rows: 0,
        reason: lost,
        result: values['dry-run'] ? 'to be rewritten' : 'rewritten from the catalogue',
        repaired: !values['dry-run'],
      })
    const waiting = countByJob(await findDeadLetters(runtime.postgres.db))
    if (values.json) printJson(io, { files, damaged: rows.length, dry_run: values['dry-run'] === true, repairs: rows, dead_letters: waiting })
    else {
      print(io, files, rows)
      for (const line of describeWaiting(waiting)) io.out(line)
    }
    return rows.every(row => row.repaired) ? 0 : 1
  } finally {
    await runtime.close()
  }
}

/** Reads every object of a lake in a bucket, and uploads those again that are damaged there and whole here. `left`: damaged in both. */
async function repairObjects(runtime: Runtime, catalogue: Catalogue, dryRun: boolean): Promise<{ readonly rows: Row[]; readonly left: Damage[] }> {
  const { writer } = runtime.tools
  const rows: Row[] = []
  const left: Damage[] = []
  for (const each of await findDamagedObjects(catalogue, writer)) {
    const { file, reason } = each
    const isWhole = dryRun ? await isWholeHere(writer.data, file) : await restoreObject(writer, file)
    if (!isWhole) left.push(each)
    else
      rows.push({
        dataset: file.dataset,
        file: file.sha256,
        rows: file.rows,
        reason,
        result: dryRun ? 'to be uploaded from the cache' : 'uploaded from the cache',
        repaired: !dryRun,
      })
  }
  return { rows, left }
}

/** Writes the journal of decisions again from the database, unless the database is new: then the journal is the only copy. */
async function repairJournal({ postgres: { db }, raw: { place } }: Runtime, isNew: boolean, dryRun: boolean): Promise<Row[]> {
  const { damaged, lacking } = dryRun || isNew ? await findWholeJournal(db, place) : await rewriteJournal(db, place)
  if (damaged.length + lacking.length === 0) return []
  const reason = damaged.length > 0 ? `${damaged[0]} is not a decision` : `it lacks a decision on ${lacking[0]?.subject}`
  const result = isNew ? 'NOT repaired: it needs the journal of a backup' : dryRun ? 'to be written again' : 'written again from the database'
  return [{ dataset: 'raw', file: journalName, rows: damaged.length + lacking.length, reason, result, repaired: !dryRun && !isNew }]
}

/** Deletes damaged builds of models, and builds the newest again. Older ones are built when they are requested. */
async function repairModels(runtime: Runtime, io: Io, dryRun: boolean): Promise<Row[]> {
  const { db } = runtime.postgres
  const data = runtime.config.dataFolder
  const { remote = null } = runtime.tools.writer
  const damaged = dryRun
    ? (await findDamagedBuilds(db, data, { whole: true, remote, objects: 'sizes' })).damaged
    : await dropDamagedBuilds(db, data, { whole: true, remote, objects: 'all' })
  if (damaged.length > 0 && !dryRun) await refreshModels(runtime, io.now().getTime())
  const rows: Row[] = []
  for (const { model, release, sha256, reason } of damaged) {
    // The model of prices is built again in other files, because it is built in one step.
    const built = model === pricesModel ? (await findPriceBuild(db)) !== null : existsSync(modelPath(data, model, sha256))
    rows.push({
      dataset: modelDataset(model),
      file: sha256,
      rows: 0,
      reason: `of release ${release}: ${reason.replace(/^.*? is damaged: /, '')}`,
      result: dryRun ? 'to be built again' : built ? 'built again' : 'deleted; it is built again when a request needs it',
      repaired: !dryRun,
    })
  }
  return rows
}

type Waiting = { readonly job: string; readonly dead_letters: number }

const countByJob = (letters: readonly DeadLetter[]): readonly Waiting[] =>
  [...Map.groupBy(letters, letter => letter.job)]
    .map(([job, of]) => ({ job, dead_letters: of.length }))
    .sort((a, b) => b.dead_letters - a.dead_letters || (a.job < b.job ? -1 : 1))

/** Jobs that failed permanently while files were damaged. A repair does not run them. */
function describeWaiting(waiting: readonly Waiting[]): string[] {
  if (waiting.length === 0) return []
  const total = waiting.reduce((sum, { dead_letters }) => sum + dead_letters, 0)
  return [
    '',
    `${some(total, 'job')} that ${total === 1 ? 'was' : 'were'} given up ${total === 1 ? 'waits' : 'wait'}: ${waiting.map(({ job, dead_letters }) => `${job} ${count(dead_letters)}`).join(', ')}`,
    'crossfile runs dead lists the reasons, crossfile runs redrive sends the jobs again',
  ]
}

async function repairAll(
  runtime: Runtime,
  io: Io,
  catalogue: Catalogue,
  damage: readonly Damage[],
  from: Place | null,
  dryRun: boolean,
): Promise<Row[]> {
  const rows: Row[] = []
  const left: Damage[] = []
  const row = ({ file, reason }: Damage, result: string, repaired: boolean): void =>
    void rows.push({ dataset: file.dataset, file: file.sha256, rows: file.rows, reason: reason.replace(/^.*? is damaged: /, ''), result, repaired })
  for (const each of damage) {
    const { writer } = runtime.tools
    const backup = (await from?.lakeFile(each.file, writer.stageFolder)) ?? null
    if (backup === null) left.push(each)
    else if (dryRun) row(each, 'the backup has it', false)
    else if (await restoreFile(writer, each.file, backup.path)) row(each, 'restored from the backup', true)
    else left.push(each)
    await backup?.end()
  }
  if (dryRun) for (const each of left) row(each, 'to be rebuilt from raw', false)
  else if (left.length > 0)
    for (const [each, remade] of await remakeAll(runtime, io, catalogue, left).catch(asDamagedRaw(left)))
      row(each, described(remade, from === null), remade.outcome !== 'failed')
  return rows
}

/** Damaged raw documents cannot rebuild a file: that is a result, and files restored from the backup stay repaired. */
function asDamagedRaw(left: readonly Damage[]): (error: unknown) => [Damage, Remade][] {
  return error => {
    if (!(error instanceof Broken)) throw error
    return left.map(each => [each, { outcome: 'failed', reason: `raw cannot be read: ${error.message}` }])
  }
}

/** A source of whole files: backups that `crossfile backup` made, or a copy of a data folder. */
type Place = {
  lakeFile(file: LakeFile, stageFolder: string): Promise<Copy | null>
  /** Every version of a pack in the backups, newest first: an older backup may predate the damage. */
  rawPacks(pack: string, stageFolder: string): AsyncIterable<Copy>
}
type Copy = { readonly path: string; end(): Promise<void> }

async function openPlace(place: string, io: Io): Promise<Place> {
  const target = place.includes('://') ? openTarget(place, io.config()) : folderTarget(resolve(place))
  const backups = await openBackups(target)
  if (backups === null) {
    const folder = resolve(place)
    if (!existsSync(folder)) throw new BadRequest(`${place} does not exist`, { hint: 'give the path of a backup, or of a copy of a data folder' })
    const kept = (path: string): Copy => ({ path, end: async () => undefined })
    return {
      async lakeFile(file) {
        const path = await findInBackup(folder, file)
        return path === null ? null : kept(path)
      },
      async *rawPacks(pack) {
        for (const path of [join(rawFolder(folder), pack), join(folder, pack)]) if (existsSync(path)) yield kept(path)
      },
    }
  }
  for (const message of backups.damaged) io.err(message)
  const take = async (path: string, sha256: string, stageFolder: string): Promise<Copy | null> => {
    const taken = await backups.take(path, sha256, stageFolder)
    return taken === null ? null : { path: taken, end: () => rm(taken, { force: true }) }
  }
  return {
    lakeFile: ({ dataset, bucket, sha256 }, stageFolder) => take(`lake/${dataset}/${bucket}/${sha256}.parquet`, sha256, stageFolder),
    async *rawPacks(pack, stageFolder) {
      for (const sha256 of backups.contentsOf(`raw/${pack}`)) {
        const copy = await take(`raw/${pack}`, sha256, stageFolder)
        if (copy !== null) yield copy
      }
    },
  }
}

/** Uploads a pack that is whole on this disk, or together with the object, if the bucket lacks a record of it: other hosts have the bucket only. */
async function uploadWhole(
  place: RawPlace,
  pack: string,
  records: readonly IndexedRecord[],
  copies: PackCopies,
  dryRun: boolean,
): Promise<Row | null> {
  const { folder, objects } = place
  const { here, there } = copies
  if (objects === null || here === null || there?.length === 0) return null
  if (!dryRun) {
    if (here.length > 0) await fetchDamagedPack(objects, pack, records, folder)
    await replaceObjectPack(objects, pack, folder)
  }
  const reason = there === null ? `the pack is missing from ${objects.address}` : `in ${objects.address}: ${describeDamage(there)}`
  const result = dryRun ? 'to be uploaded from this disk' : 'uploaded from this disk'
  return { dataset: 'raw', file: pack, rows: (there ?? records).length, reason, result, repaired: !dryRun }
}

/**
 * Finds damaged records of the raw packs, and overwrites them with those of the backup. `isLocalOnly`: only packs of this disk, which can be
 * uploaded if the bucket lacks them.
 */
async function fixRaw(runtime: Runtime, from: Place | null, dryRun: boolean, isLocalOnly: boolean): Promise<Row[]> {
  const { place } = runtime.raw
  const { folder, objects } = place
  const rows: Row[] = []
  for (const [pack, records] of await indexedRecords(runtime.postgres.db)) {
    const offsets = records.map(record => record.offset)
    if (isLocalOnly && (objects === null || !isHere(place, pack))) continue
    const copies = await readCopies(place, pack, offsets)
    const { here, there, lost: found } = copies
    if (found.length === 0) {
      const row = await uploadWhole(place, pack, records, copies, dryRun)
      if (row !== null) rows.push(row)
      continue
    }
    const missing = here === null && there === null
    const reason = missing ? 'the pack is missing' : (describeDamage(found) ?? '')
    if (!dryRun && objects !== null && there !== null) await fetchDamagedPack(objects, pack, records, folder)
    const hint = from === null ? 'it needs a backup (--from)' : dryRun ? 'to be taken from the backup' : 'no backup has it'
    let left: readonly number[] = found
    for await (const copy of dryRun || from === null ? [] : from.rawPacks(pack, runtime.tools.writer.stageFolder)) {
      const wanted = new Set(left)
      try {
        left = await fixRecords(
          folder,
          pack,
          records.filter(({ offset }) => wanted.has(offset)),
          copy.path,
        )
      } finally {
        await copy.end()
      }
      if (left.length === 0) break
    }
    if (objects !== null && !dryRun && left.length < found.length) await replaceObjectPack(objects, pack, folder)
    const result =
      left.length === 0
        ? 'restored from the backup'
        : left.length === found.length
          ? `${dryRun ? '' : 'NOT repaired: '}${hint}`
          : `NOT repaired: the backups lack ${some(left.length, 'record')}`
    rows.push({ dataset: 'raw', file: pack, rows: found.length, reason, result, repaired: left.length === 0 })
  }
  return rows
}

const described = (remade: Remade, hasNoBackup: boolean): string =>
  remade.outcome === 'same bytes'
    ? 'rebuilt from raw, the same bytes'
    : remade.outcome === 'same rows'
      ? 'rebuilt from raw, the same rows in a different file'
      : `NOT repaired: ${remade.reason}${hasNoBackup ? '; it needs a backup (--from)' : ''}`

/** Rebuilds everything once, separately from the catalogue, and writes each file from it. */
async function remakeAll(runtime: Runtime, io: Io, catalogue: Catalogue, left: readonly Damage[]): Promise<[Damage, Remade][]> {
  return await withRebuiltCopy(runtime, io, false, async copy => {
    const { config, tools, postgres } = runtime
    const instance = await openDuckdb({
      memoryLimit: `${config.duckdbMemoryMb}MB`,
      threads: config.duckdbThreads,
      tempFolder: tools.writer.stageFolder,
      folders: [lakeFolder(config.dataFolder), lakeFolder(copy.config.dataFolder), tools.writer.stageFolder],
    })
    const connection = await instance.connect()
    try {
      const rebuilt = { data: copy.config.dataFolder, catalogue: await loadCatalogue(copy.postgres.db) }
      const done: [Damage, Remade][] = []
      for (const each of left) {
        const others = left.filter(
          other =>
            other !== each && other.file.dataset === each.file.dataset && !done.some(([one, { outcome }]) => one === other && outcome !== 'failed'),
        )
        const now = done.length === 0 ? catalogue : await loadCatalogue(postgres.db)
        done.push([
          each,
          await remakeFile(
            { db: postgres.db, writer: tools.writer, connection, rebuilt },
            now,
            each.file,
            others.map(({ file }) => file),
          ),
        ])
      }
      return done
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  })
}

function print(io: Io, files: number, rows: readonly Row[]): void {
  if (rows.length === 0) {
    io.out(`every lake file is whole: ${some(files, 'file')} hashed`)
    return
  }
  const columns = columnsOf('dataset', 'file', '>rows', 'found', '*result')
  printTable(
    io,
    columns,
    rows.map(row => [row.dataset, row.file.slice(0, 12), row.rows, row.reason, row.result]),
  )
  const repaired = rows.filter(row => row.repaired).length
  io.out('')
  io.out(`${count(repaired)} of ${some(rows.length, 'damaged file')} repaired, ${some(files, 'file')} hashed`)
}

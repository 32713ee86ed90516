// `crossfile repair`: hashes every lake file and puts the damaged ones back, from a backup folder or from the raw documents.
import { resolve } from 'node:path'
import { openDuckdb } from '#warehouse/duckdb.ts'
import { type Catalogue, loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { recheckDamage, recordDamage } from '#warehouse/lake/damage.ts'
import { lakeFolder } from '#warehouse/lake/open.ts'
import { type Damage, findDamagedFiles, findInBackup, type Remade, remakeFile, restoreFile } from '#warehouse/lake/restore.ts'
import { writeAnalystFile } from '../models/models.ts'
import { openRuntime, type Runtime } from '../runtime.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { count, printJson, some, table } from './output.ts'
import { besideCatalogue } from './rebuild.ts'

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
  const runtime = await openRuntime(io.config(), (level, message) => (level === 'error' ? undefined : io.log(level, message)), 'crossfile repair')
  try {
    const catalogue = await loadCatalogue(runtime.postgres.db)
    const files = [...catalogue.files.values()].flat().length
    const damage = await findDamagedFiles(catalogue, runtime.tools.writer.verifier)
    for (const { file, reason } of damage) await recordDamage(runtime.postgres.db, runtime.tools.writer.verifier.expected(file), reason, 'cli')
    const rows = await repairAll(runtime, io, catalogue, damage, values.from === undefined ? null : resolve(values.from), values['dry-run'] === true)
    if (!values['dry-run'] && damage.length > 0) {
      await recheckDamage(runtime.postgres.db, runtime.tools.writer.verifier)
      // A replaced file has another name, which the analyst's views must list.
      await writeAnalystFile(runtime)
    }
    if (values.json) printJson(io, { files, damaged: damage.length, dry_run: values['dry-run'] === true, repairs: rows })
    else print(io, files, rows)
    return rows.every(row => row.repaired) ? 0 : 1
  } finally {
    await runtime.close()
  }
}

async function repairAll(
  runtime: Runtime,
  io: Io,
  catalogue: Catalogue,
  damage: readonly Damage[],
  from: string | null,
  dryRun: boolean,
): Promise<Row[]> {
  const rows: Row[] = []
  const left: Damage[] = []
  const row = ({ file, reason }: Damage, result: string, repaired: boolean): void =>
    void rows.push({ dataset: file.dataset, file: file.sha256, rows: file.rows, reason: reason.replace(/^.*? is damaged: /, ''), result, repaired })
  for (const each of damage) {
    const backup = from === null ? null : await findInBackup(from, each.file)
    if (backup === null) left.push(each)
    else if (dryRun) row(each, 'the backup has it', false)
    else if (await restoreFile(runtime.tools.writer, each.file, backup)) row(each, 'restored from the backup', true)
    else left.push(each)
  }
  if (dryRun) for (const each of left) row(each, 'to be made again from raw', false)
  else if (left.length > 0)
    for (const [each, remade] of await remakeAll(runtime, io, catalogue, left)) row(each, described(remade), remade.outcome !== 'failed')
  return rows
}

const described = (remade: Remade): string =>
  remade.outcome === 'same bytes'
    ? 'made again from raw, the same bytes'
    : remade.outcome === 'same rows'
      ? 'made again from raw, the same rows in another file'
      : `NOT repaired: ${remade.reason}`

/** Derives everything again beside the catalogue, once, and makes each file from it. */
async function remakeAll(runtime: Runtime, io: Io, catalogue: Catalogue, left: readonly Damage[]): Promise<[Damage, Remade][]> {
  return await besideCatalogue(runtime, io, false, async copy => {
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
  const columns = [{ head: 'dataset' }, { head: 'file' }, { head: 'rows', right: true }, { head: 'found' }, { head: 'result', wide: true }]
  for (const line of table(
    io,
    columns,
    rows.map(row => [row.dataset, row.file.slice(0, 12), row.rows, row.reason, row.result]),
  ))
    io.out(line)
  const repaired = rows.filter(row => row.repaired).length
  io.out('')
  io.out(`${count(repaired)} of ${some(rows.length, 'damaged file')} repaired, ${some(files, 'file')} hashed`)
}

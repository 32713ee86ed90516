// `crossfile rebuild`: proves that the raw documents, their metadata and the journal of decisions suffice. An existing catalogue is left
// alone: everything is rebuilt in a separate database and lake, and the digests over rows are compared.
// If the catalogue is gone, the data folder itself is rebuilt.
import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { Secret } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import { type DatasetName, datasetNames } from '#schemas/index.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { type StateDigest, stateDigest } from '#warehouse/store/lake/digest.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { findDamagedFiles } from '#warehouse/store/lake/restore.ts'
import { rawFolder } from '#warehouse/store/raw/place.ts'
import { type Rebuilt, rebuildFrom } from '../ingest/rebuild.ts'
import { makeRebuildSpace, sweepRebuildSpaces } from '../ingest/rebuild-space.ts'
import { openRuntime, type Runtime } from '../ingest/runtime.ts'
import { downloadRaw } from '../ingest/share-data.ts'
import { refreshModels, writeAnalystFile } from '../jobs/models/models.ts'
import { type OptionHelp, readArguments } from './arguments.ts'
import { checkHasDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, printJson, printTable, some } from './output.ts'

export const rebuildOptions = {
  digest: { about: 'only print the digest of the present state' },
  expect: { value: 'DIGEST', about: 'also compare with this digest, e.g. one noted before the catalogue was lost' },
  keep: { about: 'keep the lake and database of the comparison' },
  json: { about: 'one JSON document on stdout' },
} satisfies Record<string, OptionHelp>

type Report = {
  readonly state: StateDigest
  readonly rebuilt: (Rebuilt & { readonly state: StateDigest; readonly in_place: boolean }) | null
  readonly expected: string | null
  /** Datasets with a damaged file: left out of `state`, and of the comparison. */
  readonly damaged: readonly string[]
  readonly equal: boolean | null
}

export async function rebuild(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('rebuild', rebuildOptions, argv)
  const { lake, dataFolder } = io.config()
  // A lost database is built again from the documents; without either, the setting names a wrong folder.
  if (lake === null && !existsSync(rawFolder(dataFolder))) checkHasDatabase(io.config())
  const runtime = await openRuntime(io.config(), io.log, 'crossfile rebuild')
  try {
    if (!values.digest) await sweepRebuildSpaces(runtime, (_level, message) => io.err(message))
    const indexed = await runtime.raw.recover()
    if (indexed > 0) io.err(`raw: ${some(indexed, 'document')} indexed from the packs`)
    const empty = (await loadCatalogue(runtime.postgres.db)).release === 0
    const damaged = await damagedDatasets(runtime)
    for (const name of damaged) io.err(`${name}: one of its files is damaged; its digest is not compared (crossfile repair)`)
    const before = await digestOf(runtime, damaged)
    if (values.digest)
      return finish(io, values.json, {
        state: before,
        rebuilt: null,
        expected: values.expect ?? null,
        damaged,
        equal: damaged.length > 0 ? false : values.expect === undefined ? null : before.digest === values.expect,
      })
    const again = empty ? await inPlace(runtime, io) : await inCopy(runtime, io, values.keep)
    const expected = values.expect ?? (empty ? null : before.digest)
    const equal =
      expected === null
        ? null
        : damaged.length === 0
          ? again.state.digest === expected
          : Object.entries(before.datasets).every(([name, { digest }]) => again.state.datasets[name]?.digest === digest)
    return finish(io, values.json, { state: before, rebuilt: again, expected, damaged, equal })
  } finally {
    await runtime.close()
  }
}

async function damagedDatasets(runtime: Runtime): Promise<DatasetName[]> {
  const damage = await findDamagedFiles(await loadCatalogue(runtime.postgres.db), runtime.tools.writer.verifier)
  return [...new Set(damage.map(({ file }) => file.dataset as DatasetName))].sort()
}

async function digestOf(runtime: Runtime, without: readonly DatasetName[] = []): Promise<StateDigest> {
  const catalogue = await loadCatalogue(runtime.postgres.db)
  const datasets = datasetNames.filter(name => !without.includes(name))
  return await stateDigest(openLake(catalogue, runtime.tools.writer.connections, runtime.tools.writer.verifier), { datasets })
}

async function replay(runtime: Runtime, io: Io): Promise<Rebuilt> {
  const done = await rebuildFrom(
    runtime.tools,
    runtime.raw,
    (at, total) =>
      io.terminal
        ? io.bar(`rebuilding: ${at} of ${some(total, 'document')}`)
        : at % 1200 === 0 || at === total
          ? io.err(`rebuilding: ${at} of ${some(total, 'document')}`)
          : undefined,
    io.interrupted(),
  )
  io.bar(null)
  return done
}

/** The catalogue is empty: the data folder is rebuilt in place. */
async function inPlace(runtime: Runtime, io: Io): Promise<NonNullable<Report['rebuilt']>> {
  const done = await replay(runtime, io)
  if (done.documents === 0)
    throw new BadRequest(`nothing to rebuild from: ${rawFolder(runtime.config.dataFolder)} has no documents`, {
      hint: 'CROSSFILE_DATA names the data folder',
    })
  await refreshModels(runtime, io.now().getTime())
  await writeAnalystFile(runtime)
  return { ...done, state: await digestOf(runtime), in_place: true }
}

/** Over the same raw packs. */
const inCopy = (runtime: Runtime, io: Io, keep: boolean): Promise<NonNullable<Report['rebuilt']>> =>
  withRebuiltCopy(runtime, io, keep, async (copy, done) => ({ ...done, state: await digestOf(copy), in_place: false }))

/** Rebuilds everything and runs `use` on it; the database and lake are removed afterwards, unless `keep`. */
export async function withRebuiltCopy<T>(runtime: Runtime, io: Io, keep: boolean, use: (copy: Runtime, done: Rebuilt) => Promise<T>): Promise<T> {
  const space = await makeRebuildSpace(runtime)
  try {
    await downloadRaw(runtime.raw.place)
    await symlink(rawFolder(runtime.config.dataFolder), rawFolder(space.folder), 'dir')
    const copy = await openRuntime(
      { ...runtime.config, lake: null, dataFolder: space.folder, databaseUrl: new Secret(space.url) },
      io.log,
      'crossfile rebuild',
    )
    try {
      await copy.raw.recover()
      return await use(copy, await replay(copy, io))
    } finally {
      await copy.close()
    }
  } finally {
    if (keep) {
      await space.keep()
      io.err(`kept: database ${space.name}, folder ${space.folder}`)
    } else await space.remove()
  }
}

function finish(io: Io, json: boolean, report: Report): number {
  if (json) printJson(io, report)
  else {
    const { rebuilt, state } = report
    const names = Object.keys(rebuilt?.state.datasets ?? state.datasets).sort()
    const rows = names.map(name => {
      const was = state.datasets[name]
      const is = rebuilt?.state.datasets[name]
      const verdict = !is
        ? ''
        : rebuilt?.in_place
          ? 'rebuilt'
          : report.damaged.includes(name as DatasetName)
            ? 'damaged, not compared'
            : is.digest === was?.digest
              ? 'equal'
              : 'DIFFERENT'
      return [name, is?.rows ?? was?.rows ?? 0, (is ?? was)?.digest.slice(0, 16) ?? '', verdict]
    })
    printTable(io, columnsOf('dataset', '>rows', 'digest', ''), rows)
    io.out('')
    io.out(`state digest  ${rebuilt?.state.digest ?? state.digest}`)
    if (rebuilt)
      io.out(
        `rebuilt from ${some(rebuilt.documents, 'raw document')} and ${some(rebuilt.decisions, 'decision')}${rebuilt.in_place ? ', in place' : ', separately from the catalogue, which was not changed'}`,
      )
    if (report.damaged.length > 0) io.out(`not compared: ${report.damaged.join(', ')}, of which a file is damaged; crossfile repair restores it`)
    if (report.equal !== null && (rebuilt || report.damaged.length === 0))
      io.out(report.equal ? 'equal: the raw documents and the journal suffice' : `DIFFERENT from ${report.expected}`)
  }
  return report.equal === false || report.damaged.length > 0 ? 1 : 0
}

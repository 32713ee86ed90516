// Sorted copies of lake files: made by the worker, registered in Postgres, stored next to the builds of models. A release adds files and
// changes none, so only its new files need copies.
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { cacheLimits } from '#schemas/cache-limits.ts'
import type { SortedCopy } from '#schemas/dataset.ts'
import { Damaged } from '#schemas/errors.ts'
import { holdingsBySecurity } from '#schemas/holdings.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { runSql } from '../store/duckdb.ts'
import { type LakeFile, loadCatalogue } from '../store/lake/catalogue.ts'
import type { LakeWriter } from '../store/lake/compact.ts'
import { copiedColumns, type FindCopies } from '../store/lake/copies.ts'
import { columnList, fileRelation } from '../store/lake/relation.ts'
import { checkCopied } from '../store/lake/stage.ts'
import type { Expected } from '../store/lake/verifier.ts'
import type { Db } from '../store/postgres.ts'
import { registerFiles } from './objects.ts'
import { type ModelTools, modelFile, sealModelFile } from './store.ts'

export const sortedCopies: readonly SortedCopy[] = [holdingsBySecurity]

/** Changes with everything that changes the content of a copy. */
const definitionOf = ({ columns, order, row_group }: SortedCopy): string =>
  createHash('sha256')
    .update(JSON.stringify([columns, order, row_group]))
    .digest('hex')
    .slice(0, 12)

/** Finds the copies that the worker made, for a lake. A copy is looked up once; a missing one each time, since it may have been made. */
export function copiesOf(db: Db, data: string): FindCopies {
  const known = new Map<string, Expected>()
  return async (copy, files) => {
    const definition = definitionOf(copy)
    const keyOf = (sha256: string): string => `${copy.name} ${definition} ${sha256}`
    const large = files.filter(file => file.rows >= copy.least_rows)
    const missing = large.filter(file => !known.has(keyOf(file.sha256))).map(file => file.sha256)
    if (missing.length > 0) {
      if (known.size >= cacheLimits.sortedCopies) known.clear()
      const rows = await db
        .selectFrom('sorted_copy')
        .select(['source_sha256', 'sha256'])
        .where('copy', '=', copy.name)
        .where('definition', '=', definition)
        .where('source_sha256', 'in', missing)
        .execute()
      for (const { source_sha256, sha256 } of rows) known.set(keyOf(source_sha256), modelFile(data, copy.name, sha256))
    }
    return new Map(
      large.flatMap(({ sha256 }): [string, Expected][] => {
        const found = known.get(keyOf(sha256))
        return found ? [[sha256, found]] : []
      }),
    )
  }
}

export type MadeCopy = { readonly copy: string; readonly source: string; readonly rows: number; readonly bytes: number; readonly ms: number }

/** Rows that are copied by one call: a history of decades is copied in several, and other jobs run in between. */
const rowsAtOnce = 10_000_000

/**
 * Makes the missing copies of live files, those with the newest keys first, and stops after `most` rows; the next call continues. A
 * damaged file is left out: the verifier reports it, and it has no copy until it is repaired.
 */
export async function makeDueCopies(
  tools: ModelTools,
  copies: readonly SortedCopy[] = sortedCopies,
  most: number = rowsAtOnce,
): Promise<readonly MadeCopy[]> {
  const made: MadeCopy[] = []
  const catalogue = await loadCatalogue(tools.db)
  let left = most
  for (const copy of copies) {
    const files = (catalogue.files.get(copy.dataset) ?? []).filter(file => file.rows >= copy.least_rows)
    if (files.length === 0) continue
    const known = await copiesOf(tools.db, tools.writer.data)(copy, files)
    const due = files.filter(file => !known.has(file.sha256)).sort((a, b) => (a.key_max < b.key_max ? 1 : -1))
    for (const file of due) {
      if (left <= 0) return made
      left -= file.rows
      const done = await makeCopy(tools, copy, file).catch(error => {
        if (error instanceof Damaged) return null
        throw error
      })
      if (done) made.push(done)
    }
  }
  return made
}

async function makeCopy({ db, writer }: ModelTools, copy: SortedCopy, file: LakeFile): Promise<MadeCopy> {
  const begun = performance.now()
  const staged = await stageCopy(writer, copy, file)
  const sealed = await sealModelFile(writer, copy.name, staged)
  const { sha256, bytes } = sealed
  const ms = Math.round(performance.now() - begun)
  const row = { source_sha256: file.sha256, copy: copy.name, definition: definitionOf(copy), sha256, bytes, rows: file.rows, make_ms: ms }
  await registerFiles(db, writer.remote ?? null, [sealed], on =>
    on
      .insertInto('sorted_copy')
      .values(row)
      .onConflict(conflict => conflict.doNothing())
      .execute(),
  )
  return { copy: copy.name, source: file.sha256, rows: file.rows, bytes, ms }
}

/** Writes the copy of a file and returns its path. The file is hashed before and after: a copy must not make damage permanent. */
async function stageCopy(writer: LakeWriter, copy: SortedCopy, file: LakeFile): Promise<string> {
  const whole = datasetOf(copy.dataset as DatasetName)
  const dataset = copiedColumns(whole, copy)
  const { path } = await writer.verifier.recheck(writer.verifier.expected(file))
  const source = fileRelation(whole, [{ path, fresh_release: file.fresh_release, lacks: file.lacks }])
  const staged = join(writer.stageFolder, `copy-${randomBytes(8).toString('hex')}.parquet`)
  const literal = staged.replaceAll("'", "''")
  await writer.connections.use(async connection => {
    await runSql(
      connection,
      `copy (select ${columnList(dataset)} from ${source.sql} order by ${copy.order.join(', ')}) to '${literal}' (format parquet, compression zstd, row_group_size ${copy.row_group})`,
      source.parameters,
    )
    await checkCopied(connection, copy.name, dataset.columns, source, `read_parquet('${literal}', hive_partitioning = false)`)
  })
  await writer.verifier.recheck(writer.verifier.expected(file))
  return staged
}

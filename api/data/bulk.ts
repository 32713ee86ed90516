// The Parquet files of a release: their list, their bytes, or their rows as text.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import type { Catalogue, LakeFile } from '#warehouse/store/lake/catalogue.ts'
import { describeFile, versionAt } from '#warehouse/store/lake/catalogue.ts'
import { proofOf, proven } from '#warehouse/store/lake/proof.ts'
import { readManifest } from '#warehouse/store/lake/publication/read-manifest.ts'
import { manifestPath } from '#warehouse/store/lake/publication/steps.ts'
import { columnsWithout } from '#warehouse/store/lake/relation.ts'
import type { Answered, Handler } from '../handler.ts'
import type { Serving } from '../serving.ts'
import { type Cell, Digits } from '../tables/rows.ts'
import { headerLine, rowLine } from '../tables/text.ts'

const fileName = (file: LakeFile): string => `${file.sha256}.parquet`

const factsOf = (file: LakeFile) => ({
  dataset: file.dataset,
  file: fileName(file),
  ...describeFile(file),
  url: `/api/v1/data/bulk/${file.dataset}/${fileName(file)}`,
})

/**
 * Files with rows of releases up to `release`. A file with newer rows only is not part of it; a compacted file is read with a condition on
 * release_from.
 */
function filesAt(catalogue: Catalogue, names: readonly string[], release: number): LakeFile[] {
  return names.flatMap(name =>
    [...(catalogue.files.get(name) ?? [])]
      .filter(file => file.fresh_release === null || file.fresh_release <= release)
      .sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1)),
  )
}

/** The release and the datasets that a question about files names; throws `BadRequest` and `NotFound` if they do not exist. */
function readBulkQuestion(catalogue: Catalogue, question: { readonly release?: number | undefined; readonly dataset?: string | undefined }) {
  const release = question.release ?? catalogue.release
  if (release > catalogue.release)
    throw new BadRequest(`release ${release} does not exist yet`, { hint: `the newest release is ${catalogue.release}` })
  const names = question.dataset === undefined ? datasetNames : datasetNames.filter(name => name === question.dataset)
  if (names.length === 0) throw new NotFound(`no dataset ${question.dataset}`, { hint: `datasets: ${datasetNames.join(', ')}` })
  return { release, names }
}

/** The condition for rows of a file after `since`; null if all rows are newer. */
function rowsSince({ fresh_release }: LakeFile, since: number, release: number): string | null {
  return fresh_release === null ? `release_from > ${since} and release_from <= ${release}` : null
}

export function bulkHandlers(serving: Serving) {
  /** Each compaction changes the files of a release, so even an answer with release= is not permanent. */
  function answer(members: object, names: readonly string[], release: number): Answered {
    const version = versionAt(serving.catalogue(), names, release)
    const as_of = version.release === 0 ? serving.head().committed_at : version.committed_at
    const body = Buffer.from(JSON.stringify({ ...members, as_of, release, sources: [] }))
    const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27)
    return { kind: 'bytes', body, etag, release, last_modified: version.committed_at, receipt_id: null, immutable: false }
  }

  const list: Handler<'list_bulk_files'> = question => {
    const catalogue = serving.catalogue()
    const { release, names } = readBulkQuestion(catalogue, question)
    const files = filesAt(catalogue, names, release).map(factsOf)
    return answer({ count: files.length, files }, names, release)
  }

  const changes: Handler<'list_bulk_changes'> = question => {
    const catalogue = serving.catalogue()
    const { release, names } = readBulkQuestion(catalogue, question)
    const { since } = question
    if (since > release)
      throw new BadRequest(`since ${since} is a release that does not exist yet`, {
        hint: `the newest release is ${release}: give a since up to it`,
      })
    const files = filesAt(catalogue, names, release)
      .filter(file => file.release_max > since)
      .map(file => ({ ...factsOf(file), rows_since: rowsSince(file, since, release) }))
    const committed = new Map<number, { release: number; committed_at: string; datasets: string[] }>()
    for (const name of names) {
      for (const each of catalogue.releases.get(name) ?? []) {
        if (each.release <= since || each.release > release) continue
        const held = committed.get(each.release)
        if (held) held.datasets.push(name)
        else committed.set(each.release, { release: each.release, committed_at: each.committed_at, datasets: [name] })
      }
    }
    const releases = [...committed.values()].sort((a, b) => a.release - b.release)
    return answer({ since, count: files.length, files, releases }, names, release)
  }

  const one: Handler<'get_bulk_file'> = async (question, context): Promise<Answered> => {
    if (question.dataset === 'manifests') return await manifestFile(serving, question.file)
    const file = serving
      .catalogue()
      .files.get(question.dataset)
      ?.find(each => fileName(each) === question.file)
    if (!file) {
      throw new NotFound(`no file ${question.file.slice(0, 70)} in the release's ${question.dataset}`, {
        hint: 'GET /api/v1/data/bulk lists the files of the newest release',
      })
    }
    const verified = await serving.verifier.open(file)
    if (context.format === 'csv' || context.format === 'excel') {
      const ending = context.format === 'csv' ? 'csv' : 'tsv'
      return {
        kind: 'stream',
        stream: Readable.from(textRows(serving, file, context.format)),
        media_type: context.format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'text/tab-separated-values; charset=utf-8',
        filename: `${file.dataset}-${file.sha256.slice(0, 12)}.${ending}`,
      }
    }
    return {
      kind: 'file',
      path: verified.path,
      confirm: () => serving.verifier.confirm([verified]),
      bytes: file.bytes,
      sha256: file.sha256,
      media_type: 'application/vnd.apache.parquet',
      filename: `${file.dataset}-${file.sha256.slice(0, 12)}.parquet`,
    }
  }
  return { list_bulk_files: list, list_bulk_changes: changes, get_bulk_file: one }
}

/** The manifest of a release, which the worker writes after the commit (warehouse/store/lake/publication). */
async function manifestFile(serving: Serving, file: string): Promise<Answered> {
  const release = Number(/^([1-9]\d{0,8})\.json$/.exec(file)?.[1] ?? Number.NaN)
  const row = Number.isNaN(release)
    ? undefined
    : await serving.db.selectFrom('release_manifest').select(['sha256', 'bytes']).where('release', '=', release).executeTakeFirst()
  const path = manifestPath(serving.data, release)
  const found = row && (await readManifest(serving, release, row.sha256))
  if (!row || !found) {
    const newest = await serving.db
      .selectFrom('release_manifest')
      .select(({ fn }) => fn.max('release').as('release'))
      .executeTakeFirst()
    throw new NotFound(`no manifest ${file.slice(0, 70)}`, {
      hint: manifestHint(newest?.release ?? null, row !== undefined),
    })
  }
  return { kind: 'file', path, bytes: row.bytes, sha256: row.sha256, media_type: 'application/json; charset=utf-8' }
}

/** What to do about a manifest that is not there. `isRecorded`: its release has one. */
function manifestHint(newest: number | null, isRecorded: boolean): string {
  if (isRecorded) return 'its file is not written yet, or is damaged: the worker writes it within seconds of a commit, and again when it starts'
  return newest === null
    ? 'the worker writes one after each commit'
    : `the newest is ${newest}.json; the worker writes one within seconds of a commit`
}

/** The rows of a file as lines, chunk by chunk; the release of a fresh file's rows comes from the catalogue. */
async function* textRows(serving: Serving, file: LakeFile, format: 'csv' | 'excel'): AsyncGenerator<string> {
  const dataset = datasetOf(file.dataset as never)
  const columns = dataset.columns.map(column => column.name)
  yield headerLine(format, columns)
  const step = 20_000
  for (let from = 0; from < file.rows; from += step) {
    const lines = await proven(
      async () => {
        const verified = await serving.verifier.open(file)
        return { path: verified.path, proof: proofOf(serving.verifier, [verified]) }
      },
      ({ path }) =>
        serving.connections.use(async connection => {
          const rows = await queryRows<Record<string, unknown>>(
            connection,
            `select ${columnsWithout(dataset, file.lacks)} from read_parquet($path, file_row_number = true, hive_partitioning = false) where file_row_number >= $from and file_row_number < $to order by file_row_number`,
            { path, from, to: from + step },
          )
          return rows.map(row =>
            rowLine(
              format,
              dataset.columns.map(({ name, decimal }) =>
                cellOf(name === 'release_from' && row[name] === null ? file.fresh_release : row[name], decimal),
              ),
            ),
          )
        }),
    )
    yield lines.join('')
  }
}

function cellOf(value: unknown, decimal: boolean): Cell {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return new Digits(String(value))
  if (typeof value === 'string') return decimal ? new Digits(value) : value
  return JSON.stringify(value)
}

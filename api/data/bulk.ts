// The Parquet files of the release, and single ones: as bytes, or their rows as text.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import { plain } from '#warehouse/duckdb.ts'
import type { LakeFile } from '#warehouse/lake/catalogue.ts'
import { versionAt } from '#warehouse/lake/catalogue.ts'
import { lakePath } from '#warehouse/lake/open.ts'
import type { Answered, Handler } from '../handler.ts'
import { type Cell, Digits, headerLine, rowLine } from '../plugins/formats.ts'
import type { Serving } from '../serving.ts'

const fileName = (file: LakeFile): string => `${file.sha256}.parquet`

export function bulkHandlers(serving: Serving) {
  const list: Handler<'list_bulk_files'> = question => {
    const catalogue = serving.catalogue()
    const release = question.release ?? catalogue.release
    if (release > catalogue.release)
      throw new BadRequest(`release ${release} does not exist yet`, { hint: `the newest release is ${catalogue.release}` })
    if (question.dataset !== undefined && !(datasetNames as readonly string[]).includes(question.dataset)) {
      throw new NotFound(`no dataset ${question.dataset}`, { hint: `datasets: ${datasetNames.join(', ')}` })
    }
    const names = question.dataset === undefined ? datasetNames : datasetNames.filter(name => name === question.dataset)
    const files = names.flatMap(name =>
      [...(catalogue.files.get(name) ?? [])]
        // A file whose rows are all of later releases is not part of this one; a compacted one is read with release_from <= release.
        .filter(file => file.fresh_release === null || file.fresh_release <= release)
        .sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
        .map(file => ({
          dataset: name,
          file: fileName(file),
          sha256: file.sha256,
          bytes: file.bytes,
          rows: file.rows,
          key_min: file.key_min,
          key_max: file.key_max,
          time_min: file.time_min,
          time_max: file.time_max,
          release_from: file.fresh_release,
          url: `/api/v1/data/bulk/${name}/${fileName(file)}`,
        })),
    )
    const version = versionAt(catalogue, names, release)
    const body = Buffer.from(
      JSON.stringify({
        count: files.length,
        files,
        as_of: version.release === 0 ? serving.head().committed_at : version.committed_at,
        release,
        sources: [],
      }),
    )
    const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27)
    return { kind: 'bytes', body, etag, release, last_modified: version.committed_at, receipt_id: null, immutable: question.release !== undefined }
  }

  const one: Handler<'get_bulk_file'> = async (question, context): Promise<Answered> => {
    const file = serving
      .catalogue()
      .files.get(question.dataset)
      ?.find(each => fileName(each) === question.file)
    if (!file) {
      throw new NotFound(`no file ${question.file.slice(0, 70)} in the release's ${question.dataset}`, {
        hint: 'GET /api/v1/data/bulk lists the files of the newest release',
      })
    }
    const path = await serving.verifier.verify(file)
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
      path,
      bytes: file.bytes,
      sha256: file.sha256,
      media_type: 'application/vnd.apache.parquet',
      filename: `${file.dataset}-${file.sha256.slice(0, 12)}.parquet`,
    }
  }
  return { list_bulk_files: list, get_bulk_file: one }
}

/** A file's rows as lines, chunk by chunk; the release of a fresh file's rows comes from the catalogue. */
async function* textRows(serving: Serving, file: LakeFile, format: 'csv' | 'excel'): AsyncGenerator<string> {
  const dataset = datasetOf(file.dataset as never)
  const columns = dataset.columns.map(column => column.name)
  yield headerLine(format, columns)
  const path = lakePath(serving.data, file)
  const step = 20_000
  for (let from = 0; from < file.rows; from += step) {
    const lines = await serving.connections.use(async connection => {
      const result = await connection.runAndReadAll(
        `select ${columns.map(name => `"${name}"`).join(', ')} from read_parquet($path, file_row_number = true) where file_row_number >= $from and file_row_number < $to order by file_row_number`,
        { path, from: BigInt(from), to: BigInt(from + step) },
      )
      const release = columns.indexOf('release_from')
      return result.getRows().map(row =>
        rowLine(
          format,
          row.map((value, at) => cellOf(at === release && value === null ? file.fresh_release : plain(value), dataset.columns[at]?.decimal ?? false)),
        ),
      )
    })
    yield lines.join('')
  }
}

function cellOf(value: unknown, decimal: boolean): Cell {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return new Digits(String(value))
  if (typeof value === 'string') return decimal ? new Digits(value) : value
  return JSON.stringify(value)
}

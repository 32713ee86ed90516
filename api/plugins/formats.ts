// Formats of answers: which ones an operation has, which one a request means, and the headers of a rendered answer.
import { BadRequest } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { columnsOf } from '../tables/columns.ts'
import { renderAnswer } from '../tables/in-thread.ts'
import { ownFormat } from './other-names.ts'

const formats = ['json', 'csv', 'excel', 'ndjson', 'xlsx', 'parquet', 'arrow'] as const
export type Format = (typeof formats)[number]
export const mediaTypes: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  excel: 'text/tab-separated-values; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.file',
}
/** Formats whose bytes are no text. */
export const binaryFormats: ReadonlySet<Format> = new Set(['xlsx', 'parquet', 'arrow'])
const extensions: Readonly<Record<Format, string>> = {
  json: 'json',
  csv: 'csv',
  excel: 'tsv',
  ndjson: 'ndjson',
  xlsx: 'xlsx',
  parquet: 'parquet',
  arrow: 'arrow',
}

/** Formats of an operation; empty for operations without JSON and without rows. */
export function formatsOf(operation: Operation): readonly Format[] {
  if (operation.id === 'get_bulk_file') return ['parquet', 'csv', 'excel']
  if (operation.answer === null || operation.media_type !== mediaTypes.json) return []
  return operation.data || operation.rows !== null || operation.tag === 'Developer Data API' ? formats : ['json']
}

const accepted: readonly (readonly [string, Format])[] = [
  ['application/json', 'json'],
  ['text/csv', 'csv'],
  ['text/tab-separated-values', 'excel'],
  ['application/x-ndjson', 'ndjson'],
  [mediaTypes.xlsx, 'xlsx'],
  [mediaTypes.parquet, 'parquet'],
  [mediaTypes.arrow, 'arrow'],
]

/**
 * The requested format: `format=`, otherwise the first supported media type in Accept, otherwise JSON. Throws BadRequest (406) for a format
 * that the operation does not have.
 */
export function chooseFormat(operation: Operation, requested: string | undefined, accept: string | undefined): Format {
  const possible = formatsOf(operation)
  if (requested !== undefined) {
    const named = formats.find(each => each === requested.toLowerCase())
    if (named && possible.includes(named)) return named
    const own = possible.find(each => each === ownFormat(requested))
    throw new BadRequest('this operation does not support the format', {
      status: 406,
      code: 'not_acceptable',
      hint:
        possible.length === 0
          ? `leave format out: this operation answers ${operation.media_type}`
          : `${own === undefined ? '' : `did you mean format=${own}? `}format is one of ${possible.join(', ')}`,
    })
  }
  return acceptedFormat(accept, possible)
}

/** The format that Accept requests; JSON if it names no supported one. */
export function acceptedFormat(accept: string | undefined, possible: readonly Format[]): Format {
  if (accept === undefined || accept === '*/*' || possible.length < 2) return 'json'
  for (const part of accept.slice(0, 1024).split(',')) {
    const type = part.split(';', 1)[0]?.trim().toLowerCase()
    const found = accepted.find(([name, format]) => name === type && possible.includes(format))
    if (found) return found[1]
    if (type === '*/*' || type === 'application/problem+json') return 'json'
  }
  return 'json'
}

export type Rendered = { readonly body: Buffer; readonly headers: readonly string[] }
/** What a rendered answer reports in addition to its rows. */
export type RenderContext = { readonly baseUrl: string; readonly createdBy: string; readonly notes: readonly string[] }

/**
 * The body of the question `name` in another format. Scalars outside the rows go to X-Meta headers; without a main array the object is one row.
 * Throws Overloaded and Upstream if the answer cannot be rendered now.
 */
export async function renderFormat(
  operation: Operation,
  format: Exclude<Format, 'json'>,
  body: Buffer,
  name: string,
  { baseUrl, createdBy, notes }: RenderContext,
): Promise<Rendered> {
  const main = operation.rows
  const job = { format, body, main, columns: columnsOf(operation), question: name, summary: operation.summary, createdBy, baseUrl, notes }
  const { bytes, facts } = await renderAnswer(job)
  const disposition = `attachment; filename="${filenameOf(operation, name)}.${extensions[format]}"`
  return {
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    headers: [...facts.flatMap(({ name: fact, text }) => [metaName(fact), headerText(text)]), 'Content-Disposition', disposition],
  }
}

/** `as_of` is `X-Meta-As-Of`. */
const metaName = (name: string): string =>
  `X-Meta-${name.replaceAll(/(^|_)([a-z0-9])/g, (_all, dash: string, letter: string) => (dash ? '-' : '') + letter.toUpperCase())}`
/** Header values are visible ASCII; other characters are percent-encoded. */
function headerText(text: string): string {
  return text.slice(0, 512).replaceAll(/[^\x20-\x7e]+/gu, each => encodeURIComponent(each.toWellFormed()))
}

/** `get_eod_NRTH.TO`: operation with path and first parameters, safe in any file system. */
function filenameOf(operation: Operation, name: string): string {
  const [path = '', query = ''] = name.slice(name.indexOf(' ') + 1).split('?')
  const fixed = operation.path.split('/')
  const values = path.split('/').filter((part, at) => part !== fixed[at])
  const requested = query.split('&').filter(part => /^(ticker|symbols|timeframe|from|to)=/.test(part))
  const parts = [operation.id, ...values, ...requested.map(part => part.slice(part.indexOf('=') + 1))]
  return parts
    .join('_')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 96)
}

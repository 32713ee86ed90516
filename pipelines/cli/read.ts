// `crossfile read FILE`: the facts that a reader finds in one document of any kind.
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { BadRequest } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import { oneLine } from '#warehouse/store/log.ts'
import { type FilingSummary, isFilingSummary, parseFilingSummary, summaryIn } from '../read/filings/filing-summary.ts'
import { parseSubmission } from '../read/filings/sgml.ts'
import type { Parsed, RawDocument, Reader } from '../read/parsed.ts'
import { readers } from '../read/register.ts'
import { isReportForm } from '../read/reports/content.ts'
import { namedForm } from '../read/reports/report-file.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { type DocumentFile, readDocumentFile } from './document-file.ts'
import type { Io } from './io.ts'
import { itemsCommand } from './items.ts'
import { columnsOf, count, printJson, printTable, some } from './output.ts'

type Rows = Readonly<Record<string, readonly object[]>>

/** Rows of each dataset in the text output; --json prints all. */
const shown = 3
const longestValue = 100

/** Runs the command; 0: facts were read, 1: the document was refused, or has none. Throws `Unreadable` if its reader does. */
export function readCommand(argv: readonly string[], io: Io): number {
  const { values, rest } = readArguments('read', commands.read.options, argv, { least: 1, most: 1, what: 'the file of a document' })
  const [path = ''] = rest
  const file = readDocumentFile('read', path)
  if (isFilingSummary(file.head)) return printSummary(parseFilingSummary(path, decodeText(file.body)), path, values.json === true, io)
  const found = readerOf(file)
  if (found === null) return readBare(file, argv, io)
  const parsed = found.reader.parse(documentOf(file, found))
  const summary = found.reader.name === 'edgar.submission' ? summaryIn(path, parseSubmission(file.body)) : null
  const rows = { ...rowsOf(parsed), ...(summary === null ? {} : { rendered_reports: summary.reports }) }
  if (values.json === true) {
    const { refused, skipped, follow } = parsed
    printJson(io, { file: path, kind: found.reader.name, address: found.url, facts: rows, refused, skipped, follow })
  } else for (const line of listed(found.reader, rows, parsed)) io.out(line)
  return Object.values(rows).some(each => each.length > 0) ? 0 : 1
}

function readerOf({ path, head }: DocumentFile): { readonly reader: Reader; readonly url: string } | null {
  // Some kinds are recognised by the name under which they were stored.
  for (const name of [path, basename(path)].map(each => each.replace(/\.gz$/i, ''))) {
    for (const reader of readers) {
      const url = reader.recognise(name, head)
      if (url !== null) return { reader, url }
    }
  }
  return null
}

const documentOf = ({ body }: DocumentFile, { reader, url }: { readonly reader: Reader; readonly url: string }): RawDocument => ({
  ...{ sha256: createHash('sha256').update(body).digest('hex'), source: reader.source, url, status: 200, headers: {}, body },
  // A file does not state when it was requested; no fact that is shown depends on it.
  retrieved_at: '1970-01-01T00:00:00Z',
})

/** The tables that EDGAR renders from a filing's XBRL, one line each. */
function printSummary(summary: FilingSummary, path: string, asJson: boolean, io: Io): number {
  if (asJson) printJson(io, { file: path, kind: 'edgar.filing_summary', ...summary })
  else {
    io.out('kind  edgar.filing_summary')
    const columns = columnsOf('file', 'category', '*name')
    printTable(
      io,
      columns,
      summary.reports.map(({ file, category, name }) => [file, category, name]),
    )
  }
  return summary.reports.length > 0 ? 0 : 1
}

/** A report without its submission has items, which need no accession. */
function readBare(file: DocumentFile, argv: readonly string[], io: Io): number {
  const form = namedForm(readProse(decodeText(file.body.subarray(0, 400_000))))
  if (form !== null && isReportForm(form)) return itemsCommand(argv, io)
  throw new BadRequest(`read: no reader recognises ${file.path}`, {
    hint: 'a document as its source serves it: a full submission, an ownership or 13F XML, company facts, bars …; a bare report needs its form: crossfile items --form',
  })
}

const rowsOf = ({ facts, bars, directories, renames }: Parsed): Rows => ({
  ...(facts as Rows),
  ...(bars === undefined ? {} : { bars }),
  ...(directories === undefined ? {} : { listings: directories.flatMap(({ listings }) => listings) }),
  ...(renames === undefined ? {} : { renames }),
})

/** Lines of text: for each dataset the number of rows, and the first rows field by field. */
function* listed(reader: Reader, rows: Rows, { refused, skipped }: Parsed): Generator<string> {
  yield `kind  ${reader.name}`
  for (const [name, all] of Object.entries(rows)) {
    if (all.length === 0) continue
    yield ''
    yield `${name}: ${some(all.length, 'row')}`
    for (const [at, row] of all.slice(0, shown).entries()) {
      if (all.length > 1) yield `  ${at + 1}.`
      yield* fieldsOf(row)
    }
    if (all.length > shown) yield `  … ${count(all.length - shown)} more: --json prints all`
  }
  for (const { dataset, reason, detail } of refused.slice(0, 10)) yield `refused  ${dataset}  ${reason}: ${detail}`
  if (refused.length > 10) yield `refused  … ${count(refused.length - 10)} more`
  for (const [reason, number] of Object.entries(skipped)) yield `skipped  ${reason}: ${count(number)}`
  if (Object.values(rows).every(all => all.length === 0)) yield 'no facts'
}

function* fieldsOf(row: object): Generator<string> {
  const fields = Object.entries(row).filter(([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0))
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  for (const [name, value] of fields) {
    const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ')
    yield `  ${name.padEnd(width)}  ${oneLine(text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text)}`
  }
}

// EDGAR's daily and full indexes: form.idx, company.idx, crawler.idx (columns) and master.idx (bars), in the layouts since 1993, plain
// or as gzip (`form.gz`).
import { gunzipSync } from 'node:zlib'
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import type { Parsed, RawDocument, Refused } from '../parsed.ts'
import { reader } from '../reader.ts'
import { accessionIn, archiveUrl, cikOf, fileName } from './address.ts'
import { isoDay } from './eastern.ts'
import { blankFiling, type FilingFact, type FilingReference, knownFrom, listedTwice, oncePerEntity, parsedFilings, references } from './facts.ts'

type IndexLine = {
  readonly form: string
  readonly company: string
  readonly cik: string
  readonly filed_date: string
  readonly accession: string
}
export type FormIndex = { readonly lines: readonly IndexLine[]; readonly unread: readonly { readonly number: number; readonly line: string }[] }

const maxLine = 2000

/** Every line after the rule of dashes. Throws `Unreadable` (`not_an_index`) without a heading and a rule; an index without lines is valid. */
export function parseFormIndex(text: string): FormIndex {
  const whole: { lines: IndexLine[]; unread: { number: number; line: string }[] } = { lines: [], unread: [] }
  for (const { lines, unread } of readFormIndex(text, Number.POSITIVE_INFINITY)) {
    whole.lines = lines
    whole.unread = unread
  }
  return whole
}

type IndexPart = { lines: IndexLine[]; unread: { number: number; line: string }[] }

/** The same, so many lines at a time; an index without lines gives one empty part. */
function* readFormIndex(text: string, most: number): Generator<IndexPart> {
  let lines: IndexLine[] = []
  let unread: { number: number; line: string }[] = []
  let heading = ''
  let behindRule = false
  let number = 0
  for (const raw of linesOf(text)) {
    number += 1
    const line = raw.trimEnd()
    if (!behindRule) {
      if (/^-{20,}$/.test(line) && heading !== '') behindRule = true
      else if (/Form Type/i.test(line) && /CIK/.test(line) && line.length < maxLine) heading = line
    } else if (line !== '') {
      const row = line.length > maxLine ? null : heading.includes('|') ? barLine(line) : columnLine(line, heading)
      if (row === null) unread.push({ number, line: line.slice(0, 300) })
      else lines.push(row)
      if (lines.length >= most) {
        yield { lines, unread }
        lines = []
        unread = []
      }
    }
  }
  if (!behindRule)
    throw new Unreadable('not_an_index', `EDGAR index: no heading with "Form Type" and "CIK" above a rule of dashes in ${number} lines`)
  yield { lines, unread }
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield text.slice(at, end < 0 ? text.length : end)
    if (end < 0) return
    at = end + 1
  }
}

function indexLine(form: string, company: string, cik: string, date: string, path: string): IndexLine | null {
  const line = {
    form: form.trim(),
    company: company.trim(),
    cik: cikOf(cik),
    filed_date: isoDay(date),
    accession: accessionIn(fileName(path)) ?? accessionIn(path),
  }
  if (line.form === '' || line.cik === null || line.filed_date === null || line.accession === null) return null
  return { ...line, cik: line.cik, filed_date: line.filed_date, accession: line.accession }
}

/** `CIK|Company Name|Form Type|Date Filed|File Name`; a name may hold a bar. */
function barLine(line: string): IndexLine | null {
  const cells = line.split('|')
  if (cells.length < 5) return null
  const [form = '', date = '', path = ''] = cells.slice(-3)
  return indexLine(form, cells.slice(1, -3).join('|'), cells[0] ?? '', date, path)
}

/**
 * Address, day and CIK are read from the right, because a long name pushes them out of their columns; form type and name are then split at
 * the heading's column if that is a border, otherwise at the run of spaces between them.
 */
function columnLine(line: string, heading: string): IndexLine | null {
  const parts: string[] = []
  let end = line.length
  for (let taken = 0; taken < 3; taken++) {
    const start = line.lastIndexOf(' ', end - 1)
    if (start < 0) return null
    parts.push(line.slice(start + 1, end))
    end = start
    while (end > 0 && line[end - 1] === ' ') end -= 1
  }
  const [path = '', date = '', cik = ''] = parts
  const head = line.slice(0, end)
  const formFirst = heading.indexOf('Form Type') < heading.indexOf('Company Name')
  const column = formFirst ? heading.indexOf('Company Name') : heading.indexOf('Form Type')
  const cut = isBorder(head, column, formFirst) ? column : formFirst ? /\s{2,}/.exec(head)?.index : head.search(/\s{2}\S+(?: \S+)*$/)
  if (cut === undefined || cut < 0) return null
  const [left, right] = [head.slice(0, cut), head.slice(cut)]
  return formFirst ? indexLine(left, right, cik, date, path) : indexLine(right, left, cik, date, path)
}

/** True if a cell begins at the column, after a blank, and the adjacent form type has no gap that would be the real border. */
function isBorder(head: string, column: number, formFirst: boolean): boolean {
  if (column <= 0 || head[column - 1] !== ' ' || head[column] === undefined || head[column] === ' ') return false
  const form = (formFirst ? head.slice(0, column) : head.slice(column)).trim()
  return form !== '' && !/\s{2}/.test(form)
}

const addressPattern =
  /^https:\/\/www\.sec\.gov\/Archives\/edgar\/(?:daily-index|full-index)\/(?:.*\/)?(form|company|master|crawler)\.?[\d-]*\.(?:idx(?:\.gz|\.Z)?|gz)$/

/** The largest quarter so far unpacks to about 60 MB. */
const mostBytes = 268_435_456

/** The index as text. Throws `Unreadable` (`broken_gzip`). */
function textOf({ url, body }: Pick<RawDocument, 'url' | 'body'>): string {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return decodeText(body)
  try {
    return decodeText(gunzipSync(body, { maxOutputLength: mostBytes }))
  } catch (cause) {
    throw new Unreadable('broken_gzip', `index ${url}: cannot be unpacked: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const factOf = (line: IndexLine): FilingFact => ({
  ...blankFiling,
  accession: line.accession,
  cik: line.cik,
  company: line.company || null,
  form: line.form,
  filed_date: line.filed_date,
  url: archiveUrl(line.cik, line.accession),
  ...knownFrom(line.form, null, line.filed_date),
})

/** The filings that an index lists, each accession number once: a job chooses by form before it requests any. */
export const indexReferences = (document: RawDocument): FilingReference[] => references(parseFormIndex(textOf(document)).lines)

export const formIndexReader = reader('edgar.index', 'filings', {
  reads: url => addressPattern.test(url),
  recognise: (path, head) => {
    const isIndex = /\.idx(\.txt)?$/i.test(fileName(path)) || /^\s*Description:\s[^\n]{0,80}Index of EDGAR/.test(head)
    if (!isIndex || !/Form Type/i.test(head)) return null
    const daily = /^(form|company|master|crawler)\.(\d{4})(\d\d)(\d\d)\.idx$/i.exec(fileName(path))
    if (daily === null) return `recorded:${path}`
    return `https://www.sec.gov/Archives/edgar/daily-index/${daily[2]}/QTR${Math.ceil(Number(daily[3]) / 3)}/${fileName(path)}`
  },
  parse: document => {
    const { lines, unread } = parseFormIndex(textOf(document))
    return parsedFilings(
      lines.map(factOf),
      unread.map(line => unreadLine(document, line)),
      references(lines).map(reference => reference.url),
    )
  },
  parts: readInParts,
})

const unreadLine = (document: Pick<RawDocument, 'url'>, { number, line }: { readonly number: number; readonly line: string }): Refused => ({
  dataset: 'filings',
  reason: 'index_line_unreadable',
  detail: `index ${document.url}: line ${number} has no form type, name, CIK, day and address: ${JSON.stringify(line)}`,
  subject: `line ${number}`,
  record: { number, line },
})

/**
 * Lines of one part, which is one commit. A quarter has about 350,000 lines; with all derived rows they need 3 GB in memory, in parts of
 * this size a seventh of it, without loss of speed.
 */
const partLines = 50_000

/** A quarter's index part by part. Repeated lines are detected over the whole index, as `parse` does it. */
async function* readInParts(document: RawDocument): AsyncGenerator<Parsed> {
  const seen = new Set<string>()
  for (const { lines, unread } of readFormIndex(textOf(document), partLines)) {
    const once = oncePerEntity(lines.map(factOf))
    const refused: Refused[] = [...unread.map(line => unreadLine(document, line)), ...once.refused]
    const rows = once.rows.filter(row => {
      const key = `${row.accession}${row.cik}`
      if (!seen.has(key)) {
        seen.add(key)
        return true
      }
      refused.push(listedTwice(row, 'the first'))
      return false
    })
    yield { facts: { filings: rows }, refused, skipped: once.repeated === 0 ? {} : { filing_repeated: once.repeated }, follow: [] }
  }
}

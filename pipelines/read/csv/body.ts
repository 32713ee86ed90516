// The body of a price document as text, CSV rows or JSON. Numbers keep the text that the source printed: a symbol `NA`,
// `TRUE` or `INF` is a symbol, and 185.640000 keeps its digits until a schema defines its type.
import { readCsv } from '#schemas/csv.ts'
import { NotFound, Unreadable, Upstream } from '#schemas/errors.ts'
import { parseWithNumberText, type TextJson } from '#schemas/number-text.ts'
import { upstreams } from '../../fetch/sources/index.ts'
import { excerpt, isHtml, windows } from '../../fetch/sources/sniff.ts'
import type { RawDocument } from '../parsed.ts'

/** One row of a table: cells by lower-case column name, trimmed, and its position (`line 3`, `row 3`). */
export type TableRow = { readonly cells: Readonly<Record<string, string>>; readonly at: number }

const limitWords =
  /exceeded (?:the|your) (?:daily|api)|too many requests|rate limit|run over your|request allocation|maximum requests|api call frequency/i
const keyWords = /unauthenticated|unauthorized|invalid (?:api )?(?:key|token|crumb)|api ?key|not authorized|forbidden|subscription/i

/**
 * The body as text without a byte order mark. Throws `Upstream` if it is an error in the form of a response (a web page, a
 * sentence about limits or keys), `NotFound` if the upstream reports that the item does not exist, `Unreadable` for bytes
 * that are not UTF-8.
 */
export function textOf(document: RawDocument): string {
  const { head, tail } = windows(document.body)
  const subject = `${document.source} ${document.url}`
  const url = URL.parse(document.url) ?? new URL('recorded:document')
  const disguise =
    upstreams.get(document.source)?.disguised({ url, status: document.status, headers: document.headers, body: document.body, head, tail }) ?? null
  if (disguise?.means === 'not_found') throw new NotFound(`${subject}: ${disguise.detail}`)
  if (disguise) throw new Upstream(`${subject}: ${disguise.detail}`)
  if (isHtml(head)) throw new Upstream(`${subject}: a web page instead of data: "${excerpt(head)}"`)
  if (document.status >= 400) throw new Upstream(`${subject}: status ${document.status}: "${excerpt(head)}"`)
  const sentence = document.body.length <= 4096 && !/^\s*[[{]|[\n;|]|,.*,/.test(head.trim()) ? excerpt(head) : ''
  if (limitWords.test(sentence)) throw new Upstream(`${subject}: "${sentence}"`)
  if (keyWords.test(sentence)) throw new Upstream(`${subject}: the key was refused: "${sentence}"`, { hint: `check the key of ${document.source}` })
  try {
    // A mark at the beginning of a document is no part of its first column's name.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(document.body)
  } catch (cause) {
    throw new Unreadable('not_utf8', `${subject}: the bytes are not UTF-8 text`, { cause })
  }
}

/** The body as JSON with numbers as text. A single member `error` or the like is an upstream error. */
export function jsonOf(document: RawDocument): TextJson {
  const text = textOf(document)
  const subject = `${document.source} ${document.url}`
  let value: TextJson
  try {
    value = parseWithNumberText(text)
  } catch (cause) {
    throw new Unreadable('not_json', `${subject}: not JSON, or cut short: "${excerpt(text.slice(-60))}"`, { cause })
  }
  const reason = refusalIn(value)
  if (reason !== null) throw new Upstream(`${subject}: "${excerpt(reason)}"`)
  return value
}

/** The text of `{"error": …}`, `{"errors": […]}`, `{"message": …}` and the like, if an object has nothing else. */
function refusalIn(value: TextJson): string | null {
  if (!isObject(value) || Object.keys(value).length > 3) return null
  const member = ['error', 'errors', 'Error Message', 'Note', 'Information', 'message', 'detail']
    .map(name => value[name])
    .find(item => item !== undefined && item !== null)
  const others = ['data', 'results', 'chart', 'observations'].some(name => value[name] !== undefined && value[name] !== null)
  if (member === undefined || member === null || others) return null
  return typeof member === 'string' ? member : JSON.stringify(member)
}

export const isObject = (value: TextJson | undefined): value is { readonly [name: string]: TextJson } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isList = (value: TextJson | undefined): value is readonly TextJson[] => Array.isArray(value)
/** A member as text: numbers as printed, other things null. */
export const textIn = (object: { readonly [name: string]: TextJson }, name: string): string | null => {
  const value = Object.hasOwn(object, name) ? object[name] : null
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** The objects of a JSON list; throws `Unreadable` if the document is something else. */
export function objectsOf(value: TextJson | undefined, subject: string): { readonly [name: string]: TextJson }[] {
  if (!isList(value)) throw new Unreadable('not_a_list', `${subject}: a list of rows was expected`)
  return value.map((row, at) => {
    if (isObject(row)) return row
    throw new Unreadable('not_a_list', `${subject}: element ${at + 1} of the list is not an object`)
  })
}

/** Lower case without spaces, underscores and dashes: `Adj Close`, `adj_close` and `adjClose` are one name. */
export const columnName = (text: string): string => text.replace(/[\s_-]/g, '').toLowerCase()

/** The rows of a CSV with a header line. Throws `Unreadable` if `needed` columns are missing or a quote does not end. */
export function csvRows(document: RawDocument, needed: readonly string[]): TableRow[] {
  const [header, ...rows] = csvCells(document)
  const names = (header?.cells ?? []).map(columnName)
  const missing = needed.filter(name => !names.includes(name))
  if (missing.length > 0) {
    throw new Unreadable(
      'missing_columns',
      `${document.source} ${document.url}: no column ${missing.join(', ')}; the header is "${excerpt(names.join(','))}"`,
    )
  }
  return rows.map(({ cells, at }) => ({ cells: Object.fromEntries(names.map((name, index) => [name, (cells[index] ?? '').trim()])), at }))
}

/** The cells of a CSV, line by line, without blank lines. */
export function csvCells(document: RawDocument): { readonly cells: readonly string[]; readonly at: number }[] {
  const { rows, broken } = readCsv(textOf(document))
  if (broken) throw new Unreadable('broken_quotes', `${document.source} ${document.url}: ${broken.message} in line ${broken.row}`)
  return rows.map(({ cells, row }) => ({ cells, at: row }))
}

/** The header of a CSV as `columnName`s, from the first 64 KiB of the document. */
export const headerOf = (head: string): string[] =>
  (head.replace(/^\ufeff/, '').split(/\r?\n/, 1)[0] ?? '').split(',').map(cell => columnName(cell.replace(/"/g, '')))

/** The path within the recorded or drop-in folder, or of the address. */
export function pathOf(url: string): string {
  const local = /^(?:recorded|file):(.*)$/.exec(url)
  return local ? local[1]! : (URL.parse(url)?.pathname ?? url)
}
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
/** The file's name without `.csv`, `.json`, `.gz`: the symbol, in downloads of one symbol. */
export const stem = (path: string): string => fileName(path).replace(/(?:\.(?:csv|json|txt|gz))+$/i, '')

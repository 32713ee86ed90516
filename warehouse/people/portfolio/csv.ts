// Reads a CSV of positions: identifies the columns and parses each row. An ambiguous number is rejected with its line.
import { type CsvRow, readCsv } from '#schemas/csv.ts'
import { BadRequest, type BodyFault } from '#schemas/errors.ts'
import { maxPositions, PositionIn, unspecified } from '#schemas/portfolio.ts'
import known from './columns.json' with { type: 'json' }
import { type ImportRow, refuseFaults } from './positions.ts'

type Field = keyof typeof known.headers
const fields = Object.keys(known.headers) as Field[]
const folded = (header: string): string =>
  header
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
const fieldOf = (header: string): Field | undefined => fields.find(field => known.headers[field].includes(folded(header)))
/** Maximum length of input repeated in an error. */
const shown = (text: string): string => text.slice(0, 40)

export type CsvPositions = { readonly rows: readonly ImportRow[]; readonly ignored_columns: readonly string[] }

/** The positions of a CSV. Throws 422 with every faulty line. */
export function parsePositions(csv: string): CsvPositions {
  const [header, ...lines] = linesOf(csv.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n'))
  if (!header) throw unreadableCsv('the CSV is empty')
  const columns = header.cells.map(fieldOf)
  const ignored_columns = header.cells.filter((_, at) => columns[at] === undefined).map(name => shown(name.trim()))
  for (const field of fields) {
    const named = header.cells.filter((_, at) => columns[at] === field)
    if (named.length > 1) throw unreadableCsv(`the columns ${named.map(shown).join(' and ')} both name the ${field}`)
    if (named.length === 0 && known.required.includes(field))
      throw unreadableCsv(`no column names the ${field}: it is called one of ${known.headers[field].join(', ')}`)
  }
  if (lines.length === 0) throw unreadableCsv('the CSV has a header and no row')
  if (lines.length > maxPositions) throw unreadableCsv(`the CSV has ${lines.length} rows, at most ${maxPositions} are taken`)
  const faults: BodyFault[] = []
  const rows = lines.flatMap(line => rowOf(line, columns, faults) ?? [])
  refuseFaults(faults)
  return { rows, ignored_columns }
}

function rowOf({ line: number, cells }: CsvRow, columns: readonly (Field | undefined)[], faults: BodyFault[]): ImportRow | null {
  const loc = ['body', 'csv', `line ${number}`]
  const before = faults.length
  const fault = (field: string | null, msg: string): void => void faults.push({ loc: field === null ? loc : [...loc, field], msg, type: 'custom' })
  if (cells.length !== columns.length) {
    fault(null, `expected ${columns.length} cells as in the header, got ${cells.length}`)
    return null
  }
  const cell = (field: Field): string => (columns.includes(field) ? (cells[columns.indexOf(field)] ?? '').trim() : '')
  const numberIn = (field: Field): unknown => {
    const text = cell(field)
    const read = text === '' ? null : readNumber(text)
    if (text !== '' && read === null)
      fault(field, `"${shown(text)}" can be read in more than one way or in none: write digits with a point, such as 1234.5 or -100`)
    return read === null ? null : JSON.rawJSON(read)
  }
  const [quantity, acb_per_share] = [numberIn('quantity'), numberIn('acb_per_share')]
  if (quantity === null && faults.length === before) fault('quantity', 'the quantity is missing')
  if (faults.length > before) return null
  const row = { ticker: cell('ticker'), quantity, acb_per_share, currency: cell('currency') }
  const parsed = PositionIn.safeParse({ ...row, account_type: cell('account_type') || unspecified, note: cell('note') || null })
  if (parsed.success) return { loc, name: `line ${number}`, position: parsed.data }
  for (const issue of parsed.error.issues) fault(String(issue.path[0] ?? 'row'), issue.message)
  return null
}

/**
 * A decimal in JSON form; null unless the text has exactly one reading: `1,000` is a thousand in some locales and one in others. Commas
 * before a point, or several of them, are unambiguous thousands separators.
 */
export function readNumber(text: string): string | null {
  const [, sign = '', digits = ''] = /^([+\-\u2212]?)([\d.,]+)$/.exec(text) ?? []
  const grouped = /^\d{1,3}(?:,\d{3})+\.\d+$|^\d{1,3}(?:,\d{3}){2,}$/.test(digits)
  if (!grouped && !/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(digits)) return null
  const [whole = '', fraction = ''] = digits.replaceAll(',', '').split('.')
  const plain = `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
  return sign === '-' || sign === '\u2212' ? `-${plain}` : plain
}

/** The non-blank rows. Throws 422 for unterminated quotes. */
function linesOf(csv: string): readonly CsvRow[] {
  const { rows, broken } = readCsv(csv, delimiterOf(csv))
  if (broken) throw unreadableCsv(`line ${broken.line}: a quoted cell does not end as it should`)
  return rows
}

/** The delimiter that is most frequent in the header. */
function delimiterOf(csv: string): string {
  const header = /^[^\n]*/.exec(csv)?.[0].replaceAll(/"[^"]*"/g, '') ?? ''
  const counted = [',', ';', '\t'].map(mark => ({ mark, count: header.split(mark).length }))
  return counted.reduce((most, each) => (each.count > most.count ? each : most)).mark
}

const unreadableCsv = (msg: string): BadRequest =>
  new BadRequest('the CSV was not read: nothing was imported', {
    status: 422,
    code: 'validation_error',
    hint: msg,
    items: [{ loc: ['body', 'csv'], msg, type: 'custom' }],
  })

// The operator's own lists in the drop-in folder. A file whose name begins with `symbols` has the columns
// symbol,name[,exchange,mic,issuer,type,currency,cik,etf,first_date,last_date] and one whose name begins with `renames` the columns
// from,to,date[,exchange,name] in any order. Any usual spelling of a symbol is allowed; `exchange` is US, TO or V if the spelling does not
// decide it. Dates are YYYY-MM-DD. A list adds and describes; it need not be complete, so a missing symbol does not end a listing.
import { Unreadable } from '#schemas/errors.ts'
import { type ExchangeCode, type ParsedSymbol, parseSymbol, parseSymbolOn } from '#schemas/spelling.ts'
import { InstrumentType } from '#schemas/symbols.ts'
import { Cik } from '#schemas/values.ts'
import { micOf } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import type { Parsed, RawDocument, Reader, Rename } from '../parsed.ts'
import { reader } from '../reader.ts'
import { csvRows, dayOf, documentText, isDay, listingBox, parsedSymbols } from './document.ts'

type Row = Readonly<Record<string, string>>

function rowsOf(document: RawDocument, needed: readonly string[], subject: string): { readonly rows: readonly (Row | string[])[] } {
  const [columns = [], ...table] = csvRows(documentText(document, subject))
  const names = columns.map(column => column.toLowerCase())
  const missing = needed.filter(name => !names.includes(name))
  if (missing.length > 0) {
    throw new Unreadable('wrong_header', `${subject}: no column ${missing.join(', ')} in "${columns.join(',').slice(0, 120)}"`, {
      hint: `the first line names the columns, at least ${needed.join(',')}`,
    })
  }
  return { rows: table.map(row => (row.length === names.length ? Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])) : row)) }
}

function readSymbol(text: string, stated: string): ParsedSymbol | null {
  const exchange = stated.toUpperCase()
  if (exchange === '') return parseSymbol(text)
  return isExchange(exchange) ? parseSymbolOn(exchange, text) : null
}
const isExchange = (text: string): text is ExchangeCode => text === 'US' || text === 'TO' || text === 'V'

function parseListings(document: RawDocument): Parsed {
  const subject = `csv ${document.url}`
  const { rows } = rowsOf(document, ['symbol', 'name'], subject)
  const box = listingBox()
  for (const [index, row] of rows.entries()) {
    const where = `${subject} line ${index + 2}`
    if (Array.isArray(row)) {
      box.refuse('column_count', `${where}: ${row.length} columns, the header has another number`, row[0] ?? '', { row: row.join(',').slice(0, 400) })
      continue
    }
    const text = row['symbol'] ?? ''
    const parsed = readSymbol(text, row['exchange'] ?? '')
    const type = InstrumentType.safeParse(row['type'] || 'common')
    const cik = Cik.safeParse((row['cik'] ?? '').padStart(10, '0'))
    const [first = '', last = ''] = [row['first_date'], row['last_date']]
    const currency = row['currency'] || (parsed?.exchange === 'US' ? 'USD' : 'CAD')
    if (!parsed) box.refuse('unreadable_symbol', `${where}: "${text}" is no symbol`, text, row)
    else if (!type.success)
      box.refuse('unknown_type', `${where}: ${text} has type "${row['type']}", expected one of ${InstrumentType.options.join(', ')}`, text, row)
    else if ((row['cik'] ?? '') !== '' && !cik.success)
      box.refuse('bad_cik', `${where}: ${text} has CIK "${row['cik']}", expected at most ten digits`, text, row)
    else if (!/^[A-Z]{3}$/.test(currency))
      box.refuse('bad_currency', `${where}: ${text} has currency "${currency}", expected three capitals`, text, row)
    else if ([first, last].some(day => day !== '' && !isDay(day))) box.refuse('bad_days', `${where}: ${text} from "${first}" to "${last}"`, text, row)
    else {
      box.add({
        ...parsed,
        source_symbol: text,
        mic: row['mic'] || micOf(parsed.exchange),
        name: row['name'] ?? '',
        issuer: row['issuer'] || null,
        type: type.data,
        currency,
        cik: (row['cik'] ?? '') !== '' && cik.success ? cik.data : null,
        etf: /^(y|yes|true|1)$/i.test(row['etf'] ?? '') || type.data === 'etf',
        first_date: first || null,
        last_date: last || null,
      })
    }
  }
  const { listings, refused, skipped } = box
  return parsedSymbols({ directories: [{ date: dayOf(document), scope: [], listings }], refused, skipped })
}

function parseRenames(document: RawDocument): Parsed {
  const subject = `csv ${document.url}`
  const { rows } = rowsOf(document, ['from', 'to', 'date'], subject)
  const box = listingBox()
  const renames: Rename[] = []
  for (const [index, row] of rows.entries()) {
    const where = `${subject} line ${index + 2}`
    if (Array.isArray(row)) {
      box.refuse('column_count', `${where}: ${row.length} columns, the header has another number`, row[0] ?? '', { row: row.join(',').slice(0, 400) })
      continue
    }
    const from = readSymbol(row['from'] ?? '', row['exchange'] ?? '')
    const to = readSymbol(row['to'] ?? '', row['exchange'] ?? '')
    const date = row['date'] ?? ''
    if (from && to && isDay(date) && from.symbol !== to.symbol) {
      renames.push({ exchange: from.exchange, from: from.symbol, to: to.symbol, date, name: row['name'] || null })
    } else box.refuse('unreadable_rename', `${where}: "${row['from']}" to "${row['to']}" on "${date}"`, row['from'] ?? '', row)
  }
  return parsedSymbols({ renames, refused: box.refused, skipped: box.skipped })
}

const named = (kind: string): RegExp => new RegExp(`^(?:file|recorded):(?:.*/)?${kind}[^/]*\\.csv$`)
const symbolReader = (kind: 'symbols' | 'renames', columns: readonly string[], parse: (document: RawDocument) => Parsed): Reader =>
  reader(`csv.${kind}`, 'symbols', {
    reads: url => named(kind).test(url),
    matches: (head, path) => {
      const header = (head.split('\n')[0] ?? '').toLowerCase().split(',')
      return named(kind).test(`recorded:${path}`) && columns.every(column => header.some(cell => cell.trim() === column))
    },
    parse,
  })
export const dropInSymbolReaders: readonly Reader[] = [
  symbolReader('symbols', ['symbol', 'name'], parseListings),
  symbolReader('renames', ['from', 'to', 'date'], parseRenames),
]

// EODHD's list of an exchange (`/api/exchange-symbol-list/{US|TO|V}`, CSV by default or JSON) and its history of symbol changes
// (`/api/symbol-change-history`, United States only). Neither carries the day it is about, so the day of retrieval counts.
import { Unreadable } from '#schemas/errors.ts'
import { type ExchangeCode, parseSymbolOn } from '#schemas/spelling.ts'
import type { Parsed, RawDocument, Reader, Rename } from '../parsed.ts'
import { reader } from '../reader.ts'
import { csvRows, dayOf, documentJson, documentText, isDay, listingBox, objectOf, parsedSymbols, textOf, usMics } from './document.ts'
import type { InstrumentType } from './names.ts'

const types: Readonly<Record<string, InstrumentType>> = {
  'COMMON STOCK': 'common',
  'PREFERRED STOCK': 'preferred',
  ETF: 'etf',
  ETC: 'etf',
  FUND: 'fund',
  'MUTUAL FUND': 'fund',
  UNIT: 'unit',
  WARRANT: 'warrant',
  RIGHT: 'right',
  NOTES: 'note',
  BOND: 'note',
  'CAPITAL NOTES': 'note',
}
const mics: Readonly<Record<string, string>> = { ...usMics, TO: 'XTSE', V: 'XTSX' }
/** MIC of EODHD's `Exchange`; null for codes that are not listing venues, such as `NMFQS`, the mutual funds' quotation service. */
const micOf = (exchange: string): string | null => mics[exchange] ?? (exchange.startsWith('OTC') ? 'OTCM' : null)

type Row = Readonly<Record<string, unknown>>
function tableOf(document: RawDocument, subject: string): readonly Row[] {
  const text = documentText(document, subject)
  if (/^\s*[[{]/.test(text)) {
    const json = documentJson(document, subject)
    if (!Array.isArray(json)) throw new Unreadable('wrong_shape', `${subject}: expected a list, got ${text.slice(0, 80)}`)
    return json.map(row => objectOf(row) ?? { row })
  }
  const [columns = [], ...rows] = csvRows(text)
  if (columns[0]?.toLowerCase() !== 'code') throw new Unreadable('wrong_header', `${subject}: the first line is "${columns.join(',').slice(0, 80)}"`)
  return rows.map(row =>
    row.length < columns.length ? { row: row.join(',').slice(0, 400) } : Object.fromEntries(columns.map((name, at) => [name, row[at]])),
  )
}

/** The exchange code and the delisted flag of the address. */
function requestOf(url: string): { readonly exchange: ExchangeCode; readonly delisted: boolean } {
  const exchange = /exchange-symbol-list[/_-](US|TO|V)(?![A-Z])/.exec(url)?.[1]
  if (exchange !== 'US' && exchange !== 'TO' && exchange !== 'V')
    throw new Unreadable('wrong_exchange', `eodhd symbols: "${url.slice(0, 120)}" names none of US, TO and V`)
  return { exchange, delisted: /delisted[=_-]?1|delisted\.(csv|json)$/.test(url) }
}

function parseList(document: RawDocument): Parsed {
  const { exchange, delisted } = requestOf(document.url)
  const subject = `eodhd symbols of ${exchange}`
  const rows = tableOf(document, subject)
  // The list of delisted symbols gives no days, so it makes no interval; it is counted and kept raw.
  if (delisted) return parsedSymbols({ skipped: { delisted_without_days: rows.length } })
  const box = listingBox()
  for (const [index, row] of rows.entries()) {
    const code = textOf(row['Code'])
    const parsed = code === null ? null : parseSymbolOn(exchange, code)
    const type = types[(textOf(row['Type']) ?? '').toUpperCase()]
    const venue = textOf(row['Exchange']) ?? exchange
    if ((textOf(row['Type']) ?? '').toUpperCase() === 'INDEX') box.skip('index')
    else if (parsed === null || parsed.exchange !== exchange) {
      box.refuse(
        'unreadable_symbol',
        `${subject} row ${index + 1}: ${JSON.stringify(row['Code'] ?? null)} is no symbol`,
        code ?? `row ${index + 1}`,
        row,
      )
    } else {
      const currency = textOf(row['Currency']) ?? ''
      const name = textOf(row['Name']) ?? ''
      box.add({
        ...parsed,
        source_symbol: code ?? '',
        mic: micOf(venue),
        name,
        issuer: null,
        type: exchange === 'V' && /-P\.V$/.test(parsed.symbol) ? 'capital_pool' : (type ?? 'other'),
        currency: /^[A-Z]{3}$/.test(currency) ? currency : exchange === 'US' ? 'USD' : 'CAD',
        cik: null,
        etf: type === 'etf',
      })
    }
  }
  const { listings, refused, skipped } = box
  return parsedSymbols({ directories: [{ date: dayOf(document), scope: [exchange], listings }], refused, skipped })
}

function parseChanges(document: RawDocument): Parsed {
  const subject = 'eodhd symbol changes'
  const json = documentJson(document, subject)
  if (!Array.isArray(json)) throw new Unreadable('wrong_shape', `${subject}: expected a list`)
  const box = listingBox()
  const renames: Rename[] = []
  for (const [index, value] of json.entries()) {
    const row = objectOf(value)
    const printed = (...names: string[]): string | null => names.map(name => textOf(row?.[name])).find(text => text !== null) ?? null
    const old = printed('old_symbol', 'oldSymbol', 'old_code')
    const from = old === null ? null : parseSymbolOn('US', old)
    const next = printed('new_symbol', 'newSymbol', 'new_code')
    const to = next === null ? null : parseSymbolOn('US', next)
    const date = printed('effective', 'effective_date', 'date')?.slice(0, 10) ?? ''
    if (from && to && isDay(date) && from.symbol !== to.symbol) {
      renames.push({ exchange: 'US', from: from.symbol, to: to.symbol, date, name: printed('company_name', 'companyName', 'name') })
    } else
      box.refuse('unreadable_rename', `${subject} row ${index + 1}: ${old ?? '?'} to ${next ?? '?'} on "${date}"`, old ?? `row ${index + 1}`, row)
  }
  return parsedSymbols({ renames, refused: box.refused, skipped: box.skipped })
}

export const eodhdSymbolReaders: readonly Reader[] = [
  reader('eodhd.exchange-symbol-list', 'symbols', {
    reads: url => /exchange-symbol-list[/_-](US|TO|V)(?![A-Z])/.test(url),
    matches: (head, path) =>
      /exchange-symbol-list[/_-](US|TO|V)(?![A-Z])/.test(path) && (/^\uFEFF?Code,Name,Country,/i.test(head) || /^\s*\[\s*\{\s*"Code"/.test(head)),
    parse: parseList,
  }),
  reader('eodhd.symbol-change-history', 'symbols', {
    reads: url => /symbol-change-history/.test(url),
    matches: (head, path) => /symbol-change-history/.test(path) && /^\s*\[/.test(head),
    parse: parseChanges,
  }),
]

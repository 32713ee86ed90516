// The company directories of tsx.com, one per board: issuers with their instruments inside. And TMX's interlisted file: issuers
// of both boards that are listed abroad too, as tab-separated text or in the CSV form that collections of it use.
import { Unreadable } from '#schemas/errors.ts'
import { splitSymbol } from '#schemas/spelling.ts'
import { readTmx } from '#schemas/vendor-spelling.ts'
import { dateIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import type { Fact, Parsed, RawDocument, Reader } from '../parsed.ts'
import { reader } from '../reader.ts'
import { csvRows, type DatedListing, dayOf, documentJson, documentText, isDay, listingBox, objectOf, parsedSymbols, textOf } from './document.ts'
import { tmxCurrency, tmxType } from './names.ts'

export type Board = 'TO' | 'V'
const micOfBoard: Readonly<Record<Board, string>> = { TO: 'XTSE', V: 'XTSX' }

/** A listing of a board by TMX's own spelling; null if it is no symbol. */
export function tmxListing(printed: string, name: string, issuer: string | null, board: Board): DatedListing | null {
  const parsed = readTmx(printed, board)
  if (parsed === null) return null
  const { marks } = splitSymbol(parsed.symbol)
  const type = tmxType({ marks, name, issuer }, board)
  const common = { mic: micOfBoard[board], name, issuer, type, currency: tmxCurrency(marks), cik: null, etf: type === 'etf' }
  return { ...parsed, source_symbol: printed, ...common }
}

function directoryDay(lastUpdated: unknown, document: RawDocument): string {
  const seconds = typeof lastUpdated === 'number' ? lastUpdated : /^\d{9,13}$/.test(String(lastUpdated)) ? Number(lastUpdated) : null
  if (seconds !== null && seconds > 0) return dateIn('America/Toronto', new Date(seconds > 1e11 ? seconds : seconds * 1000).toISOString())
  const day = textOf(lastUpdated)?.slice(0, 10) ?? ''
  return isDay(day) ? day : dayOf(document)
}

function parseCompanies(document: RawDocument): Parsed {
  const board: Board = /tsxv/i.test(document.url) ? 'V' : 'TO'
  const subject = `tsx directory of ${board}`
  const root = objectOf(documentJson(document, subject))
  const results = root?.['results']
  if (!Array.isArray(results)) throw new Unreadable('wrong_shape', `${subject}: no list of results`)
  const length = root?.['length']
  if (typeof length === 'number' && length !== results.length) {
    throw new Unreadable('truncated', `${subject}: states ${length} issuers and has ${results.length}`)
  }
  const box = listingBox()
  for (const [index, result] of results.entries()) {
    const issuer = objectOf(result)
    const instruments = issuer?.['instruments']
    const name = textOf(issuer?.['name'])
    const inside: readonly unknown[] = Array.isArray(instruments) && instruments.length > 0 ? instruments : [result]
    for (const instrument of inside.map(objectOf)) {
      const printed = textOf(instrument?.['symbol'])
      const listing = printed === null ? null : tmxListing(printed, textOf(instrument?.['name']) ?? name ?? '', name, board)
      if (listing) box.add(listing)
      else
        box.refuse(
          'unreadable_symbol',
          `${subject} issuer ${index + 1}: ${JSON.stringify(instrument?.['symbol'] ?? null)} is no symbol`,
          name ?? `issuer ${index + 1}`,
          issuer,
        )
    }
  }
  const { listings, refused, skipped } = box
  return parsedSymbols({ directories: [{ date: directoryDay(root?.['last_updated'], document), scope: [board], listings }], refused, skipped })
}

export type Interlisted = {
  readonly printed: string
  readonly board: Board
  readonly name: string
  /** The symbol of the other listing and its market, if the file has them. */
  readonly us_symbol: string | null
  readonly market: string | null
}

/**
 * Rows of the interlisted file. Text form: `As of <day>` above, then tab-separated `Symbol` (`RY:TSX`), `Name`, `US Symbol`, `Sector`,
 * `International Market`. CSV form: columns `ticker`, `name`, `exchange` (TSX or TSXV). Drops rows of neither board.
 */
export function parseInterlisted(text: string): { readonly rows: Interlisted[]; readonly unread: string[][] } {
  const tabs = text.includes('\t')
  const table = csvRows(text, tabs ? '\t' : ',')
  const start = table.findIndex(row => row.some(cell => /^(symbol|ticker)$/i.test(cell)))
  if (start < 0) throw new Unreadable('wrong_header', 'interlisted file: no line names a column Symbol or ticker')
  const columns = table[start]!.map(cell => cell.toLowerCase().replaceAll(' ', '_'))
  const column = (row: readonly string[], ...names: string[]): string => row[columns.findIndex(name => names.includes(name))] ?? ''
  const rows: Interlisted[] = []
  const unread: string[][] = []
  for (const row of table.slice(start + 1)) {
    const [printed = '', stated = ''] = column(row, 'symbol', 'ticker').split(':')
    const exchange = (stated || column(row, 'exchange')).toUpperCase()
    const board = exchange === 'TSX' ? 'TO' : exchange === 'TSXV' ? 'V' : null
    if (board === null || printed === '') unread.push(row)
    else {
      const us = column(row, 'us_symbol')
      rows.push({ printed, board, name: column(row, 'name'), us_symbol: us === '' ? null : us, market: column(row, 'international_market') || null })
    }
  }
  return { rows, unread }
}

function parseInterlistedDocument(document: RawDocument): Parsed {
  const { rows, unread } = parseInterlisted(documentText(document, 'tsx interlisted'))
  const box = listingBox()
  for (const row of unread)
    box.refuse('unreadable_row', `tsx interlisted: "${row.join(' ').slice(0, 80)}" names no board`, row[0] ?? '', {
      row: row.join('\t').slice(0, 400),
    })
  const interlistings = new Map<string, Fact<'interlistings'>>()
  for (const { printed, board, name, us_symbol, market } of rows) {
    const listing = tmxListing(printed, name, name, board)
    if (listing) {
      box.add(listing)
      if (!interlistings.has(listing.symbol)) interlistings.set(listing.symbol, { symbol: listing.symbol, name, other_symbol: us_symbol, market })
    } else box.refuse('unreadable_symbol', `tsx interlisted: "${printed}" is no symbol`, printed, { name })
  }
  const { listings, refused, skipped } = box
  // Only issuers that are listed abroad too: a symbol that is missing here means nothing.
  return parsedSymbols({
    directories: [{ date: dayOf(document), scope: [], listings }],
    facts: interlistings.size === 0 ? {} : { interlistings: [...interlistings.values()] },
    refused,
    skipped,
  })
}

export const tsxReaders: readonly Reader[] = [
  reader('tsx.directory', 'symbols', {
    reads: url => /\/company-directory\/search\/tsxv?\//.test(url) || /^recorded:.*tsxv?[^/]*director[^/]*\.json$/i.test(url),
    recognise: (path, head) => {
      if (!/^\s*\{\s*"(last_updated|length|results)"/.test(head) || !head.includes('"instruments"')) return null
      const board = /tsxv/i.test(path) ? 'tsxv' : /tsx/i.test(path) ? 'tsx' : null
      return board && `https://www.tsx.com/json/company-directory/search/${board}/%5E*`
    },
    parse: parseCompanies,
  }),
  reader('tsx.interlisted', 'interlistings', {
    reads: url => /interlisted[^/]*\.(txt|csv)$/i.test(url.split(/[?#]/)[0] ?? ''),
    matches: (head, path) => /interlisted/i.test(path) && (/^As of/i.test(head) || /(^|\n)Symbol\t/i.test(head) || /^[a-z_,]*\bticker\b/.test(head)),
    parse: parseInterlistedDocument,
  }),
]

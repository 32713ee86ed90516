// A merged daily list of TSX, TSX Venture and the United States in one CSV: `Symbol,Name,Exchange,Yahoo Symbol`, then as many pairs of
// `Instrument Name,Instrument Symbol` as the issuer has. The day is in the file's name, not in the file. Its United States part omits
// exchange-traded funds, so only the Canadian parts count as complete.
import { Unreadable } from '#schemas/errors.ts'
import { joinSymbol, splitSymbol } from '#schemas/spelling.ts'
import { nasdaqAct } from '#schemas/vendor-spelling.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { reader } from '../reader.ts'
import { csvRows, type DatedListing, dayOf, documentText, listingBox, parsedSymbols } from './document.ts'
import { issuerInName, usType } from './names.ts'
import { type Board, tmxListing } from './tsx-directory.ts'

const header = 'Symbol,Name,Exchange,Yahoo Symbol'
const boards: Readonly<Record<string, Board>> = { TSX: 'TO', TSXV: 'V' }
function micOfVenue(venue: string): string | null {
  if (venue.startsWith('NASDAQ')) return 'XNAS'
  return { NYSE: 'XNYS', 'NYSE MKT': 'XASE', 'NYSE AMERICAN': 'XASE', 'NYSE ARCA': 'ARCX', BATS: 'BATS', IEXG: 'IEXG' }[venue] ?? null
}

function usListing(printed: string, name: string, mic: string): DatedListing | null {
  const read = nasdaqAct.read(printed)
  if (read === null) return null
  const issuer = issuerInName(name)
  const { root, marks: printedMarks } = splitSymbol(read.symbol)
  // The ACT symbol writes the first of several warrants as a class (`BAC.A`) and when-issued as the class V: the name distinguishes them.
  const about = name.slice(issuer?.length ?? 0)
  const letter = printedMarks.length === 1 && printedMarks[0]?.length === 1 ? printedMarks[0] : null
  const marks =
    letter !== null && /\bwarrants?\b/i.test(about) ? [`WT${letter}`] : letter === 'V' && /\bwhen.issued\b/i.test(about) ? ['WI'] : printedMarks
  const parsed = joinSymbol({ root, marks, exchange: 'US' })
  if (parsed === null) return null
  const type = usType({ marks, name, issuer }, { etf: false, nextShares: false })
  return { ...parsed, source_symbol: printed, mic, name, issuer, type, currency: 'USD', cik: null, etf: false }
}

function parseList(document: RawDocument): Parsed {
  const text = documentText(document, 'symbol-list')
  if (!text.startsWith(header)) throw new Unreadable('wrong_header', `symbol-list: the first line is "${text.slice(0, 80).split('\n')[0]}"`)
  const box = listingBox()
  for (const [index, row] of csvRows(text).slice(1).entries()) {
    const [printed = '', name = '', venue = ''] = row
    const where = `symbol-list line ${index + 2}`
    const board = boards[venue]
    const mic = micOfVenue(venue.toUpperCase())
    if (row.length < 4)
      box.refuse('column_count', `${where}: ${row.length} columns, expected 4 or more`, printed, { row: row.join(',').slice(0, 400) })
    else if (board === undefined && mic === null)
      box.refuse('unknown_venue', `${where}: ${printed} is listed on "${venue}"`, printed, { name, venue })
    else if (board === undefined) {
      const listing = usListing(printed, name, mic ?? '')
      if (listing) box.add(listing)
      else box.refuse('unreadable_symbol', `${where}: "${printed}" is no symbol`, printed, { name, venue })
    } else {
      const pairs =
        row.length > 4 ? Array.from({ length: Math.ceil((row.length - 4) / 2) }, (_, at) => [row[4 + 2 * at], row[5 + 2 * at]]) : [[name, printed]]
      for (const [instrument = '', symbol = ''] of pairs) {
        const listing = tmxListing(symbol, instrument, name, board)
        if (listing) box.add(listing)
        else if (instrument !== '' || symbol !== '')
          box.refuse('unreadable_symbol', `${where}: "${symbol}" is no symbol`, printed, { name, instrument, symbol })
      }
    }
  }
  const date = dayOf(document)
  const of = (exchange: string): DatedListing[] => box.listings.filter(listing => listing.exchange === exchange)
  const directories = [
    { date, scope: ['TO'], listings: of('TO') },
    { date, scope: ['V'], listings: of('V') },
    { date, scope: [], listings: of('US') },
  ].filter(({ listings }) => listings.length > 0)
  return parsedSymbols({ directories, refused: box.refused, skipped: box.skipped })
}

export const symbolListReaders: readonly Reader[] = [
  reader('symbol-list.daily', 'symbols', {
    reads: url => /(daily-symbol-list|symbol-list\/[^/]+|us-tsx-tsxv[^/]*)\.csv$/.test(url.split(/[?#]/)[0] ?? ''),
    matches: head => head.startsWith(header),
    parse: parseList,
  }),
]

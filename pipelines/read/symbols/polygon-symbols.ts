// Polygon (Massive): the ticker changes of one issuer (`/vX/reference/tickers/{T}/events`), and pages of its list of tickers,
// which are no complete directory but carry the CIK and the listing venue.
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbol, parseSymbolOn, splitSymbol } from '#schemas/spelling.ts'
import { Cik } from '#schemas/values.ts'
import type { Parsed, RawDocument, Reader, Rename } from '../parsed.ts'
import { reader } from '../reader.ts'
import { dayOf, documentJson, isDay, listingBox, objectOf, parsedSymbols, textOf } from './document.ts'
import { type InstrumentType, issuerInName, usType } from './names.ts'

/** Polygon writes classes with a point and preferreds with a small p (`BACpL`); `BRK.B` and `AAp` are read as such. */
const symbolOf = (ticker: string | null) => {
  const parsed = ticker === null ? null : /^[A-Z]+p[A-Z]?$/.test(ticker) ? parseSymbol(ticker) : parseSymbolOn('US', ticker)
  return parsed?.exchange === 'US' ? parsed : null
}

function parseEvents(document: RawDocument): Parsed {
  const subject = 'polygon ticker events'
  const results = objectOf(objectOf(documentJson(document, subject))?.['results'])
  const events = results?.['events']
  if (!Array.isArray(events)) throw new Unreadable('wrong_shape', `${subject}: no list of events`)
  const name = textOf(results?.['name'])
  const box = listingBox()
  const changes: { readonly symbol: string; readonly date: string }[] = []
  for (const [index, value] of events.entries()) {
    const event = objectOf(value)
    if (event?.['type'] !== 'ticker_change') {
      box.skip('other_event')
      continue
    }
    const parsed = symbolOf(textOf(objectOf(event['ticker_change'])?.['ticker']))
    const date = textOf(event['date']) ?? ''
    if (parsed && isDay(date)) changes.push({ symbol: parsed.symbol, date })
    else
      box.refuse(
        'unreadable_rename',
        `${subject} of ${name ?? '?'}: event ${index + 1} on "${date}" names no symbol`,
        name ?? `event ${index + 1}`,
        event,
      )
  }
  changes.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
  // The first event is the listing itself; each later one ends the symbol before it.
  const renames = changes.flatMap(({ symbol, date }, index): Rename[] => {
    const before = changes[index - 1]
    return before && before.symbol !== symbol ? [{ exchange: 'US', from: before.symbol, to: symbol, date, name }] : []
  })
  return parsedSymbols({ renames, refused: box.refused, skipped: box.skipped })
}

const types: Readonly<Record<string, InstrumentType>> = {
  CS: 'common',
  OS: 'common',
  PFD: 'preferred',
  ETF: 'etf',
  ETN: 'note',
  ETV: 'etf',
  FUND: 'fund',
  ADRC: 'adr',
  WARRANT: 'warrant',
  RIGHT: 'right',
  UNIT: 'unit',
}
/** A page of the list, or the details of one ticker: the same fields, in `results` a list or one object. */
function parseTickers(document: RawDocument): Parsed {
  const subject = 'polygon tickers'
  const root = objectOf(documentJson(document, subject))
  const one = objectOf(root?.['results'])
  const results = one === null ? root?.['results'] : [one]
  if (!Array.isArray(results)) throw new Unreadable('wrong_shape', `${subject}: no list of results`)
  const box = listingBox()
  for (const [index, value] of results.entries()) {
    const row = objectOf(value)
    const ticker = textOf(row?.['ticker'])
    const parsed = symbolOf(ticker)
    if (row?.['market'] !== 'stocks' || row['locale'] !== 'us') box.skip('other_market')
    else if (row['active'] === false) box.skip('inactive')
    else if (!parsed)
      box.refuse(
        'unreadable_symbol',
        `${subject} row ${index + 1}: ${JSON.stringify(row['ticker'] ?? null)} is no symbol`,
        ticker ?? `row ${index + 1}`,
        row,
      )
    else {
      const name = textOf(row['name']) ?? ''
      const issuer = issuerInName(name)
      const type =
        types[textOf(row['type']) ?? ''] ?? usType({ marks: splitSymbol(parsed.symbol).marks, name, issuer }, { etf: false, nextShares: false })
      const cik = Cik.safeParse(row['cik'])
      const currency = textOf(row['currency_name'])?.toUpperCase() ?? ''
      box.add({
        ...parsed,
        source_symbol: ticker ?? '',
        mic: textOf(row['primary_exchange']),
        name,
        issuer,
        type,
        currency: /^[A-Z]{3}$/.test(currency) ? currency : 'USD',
        cik: cik.success ? cik.data : null,
        etf: type === 'etf',
      })
    }
  }
  const next = textOf(root?.['next_url'])
  const { listings, refused, skipped } = box
  return parsedSymbols({ directories: [{ date: dayOf(document), scope: [], listings }], refused, skipped, follow: next ? [next] : [] })
}

const pathOf = (url: string): string => (url.split(/[?#]/)[0] ?? '').replaceAll('__', '/')
export const polygonSymbolReaders: readonly Reader[] = [
  reader('polygon.ticker-events', 'symbols', {
    reads: url => /reference\/tickers\/[^/]+\/events/.test(pathOf(url)),
    matches: (head, path) => /reference\/tickers\/[^/]+\/events/.test(pathOf(path)) && /^\s*\{/.test(head),
    parse: parseEvents,
  }),
  reader('polygon.tickers', 'symbols', {
    reads: url => /\/v3\/reference\/tickers(\.json)?$/.test(pathOf(url)),
    matches: (head, path) => /v3\/reference\/tickers(\.json)?$/.test(pathOf(path)) && /^\s*\{/.test(head),
    parse: parseTickers,
  }),
  reader('polygon.ticker', 'symbols', {
    reads: url => /(?:^|[/:])v3\/reference\/tickers\/[^/]+$/.test(pathOf(url)),
    matches: (head, path) => /v3\/reference\/tickers\/[^/]+$/.test(pathOf(path)) && /^\s*\{/.test(head) && head.includes('"ticker"'),
    parse: parseTickers,
  }),
]

// Tiingo's supported_tickers.csv (and the description of one ticker): every ticker with its venue and the first and last day for which it has prices. It names no
// issuer. A ticker can appear twice, for its former and its present company. Tickers are text: 000001, INF, NAN, TRUE.
import { Unreadable } from '#schemas/errors.ts'
import { splitSymbol } from '#schemas/spelling.ts'
import { tiingo } from '#schemas/vendor-spelling.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { reader } from '../reader.ts'
import { csvRows, documentJson, documentText, isDay, listingBox, objectOf, parsedSymbols, textOf, usMics } from './document.ts'
import { type InstrumentType, issuerInName, usType } from './names.ts'

const header = 'ticker,exchange,assetType,priceCurrency,startDate,endDate'
const mics: Readonly<Record<string, string | null>> = {
  ...usMics,
  NMFQS: null, // mutual funds have a quotation service, no venue
}
const venueOf = (exchange: string): string | null | undefined => (exchange.startsWith('OTC') ? 'OTCM' : mics[exchange])

function typeOf(assetType: string, marks: readonly string[]): InstrumentType {
  if (assetType === 'ETF') return 'etf'
  if (assetType === 'Mutual Fund') return 'fund'
  return usType({ marks, name: '', issuer: null }, { etf: false, nextShares: false })
}

function parseTickers(document: RawDocument): Parsed {
  const text = documentText(document, 'tiingo tickers')
  if (!text.startsWith(header)) throw new Unreadable('wrong_header', `tiingo tickers: the first line is "${text.slice(0, 80).split('\n')[0]}"`)
  const box = listingBox()
  let date = ''
  for (const [index, row] of csvRows(text).slice(1).entries()) {
    const [ticker = '', exchange = '', assetType = '', currency = '', first = '', last = ''] = row
    const where = `tiingo tickers line ${index + 2}`
    if (row.length !== 6) {
      box.refuse('column_count', `${where}: ${row.length} columns, expected 6`, ticker, { row: row.join(',').slice(0, 400) })
      continue
    }
    const mic = venueOf(exchange)
    if (exchange === '') box.skip('no_venue')
    else if (mic === undefined) box.skip('other_exchange')
    else if (first === '' || last === '') box.skip('no_days')
    else {
      const parsed = tiingo.read(ticker)
      const record = { ticker, exchange, startDate: first, endDate: last }
      if (parsed === null) box.refuse('unreadable_symbol', `${where}: "${ticker}" is no symbol`, ticker, record)
      else if (!isDay(first) || !isDay(last) || first > last)
        box.refuse('bad_days', `${where}: ${ticker} from "${first}" to "${last}"`, ticker, record)
      else {
        if (last > date) date = last
        const type = typeOf(assetType, splitSymbol(parsed.symbol).marks)
        box.add({
          ...parsed,
          source_symbol: ticker,
          mic,
          name: '',
          issuer: null,
          type,
          currency: /^[A-Z]{3}$/.test(currency) ? currency : 'USD',
          cik: null,
          etf: type === 'etf',
          first_date: first,
          last_date: last,
        })
      }
    }
  }
  const { listings, refused, skipped } = box
  // The list is as of the last day for which any of its tickers has a price.
  return parsedSymbols({ directories: date === '' ? [] : [{ date, scope: [], listings }], refused, skipped })
}

/** The description of one ticker, `/tiingo/daily/{ticker}`: as of its last day, so that an old one ends nothing. */
function parseMetadata(document: RawDocument): Parsed {
  const subject = 'tiingo ticker'
  const row = objectOf(documentJson(document, subject))
  const [ticker, exchange, first, last] = ['ticker', 'exchangeCode', 'startDate', 'endDate'].map(name => textOf(row?.[name]))
  if (row === null || !ticker) throw new Unreadable('wrong_shape', `${subject}: no member ticker`)
  const box = listingBox()
  const parsed = tiingo.read(ticker)
  const mic = venueOf(exchange ?? '')
  if (mic === undefined) box.skip(exchange ? 'other_exchange' : 'no_venue')
  else if (!first || !last) box.skip('no_days')
  else if (parsed === null) box.refuse('unreadable_symbol', `${subject}: "${ticker}" is no symbol`, ticker, row)
  else if (!isDay(first) || !isDay(last) || first > last) box.refuse('bad_days', `${subject}: ${ticker} from "${first}" to "${last}"`, ticker, row)
  else {
    const name = textOf(row['name']) ?? ''
    const issuer = issuerInName(name)
    const type = usType({ marks: splitSymbol(parsed.symbol).marks, name, issuer }, { etf: false, nextShares: false })
    const described = { name, issuer, type, currency: 'USD', cik: null, etf: false }
    box.add({ ...parsed, source_symbol: ticker, mic, ...described, first_date: first, last_date: last })
  }
  const { listings, refused, skipped } = box
  return parsedSymbols({ directories: listings.length === 0 ? [] : [{ date: last ?? '', scope: [], listings }], refused, skipped })
}

export const tiingoTickerReaders: readonly Reader[] = [
  reader('tiingo.supported-tickers', 'symbols', {
    reads: url => /supported_tickers[^/]*\.(csv|zip)/.test(url),
    matches: head => head.startsWith(header),
    parse: parseTickers,
  }),
  reader('tiingo.ticker', 'symbols', {
    reads: url => /^https:\/\/api\.tiingo\.com\/tiingo\/daily\/[^/?]+(?:\?|$)/.test(url),
    recognise: (_path, head) => {
      const described = /^\s*\{/.test(head) && ['exchangeCode', 'startDate', 'endDate'].every(name => head.includes(`"${name}"`))
      const ticker = described ? /"ticker"\s*:\s*"([A-Za-z0-9-]{1,20})"/.exec(head)?.[1] : undefined
      return ticker === undefined ? null : `https://api.tiingo.com/tiingo/daily/${ticker}`
    },
    parse: parseMetadata,
  }),
]

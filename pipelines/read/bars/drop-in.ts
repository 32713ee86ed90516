// The operator's bars: `symbol,date,open,high,low,close,volume[,currency]`, or one symbol per file named <SYMBOL>.csv.
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { csvRows, pathOf, stem } from '../csv/body.ts'
import { barTable } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { dropInReader } from '../reader.ts'

function parse(document: RawDocument): Parsed {
  const rows = csvRows(document, ['date', 'open', 'high', 'low', 'close', 'volume'])
  const table = barTable()
  const perRow = rows[0] !== undefined && 'symbol' in rows[0].cells
  const named = perRow ? null : (parseSymbol(stem(pathOf(document.url)))?.symbol ?? null)
  if (!perRow && named === null && rows.length > 0) {
    throw new Unreadable('symbol_not_stated', `csv ${document.url}: no column symbol, and the file is not named <SYMBOL>.csv, e.g. RY.TO.csv`)
  }
  for (const { cells, at } of rows) {
    const symbol = named ?? parseSymbol(cells['symbol'] ?? '')?.symbol
    const currency = cells['currency']
    if (symbol === undefined)
      table.refuse('bad_symbol', `line ${at}`, `has symbol "${cells['symbol']?.slice(0, 40)}", expected e.g. AAPL, RY.TO or XYZ.V`, { ...cells })
    else if (currency && !/^[A-Z]{3}$/.test(currency))
      table.refuse('bad_currency', symbol, `line ${at} has currency "${currency.slice(0, 20)}", expected e.g. CAD`, { ...cells })
    else {
      const { date, open, high, low, close, volume } = cells
      table.add({ symbol, date, open, high, low, close, volume, currency: currency || undefined }, at)
    }
  }
  return table.parsed()
}

const shape = ['date', 'open', 'high', 'low', 'close', 'volume']
/** Columns of sources that have their own reader. */
const others = ['adjclose', 'adjustedclose', 'divcash', 'exdividend']

export const csvBarsReader = dropInReader(
  'csv.bars',
  'bars',
  header => shape.every(name => header.includes(name)) && !others.some(name => header.includes(name)),
  parse,
)

// Tiingo daily prices: raw and adjusted columns, cash and split of the day in the row. Only daily rows are bars: the same
// address gives weekly ones with `resampleFreq=weekly`.
import { Unreadable } from '#schemas/errors.ts'
import { tiingo as spelling } from '#schemas/vendor-spelling.ts'
import { columnName, csvRows, headerOf, jsonOf, objectsOf, pathOf, stem, type TableRow, textIn } from '../csv/body.ts'
import { barTable, dayOf, decimalOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { actionTable, ratioParts } from './action-table.ts'
import { cadenceOf } from './cadence.ts'
import { withSplitHistory } from './split-history.ts'

const prices = /^https:\/\/api\.tiingo\.com\/tiingo\/daily\/([^/?]+)\/prices(?:\?|$)/

function symbolOf(document: RawDocument): string {
  const name = prices.exec(document.url)?.[1] ?? stem(pathOf(document.url))
  const read = spelling.read(decodeURIComponent(name))
  if (read) return read.symbol
  throw new Unreadable('symbol_not_stated', `tiingo ${document.url}: neither the document nor its name gives the symbol, e.g. googl.json`)
}

function rowsOf(document: RawDocument): TableRow[] {
  if (/^\s*[[{]/.test(new TextDecoder().decode(document.body.subarray(0, 64)))) {
    return objectsOf(jsonOf(document), `tiingo ${document.url}`).map((row, index) => ({
      cells: Object.fromEntries(Object.keys(row).map(name => [columnName(name), textIn(row, name) ?? ''])),
      at: index + 1,
    }))
  }
  return csvRows(document, ['date', 'close', 'divcash', 'splitfactor'])
}

function parse(document: RawDocument): Parsed {
  const rows = rowsOf(document)
  const table = barTable()
  const cadence = cadenceOf(rows.map(({ cells }) => dayOf(cells['date']) ?? ''))
  if (cadence !== null) {
    const name = stem(pathOf(document.url))
    table.refuse(
      `${cadence}_rows`,
      name,
      `${rows.length} ${cadence} rows from ${rows[0]?.cells['date']} on are no daily bars; ask with resampleFreq=daily`,
    )
    table.skip(`${cadence}_rows`, rows.length)
    return table.parsed()
  }
  const symbol = symbolOf(document)
  const actions = actionTable('tiingo')
  for (const { cells, at } of rows) {
    const { date, open, high, low, close, volume } = cells
    table.add({ symbol, date, open, high, low, close, volume }, at)
    if (Number(decimalOf(cells['divcash']) ?? 0) > 0)
      actions.add({ symbol, kind: 'dividend', ex_date: date, amount: cells['divcash'], currency: 'USD' }, at)
    const ratio = ratioParts(cells['splitfactor'])
    if (ratio && Number(ratio.numerator) !== Number(ratio.denominator)) actions.add({ symbol, kind: 'split', ex_date: date, ...ratio }, at)
  }
  const dates = rows.flatMap(({ cells }) => dayOf(cells['date']) ?? []).sort()
  return withSplitHistory(table.parsed(actions.parsed()), symbol, 'tiingo', dates[0] ?? '', dates.at(-1) ?? '')
}

export const tiingoReader = reader('tiingo.daily', 'bars', {
  reads: url => prices.test(url) && ['daily', null].includes(URL.parse(url)?.searchParams.get('resampleFreq')?.toLowerCase() ?? null),
  matches: head => {
    const header = headerOf(head)
    const csv = header.includes('divcash') && header.includes('splitfactor')
    return csv || (/^\s*\[\s*\{/.test(head) && /"divCash".{0,200}"splitFactor"/s.test(head.slice(0, 2000)))
  },
  parse,
})

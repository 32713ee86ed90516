// Quandl's WIKI prices: raw bars of many US symbols, ex-dividend and split ratio in each row. The series ended in 2018.
import { parseSymbol } from '#schemas/spelling.ts'
import { csvRows, headerOf } from '../csv/body.ts'
import { barTable, decimalOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { actionTable, ratioParts } from './action-table.ts'

function parse(document: RawDocument): Parsed {
  const table = barTable()
  const actions = actionTable('quandl')
  // `ex-dividend` and `split_ratio` lose their marks in `columnName`.
  for (const { cells, at } of csvRows(document, ['ticker', 'date', 'close', 'exdividend', 'splitratio'])) {
    const { date, open, high, low, close, volume } = cells
    const symbol = parseSymbol(`US:${cells['ticker']}`)?.symbol // `BRK_A`
    if (symbol === undefined) {
      table.skip('unreadable_symbol')
      continue
    }
    table.add({ symbol, date, open, high, low, close, volume }, at)
    if (Number(decimalOf(cells['exdividend']) ?? 0) > 0)
      actions.add({ symbol, kind: 'dividend', ex_date: date, amount: cells['exdividend'], currency: 'USD' }, at)
    const ratio = ratioParts(cells['splitratio'])
    if (ratio && Number(ratio.numerator) !== Number(ratio.denominator) && Number(ratio.numerator) > 0)
      actions.add({ symbol, kind: 'split', ex_date: date, ...ratio }, at)
  }
  return table.parsed(actions.parsed())
}

export const quandlReader = reader('quandl.wiki', 'bars', {
  reads: () => false, // files only: the service ended
  matches: head => {
    const header = headerOf(head)
    return header[0] === 'ticker' && header.includes('exdividend') && header.includes('splitratio')
  },
  parse,
})

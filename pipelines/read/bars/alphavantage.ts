// Alpha Vantage TIME_SERIES_DAILY_ADJUSTED: raw bars by day, dividend and split coefficient in each. All values are strings.
import { Unreadable } from '#schemas/errors.ts'
import { alphaVantage as spelling } from '#schemas/vendor-spelling.ts'
import { isObject, jsonOf, textIn } from '../csv/body.ts'
import { barTable, currencyOf, dayOf, decimalOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { actionTable, ratioParts } from './action-table.ts'
import { withSplitHistory } from './split-history.ts'

function parse(document: RawDocument): Parsed {
  const subject = `alphavantage ${document.url}`
  const value = jsonOf(document)
  const meta = isObject(value) ? value['Meta Data'] : undefined
  const days = isObject(value) ? value['Time Series (Daily)'] : undefined
  if (!isObject(meta) || !isObject(days)) throw new Unreadable('not_a_daily_series', `${subject}: no "Meta Data" and "Time Series (Daily)"`)
  const printed = textIn(meta, '2. Symbol') ?? ''
  const read = spelling.read(printed)
  const table = barTable()
  const actions = actionTable('alphavantage')
  if (!read || /\.(?!TR[TV]$)[A-Z]{2,}$/.test(printed)) {
    table.skip('other_exchange', Object.keys(days).length)
    return table.parsed()
  }
  const { symbol } = read
  for (const [at, [date, day]] of Object.entries(days).entries()) {
    if (!isObject(day)) {
      table.refuse('bad_row', symbol, `the value of ${date.slice(0, 20)} is not an object`)
      continue
    }
    const cell = (name: string): string | null => textIn(day, name)
    table.add(
      { symbol, date, open: cell('1. open'), high: cell('2. high'), low: cell('3. low'), close: cell('4. close'), volume: cell('6. volume') },
      at + 1,
    )
    const amount = cell('7. dividend amount')
    if (Number(decimalOf(amount) ?? 0) > 0) actions.add({ symbol, kind: 'dividend', ex_date: date, amount, currency: currencyOf(symbol) }, at + 1)
    const ratio = ratioParts(cell('8. split coefficient'))
    if (ratio && Number(ratio.numerator) !== Number(ratio.denominator) && Number(ratio.numerator) > 0)
      actions.add({ symbol, kind: 'split', ex_date: date, ...ratio }, at + 1)
  }
  const dates = Object.keys(days)
    .flatMap(date => dayOf(date) ?? [])
    .sort()
  return withSplitHistory(table.parsed(actions.parsed()), symbol, 'alphavantage', dates[0] ?? '', dates.at(-1) ?? '')
}

const address = (symbol: string): string => `https://www.alphavantage.co/query?function=TIME_SERIES_DAILY_ADJUSTED&symbol=${symbol}&outputsize=full`

export const alphaVantageReader = reader('alphavantage.daily_adjusted', 'bars', {
  reads: url => /^https:\/\/www\.alphavantage\.co\/query\?(?:.*&)?function=TIME_SERIES_DAILY_ADJUSTED(?:&|$)/.test(url),
  recognise: (path, head) => {
    const refusal = /^\s*\{\s*"(?:Error Message|Note|Information)"\s*:\s*"[^"]{0,600}alphavantage/i.test(head)
    if (refusal) return `recorded:${path}`
    if (!/^\s*\{\s*"Meta Data"/.test(head) || !head.includes('"8. split coefficient"')) return null
    const symbol = /"2\. Symbol"\s*:\s*"([A-Za-z0-9.-]{1,20})"/.exec(head)?.[1]
    return symbol ? address(symbol) : `recorded:${path}`
  },
  parse,
})

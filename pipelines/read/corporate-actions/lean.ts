// Lean's factor files of US equities, no header: `20140402,1,0.5,1135.1` is the last session before an ex-date, the price and the split
// factor of everything up to it, and the raw close of that session. They state factors, not actions; the reader derives the action of each
// step: a ratio from the split factors, cash per old share from the price factors and that close.
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { decimalOf as decimalText, minus, numberOf, one, over, type Ratio, ratioOf, times } from '#warehouse/datasets/prices/ratio.ts'
import { calendarYears, nextSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { type ActionTable, actionTable } from '../bars/action-table.ts'
import { csvCells, pathOf, stem } from '../csv/body.ts'
import { decimalOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'

type Row = { readonly date: string; readonly price: string; readonly split: string; readonly close: string | null; readonly at: number }
/** A row dated this far ahead only ends the table. */
const closing = '2050'
/** Factors are printed with seven or eight digits: the last of them is this share of one. */
const lastDigit = 1e-7

function rowOf(cells: readonly string[], at: number): Row | null {
  const [day = '', price, split, close] = cells.map(cell => cell.trim())
  const date = /^(\d{4})(\d\d)(\d\d)$/.exec(day)
  const [priceFactor, splitFactor] = [decimalOf(price), decimalOf(split)]
  if (!date || priceFactor === null || splitFactor === null || !(Number(priceFactor) > 0) || !(Number(splitFactor) > 0)) return null
  return { date: `${date[1]}-${date[2]}-${date[3]}`, price: priceFactor, split: splitFactor, close: decimalOf(close), at }
}

/** New shares for old of the step from `row` to `later`: the simplest whole numbers that print as these factors, else as printed. */
function ratioBetween(row: Row, later: Row): { readonly numerator: string; readonly denominator: string } {
  const step = Number(later.split) / Number(row.split)
  const inverse = 1 / step
  for (let shares = 1; shares <= 20; shares += 1) {
    for (const [value, up] of [
      [step, true],
      [inverse, false],
    ] as const) {
      const whole = Math.round(value * shares)
      if (whole < 1 || Math.abs(whole / shares / value - 1) > 2 * lastDigit * Math.max(1, 1 / Number(row.split), 1 / Number(later.split))) continue
      return up ? { numerator: String(whole), denominator: String(shares) } : { numerator: String(shares), denominator: String(whole) }
    }
  }
  return { numerator: later.split, denominator: row.split }
}

/** Cash per old share that changes the price factor from `later` to `row`; one digit more than the factors determine. */
function cashBetween(row: Row, later: Row, close: Ratio): string {
  const amount = times(close, minus(one, over(ratioOf(row.price), ratioOf(later.price))))
  const places = Math.max(2, Math.ceil(-Math.log10(numberOf(close) * lastDigit)) + 1)
  return decimalText(amount, places)
}

function step(table: ActionTable, symbol: string, row: Row, later: Row): void {
  if (row.price === later.price && row.split === later.split) return // the table's first row only marks the start of the history
  const { from, to } = calendarYears('US')
  if (row.date < from || row.date >= to) {
    table.refuse('outside_calendar', symbol, `row ${row.at} is of ${row.date}; the sessions from ${from} to ${to} are known`)
    return
  }
  const ex_date = nextSession('US', row.date)
  if (row.split !== later.split) table.add({ symbol, kind: 'split', ex_date, ...ratioBetween(row, later) }, row.at)
  if (row.price === later.price) return
  if (row.close === null || !(Number(row.close) > 0))
    table.refuse('no_reference_price', symbol, `row ${row.at} of ${row.date} has no close from which the cash would follow`, { ...row })
  else if (Number(row.price) > Number(later.price))
    table.refuse('factor_rises', symbol, `row ${row.at} of ${row.date}: the price factor ${row.price} is above the later ${later.price}`, { ...row })
  else
    table.add(
      { symbol, kind: 'dividend', ex_date, amount: cashBetween(row, later, ratioOf(row.close)), currency: 'USD', amount_basis: 'pre_split' },
      row.at,
    )
}

function parse(document: RawDocument): Parsed {
  const symbol = parseSymbol(`US:${stem(pathOf(document.url))}`)?.symbol
  if (symbol === undefined)
    throw new Unreadable('symbol_not_stated', `lean factors ${document.url}: the file's name is no symbol; expected e.g. spy.csv`)
  const table = actionTable('lean')
  const rows: Row[] = []
  for (const { cells, at } of csvCells(document)) {
    const row = rowOf(cells, at)
    if (row === null) table.refuse('bad_row', symbol, `row ${at} is "${cells.join(',').slice(0, 60)}", expected YYYYMMDD, two factors and a close`)
    else rows.push(row)
  }
  rows.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : a.at - b.at))
  for (const [at, later] of rows.entries()) {
    const row = rows[at - 1]
    if (row && !row.date.startsWith(closing)) step(table, symbol, row, later)
  }
  return table.parsed()
}

export const leanFactorsReader = reader('lean.factors', 'corporate_actions', {
  reads: () => false, // files only
  matches: head => /^\ufeff?\d{8},\d+(?:\.\d+)?,\d+(?:\.\d+)?(?:,\d*(?:\.\d+)?)?(?:\r?\n|$)/.test(head),
  parse,
})

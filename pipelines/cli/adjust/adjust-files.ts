// The files of `crossfile adjust`: bars, actions, expected closes and rates as CSV in any common variant:
// CRLF, byte order mark, any order, usual names of kinds. An error names the line and what to change.
import { readCsv } from '#schemas/csv.ts'
import { BadRequest } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import type { ActionFacts } from '#warehouse/datasets/prices/actions.ts'
import type { Ohlcv } from '#warehouse/datasets/prices/adjust.ts'
import type { RateRow } from '#warehouse/datasets/prices/fx.ts'
import { ratioParts } from '../../read/bars/action-table.ts'
import { kindNamed } from '../../read/corporate-actions/kinds.ts'
import { columnName } from '../../read/csv/body.ts'
import { dayOf, decimalOf, isMissing } from '../../read/csv/cells.ts'

type Row = { readonly cells: Readonly<Record<string, string>>; readonly line: number }
/** Placeholder symbol, used if neither an option nor a file name gives one. */
export const unnamed = 'BARS'
export type Note = { readonly line: number; readonly reason: string; readonly detail: string }

function bad(file: string, line: number, fault: string, hint: string): BadRequest {
  return new BadRequest(`${file} line ${line}: ${fault}`, { hint })
}

/** Rows by `columnName`; throws `BadRequest` if a required column is missing. */
function rowsOf(file: string, text: string, needed: readonly string[], shape: string): Row[] {
  const { rows, broken } = readCsv(text, [',', ';', '\t', '|'])
  if (broken) throw bad(file, broken.row, broken.message, 'close the quotation mark')
  const [header, ...others] = rows
  if (!header) throw new BadRequest(`${file}: the file is empty`, { hint: `expected the header ${shape}` })
  const printed = header.cells.map(columnName)
  // yfinance writes `Datetime` if the rows carry a time zone.
  const names = printed.includes('date') ? printed : printed.map(name => (name === 'datetime' ? 'date' : name))
  const missing = needed.filter(name => !names.includes(columnName(name)))
  if (missing.length > 0)
    throw bad(
      file,
      header.row,
      `no column ${missing.join(', ')} in the header "${header.cells.join(',').slice(0, 120)}"`,
      `expected the header ${shape}`,
    )
  return others.map(({ cells, row }) => ({
    cells: Object.fromEntries(names.map((name, index) => [name, (cells[index] ?? '').trim()])),
    line: row,
  }))
}

function day(file: string, { cells, line }: Row, column: string): string {
  const text = cells[columnName(column)] ?? ''
  const compact = /^(\d{4})[/]?(\d\d)[/]?(\d\d)$/.exec(text)
  const date = dayOf(compact ? `${compact[1]}-${compact[2]}-${compact[3]}` : text)
  if (date === null) throw bad(file, line, `${column} is "${text.slice(0, 40)}"`, 'write the day as YYYY-MM-DD')
  return date
}

function number(file: string, { cells, line }: Row, column: string): number | null {
  const text = cells[columnName(column)]
  if (isMissing(text)) return null
  const decimal = decimalOf(text)
  if (decimal === null || !Number.isFinite(Number(decimal)))
    throw bad(file, line, `${column} is "${String(text).slice(0, 40)}"`, 'write a decimal number, or leave the cell empty')
  return Number(decimal)
}

export type BarFile = { readonly bars: readonly Ohlcv[]; readonly currency: string | null; readonly notes: readonly Note[] }
/** Bars oldest first, each day once. Rows without a close are kept, and skipped when a previous close is needed. */
export function readBars(file: string, text: string): BarFile {
  const notes: Note[] = []
  const byDate = new Map<string, { bar: Ohlcv; line: number }>()
  const currencies = new Set<string>()
  for (const row of rowsOf(file, text, ['date', 'close'], 'date,open,high,low,close,volume')) {
    const date = day(file, row, 'date')
    const cell = (column: string): number | null => number(file, row, column)
    const bar = { date, open: cell('open'), high: cell('high'), low: cell('low'), close: cell('close'), volume: cell('volume') }
    const negative = Object.entries(bar).find(([, value]) => typeof value === 'number' && value < 0)
    if (negative) throw bad(file, row.line, `${negative[0]} is ${negative[1]}`, 'prices and volumes are not negative')
    if (bar.close === 0) throw bad(file, row.line, 'close is 0', 'leave the cell empty if there was no price')
    if (bar.close === null) notes.push({ line: row.line, reason: 'no_close', detail: `${date} has no close` })
    const before = byDate.get(date)
    if (before && before.bar.close !== null && bar.close !== null && before.bar.close !== bar.close) {
      throw bad(
        file,
        row.line,
        `${date} appears twice, with close ${bar.close} here and ${before.bar.close} in line ${before.line}`,
        'keep one row per day',
      )
    }
    if (before) notes.push({ line: row.line, reason: 'repeated_day', detail: `${date} also appears in line ${before.line}` })
    if (!before || before.bar.close === null) byDate.set(date, { bar, line: row.line })
    if (/^[A-Z]{3}$/.test(row.cells['currency'] ?? '')) currencies.add(row.cells['currency']!)
  }
  const bars = [...byDate.values()].map(({ bar }) => bar).sort((a, b) => (a.date < b.date ? -1 : 1))
  if (!bars.some(bar => bar.close !== null))
    throw new BadRequest(`${file}: no row has a close`, { hint: 'expected rows of date,open,high,low,close,volume' })
  return { bars, currency: currencies.size === 1 ? [...currencies][0]! : null, notes }
}

export type ActionRow = ActionFacts & { readonly line: number }
/** Actions in file order; `sequence` is the line, so that two of a kind on one day are two actions. */
export function readActions(file: string, text: string, symbol: string, basis: 'post_split' | 'pre_split'): { actions: ActionRow[]; notes: Note[] } {
  const actions: ActionRow[] = []
  const notes: Note[] = []
  for (const row of rowsOf(file, text, ['ex_date', 'kind'], 'ex_date,kind,numerator,denominator,amount,currency')) {
    const { cells, line } = row
    if (isOfAnother(cells, symbol)) {
      notes.push({ line, reason: 'other_symbols', detail: `it belongs to ${cells['symbol'] ?? cells['ticker']}, not of ${symbol}` })
      continue
    }
    const kind = kindNamed(cells['kind'] ?? '')
    if (kind === null)
      throw bad(
        file,
        line,
        `kind is "${cells['kind']?.slice(0, 40)}"`,
        'use split, dividend, special_dividend, stock_dividend, return_of_capital, spinoff, reinvested_distribution or capital_gain',
      )
    const ex_date = day(file, row, 'ex_date')
    if (kind === 'no_action') {
      notes.push({ line, reason: 'changes_no_price', detail: `${cells['kind']} of ${ex_date} changes no price` })
      continue
    }
    const amount = number(file, row, 'amount')
    if (amount !== null && amount < 0) throw bad(file, line, `amount is ${amount}`, 'an amount is the cash paid per share, above 0')
    const currency = (cells['currency'] ?? '').toUpperCase()
    if (currency !== '' && !/^[A-Z]{3}$/.test(currency))
      throw bad(file, line, `currency is "${currency.slice(0, 20)}"`, 'write three letters such as USD or CAD, or leave the cell empty')
    const ratio = sharesOf(file, row, kind)
    if (ratio && ratio.numerator === ratio.denominator) notes.push({ line, reason: 'ratio_of_one', detail: `${kind} of ${ex_date} has a ratio of 1` })
    else if (ratio === null && amount === 0) notes.push({ line, reason: 'amount_of_zero', detail: `${kind} of ${ex_date} has an amount of 0` })
    else if (ratio === null && amount === null && kind !== 'reinvested_distribution')
      throw bad(file, line, `${kind} without an amount`, 'give the cash paid per share in the column amount')
    else {
      const isCash = kind !== 'split' && kind !== 'stock_dividend'
      const stated = isCash && amount !== null ? decimalOf(cells['amount']) : null
      actions.push({
        symbol,
        kind,
        ex_date,
        line,
        sequence: line,
        source_name: 'file',
        record_date: null,
        pay_date: null,
        declared_date: null,
        cancelled: false,
        numerator: stated === null ? (ratio?.numerator ?? null) : null,
        denominator: stated === null ? (ratio?.denominator ?? null) : null,
        amount: stated,
        currency: currency || null,
        amount_basis: basis,
      })
    }
  }
  return { actions, notes }
}

/**
 * Shares after and before. A stock dividend may be given as shares after/before (105/100), as new per old (5/100), or by
 * its rate in `amount` (0.05): each gives the ratio 1 + x. Null for cash.
 */
function sharesOf(file: string, { cells, line }: Row, kind: ActionFacts['kind']): { numerator: string; denominator: string } | null {
  const isShares = kind === 'split' || kind === 'stock_dividend'
  if (!isShares && kind !== 'spinoff') return null
  const [top, bottom] = [cells['numerator'] ?? '', cells['denominator'] ?? '']
  const rate = decimalOf(cells['amount'])
  if (isMissing(top) && isMissing(bottom)) {
    if (kind === 'stock_dividend' && rate !== null && Number(rate) > 0 && Number(rate) < 1) return { numerator: onePlus(rate), denominator: '1' }
    if (!isShares) return null
    throw bad(file, line, `${kind} without a ratio`, 'give shares after in numerator and shares before in denominator: 2 and 1 for a 2:1 split')
  }
  const ratio = isMissing(bottom) ? ratioParts(top) : isMissing(top) ? null : ratioParts(`${top}/${bottom}`)
  if (!ratio || !(Number(ratio.numerator) > 0) || !(Number(ratio.denominator) > 0)) {
    throw bad(file, line, `the ratio is "${top}" to "${bottom}"`, 'give shares after in numerator and shares before in denominator, both above 0')
  }
  if (kind === 'stock_dividend' && Number(ratio.numerator) < Number(ratio.denominator)) return added(ratio)
  return ratio
}
const onePlus = (rate: string): string => `1.${rate.split('.')[1] ?? '0'}`
function added({ numerator, denominator }: { numerator: string; denominator: string }): { numerator: string; denominator: string } {
  const places = Math.max((numerator.split('.')[1] ?? '').length, (denominator.split('.')[1] ?? '').length)
  const whole = (text: string): bigint => BigInt(text.replace('.', '') + '0'.repeat(places - (text.split('.')[1] ?? '').length))
  return { numerator: String(whole(numerator) + whole(denominator)), denominator: String(whole(denominator)) }
}

/** True if a table names symbols and the row belongs to a symbol other than the adjusted one. */
function isOfAnother(cells: Row['cells'], symbol: string): boolean {
  const named = cells['symbol'] ?? cells['ticker'] ?? ''
  return named !== '' && symbol !== unnamed && (parseSymbol(named)?.symbol ?? named) !== symbol
}

/** Expected adjusted closes by day; rows without a number are noted, rows of other symbols are skipped. */
export function readExpected(file: string, text: string, symbol = unnamed): { closes: ReadonlyMap<string, number>; notes: Note[] } {
  const closes = new Map<string, number>()
  const notes: Note[] = []
  const header = text.replace(/^\ufeff/, '').split(/\r?\n/, 1)[0] ?? ''
  const column = /adj(?:usted)?[ _]?close/i.exec(header)?.[0] ?? 'adjusted_close'
  for (const row of rowsOf(file, text, ['date', column], 'date,adjusted_close')) {
    if (isOfAnother(row.cells, symbol)) continue
    const date = day(file, row, 'date')
    const close = number(file, row, column)
    if (close === null) notes.push({ line: row.line, reason: 'no_expected_close', detail: `${date} has no adjusted close` })
    else closes.set(date, close)
  }
  return { closes, notes }
}

/** Rates as `date,base,quote,rate`: units of `quote` per one `base`. */
export function readRates(file: string, text: string): RateRow[] {
  return rowsOf(file, text, ['date', 'base', 'quote', 'rate'], 'date,base,quote,rate').map(row => {
    const rate = decimalOf(row.cells['rate'])
    if (rate === null || Number(rate) <= 0) throw bad(file, row.line, `rate is "${row.cells['rate']?.slice(0, 40)}"`, 'write a decimal above 0')
    return {
      date: day(file, row, 'date'),
      base_currency: (row.cells['base'] ?? '').toUpperCase(),
      quote_currency: (row.cells['quote'] ?? '').toUpperCase(),
      rate,
    }
  })
}

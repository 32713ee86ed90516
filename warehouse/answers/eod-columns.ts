// Bars from the columns of the model of prices: printed as JSON, without a record for each of them.

import type { PriceColumns, WordColumn } from '../context/price-model.ts'
import {
  type Ascii,
  asciiOf,
  dayBytes,
  lendBuffer,
  marginBytes,
  numberBytes,
  PrintedJson,
  printAscii,
  printDay,
  printNumber,
  printRounded,
  viewOf,
} from '../context/print-json.ts'
import { rounded } from '../context/rounded.ts'
import type { Factor } from '../datasets/bars/bars.ts'
import { type AdjustMode, adjustColumn } from '../datasets/prices/adjust.ts'

/** Places of a table: from one to before another. */
export type Range = { readonly from: number; readonly to: number }

/** The texts that occur in a range of a column. */
export function wordsIn({ words, codes }: WordColumn, { from, to }: Range): string[] {
  const occurs = words.map(() => false)
  for (let at = from; at < to; at += 1) occurs[codes[at] as number] = true
  return words.filter((_, code) => occurs[code])
}

/** The newest retrieval of each upstream, in microseconds since 1970. */
export function newestOf({ source: { words, codes }, known_us }: PriceColumns, { from, to }: Range): Map<string, number> {
  const newest = words.map(() => Number.NEGATIVE_INFINITY)
  for (let at = from; at < to; at += 1) {
    const [code, known] = [codes[at] as number, known_us[at] as number]
    if (known > (newest[code] as number)) newest[code] = known
  }
  return new Map(words.flatMap((word, code) => (newest[code] === Number.NEGATIVE_INFINITY ? [] : [[word, newest[code] as number] as const])))
}

const members = {
  date: asciiOf('{"date":"'),
  open: asciiOf('","open":'),
  high: asciiOf(',"high":'),
  low: asciiOf(',"low":'),
  close: asciiOf(',"close":'),
  adjusted: asciiOf(',"adjusted_close":'),
  volume: asciiOf(',"volume":'),
} as const
const asTraded = 'as_traded'
const [openBracket, closeBracket] = [91, 93]
/** Of a bar, without its basis. */
const barBytes = Object.values(members).reduce((sum, text) => sum + text.length, 0) + dayBytes + 6 * numberBytes
/** A price with so few characters has at most twelve digits, so that it is rounded already. */
const roundedLength = 12

let adjustedCloses = new Float64Array(4_096)

/**
 * The bars of a range, newest first with `desc`, as `printedBars` gives them and `JSON.stringify` prints them. The columns are adjusted in
 * place. No bar may have an unknown basis if there are factors.
 */
export function printColumns(
  columns: PriceColumns,
  range: Range,
  order: 'asc' | 'desc',
  factors: readonly Factor[],
  adjust: AdjustMode,
  asOf: string,
): PrintedJson {
  const { count, day, open, high, low, close, volume } = columns
  if (adjustedCloses.length < count) adjustedCloses = new Float64Array(2 * count)
  const adjusted = adjustedCloses
  adjustColumn({ days: day, values: close, count, kind: 'price' }, factors, 'all', { asOf }, adjusted)
  if (adjust !== 'none' && factors.length > 0) {
    for (const values of [open, high, low, close, volume]) {
      adjustColumn({ days: day, values, count, kind: values === volume ? 'volume' : 'price' }, factors, adjust, { asOf }, values)
      for (let at = range.from; at < range.to; at += 1) values[at] = rounded(values[at] as number)
    }
  }
  const { words, codes } = columns.basis
  const ends = words.map(word => asciiOf(word === asTraded ? '},' : `,"basis":${JSON.stringify(word)}},`))
  const longest = ends.reduce((most, text) => Math.max(most, text.length), 0)
  const rows = range.to - range.from
  const buffer = lendBuffer(rows * (barBytes + longest) + numberBytes + 2 * marginBytes)
  const view = viewOf(buffer)
  const step = order === 'asc' ? 1 : -1
  view.setUint8(marginBytes, openBracket)
  let end = marginBytes + 1
  for (let row = 0, at = order === 'asc' ? range.from : range.to - 1; row < rows; row += 1, at += step) {
    end = printDay(view, printAscii(view, end, members.date), day[at] as number)
    end = printNumber(view, printAscii(view, end, members.open), open[at] as number)
    end = printNumber(view, printAscii(view, end, members.high), high[at] as number)
    end = printNumber(view, printAscii(view, end, members.low), low[at] as number)
    const closeAt = printAscii(view, end, members.close)
    end = printNumber(view, closeAt, close[at] as number)
    end = printAdjusted(view, printAscii(view, end, members.adjusted), adjusted[at] as number, close[at] as number, closeAt, end - closeAt)
    end = printNumber(view, printAscii(view, end, members.volume), volume[at] as number)
    end = printAscii(view, end, ends[codes[at] as number] as Ascii)
  }
  // In place of the comma after the last bar.
  const last = rows === 0 ? end : end - 1
  view.setUint8(last, closeBracket)
  return new PrintedJson(buffer, marginBytes, last + 1)
}

/** The adjusted close, rounded; the text of the close, which is already printed at `closeAt`, if it is the same. */
function printAdjusted(view: DataView, at: number, value: number, close: number, closeAt: number, length: number): number {
  if (value !== close || length > roundedLength) return printRounded(view, at, value)
  for (let place = 0; place < length; place += 1) view.setUint8(at + place, view.getUint8(closeAt + place))
  return at + length
}

// Yahoo's history as CSV: the former download (`Date,Open,High,Low,Close,Adj Close,Volume`) and the table that yfinance
// writes (with `Dividends` and `Stock Splits`). The symbol is only in the file's name. `Adj Close` is never kept.
import { daysBetween } from '#schemas/days.ts'
import { Unreadable } from '#schemas/errors.ts'
import { splitRatio } from '#warehouse/datasets/prices/actions.ts'
import { compare, one, type Ratio } from '#warehouse/datasets/prices/ratio.ts'
import { csvRows, fileName, headerOf, pathOf, stem, type TableRow } from '../csv/body.ts'
import { type BarTable, barTable, currencyOf, dayOf, decimalOf, isMissing } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { reachDays, splitBasis, yahooSymbol } from '../symbols/yahoo-symbol.ts'
import { type ActionTable, actionTable, ratioParts } from './action-table.ts'
import { cadenceOf } from './cadence.ts'
import { areDivided, type KnownSplit, sharesAfter, undividedPrice, undividedVolume } from './split-basis.ts'
import { withSplitHistory } from './split-history.ts'

const download = /^https:\/\/query[12]\.finance\.yahoo\.com\/v7\/finance\/download\/([^/?]+)/

/** `CP.TO.csv`, `BTCC-U.TO.csv`; for a yfinance table also `LA-V-1d-…csv` and `EA-15m-…csv`, in which a dash replaces the point. */
function nameIn(document: RawDocument): string {
  const inUrl = download.exec(document.url)?.[1]
  if (inUrl !== undefined) return decodeURIComponent(inUrl)
  const name = stem(pathOf(document.url))
  const table = /^([A-Z0-9]+)(?:-([A-Z]{1,2}))?-\d+[dmh]\b/.exec(name)
  return table ? `${table[1]}${table[2] ? `.${table[2]}` : ''}` : name
}

/** Tables that were repaired by hand (`Repaired?`, `-fixed`) are not a source's response: stored raw, but no row is used. */
const isRepaired = (document: RawDocument, row: TableRow | undefined): boolean =>
  (row !== undefined && 'repaired?' in row.cells) || /-fixed\b/.test(fileName(pathOf(document.url)))

function parse(document: RawDocument): Parsed {
  const rows = csvRows(document, ['open', 'high', 'low', 'close'])
  const name = nameIn(document)
  const listing = yahooSymbol(name)
  const table = barTable()
  const actions = actionTable('yahoo')
  if (!listing) {
    if (/^[A-Z0-9^][A-Z0-9-]{0,14}(?:\.[A-Z]{1,3}|=X)?$/.test(name)) {
      table.skip('other_exchange', rows.length)
      return table.parsed()
    }
    throw new Unreadable(
      'symbol_not_stated',
      `yahoo ${document.url}: the name "${name.slice(0, 60)}" is no symbol; name the file <SYMBOL>.csv, e.g. CP.TO.csv`,
    )
  }
  if (isRepaired(document, rows[0])) {
    table.refuse(
      'repaired_by_hand',
      listing.symbol,
      `${rows.length} rows were repaired by hand after the download; give the source's original response`,
    )
    table.skip('repaired_by_hand', rows.length)
    return table.parsed()
  }
  const cadence = cadenceOf(rows.map(({ cells }) => dayOf(cells['date']) ?? ''))
  if (cadence !== null) {
    table.refuse(`${cadence}_rows`, listing.symbol, `${rows.length} ${cadence} rows are no daily bars`)
    table.skip(`${cadence}_rows`, rows.length)
    return table.parsed()
  }
  const days = rows.flatMap(row => dayOf(dateIn(row)) ?? []).sort()
  const splits = splitsShown(rows)
  const reaches = days.length > 0 && daysBetween(days.at(-1)!, document.retrieved_at.slice(0, 10)) <= reachDays
  const closes = rows.flatMap(row => ({ date: dayOf(dateIn(row)) ?? '', close: Number(decimalOf(row.cells['close']) ?? 0) }))
  const explained = reaches && splits !== null && areDivided(closes, splits) ? splits : null
  for (const row of rows) {
    if (/[T ](?!00:00:00)\d\d:\d\d/.test(dateIn(row) ?? '')) {
      table.skip('not_daily')
      continue
    }
    addBar(table, listing.symbol, row, explained)
    addActions(actions, listing.symbol, row, explained)
  }
  if (explained === null && table.bars.length > 0) table.refuse(splitBasis(0).reason, listing.symbol, splitBasis(table.bars.length).detail)
  const parsed = table.parsed(actions.parsed())
  return splits === null ? parsed : withSplitHistory(parsed, listing.symbol, 'yahoo', days[0] ?? '', days.at(-1) ?? '')
}

const dateIn = ({ cells }: TableRow): string | undefined => cells['date'] ?? cells['datetime']

/** The splits of a table with a column for them; null without such a column, or if a ratio is unreadable. */
function splitsShown(rows: readonly TableRow[]): KnownSplit[] | null {
  const splits: KnownSplit[] = []
  for (const row of rows) {
    const text = row.cells['stocksplits']
    if (text === undefined) return null
    if (isMissing(text) || Number(text) === 0) continue
    const parts = ratioParts(text)
    const [shares, date] = [parts && splitRatio(parts), dayOf(dateIn(row))]
    if (!shares || date === null) return null
    splits.push({ ex_date: date, ratio: shares })
  }
  return splits
}

/** A price or an amount as it was before the splits after its day were taken into it. */
const undivided = (text: string | undefined, shares: Ratio): string | undefined => {
  const decimal = decimalOf(text)
  return decimal === null || compare(shares, one) === 0 ? text : undividedPrice(Number(decimal), shares)
}

function addBar(table: BarTable, symbol: string, row: TableRow, splits: readonly KnownSplit[] | null): void {
  const { open, high, low, close, volume } = row.cells
  const date = dateIn(row)
  const by = sharesAfter(splits ?? [], dayOf(date) ?? '')
  const shares = decimalOf(volume)
  const traded = shares === null || compare(by, one) === 0 ? volume : String(undividedVolume(Number(shares), by))
  const basis = splits === null ? 'split_adjusted_unknown' : compare(by, one) === 0 ? 'as_traded' : 'reconstructed'
  const [o, h, l, c] = [undivided(open, by), undivided(high, by), undivided(low, by), undivided(close, by)]
  table.add({ symbol, date, open: o, high: h, low: l, close: c, volume: traded, basis }, row.at)
}

function addActions(actions: ActionTable, symbol: string, row: TableRow, splits: readonly KnownSplit[] | null): void {
  const { cells, at } = row
  const date = dateIn(row)
  const by = sharesAfter(splits ?? [], dayOf(date) ?? '')
  const amount_basis = splits === null ? 'split_adjusted_unknown' : 'post_split'
  const cash = Number(decimalOf(cells['dividends']) ?? 0)
  const gain = Number(decimalOf(cells['capitalgains']) ?? 0)
  const currency = currencyOf(symbol)
  if (cash > 0) actions.add({ symbol, kind: 'dividend', ex_date: date, amount: undivided(cells['dividends'], by), currency, amount_basis }, at)
  // The dividend contains the gain (DODFX 2025-12-18): not counted twice.
  if (gain > 0 && cash >= gain) actions.skip('capital_gain_within_dividend')
  else if (gain > 0)
    actions.add({ symbol, kind: 'capital_gain', ex_date: date, amount: undivided(cells['capitalgains'], by), currency, amount_basis }, at)
  const ratio = ratioParts(cells['stocksplits'])
  if (ratio && Number(ratio.numerator) > 0 && ratio.numerator !== ratio.denominator)
    actions.add({ symbol, kind: 'split', ex_date: date, ...ratio }, at)
}

const columns = 'open,high,low,close,adjclose,volume'
export const yahooCsvReader = reader('yahoo.csv', 'bars', {
  reads: url => download.test(url),
  matches: head => {
    const [first, ...rest] = headerOf(head)
    const header = rest.join()
    return (first === 'date' || first === 'datetime') && header.startsWith(columns)
  },
  parse,
})

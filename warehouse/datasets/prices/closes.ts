// Closes around a day: the last one before it, and the first on or after it.
import type { BarBasis } from '#schemas/bars.ts'
import { firstPlace } from '#schemas/ordered.ts'
import { dateIn } from '../../rulesets/exchange-calendars/calendar.ts'

export type ClosePoint = {
  readonly date: string
  readonly close: number
  /** Set if the price may be divided by splits: the document that printed it, and the day up to which its splits can be in the price. */
  readonly divided?: { readonly raw_sha256: string; readonly until: string }
}
export type Prices = {
  /** The raw close of the last session before `date` that has a trade; null if there is no such session. */
  readonly closeBefore: (date: string) => ClosePoint | null
  /** The raw close of `date`, or of the first session after it; null if there is no such session. */
  readonly closeFrom: (date: string) => ClosePoint | null
  /** Sessions with a bar strictly between two days. */
  readonly barsBetween?: (after: string, before: string) => number
}

/** Rows without a trade that are skipped for the previous close. Funds priced at their net asset value never show volume. */
const quietRows = 10

type Row = {
  readonly date: string
  readonly close: number | null
  readonly volume: number | null
  /** Default: as traded. */
  readonly basis?: BarBasis
  readonly raw_sha256?: string
  readonly known_from?: string
}

/**
 * Looks closes up in one symbol's raw bars (any order). Rows of zero volume carry an old price or a quote and are looked
 * past, up to ten of them; after that the newest row is taken, since such a series does not report volume.
 */
export function pricesOf(bars: readonly Row[]): Prices {
  const rows = bars.filter((bar): bar is Row & { close: number } => bar.close !== null && bar.close > 0)
  const sorted = isSorted(rows) ? rows : [...rows].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
  return {
    closeBefore: date => {
      const end = firstFrom(sorted, date)
      for (let at = end - 1; at >= 0 && at >= end - quietRows; at--) if (sorted[at]!.volume !== 0) return point(sorted[at]!)
      return end === 0 ? null : point(sorted[end - 1]!)
    },
    closeFrom: date => {
      const at = firstFrom(sorted, date)
      return at < sorted.length ? point(sorted[at]!) : null
    },
    barsBetween: (after, before) => Math.max(0, firstFrom(sorted, before) - firstFrom(sorted, `${after}~`)),
  }
}

const point = ({ date, close, basis, raw_sha256, known_from }: Row & { readonly close: number }): ClosePoint =>
  basis === 'split_adjusted_unknown'
    ? {
        date,
        close,
        divided: { raw_sha256: raw_sha256 ?? '', until: known_from === undefined ? '9999-12-31' : dateIn('America/New_York', known_from) },
      }
    : { date, close }
const isSorted = (rows: readonly Row[]): boolean => rows.every((row, at) => at === 0 || rows[at - 1]!.date <= row.date)

/** Index of the first element whose date is on or after `date`; the list is sorted by date. */
export function firstFrom(sorted: readonly { readonly date: string }[], date: string): number {
  return firstPlace(sorted.length, place => sorted[place]!.date < date)
}

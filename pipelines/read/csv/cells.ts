// Cells of price tables become bars: dates checked, digits kept, missing values null, and every omitted row counted.
import type { BarBasis, BarFacts } from '#schemas/bars.ts'
import { splitSymbol } from '#schemas/spelling.ts'
import { decimalText, fitsDouble, IsoDate } from '#schemas/values.ts'
import { createOmissions, type Omissions } from '../omissions.ts'
import type { Parsed } from '../parsed.ts'

/** The decimal in JSON-number form of a printed number, without exponents; null if the text is not a number. */
export function decimalOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null
  const plain = decimalText(text)
  if (plain !== null) return plain
  const match = /^([+-]?)(\d{1,40})(?:\.(\d{1,60}))?[eE]([+-]?\d{1,2})$/.exec(text.trim())
  if (!match) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const written =
    point <= 0
      ? `0.${'0'.repeat(-point)}${digits}`
      : point >= digits.length
        ? digits + '0'.repeat(point - digits.length)
        : `${digits.slice(0, point)}.${digits.slice(point)}`
  return decimalText(`${sign}${written}`)
}

/** True for the words that sources print if they have no number. */
export const isMissing = (text: string | null | undefined): boolean =>
  text === null || text === undefined || /^(?:|null|none|nan|n\/?a|-+|#n\/a)$/i.test(text.trim())

/** The calendar day at the start of `2024-01-02`, `2024-01-02T00:00:00.000Z` or `2024-01-02 00:00:00-05:00`; null if there is none. */
export function dayOf(text: string | null | undefined): string | null {
  const match = /^(\d{4}-\d\d-\d\d)(?:$|[T ])/.exec((text ?? '').trim())
  return match && IsoDate.safeParse(match[1]).success ? match[1]! : null
}

/** The currency that a listing trades in: Canadian dollars in Toronto and Venture, but for the US-dollar lines marked `.U`. */
export function currencyOf(symbol: string): string {
  const { marks, exchange } = splitSymbol(symbol)
  if (exchange === 'US') return 'USD'
  return marks.at(-1) === 'U' && marks[0] !== 'PR' && marks[0] !== 'PF' ? 'USD' : 'CAD'
}

type BarCells = {
  readonly symbol: string
  readonly date: string | null | undefined
  readonly open: string | null | undefined
  readonly high: string | null | undefined
  readonly low: string | null | undefined
  readonly close: string | null | undefined
  readonly volume: string | null | undefined
  readonly currency?: string | undefined
  /** Default: as traded. */
  readonly basis?: BarBasis | undefined
}

/** Collects bars, refusals and counts of one document. */
export type BarTable = Omissions & {
  readonly bars: BarFacts[]
  readonly add: (cells: BarCells, at: number) => BarFacts | null
  readonly parsed: (actions?: Pick<Parsed, 'facts' | 'refused' | 'skipped'>) => Parsed
}

export function barTable(): BarTable {
  const bars: BarFacts[] = []
  const { refused, skipped, skip, refuse } = createOmissions('bars')

  const price = (cells: BarCells, field: 'open' | 'high' | 'low' | 'close', at: number): number | null | undefined => {
    const text = cells[field]
    if (isMissing(text)) return null
    const decimal = decimalOf(text)
    const where = `row ${at} of ${cells.date ?? 'no date'}`
    if (decimal === null) refuse('bad_number', cells.symbol, `${where} has ${field} "${String(text).slice(0, 40)}", expected a decimal`, { ...cells })
    else if (!fitsDouble(decimal))
      refuse('digits_lost', cells.symbol, `${where} has ${field} ${decimal.slice(0, 60)}, more digits than a double carries`, { ...cells })
    else if (Number(decimal) === 0 && field !== 'close') {
      skip('zero_price_taken_as_missing') // vendors print 0 if they have no open, high or low
      return null
    } else return Number(decimal)
    return undefined
  }
  const volume = (text: string | null | undefined): number | null => {
    if (isMissing(text)) return null
    const decimal = decimalOf(text)
    const count = decimal === null ? Number.NaN : Number(decimal)
    if (Number.isSafeInteger(count) && count >= 0) return count
    skip(decimal?.includes('.') ? 'fractional_volume_taken_as_missing' : 'bad_volume_taken_as_missing')
    return null
  }

  return {
    bars,
    refused,
    skipped,
    skip,
    refuse,
    add: (cells, at) => {
      const date = dayOf(cells.date)
      if (date === null) {
        refuse('bad_date', cells.symbol, `row ${at} has date "${String(cells.date ?? '').slice(0, 40)}", expected YYYY-MM-DD`, { ...cells })
        return null
      }
      if (isMissing(cells.close)) {
        skip('no_close')
        return null
      }
      const [open, high, low, close] = [price(cells, 'open', at), price(cells, 'high', at), price(cells, 'low', at), price(cells, 'close', at)]
      if (open === undefined || high === undefined || low === undefined || close === undefined || close === null) return null
      const bar: BarFacts = {
        symbol: cells.symbol,
        date,
        open,
        high,
        low,
        close,
        volume: volume(cells.volume),
        currency: cells.currency ?? currencyOf(cells.symbol),
        basis: cells.basis ?? 'as_traded',
      }
      bars.push(bar)
      return bar
    },
    parsed: actions => ({
      facts: actions?.facts ?? {},
      bars,
      refused: [...refused, ...(actions?.refused ?? [])],
      skipped: merged(skipped, actions?.skipped ?? {}),
      follow: [],
    }),
  }
}

function merged(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sum: Record<string, number> = { ...a }
  for (const [reason, count] of Object.entries(b)) sum[reason] = (sum[reason] ?? 0) + count
  return sum
}

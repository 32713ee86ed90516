// Collects the rows of a calendar; every omitted row is reported.
import { datasetOf } from '#schemas/index.ts'
import { reportDatesRuleset, statusOfMark } from '#warehouse/rulesets/report-dates/rules.ts'
import type { Fact, FactsOf, Parsed, Refused } from '../parsed.ts'

type Collected = 'earnings_dates' | 'ipo_events' | 'analyst_consensus'
export type CalendarTable = {
  readonly add: <D extends Collected>(dataset: D, fact: Fact<D>) => void
  readonly refuse: (dataset: Collected, reason: string, subject: string, detail: string, record: Readonly<Record<string, unknown>> | null) => void
  readonly skip: (reason: string, rows?: number) => void
  readonly parsed: () => Parsed
}

export function calendarTable(): CalendarTable {
  const facts: { [D in Collected]?: Fact<D>[] } = {}
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  const found = new Map<string, string>()
  return {
    add: (dataset, fact) => {
      const row = fact as Readonly<Record<string, unknown>>
      const key = JSON.stringify([dataset, ...datasetOf(dataset).key.map(column => row[column]), row['known_from'] ?? null])
      const text = JSON.stringify(row)
      const before = found.get(key)
      // Of two statements about one thing in one list the first is kept, since it is unknown which is right.
      if (before === text) skipped['told_twice'] = (skipped['told_twice'] ?? 0) + 1
      if (before !== undefined && before !== text) {
        const subject = datasetOf(dataset)
          .key.map(column => String(row[column]))
          .join(' ')
        refused.push({
          dataset,
          reason: 'told_twice',
          subject,
          detail: `${subject}: listed twice with different values; the first is kept`,
          record: row,
        })
      }
      if (before !== undefined) return
      found.set(key, text)
      const list = facts[dataset] as Fact<typeof dataset>[] | undefined
      if (list) list.push(fact)
      else Object.assign(facts, { [dataset]: [fact] })
    },
    refuse: (dataset, reason, subject, detail, record) => {
      refused.push({ dataset, reason, subject, detail: `${subject}: ${detail}`, record })
    },
    skip: (reason, rows = 1) => {
      if (rows > 0) skipped[reason] = (skipped[reason] ?? 0) + rows
    },
    parsed: () => ({ facts, refused, skipped, follow: [] }),
  }
}

type Earnings = FactsOf<'earnings_dates'>
type Report = Pick<Earnings, 'symbol' | 'source_name' | 'date' | 'mark'> & Partial<Earnings>

/** A row of `earnings_dates`: status by the mark, everything that the source omits null. */
export function earningsRow(reported: Report): Fact<'earnings_dates'> {
  return {
    symbol: reported.symbol,
    source_name: reported.source_name,
    report: reported.report ?? reported.date,
    date: reported.date,
    window_end: reported.window_end ?? null,
    time_of_day: reported.time_of_day ?? null,
    status: statusOfMark(reported.source_name, reported.mark),
    mark: reported.mark,
    ruleset: reportDatesRuleset,
    name: reported.name ?? null,
    period_end: reported.period_end ?? null,
    eps_estimate: reported.eps_estimate ?? null,
    eps_low: reported.eps_low ?? null,
    eps_high: reported.eps_high ?? null,
    eps_actual: reported.eps_actual ?? null,
    revenue_estimate: reported.revenue_estimate ?? null,
    revenue_low: reported.revenue_low ?? null,
    revenue_high: reported.revenue_high ?? null,
    estimates: reported.estimates ?? null,
    currency: reported.currency ?? null,
  }
}

type Consensus = FactsOf<'analyst_consensus'>
/** A row of `analyst_consensus`, null for values that the source omits. */
export function consensusRow(reported: Pick<Consensus, 'symbol' | 'source_name' | 'month'> & Partial<Consensus>): Fact<'analyst_consensus'> {
  return {
    symbol: reported.symbol,
    source_name: reported.source_name,
    month: reported.month,
    strong_buy: reported.strong_buy ?? null,
    buy: reported.buy ?? null,
    hold: reported.hold ?? null,
    sell: reported.sell ?? null,
    strong_sell: reported.strong_sell ?? null,
    rating_mean: reported.rating_mean ?? null,
    rating_scale: reported.rating_mean == null ? null : (reported.rating_scale ?? null),
    target_low: reported.target_low ?? null,
    target_mean: reported.target_mean ?? null,
    target_median: reported.target_median ?? null,
    target_high: reported.target_high ?? null,
    target_currency: reported.target_currency ?? null,
    analysts: reported.analysts ?? null,
  }
}

/** A whole number as printed; null for an empty cell or other text. */
export const countIn = (text: string | null): number | null => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null)

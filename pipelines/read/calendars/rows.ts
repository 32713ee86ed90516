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
export function earningsRow(told: Report): Fact<'earnings_dates'> {
  return {
    symbol: told.symbol,
    source_name: told.source_name,
    report: told.report ?? told.date,
    date: told.date,
    window_end: told.window_end ?? null,
    time_of_day: told.time_of_day ?? null,
    status: statusOfMark(told.source_name, told.mark),
    mark: told.mark,
    ruleset: reportDatesRuleset,
    name: told.name ?? null,
    period_end: told.period_end ?? null,
    eps_estimate: told.eps_estimate ?? null,
    eps_low: told.eps_low ?? null,
    eps_high: told.eps_high ?? null,
    eps_actual: told.eps_actual ?? null,
    revenue_estimate: told.revenue_estimate ?? null,
    revenue_low: told.revenue_low ?? null,
    revenue_high: told.revenue_high ?? null,
    estimates: told.estimates ?? null,
    currency: told.currency ?? null,
  }
}

type Consensus = FactsOf<'analyst_consensus'>
/** A row of `analyst_consensus`, null for what the source omits. */
export function consensusRow(told: Pick<Consensus, 'symbol' | 'source_name' | 'month'> & Partial<Consensus>): Fact<'analyst_consensus'> {
  return {
    symbol: told.symbol,
    source_name: told.source_name,
    month: told.month,
    strong_buy: told.strong_buy ?? null,
    buy: told.buy ?? null,
    hold: told.hold ?? null,
    sell: told.sell ?? null,
    strong_sell: told.strong_sell ?? null,
    rating_mean: told.rating_mean ?? null,
    rating_scale: told.rating_mean == null ? null : (told.rating_scale ?? null),
    target_low: told.target_low ?? null,
    target_mean: told.target_mean ?? null,
    target_median: told.target_median ?? null,
    target_high: told.target_high ?? null,
    target_currency: told.target_currency ?? null,
    analysts: told.analysts ?? null,
  }
}

/** A whole number as printed; null if there is none or it is something else. */
export const countIn = (text: string | null): number | null => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null)

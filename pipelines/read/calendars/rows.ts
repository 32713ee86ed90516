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

type OrNull<T, K extends keyof T> = { [Name in K]-?: Exclude<T[Name], undefined> | null }
/** Some members of a report; null for those that it omits. */
const orNull = <T extends object, const K extends keyof T>(reported: T, ...names: readonly K[]): OrNull<T, K> =>
  Object.fromEntries(names.map(name => [name, reported[name] ?? null])) as OrNull<T, K>

type Earnings = FactsOf<'earnings_dates'>
type Report = Pick<Earnings, 'symbol' | 'source_name' | 'date' | 'mark'> & Partial<Earnings>

/** A row of `earnings_dates`: status by the mark, everything that the source omits null. */
export function earningsRow(reported: Report): Fact<'earnings_dates'> {
  return {
    symbol: reported.symbol,
    source_name: reported.source_name,
    report: reported.report ?? reported.date,
    date: reported.date,
    ...orNull(reported, 'window_end', 'time_of_day'),
    status: statusOfMark(reported.source_name, reported.mark),
    mark: reported.mark,
    ruleset: reportDatesRuleset,
    ...orNull(reported, 'name', 'period_end', 'eps_estimate', 'eps_low', 'eps_high', 'eps_actual'),
    ...orNull(reported, 'revenue_estimate', 'revenue_low', 'revenue_high', 'estimates', 'currency'),
  }
}

type Consensus = FactsOf<'analyst_consensus'>
/** A row of `analyst_consensus`, null for values that the source omits. */
export function consensusRow(reported: Pick<Consensus, 'symbol' | 'source_name' | 'month'> & Partial<Consensus>): Fact<'analyst_consensus'> {
  return {
    symbol: reported.symbol,
    source_name: reported.source_name,
    month: reported.month,
    ...orNull(reported, 'strong_buy', 'buy', 'hold', 'sell', 'strong_sell', 'rating_mean'),
    rating_scale: reported.rating_mean == null ? null : (reported.rating_scale ?? null),
    ...orNull(reported, 'target_low', 'target_mean', 'target_median', 'target_high', 'target_currency', 'analysts'),
  }
}

/** A whole number as printed; null for an empty cell or other text. */
export const countIn = (text: string | null): number | null => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null)

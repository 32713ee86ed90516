// Combines filings' and calendars' statements about issuers' reports: statements in, one report per issuer and period out. An issuer's
// statement takes precedence over a calendar's, a confirmed day over a projection, and every statement stays visible.

import type { ReportMark, ReportStatus } from '#schemas/calendars.ts'
import { daysBetween } from '#schemas/days.ts'
import { sameReportDays } from '../../rulesets/report-dates/rules.ts'

/** One source's statement about one report. Amounts are decimals as printed. */
export type Statement = {
  /** The issuer's CIK, else the listing's symbol: statements of one issuer are grouped by it. */
  readonly issuer: string
  readonly cik: string | null
  readonly symbol: string | null
  readonly name: string | null
  readonly source_name: string
  readonly status: ReportStatus
  readonly mark: ReportMark
  readonly date: string
  readonly window_end: string | null
  readonly time_of_day: string | null
  /** True: results were published that day. */
  readonly released: boolean
  /** YYYY-MM of the period's end, if stated. */
  readonly month: string | null
  readonly period_end: string | null
  readonly eps_estimate: string | null
  readonly eps_low: string | null
  readonly eps_high: string | null
  readonly eps_actual: string | null
  readonly revenue_estimate: string | null
  readonly revenue_low: string | null
  readonly revenue_high: string | null
  readonly estimates: number | null
  readonly currency: string | null
  readonly accession: string | null
  readonly form: string | null
  readonly quote: string | null
  readonly known_from: string
  readonly known_basis: string
  readonly source: string
  readonly raw_sha256: string
}
/** One report: the statement that applies, first, and every other one about it. */
export type Report = { readonly best: Statement; readonly statements: readonly Statement[] }

const statusRank: Readonly<Record<ReportStatus, number>> = { confirmed: 0, window: 2, estimated: 3 }
/** A release, the day that the issuer announced, a day that a calendar confirms, an approximate one, a window, a projection. */
const rankOf = (each: Statement): number =>
  each.released ? -2 : each.mark === 'issuer_filing' ? -1 : each.mark === 'roughly_named' ? 1 : statusRank[each.status]

const byAge = (a: Statement, b: Statement): number => (a.known_from > b.known_from ? -1 : a.known_from < b.known_from ? 1 : 0)
const byName = (a: Statement, b: Statement): number => (a.source_name + a.raw_sha256 < b.source_name + b.raw_sha256 ? -1 : 1)
const best = (a: Statement, b: Statement): number =>
  rankOf(a) - rankOf(b) || byAge(a, b) || (a.date < b.date ? -1 : a.date > b.date ? 1 : byName(a, b))

/** Days between two statements; zero if one's window contains the other's day. */
export function daysApart(a: Pick<Statement, 'date' | 'window_end'>, b: Pick<Statement, 'date' | 'window_end'>): number {
  return Math.max(0, daysBetween(a.window_end ?? a.date, b.date), daysBetween(b.window_end ?? b.date, a.date))
}
const otherPeriod = (a: Statement, b: Statement): boolean => a.month !== null && b.month !== null && a.month !== b.month

/** A statement that its source has since moved is no longer valid: of those about the same report only the newest applies. */
function withoutMoved(statements: readonly Statement[]): Statement[] {
  const kept: Statement[] = []
  for (const each of statements.toSorted((a, b) => byAge(a, b) || best(a, b))) {
    const moved = kept.some(
      newer =>
        newer.source_name === each.source_name &&
        !newer.released &&
        newer.symbol === each.symbol &&
        newer.known_from > each.known_from &&
        !otherPeriod(newer, each) &&
        daysApart(newer, each) <= sameReportDays,
    )
    if (each.released || !moved) kept.push(each)
  }
  return kept
}

/**
 * A release is the report that a statement announced if it came after the statement and is of the stated period or within three days
 * of the stated day. A future report is not one that is already published.
 */
const fulfils = (release: Statement, statement: Statement): boolean => {
  const apart = daysApart(release, statement)
  const samePeriod = release.month !== null && release.month === statement.month
  return apart <= 3 || (apart <= sameReportDays && (samePeriod || release.known_from >= statement.known_from))
}

/** The reports of one issuer, in the order of their days. */
function reportsOfIssuer(statements: readonly Statement[]): Report[] {
  const clusters: Statement[][] = []
  for (const each of withoutMoved(statements).toSorted(best)) {
    const near = clusters
      .map(cluster => ({ cluster, anchor: cluster[0] as Statement }))
      .filter(({ anchor }) => {
        if (each.released) return anchor.released && anchor.date === each.date
        if (anchor.released) return fulfils(anchor, each)
        return !otherPeriod(anchor, each) && daysApart(anchor, each) <= sameReportDays
      })
      .sort((a, b) => daysApart(a.anchor, each) - daysApart(b.anchor, each))[0]
    if (near) near.cluster.push(each)
    else clusters.push([each])
  }
  return clusters.map(cluster => ({ best: cluster[0] as Statement, statements: cluster }))
}

/** Every report that the statements mention. */
export function reportsOf(statements: readonly Statement[]): Report[] {
  return [...Map.groupBy(statements, each => each.issuer).values()].flatMap(reportsOfIssuer)
}

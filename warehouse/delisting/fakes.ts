// Listings of the tests: evidence as the lake would give it, made of closes.
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import { addDays } from '#schemas/days.ts'
import { ratioOf } from '../prices/ratio.ts'
import { type DelistingRules, delistingRules } from '../rulesets/delisting/rules.ts'
import { nextSession, sessionsOf } from '../rulesets/exchange-calendars/calendar.ts'
import { noEvidence } from './evidence.ts'
import { type DelistingJudgement, judgeDelisting } from './judge.ts'
import type { Evidence, Figure, FiscalYear, FoundFiling, Session } from './types.ts'

/** A day on which the tests judge: a session. */
export const today = '2026-11-19'
const calendar = sessionsOf('XNYS', '2023-06-01', today)

/** Sessions up to `today` with these closes, the last one last; null: none is held. */
export const sessionsWith = (closes: readonly (string | null)[]): Session[] =>
  calendar.slice(calendar.length - closes.length).map((date, at) => ({
    date,
    close: closes[at] ?? null,
    month_end: (calendar[calendar.length - closes.length + at + 1] ?? nextSession('XNYS', date)).slice(0, 7) !== date.slice(0, 7),
  }))

export const closesOf = (close: string, count: number): string[] => Array.from({ length: count }, () => close)
export const usd = (value: string, at = '2026-09-30'): Figure => ({ value, unit: 'USD', at, documents: ['0000000001-26-000001'] })
/** Fiscal years, the newest first; null: not stated. */
export const yearsOf = (name: 'net_income' | 'assets' | 'revenue', values: readonly (string | null)[]): FiscalYear[] =>
  values.map((value, back) => ({
    end: `${2025 - back}-12-31`,
    net_income: null,
    assets: null,
    revenue: null,
    [name]: value === null ? null : usd(value),
  }))
export const aFiling = (form: string, daysAgo: number, more: Partial<FoundFiling> = {}): FoundFiling => ({
  accession: `0000000001-26-${String(daysAgo).padStart(6, '0')}`,
  form,
  items: [],
  filed_date: addDays(today, -daysAgo),
  period_of_report: null,
  ...more,
})
/** A reverse split of 1 for `old`, so many sessions ago. */
export const reverseSplit = (old: string, ex_date: string) => ({ ex_date, ratio: { numerator: 1n, denominator: ratioOf(old).numerator } })

type Given = Partial<Evidence> & { readonly closes?: readonly (string | null)[] }
export function aListing({ closes, ...more }: Given = {}): Evidence {
  return {
    ...noEvidence('TEST', today, 'not held'),
    listing: { mic: null, exchange: 'US', currency: 'USD', type: 'common', valid_to: null },
    ...(closes ? { sessions: sessionsWith(closes), no_prices: null } : {}),
    ...more,
  }
}

/** The judgement of a request about a listing, by an edition of a name (the newest without one) or by rules of the test. */
export const judged = (request: Partial<DelistingRiskRequest>, given: Given = {}, ruleset?: string | DelistingRules): DelistingJudgement =>
  judgeDelisting(
    DelistingRiskRequest.parse({ ticker: 'TEST', exchange: 'NASDAQCM', ...request }),
    aListing(given),
    typeof ruleset === 'object' ? ruleset : delistingRules(ruleset),
  )

/** One check of a judgement; throws where the exchange has none of the id. */
export function checkOf(judgement: DelistingJudgement, id: string) {
  const found = judgement.checks.find(({ row }) => row.id === id)
  if (!found) throw new TypeError(`no check ${id}: ${judgement.checks.map(({ row }) => row.id).join(', ')}`)
  return found
}

/** The status of each check by its id. */
export const statusesOf = (judgement: DelistingJudgement) => new Map(judgement.checks.map(({ row, status }) => [row.id, status]))

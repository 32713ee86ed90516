// Listings for tests: evidence as the lake would return it, made of closes.
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import { addDays } from '#schemas/days.ts'
import { one, over, ratioOf } from '../../datasets/prices/ratio.ts'
import { type DelistingRules, delistingRules } from '../../rulesets/delisting/rules.ts'
import { nextSession, sessionsOf } from '../../rulesets/exchange-calendars/calendar.ts'
import { type DelistingAssessment, evaluateDelisting } from './evaluate.ts'
import { noEvidence } from './evidence.ts'
import type { Evidence, Figure, FiscalYear, FoundFiling, Session } from './types.ts'

/** The evaluation day of the tests: a session. */
export const today = '2026-11-19'
const calendar = sessionsOf('XNYS', '2023-06-01', today)

/** Sessions up to `today` with these closes, the last one last; null: none is stored. */
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
/** A reverse split of 1 for `old`, this many sessions ago. */
export const reverseSplit = (old: string, ex_date: string) => ({ ex_date, ratio: over(one, ratioOf(old)) })

type Given = Partial<Evidence> & { readonly closes?: readonly (string | null)[] }
function aListing({ closes, ...more }: Given = {}): Evidence {
  return {
    ...noEvidence('TEST', today, 'not held'),
    listing: { mic: null, exchange: 'US', currency: 'USD', type: 'common', valid_to: null },
    ...(closes ? { sessions: sessionsWith(closes), no_prices: null } : {}),
    ...more,
  }
}

/** Evaluates a request about a listing, by an edition by name (the newest by default) or by rules of the test. */
export const evaluated = (request: Partial<DelistingRiskRequest>, given: Given = {}, ruleset?: string | DelistingRules): DelistingAssessment =>
  evaluateDelisting(
    DelistingRiskRequest.parse({ ticker: 'TEST', exchange: 'NASDAQCM', ...request }),
    aListing(given),
    typeof ruleset === 'object' ? ruleset : delistingRules(ruleset),
  )

/** One check of an evaluation; throws if the exchange has no check of this id. */
export function checkOf(verdict: DelistingAssessment, id: string) {
  const found = verdict.checks.find(({ row }) => row.id === id)
  if (!found) throw new TypeError(`no check ${id}: ${verdict.checks.map(({ row }) => row.id).join(', ')}`)
  return found
}

/** The status of each check by its id. */
export const statusesOf = (verdict: DelistingAssessment) => new Map(verdict.checks.map(({ row, status }) => [row.id, status]))

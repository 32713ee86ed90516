// The causes of a verdict: filings, reviews and months, each at the instant at which it became known.
import { describe, expect, test } from 'vitest'
import type { KnownFact } from '../../datasets/fundamentals/fundamentals.ts'
import { fxLookup } from '../../datasets/prices/fx.ts'
import { currentRuleset } from '../../rulesets/sharia/rules.ts'
import { historyOf } from './history.ts'
import type { KnownReview, Subject } from './screen.ts'

type Report = {
  readonly accession: string
  readonly known_from: string
  readonly year: number
  readonly debt: string | null
  readonly interest?: string
}
/** The facts of an annual report: assets of 200, cash and receivables of 10 each, revenue of 100. */
function factsOf({ accession, known_from, year, debt, interest = '1' }: Report): KnownFact[] {
  const base = {
    taxonomy: 'us-gaap',
    fy: year,
    form: '10-K',
    filed_date: known_from.slice(0, 10),
    accession,
    place: 1,
    known_from,
    source: 'edgar',
    raw_sha256: 'a'.repeat(64),
  }
  const level = (concept: string, value: string): KnownFact => ({
    ...base,
    concept,
    unit: 'USD',
    period_start: null,
    period_end: `${year}-12-31`,
    value,
  })
  const flow = (concept: string, value: string): KnownFact => ({ ...level(concept, value), period_start: `${year}-01-01` })
  return [
    level('Assets', '200'),
    level('CashAndCashEquivalentsAtCarryingValue', '10'),
    level('AccountsReceivableNetCurrent', '10'),
    ...(debt === null ? [] : [level('LongTermDebtNoncurrent', debt)]),
    flow('Revenues', '100'),
    flow('InvestmentIncomeInterest', interest),
  ]
}
const aReview = (day: string, status: 'clean' | 'prohibited', known_from = `${day}T23:59:59Z`): KnownReview => ({
  symbol: 'NFST',
  reviewed_at: day,
  status,
  categories: status === 'clean' ? [] : ['gambling'],
  impermissible_revenue_pct: '0',
  quote: null,
  source_url: null,
  accession: null,
  reviewer: 'R. Adeyemi',
  known_from,
  source: 'csv',
  raw_sha256: 'b'.repeat(64),
})
const subject = (facts: readonly KnownFact[], reviews: readonly KnownReview[] = []): Subject => ({
  type: 'common',
  facts,
  reviews,
  industry: null,
  market: { closes: { date: [], close: [], currency: [] }, splits: [], fx: fxLookup([]), obstacle: null },
})
const ftse = currentRuleset('ftse')
const changes = (given: Subject, until = '2026-11-19T12:00:00Z') =>
  historyOf(given, ftse, 'point_in_time', until).changes.map(each => `${each.date} ${each.verdict} ${each.cause}`)

const first = factsOf({ accession: '0000990501-25-000001', known_from: '2025-03-01T21:00:00Z', year: 2024, debt: '20' })
const second = factsOf({ accession: '0000990501-26-000001', known_from: '2026-03-02T22:00:00Z', year: 2025, debt: '70' })

describe('the history of a verdict', () => {
  test('changes with the filing, the review and the age of what is known, newest first', () => {
    expect(changes(subject([...first, ...second], [aReview('2025-06-01', 'clean')]))).toEqual([
      '2026-03-02 non_compliant filing',
      '2025-06-01 compliant review',
      '2023-11-19 unknown start',
    ])
    expect(changes(subject(first, [aReview('2025-02-01', 'clean')]))).toEqual([
      // A position of more than 460 days ago is not used.
      '2026-05-01 unknown month_end',
      '2025-03-01 compliant filing',
      '2023-11-19 unknown start',
    ])
  })
  test('an instant that lies ahead changes nothing yet', () => {
    const whole = subject([...first, ...second], [aReview('2025-06-01', 'clean'), aReview('2026-10-01', 'prohibited')])
    expect(changes(whole, '2026-03-02T21:59:59Z')[0]).toBe('2025-06-01 compliant review')
    expect(changes(whole, '2026-03-02T22:00:00Z')[0]).toBe('2026-03-02 non_compliant filing')
    expect(changes(whole).filter(each => each.includes('review'))).toHaveLength(1)
  })
  test('a restatement is another verdict from its own day on, not before', () => {
    const restated = factsOf({ accession: '0000990501-25-000009', known_from: '2025-09-01T20:00:00Z', year: 2024, debt: '90' })
    expect(changes(subject([...first, ...restated], [aReview('2025-02-01', 'clean')])).slice(1, 3)).toEqual([
      '2025-09-01 non_compliant filing',
      '2025-03-01 compliant filing',
    ])
  })
  test('a verdict that stays the same is reported once', () => {
    const reviews = Array.from({ length: 12 }, (_, at) =>
      aReview(`2025-${String(at + 1).padStart(2, '0')}-15`, at % 2 === 0 ? 'clean' : 'prohibited'),
    )
    const { changes: reported, evaluations, truncated } = historyOf(subject([], reviews), ftse, 'point_in_time', '2026-11-19T12:00:00Z')
    expect([reported.length, truncated, evaluations > 40]).toEqual([12, false, true])
    for (const [at, change] of reported.entries()) expect(change.verdict).not.toBe(reported[at + 1]?.verdict)
  })
})

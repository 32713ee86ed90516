import { addDays } from '#schemas/days.ts'
import type { Lake } from '../store/lake/lake.ts'
import { sqlIn } from '../store/sql-files.ts'
import type { DayWindow } from './day.ts'
import type { UpdateRules } from './rules.ts'

const statements = sqlIn(import.meta.dirname, ['find-filings', 'find-buyers', 'find-actions', 'find-restated', 'find-offerings'])

export type Candidates = {
  readonly filings: readonly { readonly accession: string; readonly form: string; readonly items: readonly string[] }[]
  readonly buyers: readonly string[]
  readonly actions: readonly string[]
  readonly restated: readonly string[]
  readonly offerings: readonly { readonly accession: string; readonly cik: string }[]
}

/** Everything of a window that a rule may state, in the order of its keys. */
export async function findCandidates(lake: Lake, { day, since, until }: DayWindow, rules: UpdateRules): Promise<Candidates> {
  // A day in New York ends on the next day in UTC, and a filing becomes known on the day of filing or after it.
  const at = { since, until, as_of: until }
  const [filings, buyers, actions, restated, offerings] = await Promise.all([
    lake.query<Candidates['filings'][number]>(
      statements['find-filings'],
      { ...at, forms: [...rules.forms, ...rules.restating_forms], current_forms: rules.current_forms, items: Object.keys(rules.items) },
      { filings: 'all' },
    ),
    lake.query<{ issuer_cik: string }>(statements['find-buyers'], { ...at, code: rules.insider_cluster.code }, { insider_transactions: 'all' }),
    lake.query<{ symbol: string }>(
      statements['find-actions'],
      { ...at, recent: addDays(day, -rules.recent_days) },
      { corporate_actions: 'all', listing_events: 'all' },
    ),
    lake.query<{ symbol: string }>(statements['find-restated'], { ...at, recent: addDays(day, -rules.restated_days) }, { adjustment_factors: 'all' }),
    lake.query<Candidates['offerings'][number]>(statements['find-offerings'], at, { offerings: 'all' }),
  ])
  return {
    filings,
    buyers: buyers.map(row => row.issuer_cik),
    actions: actions.map(row => row.symbol),
    restated: restated.map(row => row.symbol),
    offerings,
  }
}

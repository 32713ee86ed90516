import type { ActionVerdict, AdjustmentFactor, adjustmentFactors, CorporateAction, ListingEvent } from '#schemas/corporate-actions.ts'
import type { StoredRow } from '#schemas/dataset.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { within } from '../bars/bars.ts'
import type { Span } from '../symbols/symbol-index.ts'

const statements = sqlIn(import.meta.dirname, ['find-actions', 'find-revisions', 'find-verdicts', 'find-factor-rows', 'find-events', 'find-held'])

export type Filter = { readonly from: string | null; readonly to: string | null; readonly as_of: string | null }
export type RevisionRow = StoredRow<typeof adjustmentFactors> & {
  /** The bars that it restates, as held: the last one is the session before the ex-date. */
  readonly first_date: string | null
  readonly last_date: string | null
  readonly bars_restated: number
}

const symbolsOf = (spans: readonly Span[]): string[] => [...new Set(spans.map(span => span.symbol))]

/** The actions of an instrument as reported, newest ex-date first, cancelled ones included. */
export async function findActions(lake: Lake, spans: readonly Span[], filter: Filter & { readonly kind: string | null }): Promise<CorporateAction[]> {
  const rows = await lake.query<CorporateAction>(
    statements['find-actions'],
    { from: filter.from ?? '0001-01-01', to: filter.to ?? '9999-12-31', kind: filter.kind, as_of: filter.as_of },
    { corporate_actions: symbolsOf(spans) },
  )
  return rows.filter(row => within(spans, { symbol: row.symbol, date: row.ex_date }))
}

const daysOf = (filter: Filter) => ({ from: filter.from ?? '0001-01-01', to: filter.to ?? '9999-12-31', as_of: filter.as_of })
type Provenance = 'source' | 'known_from' | 'raw_sha256'
export type VerdictRow = Pick<ActionVerdict, 'symbol' | 'kind' | 'ex_date' | 'sequence' | 'source_name' | 'status' | 'reason' | 'detail' | Provenance>
export type FactorOfDay = Pick<
  AdjustmentFactor,
  'symbol' | 'ex_date' | 'price_factor' | 'previous_close' | 'previous_close_date' | 'fx_rate' | 'fx_rate_date' | 'actions' | Provenance
>

/** The outcome of the actions of these symbols, and the factors that contain them. */
export async function findVerdicts(
  lake: Lake,
  spans: readonly Span[],
  filter: Filter,
): Promise<{ readonly verdicts: readonly VerdictRow[]; readonly factors: readonly FactorOfDay[] }> {
  const keys = symbolsOf(spans)
  const [verdicts, factors] = await Promise.all([
    lake.query<VerdictRow>(statements['find-verdicts'], daysOf(filter), { action_verdicts: keys }),
    lake.query<FactorOfDay>(statements['find-factor-rows'], daysOf(filter), { adjustment_factors: keys }),
  ])
  return { verdicts, factors }
}

export type HeldAction = Pick<
  CorporateAction,
  'symbol' | 'kind' | 'ex_date' | 'source_name' | 'numerator' | 'denominator' | 'amount' | 'currency' | Provenance
> &
  Pick<ActionVerdict, 'reason' | 'detail'>

/** The held actions of symbols on any day between two ex-dates, the first one excluded, oldest first. */
export async function findHeldOf(lake: Lake, symbols: readonly string[], after: string, to: string, asOf: string | null): Promise<HeldAction[]> {
  if (!(await lake.holds('action_verdicts', symbols))) return []
  return await lake.query<HeldAction>(statements['find-held'], { after, to, as_of: asOf }, { action_verdicts: symbols, corporate_actions: symbols })
}

/** Mergers, delistings and other events of an instrument's listings that sources state, newest first. */
export async function findListingEvents(
  lake: Lake,
  spans: readonly Span[],
  filter: Filter & { readonly kind: string | null },
): Promise<ListingEvent[]> {
  const rows = await lake.query<ListingEvent>(
    statements['find-events'],
    { ...daysOf(filter), kind: filter.kind },
    { listing_events: symbolsOf(spans) },
  )
  return rows.filter(row => within(spans, row))
}

/** Every version of every factor of an instrument, newest release first, with those of the instrument's bars that it restates. */
export async function findRevisions(
  lake: Lake,
  spans: readonly Span[],
  bars: readonly { readonly date: string }[],
  filter: Filter & { readonly limit: number },
): Promise<RevisionRow[]> {
  const versions = await lake.query<StoredRow<typeof adjustmentFactors>>(
    statements['find-revisions'],
    { from: filter.from ?? '0001-01-01', to: filter.to ?? '9999-12-31', as_of: filter.as_of },
    { adjustment_factors_history: symbolsOf(spans) },
  )
  const days = bars.map(bar => bar.date)
  return versions
    .filter(row => within(spans, { symbol: row.symbol, date: row.ex_date }))
    .slice(0, filter.limit)
    .map(row => {
      const after = days.findIndex(day => day >= row.ex_date)
      const restated = after < 0 ? days.length : after
      return { ...row, first_date: restated === 0 ? null : (days[0] ?? null), last_date: days[restated - 1] ?? null, bars_restated: restated }
    })
}

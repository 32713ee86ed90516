// Inputs and results of an evaluation of delisting risk. Amounts are decimals in text; null is unknown, never zero.
import type { Ratio } from '../../datasets/prices/ratio.ts'

/** A trading day of the venue; `close` null: no bar of it is stored. `month_end`: the last session of its month. */
export type Session = { readonly date: string; readonly close: string | null; readonly month_end: boolean }
/** `ratio`: new shares per old; below one for a reverse split. */
export type ShareSplit = { readonly ex_date: string; readonly ratio: Ratio }
/** A figure with the filing that states it. */
export type Figure = { readonly value: string; readonly unit: string; readonly at: string; readonly documents: readonly string[] }
export type FiscalYear = {
  readonly end: string
  readonly net_income: Figure | null
  readonly assets: Figure | null
  readonly revenue: Figure | null
}
export type FoundFiling = {
  readonly accession: string
  readonly form: string
  readonly items: readonly string[]
  readonly filed_date: string
  readonly period_of_report: string | null
}
/** A holder of more than a tenth of the class, by the newest schedule of which it is the lead. */
export type LargeHolder = {
  readonly name: string | null
  readonly shares: string | null
  readonly percent: string
  readonly filed_date: string | null
  readonly accession: string | null
}

/** The lake's data about one ticker as of `day`. A missing part states its reason in words. */
export type Evidence = {
  /** The day up to which clocks and windows are counted. */
  readonly day: string
  readonly symbol: string
  readonly listing: {
    readonly mic: string | null
    readonly exchange: string
    readonly currency: string
    readonly type: string
    readonly valid_to: string | null
  } | null
  /** Every session from the first stored bar to the last; empty with a reason if closes cannot replace bids. */
  readonly sessions: readonly Session[]
  readonly no_prices: string | null
  readonly splits: readonly ShareSplit[]
  readonly shares_outstanding: Figure | null
  readonly equity: Figure | null
  /** Newest first. */
  readonly years: readonly FiscalYear[]
  readonly no_figures: string | null
  readonly large_holders: readonly LargeHolder[]
  /** Newest first, of the forms that the ruleset names; null with a reason if no filing of the issuer is stored. */
  readonly filings: readonly FoundFiling[] | null
  readonly no_filings: string | null
  readonly sic: string | null
}

export type Status = 'pass' | 'fail' | 'watch' | 'unknown' | 'not_applicable' | 'proposed'
export type Basis = 'request' | 'lake' | 'request_and_lake' | 'none'

export type Clock = {
  /** counting: towards a deficiency; period: in which it may be cured; over: that has passed; report: of a late report. */
  readonly stage: 'counting' | 'period' | 'second_period' | 'over' | 'report'
  readonly unit: 'sessions' | 'calendar_days'
  readonly from: string
  readonly until: string | null
  readonly days: number
  readonly days_elapsed: number
  readonly days_left: number
  /** Consecutive sessions at or above the limit, of those that cure it. */
  readonly mended_sessions: number | null
  readonly mended_after: number | null
  /** Sessions inside the run without a stored close. */
  readonly gaps: number
  readonly sentence: string
}

/** The value that a measure or a test reads, before it is compared. `low` null: the figure is an upper bound. */
export type Reading = {
  readonly high: string | null
  readonly low: string | null
  readonly at: string | null
  readonly basis: Basis
  readonly documents: readonly string[]
  readonly reason: string | null
}

/** The outcome of one test. */
export type Outcome = {
  readonly status: Exclude<Status, 'proposed'>
  readonly reason: string | null
  readonly value: string | null
  readonly value_low: string | null
  readonly unit: string | null
  readonly operator: string | null
  readonly threshold: string | null
  readonly clock: Clock | null
  readonly at: string | null
  readonly basis: Basis
  readonly documents: readonly string[]
}

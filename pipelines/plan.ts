// What a plan is: addresses from a window of days, and what a document that was read leads to. The plans themselves are in plans.ts.
import type { ArchiveWanted } from './bulk/read-archive.ts'
import type { Parsed } from './parsed.ts'

export type Window = {
  readonly partition: string
  readonly from: string
  readonly to: string
  readonly symbols: readonly string[] | null
  /** Today, in UTC: a past day's document does not change any more. */
  readonly today: string
  /** When the last run of the job that left nothing open began; null: there is none. Only where the plan asks for it. */
  readonly since?: string | null
}
export type Wanted = {
  readonly url: string
  /** True: what we hold of this address is what it will always answer, so it is not asked again. */
  readonly final: boolean
  /** True: that it does not exist is an answer (a day without an index), not a failure. */
  readonly mayBeMissing: boolean
  /** True: it must be there by now; that it is not yet is told as a failure and asked again, not taken for an answer. */
  readonly isDue?: boolean
  /** True: a later page of a list whose end nobody knows. That it cannot be had is noted, and the run ends with what it has. */
  readonly mayBeBeyond?: boolean
  /** Set where the address is an archive whose members are documents: which of them are wanted. */
  readonly archive?: ArchiveWanted['archive']
}
/** What a plan may look up before it lists addresses. */
export type Lookup = {
  readonly cikOf: (symbol: string) => Promise<string | null>
  /** The symbols that quotes and intraday bars are asked for, those first that matter most; none where nobody says. */
  readonly tracked?: () => Promise<readonly string[]>
}
export type Plan = {
  readonly first: (window: Window, lookup: Lookup) => Promise<readonly Wanted[]> | readonly Wanted[]
  /** What a document leads to; `read` is what its reader made of it. */
  readonly next?: (url: string, read: Parsed, window: Window) => readonly Wanted[]
  /** The forms that the plan takes of an index: what it would take of a day's feed too. */
  readonly wants?: (form: string) => boolean
  /** True: the window tells since when the job is up to date. */
  readonly wantsSince?: boolean
}

export const final = (url: string): Wanted => ({ url, final: true, mayBeMissing: false })
export const current = (url: string): Wanted => ({ url, final: false, mayBeMissing: false })
export const dated = (url: string, date: string, today: string): Wanted => ({ url, final: date < today, mayBeMissing: true })

/** Every calendar day from `from` to `to`. */
export function daysOf(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= Date.parse(`${to}T00:00:00Z`); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/** EDGAR publishes no index on weekends; on federal holidays it says itself that there is none. */
export const weekdays = (from: string, to: string): string[] =>
  daysOf(from, to).filter(date => ![0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay()))

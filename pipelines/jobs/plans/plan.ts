// A plan: addresses for a window of days, and the addresses that follow from a document. plans.ts contains the plans.

import { daysFrom, weekdayOf } from '#schemas/days.ts'
import type { ArchiveKind } from '../../read/bulk/kinds.ts'
import type { Parsed } from '../../read/parsed.ts'

/** An archive to fetch, and which of its members to read. */
export type ArchiveWanted = {
  readonly url: string
  /** True: the response at the address is final. */
  readonly final: boolean
  readonly mayBeMissing: boolean
  readonly archive: {
    readonly kind: ArchiveKind
    /** Names the selection of members in the manifest's address; null: every member is taken. */
    readonly label: string | null
    readonly takes: (form: string) => boolean
  }
}
export type Window = {
  readonly partition: string
  readonly from: string
  readonly to: string
  readonly symbols: readonly string[] | null
  /** Today, in UTC: a past day's document is final. */
  readonly today: string
  /** Start of the last run of the job that left nothing open; null: there is none. Only if the plan needs it. */
  readonly since?: string | null
}
export type Wanted = {
  readonly url: string
  /** True: a stored document of this address is final, so it is not requested again. */
  readonly final: boolean
  /** True: a missing document (a day without an index) is a valid response, not a failure. */
  readonly mayBeMissing: boolean
  /** True: the document must exist by now; if it does not, the job fails and retries. */
  readonly isDue?: boolean
  /** True: a later page of a list of unknown length. If it is unavailable, that is noted, and the run ends with what it has. */
  readonly mayBeBeyond?: boolean
  /** Set if the address is an archive whose members are documents: which of them are wanted. */
  readonly archive?: ArchiveWanted['archive']
}
/** What a plan may look up before it lists addresses. */
export type Lookup = {
  readonly cikOf: (symbol: string) => Promise<string | null>
  /** The symbols of quotes and intraday bars, most important first; none if not configured. */
  readonly tracked?: () => Promise<readonly string[]>
}
export type Plan = {
  readonly first: (window: Window, lookup: Lookup) => Promise<readonly Wanted[]> | readonly Wanted[]
  /** The addresses that follow from a document; `read` is its reader's result. */
  readonly next?: (url: string, read: Parsed, window: Window) => readonly Wanted[]
  /** The forms that the plan takes from an index, and would take from a day's feed. */
  readonly wants?: (form: string) => boolean
  /** True: the window states since when the job is up to date. */
  readonly wantsSince?: boolean
}

export const final = (url: string): Wanted => ({ url, final: true, mayBeMissing: false })
export const current = (url: string): Wanted => ({ url, final: false, mayBeMissing: false })
export const dated = (url: string, date: string, today: string): Wanted => ({ url, final: date < today, mayBeMissing: true })

/** EDGAR publishes no index on weekends; on federal holidays it reports that itself. */
export const weekdays = (from: string, to: string): string[] => daysFrom(from, to).filter(date => ![0, 6].includes(weekdayOf(date)))

// Derives symbol intervals from directories and renames. Pure: takes the known intervals and one document's directories, returns changed
// rows.
//
// valid_from is the first day on which the listing is known (the directory's day, or the first price if a source states it) and valid_to
// the last. A symbol that is still listed writes nothing. One that disappears from a complete list of its venue ends on the last day that
// showed it. A list older than the known intervals never ends anything.
import type { Directory, Refused, Rename } from '../parsed.ts'
import { type IntervalFacts, type KnownInterval, openBook } from './book.ts'
import { workDirectories } from './directory-day.ts'
import type { Candidate } from './match.ts'
import { laterRename, unknownRename, workRename } from './rename.ts'
import { openSightings, type Seen } from './seen.ts'
import type { Work } from './work.ts'

export type { IntervalFacts, KnownInterval } from './book.ts'
export { instrumentId } from './book.ts'

export type { Seen } from './seen.ts'

export type DeriveInput = {
  readonly source: string
  /** The day of retrieval: a rename that is announced for later waits, counted in `pending_renames`. */
  readonly date: string
  readonly directories: readonly Directory[]
  readonly renames: readonly Rename[]
  /** The result of the last call; if it is empty, it is estimated from the intervals. */
  readonly seen?: Seen
  /** An operator's word that a list that shrank is right: all of them, or those with these subjects (`nasdaqtrader XNYS 2024-03-05`). */
  readonly accept_shrunk?: boolean | ReadonlySet<string>
  /**
   * Refuse renames that cannot be applied, so that the quarantine shows them: in the operator's own list each row is meant. The lists of
   * vendors name thousands of symbols that no directory has, which are only counted.
   */
  readonly refuse_unapplied?: boolean
}
export type Derived = {
  /** New intervals and new versions of known ones (same symbol and valid_from), ordered by symbol and valid_from. */
  readonly rows: readonly IntervalFacts[]
  readonly refused: readonly Refused[]
  /** Pairs that look like a rename without evidence. */
  readonly candidates: readonly Candidate[]
  readonly counts: Readonly<Record<string, number>>
  readonly seen: Seen
}

/** Applies one document's renames and directories to the known intervals; linear in their number (51,000 listings: well under a second). */
export function deriveIntervals(known: readonly KnownInterval[], input: DeriveInput): Derived {
  const counts: Record<string, number> = {}
  const book = openBook(known)
  const work: Work = {
    source: input.source,
    book,
    sightings: openSightings(input.seen ?? [], known),
    refused: [],
    candidates: [],
    count: (name, by = 1) => {
      counts[name] = (counts[name] ?? 0) + by
    },
    acceptsShrunk: subject => (typeof input.accept_shrunk === 'object' ? input.accept_shrunk.has(subject) : (input.accept_shrunk ?? false)),
  }
  const renames = input.renames.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
  const unknown = renames.filter(rename => {
    if (rename.date <= input.date) return !workRename(work, rename)
    work.count('pending_renames')
    if (input.refuse_unapplied) work.refused.push(laterRename(rename, input.date))
    return false
  })
  const days = new Map<string, Directory[]>()
  for (const directory of input.directories) days.set(directory.date, [...(days.get(directory.date) ?? []), directory])
  for (const [date, directories] of [...days].sort(([a], [b]) => (a < b ? -1 : 1))) workDirectories(work, date, directories)
  // A map file lists symbols and their change together: the lists are processed first, then the changes that join them.
  for (const rename of unknown) {
    if (workRename(work, rename)) continue
    work.count('renames_of_unknown_symbols')
    if (input.refuse_unapplied) work.refused.push(unknownRename(work, rename))
  }
  return { rows: book.changed(), refused: work.refused, candidates: work.candidates, counts, seen: work.sightings.all() }
}

// When each source last showed a venue, and with how many listings. Ingest keeps it from one document to the next; if it was lost, the
// intervals give nearly the same: the last day on which any listing of the venue began or ended.
import type { KnownInterval } from './book.ts'

type Sighting = {
  readonly source: string
  readonly venue: string // as in a directory's scope: a MIC or an exchange code
  readonly date: string
  readonly count: number
  /** False for a list that does not claim to hold the whole venue. */
  readonly complete: boolean
}
export type Seen = readonly Sighting[]

export type Sightings = {
  readonly of: (source: string, interval: Pick<KnownInterval, 'mic' | 'exchange'>) => Sighting | null
  readonly at: (source: string, venue: string) => Sighting | null
  /** The latest day of a complete list of the venue, by any source. */
  readonly latest: (venue: string) => string | null
  /** The newest complete list of the venue, by any source. */
  readonly newest: (venue: string) => Sighting | null
  readonly record: (sighting: Sighting) => void
  readonly all: () => Seen
}

export function openSightings(seen: Seen, known: Iterable<KnownInterval>): Sightings {
  const sightings = new Map<string, Sighting>()
  const key = (source: string, venue: string): string => `${source} ${venue}`
  if (seen.length === 0) for (const sighting of guessed(known)) sightings.set(key(sighting.source, sighting.venue), sighting)
  for (const sighting of seen) sightings.set(key(sighting.source, sighting.venue), sighting)
  const at = (source: string, venue: string): Sighting | null => sightings.get(key(source, venue)) ?? null
  return {
    at,
    of: (source, { mic, exchange }) => {
      const found = [mic === null ? null : at(source, mic), at(source, exchange)].filter(sighting => sighting !== null)
      return found.reduce<Sighting | null>((last, sighting) => (last === null || sighting.date > last.date ? sighting : last), null)
    },
    latest: venue => {
      let last: string | null = null
      for (const sighting of sightings.values()) {
        if (sighting.venue === venue && sighting.complete && (last === null || sighting.date > last)) last = sighting.date
      }
      return last
    },
    newest: venue => {
      let last: Sighting | null = null
      for (const sighting of sightings.values()) {
        if (sighting.venue === venue && sighting.complete && (last === null || sighting.date > last.date)) last = sighting
      }
      return last
    },
    record: sighting => {
      const before = at(sighting.source, sighting.venue)
      if (before === null || sighting.date >= before.date) sightings.set(key(sighting.source, sighting.venue), sighting)
    },
    all: () => [...sightings.values()].sort((a, b) => (key(a.source, a.venue) < key(b.source, b.venue) ? -1 : 1)),
  }
}

function guessed(known: Iterable<KnownInterval>): Sighting[] {
  const found = new Map<string, Sighting>()
  for (const interval of known) {
    for (const venue of [interval.mic, interval.exchange]) {
      if (venue === null) continue
      const before = found.get(`${interval.source} ${venue}`)
      const day = interval.valid_to !== null && interval.valid_to > interval.valid_from ? interval.valid_to : interval.valid_from
      const date = before !== undefined && before.date > day ? before.date : day
      const count = (before?.count ?? 0) + (interval.valid_to === null ? 1 : 0)
      found.set(`${interval.source} ${venue}`, { source: interval.source, venue, date, count, complete: true })
    }
  }
  return [...found.values()]
}

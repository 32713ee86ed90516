// Applies one day's directories of one source to the known intervals: new listings, continuing ones, missing ones, and which of the missing
// ones continues as which of the new ones.
import { addDays, daysBetween } from '#schemas/days.ts'
import type { Directory } from '../parsed.ts'
import { instrumentId, type KnownInterval } from './book.ts'
import type { DatedListing } from './document.ts'
import { matchListings, otherClass, resembling, sameIssuer } from './match.ts'
import type { Work } from './work.ts'

/** A list with less than four fifths of the previous listings was damaged in transfer, unless an operator decides otherwise. */
const leastShare = 0.8
const smallVenue = 20
/** A source that lists a venue for the first time may count its lines otherwise, but not find less than half of them. */
const leastShareOfOthers = 0.5
/** A symbol that returns within these days was missing by mistake; the two boards' files of a move are no further apart. */
const holeDays = 10
/** While another source showed the symbol this recently, its absence here ends nothing. */
const disputedDays = 7

export function workDirectories(work: Work, date: string, directories: readonly Directory[]): void {
  const whole = directories.filter(directory => !shrank(work, directory))
  const listings = new Map<string, DatedListing>()
  for (const directory of whole) for (const listing of directory.listings) if (!listings.has(listing.symbol)) listings.set(listing.symbol, listing)
  const scope = new Set(whole.flatMap(directory => directory.scope))
  const came: KnownInterval[] = []
  const replaced: KnownInterval[] = []
  for (const directory of whole) {
    for (const listing of directory.listings) {
      if (dated(listing)) workDated(work, date, listing)
      else if (listings.get(listing.symbol) === listing) workListing(work, date, listing, came, replaced)
    }
  }
  const gone = vanished(work, date, scope, listings)
  joinAndEnd(work, date, scope, gone, came, replaced)
  for (const directory of whole) recordSightings(work, directory)
}

const dated = (listing: DatedListing): boolean => (listing.first_date ?? null) !== null || (listing.last_date ?? null) !== null
const inScope = (scope: ReadonlySet<string>, { mic, exchange }: Pick<KnownInterval, 'mic' | 'exchange'>): boolean =>
  (mic !== null && scope.has(mic)) || scope.has(exchange)

function countIn(directory: Directory, venue: string): number {
  let count = 0
  for (const { mic, exchange } of directory.listings) if (mic === venue || exchange === venue) count += 1
  return count
}

/**
 * True, with a refusal, if a venue of the directory lost more than a fifth since the same source last listed it, or half of another
 * source's count.
 */
function shrank({ source, sightings, refused, acceptsShrunk }: Work, directory: Directory): boolean {
  for (const venue of directory.scope) {
    const before = sightings.at(source, venue) ?? sightings.newest(venue)
    const count = countIn(directory, venue)
    const share = before?.source === source ? leastShare : leastShareOfOthers
    if (before === null || before.count < smallVenue || directory.date <= before.date || count >= before.count * share) continue
    const subject = `${source} ${venue} ${directory.date}`
    if (acceptsShrunk(subject)) continue
    refused.push({
      dataset: 'symbols',
      reason: 'directory_shrank',
      detail: `${subject}: ${count} listings after ${before.count} on ${before.date}${before.source === source ? '' : ` by ${before.source}`}, limit ${Math.ceil(before.count * share)}`,
      subject,
      record: { venue, date: directory.date, listings: count, before: before.count, before_date: before.date },
    })
    return true
  }
  return false
}

function recordSightings({ source, sightings }: Work, directory: Directory): void {
  const { date, scope } = directory
  const complete = scope.length > 0
  const venues = complete ? scope : new Set(directory.listings.map(({ exchange }) => exchange))
  for (const venue of venues) sightings.record({ source, venue, date, count: countIn(directory, venue), complete })
}

const intervalOf = (work: Work, listing: DatedListing, validFrom: string, validTo: string | null): KnownInterval => ({
  instrument_id: instrumentId(listing.exchange, listing.symbol, validFrom),
  symbol: listing.symbol,
  exchange: listing.exchange,
  mic: listing.mic,
  name: listing.name,
  issuer: listing.issuer,
  type: listing.type,
  currency: listing.currency,
  cik: listing.cik,
  valid_from: validFrom,
  valid_to: validTo,
  end_reason: validTo === null ? null : 'unknown',
  successor: null,
  predecessor: null,
  etf: listing.etf,
  source_symbol: listing.source_symbol,
  source: work.source,
})

/** A listing whose source states the days of its prices: a new interval if it overlaps no known one. */
function workDated(work: Work, date: string, listing: DatedListing): void {
  const first = listing.first_date ?? date
  const last = listing.last_date ?? null
  const validTo = last === null || last >= addDays(date, -disputedDays) ? null : last
  const overlap = work.book
    .of(listing.symbol)
    .find(known => (known.valid_to === null || known.valid_to >= first) && (validTo === null || known.valid_from <= validTo))
  if (overlap && overlap.source === work.source && overlap.valid_to === null && validTo !== null && validTo >= overlap.valid_from) {
    work.book.put({ ...overlap, valid_to: validTo, end_reason: 'unknown' })
    work.count('ended_unknown')
    return
  }
  if (overlap) {
    work.count('known')
    return
  }
  work.book.put(intervalOf(work, listing, first, validTo))
  work.count(validTo === null ? 'listed' : 'listed_before')
}

function workListing(work: Work, date: string, listing: DatedListing, came: KnownInterval[], replaced: KnownInterval[]): void {
  const { book, count } = work
  const intervals = book.of(listing.symbol)
  const older = isOlder(work, date, listing)
  const around = intervals.find(known => known.valid_from <= date && (known.valid_to === null || known.valid_to >= date))
  if (around) {
    if (around.valid_to !== null || older) {
      count('known')
      return
    }
    stillListed(work, date, listing, around, came, replaced)
    return
  }
  const before = intervals.findLast(known => known.valid_to !== null && known.valid_to < date)
  const after = intervals.find(known => known.valid_from > date)
  if (after || older) {
    seenEarlier(work, date, listing, before, after)
    return
  }
  if (!before) {
    came.push(book.put(intervalOf(work, listing, date, null)))
    count('listed')
    return
  }
  const gap = daysBetween(before.valid_to ?? date, date)
  // A listing that complete lists omitted for longer than a gap was gone: the present one is the same only by its name.
  const same = sameIssuer(before, listing, gap <= holeDays ? gap : Number.POSITIVE_INFINITY)
  const ended = before.end_reason === 'renamed' || before.end_reason === 'moved'
  if (same && !ended && gap <= holeDays) {
    book.put({ ...before, ...described(listing, before), source: work.source, valid_to: null, end_reason: null })
    count('reopened')
    return
  }
  const fresh = intervalOf(work, listing, date, null)
  // A symbol that comes back after a rename is someone's who came now; only the name can say that it is the old one again.
  const again = same && (!ended || sameIssuer(before, listing, Number.POSITIVE_INFINITY))
  const put = book.put(again ? { ...fresh, instrument_id: before.instrument_id } : fresh)
  if (!again) came.push(put)
  count(again ? 'listed_again' : 'symbol_reused')
}

/** True if this source, or a complete list of the venue by any source, has shown a later day. */
function isOlder({ source, sightings }: Work, date: string, listing: DatedListing): boolean {
  const days = [sightings.of(source, listing)?.date, listing.mic === null ? null : sightings.latest(listing.mic), sightings.latest(listing.exchange)]
  return days.some(day => typeof day === 'string' && date < day)
}

/** The values of a directory for a listing; a known CIK or issuer is kept if this directory has none. */
function described(listing: DatedListing, known: KnownInterval): Partial<KnownInterval> {
  const { mic, name, issuer, type, currency, cik, etf, source_symbol } = listing
  return {
    mic: mic ?? known.mic,
    name: name || known.name,
    issuer: issuer ?? known.issuer,
    type,
    currency,
    cik: cik ?? known.cik,
    etf,
    source_symbol,
  }
}

function stillListed(work: Work, date: string, listing: DatedListing, open: KnownInterval, came: KnownInterval[], replaced: KnownInterval[]): void {
  const { book, sightings, source, count } = work
  const lastDay = lastShown(work, date, open)
  const another = otherClass(open, listing) || !sameIssuer(open, listing, daysBetween(lastDay, date))
  if (another && lastDay < date) {
    const ended = book.put({ ...open, valid_to: lastDay, end_reason: 'unknown' })
    // A name that left its symbol is no evidence: CONSOL Energy kept CNX when a spun-off company took its old name to CEIX.
    if (otherClass(open, listing) || (open.cik !== null && listing.cik !== null)) replaced.push(ended)
    came.push(book.put(intervalOf(work, listing, date, null)))
    count('symbol_reused')
    return
  }
  // Two sources that spell a name differently must not write a row each, every day.
  const fresh = open.source !== source && (sightings.of(open.source, open)?.date ?? '') >= addDays(date, -disputedDays)
  const next = { ...open, ...described(listing, open), source }
  const gainsCik = open.cik === null && listing.cik !== null
  if (fresh) {
    if (gainsCik) book.put({ ...open, cik: listing.cik })
    count('known')
    return
  }
  if (sameRow(next, { ...open, source })) {
    count('known')
    return
  }
  book.put(next)
  count('described_anew')
}
function sameRow(a: KnownInterval, b: KnownInterval): boolean {
  return Object.entries(a).every(([name, value]) => b[name as keyof KnownInterval] === value)
}

/** A list older than the known intervals can show an unknown listing and a later last day, but ends and renames nothing. */
function seenEarlier(work: Work, date: string, listing: DatedListing, before: KnownInterval | undefined, after: KnownInterval | undefined): void {
  const { book, count } = work
  if (before && before.successor === null && sameIssuer(before, listing, daysBetween(before.valid_to ?? date, date))) {
    book.put({ ...before, valid_to: date })
    count('seen_later')
    return
  }
  if (after && sameIssuer(after, listing, Number.POSITIVE_INFINITY)) {
    count('seen_earlier')
    return
  }
  book.put(intervalOf(work, listing, date, date))
  count('listed_before')
}

/** Open intervals of the venues that the day's lists hold completely, and that they do not show. */
function vanished(work: Work, date: string, scope: ReadonlySet<string>, listings: ReadonlyMap<string, DatedListing>): KnownInterval[] {
  const gone: KnownInterval[] = []
  if (scope.size === 0) return gone
  const latest = new Map([...scope].map(venue => [venue, work.sightings.latest(venue)]))
  for (const interval of work.book.all()) {
    if (interval.valid_to !== null || interval.valid_from >= date || listings.has(interval.symbol) || !inScope(scope, interval)) continue
    const venue = interval.mic !== null && scope.has(interval.mic) ? interval.mic : interval.exchange
    const last = latest.get(venue) ?? null
    if (last !== null && date <= last) continue
    const owner = interval.source === work.source ? null : work.sightings.of(interval.source, interval)
    if (owner !== null && owner.date >= addDays(date, -disputedDays)) work.count('disputed')
    else gone.push(interval)
  }
  return gone
}

/** Ends missing listings on the last day that showed them, as renamed or moved if they match one of the new listings. */
function joinAndEnd(
  work: Work,
  date: string,
  scope: ReadonlySet<string>,
  gone: readonly KnownInterval[],
  came: readonly KnownInterval[],
  replaced: readonly KnownInterval[],
): void {
  const { book, count } = work
  // The two boards come in two files: a listing that one of them ended recently may be new in the other, and vice versa.
  const lately = [...replaced, ...recentlyEnded(work, date, scope)]
  const arrivedLately = gone.length === 0 ? [] : [...recentlyListed(work, date, scope)]
  const matches = matchListings([...gone, ...lately], [...came, ...arrivedLately], () => openIntervals(work))
  const to = new Map(matches.map(match => [match.gone, match]))
  const from = new Set(matches.map(match => match.came))
  const unmatched = came.filter(interval => !from.has(interval))
  for (const interval of [...gone, ...lately]) {
    const match = to.get(interval)
    if (!match && interval.valid_to !== null) continue
    const validTo = interval.valid_to ?? lastShown(work, date, interval)
    if (!match) {
      // If another listing appeared on the same market, the symbol may have been renamed: only its disappearance is certain.
      const open = unmatched.some(({ exchange, type }) => exchange === interval.exchange && type === interval.type)
      book.put({ ...interval, source: work.source, valid_to: validTo, end_reason: open ? 'unknown' : 'delisted' })
      count(open ? 'ended_unknown' : 'delisted')
      continue
    }
    const moved = match.came.exchange !== interval.exchange
    book.put({ ...interval, source: work.source, valid_to: validTo, end_reason: moved ? 'moved' : 'renamed', successor: match.came.symbol })
    book.put({ ...match.came, predecessor: interval.symbol })
    book.join(match.came.instrument_id, interval.instrument_id)
    count(moved ? 'moved' : 'renamed')
    count(`evidence_${match.evidence}`)
  }
  const left = gone.filter(interval => !to.has(interval))
  if (left.length > 0 && unmatched.length > 0) work.candidates.push(...resembling(left, unmatched, date))
}

function* openIntervals({ book }: Work): Generator<KnownInterval> {
  for (const interval of book.all()) if (interval.valid_to === null) yield interval
}

/**
 * The last day that certainly showed the interval: that of its source's or this one's last complete list of the venue, else
 * its first day. An incomplete list ends nothing, so that it may have left the symbol out already.
 */
function lastShown({ source, sightings }: Work, date: string, interval: KnownInterval): string {
  const complete = [sightings.of(interval.source, interval), sightings.of(source, interval)].filter(sighting => sighting?.complete)
  return complete.reduce<string>(
    (last, sighting) => (sighting && sighting.date <= date && sighting.date > last ? sighting.date : last),
    interval.valid_from,
  )
}

/** Canadian listings ended within the last days on a board that this list does not hold, and followed by none. */
function* recentlyEnded({ book }: Work, date: string, scope: ReadonlySet<string>): Generator<KnownInterval> {
  if (!scope.has('TO') && !scope.has('V')) return
  const since = addDays(date, -holeDays)
  for (const interval of book.all()) {
    if (interval.exchange === 'US' || inScope(scope, interval) || interval.valid_to === null || interval.successor !== null) continue
    if (interval.valid_to >= since && interval.valid_to <= date) yield interval
  }
}
/** Canadian listings that began within the last days on the other board, unless its whole list began then. */
function* recentlyListed({ book }: Work, date: string, scope: ReadonlySet<string>): Generator<KnownInterval> {
  if (!scope.has('TO') && !scope.has('V')) return
  const since = addDays(date, -holeDays)
  const began = new Map<string, string>()
  const found: KnownInterval[] = []
  for (const interval of book.all()) {
    if (interval.exchange === 'US' || inScope(scope, interval)) continue
    const first = began.get(interval.exchange)
    if (first === undefined || interval.valid_from < first) began.set(interval.exchange, interval.valid_from)
    if (interval.valid_to === null && interval.predecessor === null && interval.valid_from >= since && interval.valid_from <= date)
      found.push(interval)
  }
  for (const interval of found) if (interval.valid_from !== began.get(interval.exchange)) yield interval
}

// Directories and renames become listing intervals, processed document by document in the order of their days.
import type { DirectorySighting } from '#schemas/symbols.ts'
import { dateIn } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import { csv } from '../fetch/sources/csv.ts'
import type { Rename } from '../read/parsed.ts'
import { deriveIntervals, type KnownInterval, type Seen } from '../read/symbols/derive.ts'
import { refusedRename, unappliedReasons } from '../read/symbols/rename.ts'
import { rowOf } from './facts.ts'
import { fingerprintOf, stableText } from './fingerprint.ts'
import type { Decisions, ParsedDocument, RefusedBy, Row } from './types.ts'

export type SymbolChanges = {
  readonly symbols: Row[]
  readonly sightings: Row[]
  readonly refused: RefusedBy[]
  readonly counts: Record<string, number>
}

const columns =
  'instrument_id, symbol, exchange, mic, name, issuer, type, currency, cik, valid_from, valid_to, end_reason, successor, predecessor, etf, source_symbol, source'

/** The day of a document's lists, for the order of processing. */
const dayOf = ({ parsed, origin }: ParsedDocument): string =>
  parsed.directories?.map(directory => directory.date).sort()[0] ?? origin.retrieved_at.slice(0, 10)

/** An operator who rejects a rename that could not be applied means that it is never applied, whatever lists come later. */
const isRejected = (rename: Rename, sha256: string, decisions: Decisions): boolean =>
  unappliedReasons.some(reason => decisions.get(fingerprintOf(refusedRename(reason, rename, ''), sha256))?.decision === 'rejected')

/** Whether a document is from the drop-in folder. */
const isOperators = ({ origin }: ParsedDocument): boolean => origin.source === csv.name

/** By day. The operator's renames follow the lists of their day: both files may arrive together. */
function inOrder(a: ParsedDocument, b: ParsedDocument): number {
  if (dayOf(a) !== dayOf(b)) return dayOf(a) < dayOf(b) ? -1 : 1
  return Number(isOperatorsRenames(a)) - Number(isOperatorsRenames(b))
}
const isOperatorsRenames = (document: ParsedDocument): boolean => isOperators(document) && (document.parsed.renames?.length ?? 0) > 0

export async function deriveSymbols(documents: readonly ParsedDocument[], lake: Lake, decisions: Decisions): Promise<SymbolChanges> {
  const changes: SymbolChanges = { symbols: [], sightings: [], refused: [], counts: {} }
  const listed = documents.filter(({ parsed }) => (parsed.directories?.length ?? 0) > 0 || (parsed.renames?.length ?? 0) > 0)
  if (listed.length === 0) return changes
  const known = new Map<string, KnownInterval>()
  const knownFrom = new Map<string, string>()
  for (const { known_from, ...row } of await lake.query<KnownInterval & { known_from: string }>(
    `select ${columns}, known_from from symbols order by symbol, valid_from`,
    {},
    { symbols: 'all' },
  )) {
    const key = `${row.symbol}|${row.valid_from}`
    known.set(key, row)
    knownFrom.set(key, known_from)
  }
  const sightings = await lake.query<DirectorySighting>(
    'select * from directory_sightings order by source_name, venue',
    {},
    { directory_sightings: 'all' },
  )
  const before = new Map(sightings.map(row => [`${row.source_name} ${row.venue}`, stableText([row.date, row.listings, row.complete])]))
  let seen: Seen = sightings.map(row => ({ source: row.source_name, venue: row.venue, date: row.date, count: row.listings, complete: row.complete }))
  const rows = new Map<string, Row>()
  const newest = new Map<string, Row>()
  const released = new Set(
    [...decisions.values()].filter(each => each.dataset === 'symbols' && each.decision === 'released').map(each => each.subject),
  )
  for (const document of listed.toSorted(inOrder)) {
    const { origin, parsed } = document
    const derived = deriveIntervals([...known.values()], {
      source: origin.source,
      date: dateIn('America/New_York', origin.retrieved_at),
      directories: parsed.directories ?? [],
      renames: (parsed.renames ?? []).filter(rename => !isRejected(rename, origin.sha256, decisions)),
      seen,
      accept_shrunk: released,
      refuse_unapplied: isOperators(document),
    })
    for (const facts of derived.rows) {
      const key = `${facts.symbol}|${facts.valid_from}`
      known.set(key, { ...facts, source: origin.source })
      // Data from two lists is known since the newer one: no earlier instant had both.
      const before = knownFrom.get(key)
      const row = rowOf(facts, origin)
      const known_from = before !== undefined && Date.parse(before) > Date.parse(row.known_from) ? before : row.known_from
      knownFrom.set(key, known_from)
      rows.set(`${key}|${known_from}`, { ...row, known_from })
    }
    for (const sighting of derived.seen) {
      const key = `${sighting.source} ${sighting.venue}`
      const facts = {
        source_name: sighting.source,
        venue: sighting.venue,
        date: sighting.date,
        listings: sighting.count,
        complete: sighting.complete,
      }
      const text = stableText([sighting.date, sighting.count, sighting.complete])
      if (before.get(key) === text) continue
      before.set(key, text)
      // Every day is a separate version, so that a gap between directories can be detected; of one instant the last applies.
      const row = rowOf(facts, origin)
      newest.set(`${key}|${row.known_from}`, row)
    }
    seen = derived.seen
    for (const refused of derived.refused) changes.refused.push({ refused, origin })
    for (const [name, count] of Object.entries(derived.counts)) changes.counts[name] = (changes.counts[name] ?? 0) + count
    if (derived.candidates.length > 0) changes.counts['rename_candidates'] = (changes.counts['rename_candidates'] ?? 0) + derived.candidates.length
  }
  changes.symbols.push(...rows.values())
  changes.sightings.push(...newest.values())
  return changes
}

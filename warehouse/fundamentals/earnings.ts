// Reads of releases of results, and of the day that an issuer named for the next.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EarningsEvidence } from '#schemas/fundamentals.ts'
import type { Lake } from '../lake/lake.ts'

const sqlOf = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.sql`), 'utf8')
const findReleasesSql = sqlOf('find-releases')
const findAnnouncementsSql = sqlOf('find-announcements')

type Told = Pick<EarningsEvidence, 'period_end' | 'document' | 'quote' | 'source_start' | 'source_end' | 'flags'>
export type Release = Told &
  Pick<EarningsEvidence, 'accession' | 'form' | 'filed_date' | 'items' | 'known_from' | 'known_basis' | 'source' | 'raw_sha256'>

/** Releases of results, newest first. */
export async function findReleases(lake: Lake, cik: string, limit: number, asOf: string | null): Promise<Release[]> {
  return await lake.query<Release>(findReleasesSql, { limit, as_of: asOf }, { filings: [cik], earnings_evidence: [cik] })
}

export async function findAnnouncements(lake: Lake, cik: string, asOf: string | null): Promise<EarningsEvidence[]> {
  return await lake.query<EarningsEvidence>(findAnnouncementsSql, { as_of: asOf }, { earnings_evidence: [cik] })
}

/**
 * The day of the next report as the issuer last named it, seen from `today` in the exchange's time: the newest filing that names a
 * day wins, also where it moves an earlier one. Null where that day is past, or where results came out since it was named.
 */
export function nextReport(
  announcements: readonly EarningsEvidence[],
  releases: readonly Pick<Release, 'known_from' | 'accession'>[],
  today: string,
  dayOf: (instant: string) => string,
): EarningsEvidence | null {
  const [newest] = announcements
  if (!newest) return null
  const named = announcements.filter(each => each.accession === newest.accession && (each.announced_date ?? '') >= today)
  const next = named.toSorted((a, b) => ((a.announced_date ?? '') < (b.announced_date ?? '') ? -1 : 1))[0]
  const reported = releases.some(
    release =>
      release.accession !== newest.accession && release.known_from >= newest.known_from && dayOf(release.known_from) >= (next?.announced_date ?? ''),
  )
  return next === undefined || reported ? null : next
}

import { daysBetween } from '#schemas/days.ts'
import type { EarningsEvidence } from '#schemas/fundamentals.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, ['find-releases', 'find-announcements'])

type Report = Pick<EarningsEvidence, 'period_end' | 'document' | 'quote' | 'source_start' | 'source_end' | 'flags'>
export type Release = Report &
  Pick<EarningsEvidence, 'accession' | 'form' | 'filed_date' | 'items' | 'known_from' | 'known_basis' | 'source' | 'raw_sha256'>

/** Releases of results, newest first. */
export async function findReleases(lake: Lake, cik: string, limit: number, asOf: string | null): Promise<Release[]> {
  return await lake.query<Release>(statements['find-releases'], { limit, as_of: asOf }, { filings: [cik], earnings_evidence: [cik] })
}

export async function findAnnouncements(lake: Lake, cik: string, asOf: string | null): Promise<EarningsEvidence[]> {
  return await lake.query<EarningsEvidence>(statements['find-announcements'], { as_of: asOf }, { earnings_evidence: [cik] })
}

/** Days this close to each other are the same report, moved; quarterly reports are further apart. */
const sameReportDays = 45

/**
 * The day of the next report as the issuer last announced it, relative to `today` in the exchange's time: the nearest day that is not past,
 * that no later filing moved, and that has no published results yet. Null if there is no such day.
 */
export function nextReport(
  announcements: readonly EarningsEvidence[],
  releases: readonly Pick<Release, 'known_from' | 'accession'>[],
  today: string,
  dayOf: (instant: string) => string,
): EarningsEvidence | null {
  const current: (EarningsEvidence & { readonly announced_date: string })[] = []
  for (const each of announcements.toSorted((a, b) => (a.known_from > b.known_from ? -1 : a.known_from < b.known_from ? 1 : 0))) {
    const { announced_date: date } = each
    if (date === null) continue
    const moved = current.some(newer => newer.accession !== each.accession && Math.abs(daysBetween(newer.announced_date, date)) <= sameReportDays)
    if (!moved) current.push({ ...each, announced_date: date })
  }
  const open = current.filter(
    ({ accession, announced_date: date, known_from: named }) =>
      date >= today && !releases.some(release => release.accession !== accession && release.known_from >= named && dayOf(release.known_from) >= date),
  )
  return open.toSorted((a, b) => (a.announced_date < b.announced_date ? -1 : 1))[0] ?? null
}

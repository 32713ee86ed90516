import type { OwnershipPerson, OwnershipSchedule, ScheduleKind } from '#schemas/beneficial-ownership.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, ['find-issuers', 'find-schedules', 'find-chains', 'find-persons', 'find-listed'])

/** A filing that an index lists, with every CIK it is listed under. */
export type ListedSchedule = {
  readonly accession: string
  readonly ciks: readonly string[]
  /** Of the window itself; false: of the week before it. */
  readonly inside: boolean
  /** Its content is in the lake. */
  readonly read: boolean
}
/** A schedule without its long lists. */
export type FoundSchedule = Omit<OwnershipSchedule, 'items' | 'signatures' | 'evidence'>
export type ScheduleSearch = {
  readonly schedule: ScheduleKind
  /** Instants: known after the first, up to the second. */
  readonly since: string
  readonly until: string
  readonly issuer_cik: string | null
  readonly cusip: string | null
  readonly as_of: string | null
  readonly after: { readonly known_from: string; readonly filing_id: string } | null
  readonly limit: number
}

/** Both names of a schedule's form: since 18 December 2024 EDGAR writes SCHEDULE for SC. */
export const formsOf = (schedule: ScheduleKind): string[] => ['SC', 'SCHEDULE'].flatMap(name => [`${name} ${schedule}`, `${name} ${schedule}/A`])

export async function findSchedules(lake: Lake, search: ScheduleSearch): Promise<FoundSchedule[]> {
  const issuers = search.issuer_cik === null ? await issuersOf(lake, search) : [search.issuer_cik]
  if (issuers.length === 0) return []
  return await lake.query<FoundSchedule>(
    statements['find-schedules'],
    {
      schedule: search.schedule,
      since: search.since,
      until: search.until,
      issuer: search.issuer_cik,
      cusip: search.cusip,
      after_known: search.after?.known_from ?? null,
      after_filing: search.after?.filing_id ?? null,
      limit: search.limit,
      as_of: search.as_of,
    },
    { ownership_schedules: issuers },
  )
}

async function issuersOf(lake: Lake, { schedule, since, until, as_of }: ScheduleSearch): Promise<string[]> {
  const rows = await lake.query<{ issuer_key: string }>(
    statements['find-issuers'],
    { schedule, since, until, as_of },
    { ownership_schedules_history: 'all' },
  )
  return rows.map(row => row.issuer_key)
}

/** All schedules of these issuers, oldest first, and the persons of each. */
export async function findChains(lake: Lake, issuerKeys: readonly string[], asOf: string | null) {
  if (issuerKeys.length === 0) return { schedules: [], persons: new Map<string, OwnershipPerson[]>() }
  const [schedules, rows] = await Promise.all([
    lake.query<FoundSchedule>(statements['find-chains'], { as_of: asOf }, { ownership_schedules: issuerKeys }),
    lake.query<OwnershipPerson>(statements['find-persons'], { as_of: asOf }, { ownership_persons: issuerKeys }),
  ])
  const persons = new Map<string, OwnershipPerson[]>()
  for (const row of rows) {
    const held = persons.get(row.filing_id)
    if (held) held.push(row)
    else persons.set(row.filing_id, [row])
  }
  return { schedules, persons }
}

/** How many filings of the schedule the indexes list in a window, and how many of them were read. */
export async function findListed(lake: Lake, search: Pick<ScheduleSearch, 'schedule' | 'since' | 'until' | 'as_of'>): Promise<ListedSchedule[]> {
  return await lake.query<ListedSchedule>(
    statements['find-listed'],
    { forms: formsOf(search.schedule), since: search.since, until: search.until, as_of: search.as_of },
    { filings_history: 'all', ownership_schedules_history: 'all' },
  )
}

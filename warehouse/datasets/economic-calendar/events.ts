import type { EconomicEvent, EconomicSchedule } from '#schemas/economic-events.ts'
import { curatedEvents, curatedSchedules, type Release, releaseOfFred, releaseTitled } from '../../rulesets/macro/releases.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, ['find-events', 'find-schedules'])

export type Window = { readonly from: string; readonly to: string; readonly country: string | null; readonly as_of: string | null }
export type ListedEvent = Pick<
  EconomicEvent,
  'schedule' | 'event_id' | 'country' | 'agency' | 'title' | 'period' | 'date' | 'scheduled_at' | 'url' | 'known_from' | 'known_basis'
> & { readonly release_id: string | null; readonly source: string | null; readonly raw_sha256: string | null }
export type Calendar = {
  readonly events: readonly ListedEvent[]
  /** Every row that was read to decide which events are current. */
  readonly rows: readonly { readonly source: string; readonly raw_sha256: string; readonly known_from: string }[]
  readonly schedules: readonly string[]
}

/** True if a schedule covers the event: its list, its release if it is a list of one, and its day. */
const covers = (schedule: EconomicSchedule, event: Pick<EconomicEvent, 'schedule' | 'release_id' | 'date'>): boolean =>
  schedule.schedule === event.schedule &&
  (!schedule.scope.startsWith('release ') || schedule.scope === `release ${event.release_id}`) &&
  schedule.covers_from <= event.date &&
  event.date <= schedule.covers_to

export async function findCalendar(lake: Lake, window: Window): Promise<Calendar> {
  const { from, to, country, as_of } = window
  const [events, schedules] = await Promise.all([
    lake.query<EconomicEvent>(statements['find-events'], { from, to, country, as_of }, { economic_events: 'all' }),
    lake.query<EconomicSchedule>(statements['find-schedules'], { from, to, as_of }, { economic_schedules: 'all' }),
  ])
  const listed = new Map<EconomicSchedule, ReadonlySet<string>>()
  const idsOf = (schedule: EconomicSchedule): ReadonlySet<string> => {
    const held = listed.get(schedule) ?? new Set(schedule.event_ids.split('\n'))
    listed.set(schedule, held)
    return held
  }
  const used = new Set<EconomicSchedule>()
  const scheduled = events.filter(event => {
    // A list with another scope (a feed, as opposed to dates by release) names its events differently, so it does not replace this one.
    const newest = schedules.find(each => covers(each, event) && sameSpelling(each, event))
    if (newest) used.add(newest)
    return newest === undefined || idsOf(newest).has(event.event_id)
  })
  const curated = curatedEvents().filter(
    event =>
      event.date >= from &&
      event.date <= to &&
      (country === null || event.country === country) &&
      (as_of === null || Date.parse(event.known_from) <= Date.parse(as_of)),
  )
  const all: ListedEvent[] = [
    ...scheduled,
    ...curated.map(event => ({ ...event, period: null, release_id: null, known_basis: 'published' as const, source: null, raw_sha256: null })),
  ]
  const reached = curatedSchedules.filter(each => each.from <= to && each.to >= from).map(each => each.id)
  return { events: all, rows: [...events, ...used], schedules: [...new Set([...schedules.map(each => each.schedule), ...reached])].sort() }
}

/** BEA publishes its calendar twice, as a feed and as dates by release: the events of one are named after the release and the day. */
const sameSpelling = (schedule: EconomicSchedule, event: EconomicEvent): boolean =>
  schedule.schedule !== 'bea' || (schedule.scope === 'release dates') === (event.event_id === `${event.title} ${event.date}`)

export type MergedEvent = ListedEvent & { readonly schedules: readonly string[]; readonly release: Release | null }
const releaseOf = (event: ListedEvent): Release | null =>
  (event.release_id === null ? null : releaseOfFred(Number(event.release_id))) ?? releaseTitled(event.country, event.title)
/** An agency's list has more detail than FRED's. */
const rank = (event: ListedEvent): number => (event.schedule === 'fred' ? 2 : event.period === null ? 1 : 0)

/** One event per release and day, from the most detailed list; ordered by day, time, country and title. */
export function mergeEvents(events: readonly ListedEvent[]): MergedEvent[] {
  const groups = Map.groupBy(events, event => {
    const release = releaseOf(event)
    return `${event.date} ${event.country} ${release === null ? `${event.agency} ${event.title}` : `${release.agency} ${release.titles[0]}`}`
  })
  return [...groups.values()]
    .map(group => {
      const [best] = [...group].sort((a, b) => rank(a) - rank(b) || (a.schedule < b.schedule ? -1 : 1)) as [ListedEvent, ...ListedEvent[]]
      return {
        ...best,
        scheduled_at: best.scheduled_at ?? group.find(each => each.scheduled_at !== null)?.scheduled_at ?? null,
        known_from: group.map(each => each.known_from).sort()[0] as string,
        known_basis: group.reduce((first, each) => (each.known_from < first.known_from ? each : first)).known_basis,
        schedules: [...new Set(group.map(each => each.schedule))].sort(),
        release: releaseOf(best),
      }
    })
    .sort((a, b) => compareKeys(keyOf(a), keyOf(b)))
}

export type EventKey = readonly [date: string, at: string, country: string, title: string, id: string]
export const keyOf = (event: ListedEvent): EventKey => [
  event.date,
  event.scheduled_at ?? '',
  event.country,
  event.title.slice(0, 100),
  event.event_id.slice(0, 100),
]
export function compareKeys(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < a.length; at += 1) {
    const [mine, other] = [String(a[at]), String(b[at])]
    if (mine !== other) return mine < other ? -1 : 1
  }
  return 0
}

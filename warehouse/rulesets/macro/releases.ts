// Facts about an agency's releases in addition to its schedule: the agency, the time of day, and which indicators they
// print; and the schedules of the central banks, which are curated because they publish them as web pages only.
import { z } from 'zod'
import { madeOnce, parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { instantIn } from '../exchange-calendars/zone.ts'
import releaseTable from './releases.json' with { type: 'json' }
import { Confidence, indicatorNamed } from './rules.ts'
import scheduleTable from './schedules.json' with { type: 'json' }

const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)
const Releases = z.strictObject({
  ruleset: z.string().regex(/^macro-releases@\d{4}-\d\d$/),
  valid_from: IsoDate,
  published: IsoDate,
  source: z.string(),
  confidence: Confidence,
  releases: z
    .array(
      z.strictObject({
        country: z.enum(['US', 'CA']),
        agency: z.string(),
        fred_release: z.int().positive().nullable(),
        titles: z.array(z.string()).min(1),
        time: Clock.nullable(),
        time_zone: z.string(),
        indicators: z.array(z.string()).min(1),
      }),
    )
    .min(1),
})
const Schedules = z.strictObject({
  ruleset: z.string().regex(/^macro-schedules@\d{4}-\d\d$/),
  valid_from: IsoDate,
  published: IsoDate,
  schedules: z.array(
    z.strictObject({
      id: z.string().regex(/^[a-z-]+$/),
      country: z.enum(['US', 'CA']),
      agency: z.string(),
      time: Clock,
      time_zone: z.string(),
      known_from: IsoDate,
      valid_from: IsoDate,
      valid_to: IsoDate,
      source: z.string(),
      url: z.url(),
      confidence: Confidence,
      events: z.array(z.strictObject({ date: IsoDate, title: z.string() })).min(1),
    }),
  ),
})

const releaseRules = parseOnce(Releases, releaseTable)
const scheduleRules = parseOnce(Schedules, scheduleTable)
for (const { country, indicators } of releaseRules.releases) for (const code of indicators) indicatorNamed(country, code)

export const releasesRuleset = releaseRules.ruleset
export const schedulesRuleset = scheduleRules.ruleset
export type Release = (typeof releaseRules.releases)[number]

const tidy = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
const byFred = new Map<number | null, Release>(releaseRules.releases.map(each => [each.fred_release, each]))
const byTitle = new Map<string, Release>(
  releaseRules.releases.flatMap(each => each.titles.map(title => [`${each.country} ${tidy(title)}`, each] as const)),
)

/** The release of FRED's number, or null. */
export const releaseOfFred = (id: number): Release | null => byFred.get(id) ?? null
/** The release of a country with that title; a `(R)`, an estimate's name in brackets or a comma's tail does not count. */
export function releaseTitled(country: string, title: string): Release | null {
  const short = title.slice(0, 300)
  const plain = short.replace(/\s*\([^()]{0,60}\)/g, '')
  for (const each of [short, plain, plain.split(/,| for /)[0] ?? ''])
    if (byTitle.has(`${country} ${tidy(each)}`)) return byTitle.get(`${country} ${tidy(each)}`) ?? null
  return null
}

export type CuratedEvent = {
  readonly schedule: string
  readonly event_id: string
  readonly country: string
  readonly agency: string
  readonly title: string
  readonly date: string
  readonly scheduled_at: string
  readonly known_from: string
  readonly url: string
}
export type CuratedSchedule = { readonly id: string; readonly source: string; readonly url: string; readonly from: string; readonly to: string }
export const curatedSchedules: readonly CuratedSchedule[] = scheduleRules.schedules.map(each => ({
  id: each.id,
  source: each.source,
  url: each.url,
  from: each.valid_from,
  to: each.valid_to,
}))
/** Announcements of the central banks, by day; `known_from` is the end of the day on which the bank published its schedule. */
export const curatedEvents = madeOnce((): readonly CuratedEvent[] =>
  scheduleRules.schedules
    .flatMap(each =>
      each.events.map(({ date, title }) => ({
        schedule: each.id,
        event_id: date,
        country: each.country,
        agency: each.agency,
        title,
        date,
        scheduled_at: instantIn(each.time_zone, date, each.time),
        known_from: `${each.known_from}T23:59:59Z`,
        url: each.url,
      })),
    )
    .sort((a, b) => (a.date + a.schedule < b.date + b.schedule ? -1 : 1)),
)

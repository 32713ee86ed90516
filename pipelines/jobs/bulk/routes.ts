// The routes for a past range: one request per document, the daily feed, the SEC's data sets, a nightly archive. The cost of
// each is estimated before anything is requested. Each route has its plan and its windows.
import { addDays, addMonths, daysFrom } from '#schemas/days.ts'
import { bulkSubmissionsUrl, dailyFeedUrl, edgar, form13fDataSetUrl, form13fPeriod, insiderDataSetUrl } from '../../fetch/sources/edgar/index.ts'
import { dailyFeed } from '../../read/bulk/kinds.ts'
import { dated, final, type Plan, plans, type Wanted, type Window, weekdays, windowsOf } from '../plans/plans.ts'
import { bandwidth, perWeekday, sizes } from './volumes.ts'

export const routeNames = ['documents', 'feed', 'datasets', 'archive'] as const
export type RouteName = (typeof routeNames)[number]
/** Hours at EDGAR's request rate and 25 MB a second; for an archive, including the time to read it. */
type Cost = { readonly requests: number; readonly bytes: number; readonly hours: number }
export type Range = { readonly from: string; readonly to: string; readonly symbols: readonly string[] | null }
export type RouteWindow = Omit<Window, 'today'> & { readonly route?: RouteName }
export type Route = {
  readonly name: RouteName
  readonly plan: Plan
  /** The parts of the range that it covers, oldest first. */
  readonly covers: (range: Range, today: string) => readonly Range[]
  readonly cost: (range: Range) => Cost
  readonly windows: (range: Range) => readonly RouteWindow[]
  /** A note for the reader of the answers. */
  readonly note: string
}

const later = (a: string, b: string): string => (a > b ? a : b)
const earlier = (a: string, b: string): string => (a < b ? a : b)
const costOf = (requests: number, bytes: number, readingHours = 0): Cost => ({
  requests: Math.ceil(requests),
  bytes: Math.round(bytes),
  hours: readingHours + (requests / edgar.limits.perSecond + bytes / bandwidth) / 3600,
})
const suffixed = (windows: readonly Omit<Window, 'today'>[], route: RouteName): RouteWindow[] =>
  windows.map(window => ({ ...window, partition: `${window.partition} by ${route}`, route }))
const whole = (range: Range): readonly Range[] => [range]
const nextQuarter = (first: string): string => addMonths(first, 3)
const calendarQuarter = (day: string): Pick<Range, 'from' | 'to'> => {
  const first = `${day.slice(0, 4)}-${String(Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`
  return { from: first, to: addDays(nextQuarter(first), -1) }
}

/** One request per filing, plus one per day for the index that names it. */
function byDocuments(planName: string, wants: (form: string) => boolean): Route {
  const day = perWeekday(wants)
  return {
    name: 'documents',
    plan: plans.get(planName) as Plan,
    covers: whole,
    cost: ({ from, to }) => {
      const days = weekdays(from, to).length
      return costOf(days * (1 + day.filings), days * (sizes.dailyIndex + day.bytes))
    },
    windows: ({ from, to }) => windowsOf('day', from, to, null),
    note: 'every filing from its own document, known from the second of its acceptance',
  }
}

/** One request per day for everything that EDGAR disseminated on it. */
function byFeed(planName: string, wants: (form: string) => boolean): Route {
  const archive = { kind: dailyFeed, label: planName, takes: wants }
  return {
    name: 'feed',
    plan: { first: ({ from, to, today }) => weekdays(from, to).map((date): Wanted => ({ ...dated(dailyFeedUrl(date), date, today), archive })) },
    covers: whole,
    cost: ({ from, to }) => {
      const days = weekdays(from, to).length
      return costOf(days, days * sizes.feedDay)
    },
    windows: ({ from, to }) => suffixed(windowsOf('day', from, to, null), 'feed'),
    note: 'whole filings; the feed lacks the time of acceptance, so they are known from 22:00 Eastern of their day',
  }
}

type DataSet = {
  readonly first: string // first day that the SEC's data sets cover
  readonly period: (day: string) => Pick<Range, 'from' | 'to'>
  readonly url: (day: string) => string
  readonly bytes: number
}
/** Days after the end of a period until its data set is published. */
const publishedAfter = 45

function byDataSets({ first, period, url, bytes }: DataSet): Route {
  const periodsOf = ({ from, to }: Range): Pick<Range, 'from' | 'to'>[] => {
    const periods: Pick<Range, 'from' | 'to'>[] = []
    for (let day = later(from, first); day <= to; day = addDays(periods.at(-1)?.to ?? to, 1)) periods.push(period(day))
    return periods
  }
  return {
    name: 'datasets',
    plan: { first: ({ from }) => [{ ...final(url(from)), isDue: true }] },
    covers: (range, today) => {
      const there = periodsOf(range).filter(each => addDays(each.to, publishedAfter) <= today)
      const last = there.at(-1)
      return last ? [{ ...range, from: later(range.from, first), to: earlier(last.to, range.to) }] : []
    },
    cost: range => {
      const { length } = periodsOf(range)
      return costOf(length, length * bytes)
    },
    windows: range =>
      suffixed(
        periodsOf(range).map(each => ({ partition: `${each.from}..${each.to}`, ...each, symbols: null })),
        'datasets',
      ),
    note: 'whole periods, as the SEC extracts them: no time of acceptance (known from 22:00 Eastern), and a filing that comes itself takes their place',
  }
}

const insiderSets: DataSet = { first: '2006-01-01', period: calendarQuarter, url: insiderDataSetUrl, bytes: sizes.insiderDataSet }
const holdingsSets: DataSet = { first: '2013-04-01', period: form13fPeriod, url: form13fDataSetUrl, bytes: sizes.holdingsDataSet }

const byIndex: Route = {
  name: 'documents',
  plan: plans.get('edgar-full-index') as Plan,
  covers: whole,
  cost: ({ from, to }) => {
    const { length } = windowsOf('quarter', from, to, null)
    return costOf(length, length * sizes.quarterIndex)
  },
  windows: ({ from, to }) => windowsOf('quarter', from, to, null),
  note: 'every filing and filer by day; no time of acceptance',
}
/** One archive with everything, read whole for any range. */
const byArchive = (plan: string, file: string, cost: Cost, note: string): Route => ({
  name: 'archive',
  plan: plans.get(plan) as Plan,
  covers: whole,
  cost: () => cost,
  windows: ({ to }) => [{ partition: `${file} by archive`, from: to, to, symbols: null, route: 'archive' }],
  note,
})
const bySubmissions = byArchive(
  'edgar-submissions-archive',
  bulkSubmissionsUrl.slice(bulkSubmissionsUrl.lastIndexOf('/') + 1),
  costOf(1, sizes.submissionsArchive, sizes.submissionsHours),
  'every filer from its first filing on, regardless of the range, with the time of acceptance; about a million files to read',
)
const byCompanyFile = byArchive(
  'edgar-companyfacts-archive',
  'companyfacts.zip',
  costOf(1, sizes.companyFactsArchive, sizes.companyFactsHours),
  'every filer with XBRL, regardless of the symbols',
)

/** Company files, read like the members of an archive, plus the indexes. */
const companyFiles = (files: number, indexes = 0): Cost =>
  costOf(files + indexes, files * sizes.companyFile + indexes * sizes.dailyIndex, (files / sizes.companiesInArchive) * sizes.companyFactsHours)
const byCompany: Route = {
  name: 'documents',
  plan: plans.get('edgar-issuer-facts') as Plan,
  covers: whole,
  cost: ({ symbols }) => companyFiles(symbols?.length ?? 0),
  windows: ({ from, to, symbols }) => windowsOf('symbol', from, to, symbols),
  note: 'one file per company, and its filings about results',
}

/** Filings with statements per weekday; each leads to a request for its filer's file. */
const statementsADay = 115
const byChanged: Route = {
  name: 'documents',
  plan: plans.get('edgar-changed-facts') as Plan,
  covers: whole,
  cost: ({ from, to }) => {
    const days = weekdays(from, to).length
    return companyFiles(days * statementsADay, days)
  },
  windows: ({ from, to }) => windowsOf('day', from, to, null),
  note: 'the file of every company that filed statements in the range, as it is now',
}

/** The routes of a plan; none if the plan has only one way. */
export function routesOf(planName: string): readonly Route[] {
  if (planName === 'edgar-full-index') return [byIndex, bySubmissions]
  if (planName === 'edgar-issuer-facts') return [byCompany, byCompanyFile]
  if (planName === 'edgar-changed-facts') return [byChanged, byCompanyFile]
  const wants = plans.get(planName)?.wants
  if (!wants) return []
  const sets = wants('4') ? [byDataSets(insiderSets)] : wants('13F-HR') ? [byDataSets(holdingsSets)] : []
  return [...sets, byFeed(planName, wants), byDocuments(planName, wants)]
}

/** The plan that reads a window of that route. */
export const routePlan = (planName: string, name: string): Plan | undefined => routesOf(planName).find(route => route.name === name)?.plan

export type Segment = { readonly route: Route; readonly range: Range; readonly cost: Cost }

/**
 * The route for each part of the range: data sets where available, the rest by the route that takes the fewest hours; of
 * equal ones, the one with fewer requests. With a `named` route, only that one.
 */
export function chooseRoutes(routes: readonly Route[], range: Range, today: string, named: RouteName | null): readonly Segment[] {
  const usable = named === null ? routes : routes.filter(route => route.name === named)
  const sets = usable.find(route => route.name === 'datasets')
  const [covered] = sets?.covers(range, today) ?? []
  const rest: Range[] = []
  if (!covered) rest.push(range)
  else {
    if (range.from < covered.from) rest.push({ ...range, to: addDays(covered.from, -1) })
    if (covered.to < range.to) rest.push({ ...range, from: addDays(covered.to, 1) })
  }
  const segments: Segment[] = covered && sets ? [{ route: sets, range: covered, cost: sets.cost(covered) }] : []
  const others = usable.filter(route => route.name !== 'datasets')
  for (const part of rest) {
    if (daysFrom(part.from, part.to).length === 0) continue
    const priced = others.map(route => ({ route, range: part, cost: route.cost(part) }))
    const [cheapest] = priced.sort((a, b) => a.cost.hours - b.cost.hours || a.cost.requests - b.cost.requests)
    if (cheapest) segments.push(cheapest)
  }
  return segments.sort((a, b) => (a.range.from < b.range.from ? -1 : 1))
}

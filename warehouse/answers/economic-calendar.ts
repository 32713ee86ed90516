// The economic calendar: the releases of agencies by day, with the published values, from official series.

import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { addDays } from '#schemas/days.ts'
import { type Built, digits, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { type Calendar, compareKeys, findCalendar, keyOf, type MergedEvent, mergeEvents } from '../datasets/economic-calendar/events.ts'
import { findReleased, type ReleasedRow } from '../datasets/macro/macro.ts'
import { windowOf } from '../rules/calendars/window.ts'
import { curatedSchedules, releasesRuleset, schedulesRuleset } from '../rulesets/macro/releases.ts'
import { type Indicator, indicatorNamed } from '../rulesets/macro/rules.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['economic_events', 'economic_schedules', 'macro_observations'] as const
/** A quarterly release's previous period was published up to three months earlier, and a late one later: how far back values are read. */
const backDays = 400

type Figure = {
  readonly indicator: Indicator
  readonly series: string
  readonly actual: ReleasedRow | null
  readonly previous: ReleasedRow | null
}

/** The values that a release of a day published for a series: the newest period first published on it, and the previous period as of then. */
function figureOf(indicator: Indicator, day: string, bySeries: ReadonlyMap<string, readonly ReleasedRow[]>): Figure {
  const series = indicator.sources.map(each => each.series).find(each => bySeries.has(each)) ?? (indicator.sources[0]?.series as string)
  const rows = bySeries.get(series) ?? []
  const first = new Map<string, ReleasedRow>()
  for (const row of rows) if (!first.has(row.date)) first.set(row.date, row)
  const actual = [...first.values()].filter(row => row.vintage === day).at(-1) ?? null
  const before = rows.filter(row => row.vintage < day && (actual === null || row.date < actual.date) && row.value !== null)
  const newest = before.reduce((latest, row) => (row.date > latest ? row.date : latest), '')
  return { indicator, series, actual, previous: before.filter(row => row.date === newest).at(-1) ?? null }
}

const indicatorsIn = (event: MergedEvent): Indicator[] =>
  event.release === null ? [] : event.release.indicators.map(code => indicatorNamed(event.country, code))

const printedFigure = ({ indicator, series, actual, previous }: Figure): object => ({
  indicator: indicator.code,
  title: indicator.title,
  unit: indicator.unit,
  series,
  period: actual?.date ?? null,
  actual: digits(actual?.value),
  previous: digits(previous?.value),
})

function printedEvent(event: MergedEvent, figures: readonly Figure[]): object {
  return {
    date: event.date,
    scheduled_at: event.scheduled_at,
    country: event.country,
    agency: event.agency,
    title: event.title,
    period: event.period,
    actual: digits(figures[0]?.actual?.value),
    previous: digits(figures[0]?.previous?.value),
    consensus: null,
    figures: figures.map(printedFigure),
    schedules: event.schedules,
    url: event.url,
    known_from: event.known_from,
    known_basis: event.known_basis,
  }
}

async function buildEconomicCalendar(context: ReleaseContext, question: QuestionOf<'list_economic_events'>): Promise<Built> {
  const { cursor, limit, as_of: asOf = null, release: _release, receipt: _receipt, ...filters } = question
  const { from, to } = windowOf(context, question, datasets)
  const after = cursor === undefined ? null : decodeCursor(cursor, 'list_economic_events', filters).after
  const calendar = await findCalendar(context.lake, { from, to, country: question.country ?? null, as_of: asOf })
  const events = mergeEvents(calendar.events)
  const rest = after === null ? events : events.filter(event => compareKeys(keyOf(event), after) > 0)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  const series = [...new Set(page.flatMap(indicatorsIn).flatMap(each => each.sources.map(source => source.series)))].sort()
  const released = await findReleased(context.lake, series, addDays(from, -backDays), to, asOf)
  const bySeries = Map.groupBy(released, row => row.series)
  const shown = page.map(event => ({ event, figures: indicatorsIn(event).map(each => figureOf(each, event.date, bySeries)) }))
  const figureRows = shown.flatMap(({ figures }) => figures.flatMap(({ actual, previous }) => [actual, previous].filter(row => row !== null)))
  return {
    body: {
      from,
      to,
      country: question.country ?? null,
      rulesets: [releasesRuleset, schedulesRuleset],
      coverage: coverageOf(calendar, page.length),
      count: page.length,
      events: shown.map(({ event, figures }) => printedEvent(event, figures)),
      next_cursor:
        rest.length > limit && last
          ? encodeCursor('list_economic_events', filters, context.lake.versionOf(datasets).release, [...keyOf(last)])
          : null,
    },
    sources: [...upstreamSources([...calendar.rows, ...figureRows]), ...curatedSources(page)],
    origins: originsOf([...calendar.rows, ...released]),
    datasets,
  }
}

/** The curated schedules of the events shown. */
const curatedSources = (page: readonly MergedEvent[]) =>
  curatedSchedules
    .filter(each => page.some(event => event.schedules.includes(each.id)))
    .map(each => ({ name: `${schedulesRuleset}: ${each.source}`, accession: null, url: each.url, retrieved_at: null, sha256: null }))

function coverageOf({ schedules }: Calendar, count: number): object {
  if (schedules.length === 0)
    return {
      status: 'not_loaded',
      sentence: 'no schedule that reaches into these days is loaded; the jobs economic-calendar-* bring them',
      schedules,
    }
  return count === 0
    ? { status: 'none', sentence: 'the schedules loaded have no event in these days', schedules }
    : { status: 'read', sentence: 'from the schedules named; an agency whose schedule is not loaded is missing here', schedules }
}

export const economicCalendarAnswers = {
  list_economic_events: { build: buildEconomicCalendar },
} satisfies Answers

// What the status page shows, for the API and for the static copy that the worker writes: components in groups, and 90 days as bars.

import { addDays, daysFrom, utcDay } from '#schemas/days.ts'
import type { ComponentState, ComponentStatus, HistoryPoint } from '#schemas/status.ts'

export const shownDays = 90

export const overallSentences = {
  operational: 'Everything that is checked works',
  degraded: 'Parts are late or slow',
  down: 'Something does not work',
  loading: 'Nothing was released yet: the first data are being loaded',
} as const

type State = ComponentStatus['status']
export const stateWords: Readonly<Record<State, string>> = {
  operational: 'works',
  degraded: 'late or slow',
  down: 'down',
  unscheduled: 'not scheduled',
  loading: 'loading',
  unknown: 'not checked',
}
/** The tone of a state, as notices and badges have it. */
export const toneOf = (state: State): 'good' | 'warn' | 'bad' | 'plain' =>
  state === 'operational' ? 'good' : state === 'degraded' ? 'warn' : state === 'down' || state === 'unknown' ? 'bad' : 'plain'

const gravity: readonly State[] = ['down', 'unknown', 'degraded', 'loading', 'operational', 'unscheduled']

export type ComponentGroup = { readonly id: string; readonly title: string; readonly components: readonly ComponentStatus[] }
/** The service itself, its datasets and its sources; failing components come first. Groups without a component are left out. */
export function groupComponents(components: readonly ComponentStatus[]): ComponentGroup[] {
  const sorted = components.toSorted((a, b) => gravity.indexOf(a.status) - gravity.indexOf(b.status))
  const of = (prefix: string) => sorted.filter(({ name }) => name.startsWith(prefix))
  return [
    { id: 'service', title: 'Service', components: sorted.filter(({ name }) => !/^(?:dataset|source):/.test(name)) },
    { id: 'datasets', title: 'Datasets', components: of('dataset:') },
    { id: 'sources', title: 'Sources', components: of('source:') },
  ].filter(group => group.components.length > 0)
}
/** `dataset:bars` is shown as `bars` in its group. */
export const shownName = (name: string): string => name.replace(/^(?:dataset|source):/, '')

/** A day of a component; `status` null: it was not checked. */
export type UptimeDay = { readonly date: string; readonly status: ComponentState | null; readonly uptime_pct: number | null }
/** The days of any component. */
export type DaysOf = (component: string) => UptimeDay[]
/** For each component, its days up to the day of `now`, the oldest first, with those on which it was not checked. */
export function uptimeDays(history: readonly HistoryPoint[], now: Date, count = shownDays): DaysOf {
  const points = Map.groupBy(history, each => each.component)
  const dates = daysFrom(addDays(utcDay(now), 1 - count), utcDay(now))
  return component => daysOn(dates, points.get(component) ?? [])
}
function daysOn(dates: readonly string[], points: readonly HistoryPoint[]): UptimeDay[] {
  const found = new Map(points.map(each => [each.hour.slice(0, 10), each]))
  return dates.map(date => {
    const point = found.get(date)
    return { date, status: point?.status ?? null, uptime_pct: point?.uptime_pct ?? null }
  })
}

/** The mean of the days that were checked, rounded down to two decimals so that a failure is never shown as 100; null if no day was checked. */
export function uptimeOf(days: readonly UptimeDay[]): number | null {
  const known = days.flatMap(({ uptime_pct }) => (uptime_pct === null ? [] : [uptime_pct]))
  return known.length === 0 ? null : Math.floor((known.reduce((sum, each) => sum + each, 0) / known.length) * 100) / 100
}

/** One bar for each day, as SVG whose classes a style sheet colours: `good`, `warn`, `bad`, `none`. It holds no text of a user or an upstream. */
export function uptimeBars(days: readonly UptimeDay[]): string {
  const bars = days.map(({ status, uptime_pct }, at) => {
    const kind = uptime_pct === null || status === null ? 'none' : uptime_pct >= 99.9 ? 'good' : uptime_pct >= 95 ? 'warn' : 'bad'
    return `<rect class="${kind}" x="${at * 4}" y="0" width="3" height="24" rx="1"/>`
  })
  return `<svg class="uptime" viewBox="0 0 ${days.length * 4 - 1} 24" preserveAspectRatio="none" aria-hidden="true">${bars.join('')}</svg>`
}

/** The bars in words, for people who do not see them. */
export function uptimeWords(days: readonly UptimeDay[]): string {
  const uptime = uptimeOf(days)
  if (uptime === null) return `not checked in the last ${days.length} days`
  const checked = days.filter(each => each.uptime_pct !== null)
  const bad = checked.filter(each => (each.uptime_pct ?? 0) < 99.9).length
  return `${uptime} % of the checks of ${checked.length} ${checked.length === 1 ? 'day' : 'days'} were good${bad === 0 ? '' : `; ${bad} ${bad === 1 ? 'day' : 'days'} with failures`}`
}

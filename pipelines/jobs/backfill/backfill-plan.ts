// Computes the windows of a backfill from the job and the arguments. Pure.
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { isSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { checkBackfill } from '#warehouse/store/jobs/backfills.ts'
import { chooseRoutes, type Route, type RouteName, type RouteWindow, routeNames, routesOf, type Segment } from '../bulk/routes.ts'
import { windowsOf } from '../plans/plans.ts'
import { dayOf, symbolsOf } from './arguments.ts'

export type BackfillPlan = {
  readonly job: JobDefinition
  readonly from: string
  readonly to: string
  readonly symbols: readonly string[] | null
  readonly windows: readonly RouteWindow[]
  /** The available routes, and the part of the range that each covers; empty if the job has only one way. */
  readonly routes: readonly Route[]
  readonly segments: readonly Segment[]
}
type Query = {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly symbols: string | undefined
  readonly route?: string | undefined
}

/**
 * The windows of a backfill, newest days first; days without a session in the job's calendar are omitted. Throws
 * `BadRequest` if the arguments do not fit the job. `today` is the day in UTC, with which a range without a last day ends.
 */
export function planBackfill(job: JobDefinition, requested: Query, today: string): BackfillPlan {
  if (job.backfill !== 'none' && requested.from === undefined)
    throw new BadRequest('backfill: --from is missing', { hint: 'such as --from 2024-01-01, with --to 2024-12-31 unless it ends today' })
  const [from, to] = [dayOf('--from', requested.from ?? today), dayOf('--to', requested.to ?? today)]
  const symbols = symbolsOf(requested.symbols)
  checkBackfill(job, { from, to, symbols }, today, { from: '--from', to: '--to', symbols: '--symbols' })
  const routes = routesOf(job.plan)
  const route = routeOf(job, requested.route, routes)
  if (routes.length > 0) {
    const segments = chooseRoutes(routes, { from, to, symbols }, today, route)
    const windows = segments.flatMap(each => each.route.windows(each.range)).toReversed()
    if (windows.length === 0)
      throw new BadRequest(`${job.name}: nothing from ${from} to ${to} is available by ${route ?? 'any route'}`, {
        hint: 'without --route the available routes cover the range',
      })
    return { job, from, to, symbols, windows, routes, segments }
  }
  const calendar = job.schedule?.calendar ?? null
  const windows = windowsOf(job.backfill, from, to, symbols).filter(
    window => job.backfill !== 'day' || calendar === null || isSession(calendar, window.from ?? from),
  )
  if (windows.length === 0) throw new BadRequest(`${calendar} has no session from ${from} to ${to}`)
  return { job, from, to, symbols, windows: job.backfill === 'symbol' ? windows : windows.toReversed(), routes, segments: [] }
}

function routeOf(job: JobDefinition, text: string | undefined, routes: readonly Route[]): RouteName | null {
  if (text === undefined) return null
  const known = routes.map(route => route.name)
  const name = routeNames.find(each => each === text)
  if (name && known.includes(name)) return name
  if (name === 'documents' && routes.length === 0) return null
  throw new BadRequest(`backfill: ${job.name} has no route ${JSON.stringify(text.slice(0, 40))}`, {
    hint: routes.length === 0 ? 'it has only one route: omit --route' : `it has ${known.join(', ')}`,
  })
}

// The requested days of a calendar.
import { addDays, daysBetween } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import { effectiveInstant } from '../../context/answer.ts'
import { dayAt } from '../../datasets/fundamentals/session.ts'

type Datasets = Parameters<ReleaseContext['lake']['versionOf']>[0]

const longest = 366

/**
 * First and last day of a request. By default they range from `back` days before to 31 days after the answer's day. That day comes from
 * the release, not from the clock, so that the same request to the same release has one answer. Throws `BadRequest` if the days are in
 * the wrong order or too many.
 */
export function windowOf(
  context: ReleaseContext,
  requested: { from?: string | undefined; to?: string | undefined; as_of?: string | undefined },
  datasets: Datasets,
  back = 0,
) {
  const span = 31 + back
  const first = (): string => addDays(dayAt('US', effectiveInstant(requested.as_of, context.lake.versionOf(datasets))), -back)
  const from = requested.from ?? (requested.to === undefined ? first() : addDays(requested.to, -span))
  const to = requested.to ?? addDays(from, span)
  return checkedWindow(from, to)
}

/** The days themselves. Throws `BadRequest` if they are in the wrong order or more than 366. */
export function checkedWindow(from: string, to: string): { readonly from: string; readonly to: string } {
  if (from > to) throw new BadRequest(`from ${from} is after to ${to}`, { hint: 'from is the first day, to the last' })
  if (daysBetween(from, to) > longest)
    throw new BadRequest(`from ${from} to ${to} is more than ${longest} days`, { hint: `ask for at most ${longest} days at a time` })
  return { from, to }
}

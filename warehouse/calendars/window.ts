// The days that a calendar is asked for.
import { addDays, daysBetween } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { Ground } from '../answers/answer.ts'
import { standsAt } from '../answers/answer.ts'
import { dayAt } from '../fundamentals/session.ts'

type Datasets = Parameters<Ground['lake']['versionOf']>[0]

const longest = 366

/**
 * First and last day of a question. Left out, they reach from `back` days before to 31 days after the day on which the answer
 * stands (not the clock's, so that the same question to the same release has one answer). Throws `BadRequest` for days the wrong
 * way round or too many.
 */
export function windowOf(
  ground: Ground,
  asked: { from?: string | undefined; to?: string | undefined; as_of?: string | undefined },
  datasets: Datasets,
  back = 0,
) {
  const span = 31 + back
  const first = (): string => addDays(dayAt('US', standsAt(asked.as_of, ground.lake.versionOf(datasets))), -back)
  const from = asked.from ?? (asked.to === undefined ? first() : addDays(asked.to, -span))
  const to = asked.to ?? addDays(from, span)
  if (from > to) throw new BadRequest(`from ${from} is after to ${to}`, { hint: 'from is the first day, to the last' })
  if (daysBetween(from, to) > longest)
    throw new BadRequest(`from ${from} to ${to} is more than ${longest} days`, { hint: `ask for at most ${longest} days at a time` })
  return { from, to }
}

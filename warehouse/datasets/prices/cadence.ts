// Finds regular payers and gaps in their series of ex-dates: the neighbours of a dividend that no source reported reveal it.
import { addDays, daysBetween } from '#schemas/days.ts'
import { type ActionFacts, classOf } from './actions.ts'

/** Days between two ex-dates of a regular payer, and how far they may vary because of holidays or a board that meets a week later. */
const rhythms = [
  { name: 'monthly', days: 30.4, give: 9 },
  { name: 'quarterly', days: 91.3, give: 21 },
  { name: 'half-yearly', days: 182.6, give: 35 },
] as const
/** Payments of one rhythm on each side of a hole, both sides together, that make a payer a regular one. */
const leastPayments = 5
/** More consecutive missing payments than this are a suspension, not missing reports. */
const mostMissing = 2

export type Gap = {
  /** The ex-dates on both sides. */
  readonly after: string
  readonly before: string
  readonly rhythm: (typeof rhythms)[number]['name']
  /** The days around which an ex-date is missing. */
  readonly expected: readonly string[]
}

/** Ordinary cash on its ex-dates, oldest first, each day once. */
const exDates = (actions: readonly Pick<ActionFacts, 'kind' | 'ex_date'>[]): string[] =>
  [...new Set(actions.filter(action => classOf(action) === 'cash' && action.kind !== 'special_dividend').map(action => action.ex_date))].sort()

/** Gaps in the ex-dates of a regular payer: intervals of two or three times its usual days. */
export function gapsOf(actions: readonly Pick<ActionFacts, 'kind' | 'ex_date'>[]): Gap[] {
  const days = exDates(actions)
  const steps = days.slice(1).map((day, at) => daysBetween(days[at] as string, day))
  return steps.flatMap((step, at) => {
    const around = [...steps.slice(Math.max(0, at - leastPayments), at), ...steps.slice(at + 1, at + 1 + leastPayments)]
    for (const { name, days: usual, give } of rhythms) {
      const regular = around.filter(other => Math.abs(other - usual) <= give)
      const times = Math.round(step / usual)
      if (regular.length < leastPayments || regular.length < around.length - 1) continue
      if (times < 2 || times > mostMissing + 1 || Math.abs(step - times * usual) > give) return []
      const expected = Array.from({ length: times - 1 }, (_, missing) => addDays(days[at] as string, Math.round((step * (missing + 1)) / times)))
      return [{ after: days[at] as string, before: days[at + 1] as string, rhythm: name, expected }]
    }
    return []
  })
}

/** A gap in words, for the operator. */
export const reportedGap = ({ after, before, rhythm, expected }: Gap): string =>
  `pays ${rhythm}, and no source reports a dividend between ${after} and ${before}: ${expected.length === 1 ? 'one is' : `${expected.length} are`} missing around ${expected.join(' and ')}`

// The last periods of an economic indicator as a small line.
import type { AnswerOf } from '#schemas/operations.ts'
import type { Content } from '../html.ts'
import { number, period } from './format.ts'
import { sparkline } from './sparkline.ts'
import { plainText } from './table.ts'

/** Number of last periods of each indicator that are drawn. */
export const drawnPeriods = 24

type Indicator = AnswerOf<'get_macro_country'>['indicators'][number]
type Recent = NonNullable<Indicator['recent']>

/** The line of the last periods, with a gap for each one without a value. */
export function indicatorLine(title: string, frequency: Indicator['frequency'], recent: Recent): Content {
  const [first, last] = [recent[0], recent.at(-1)]
  if (first === undefined || last === undefined) return null
  const label = `${title}, ${plainText(period(first.date, frequency))} to ${plainText(period(last.date, frequency))}`
  return sparkline({ label, values: stepped(recent, frequency), show: inWords })
}

/** A value of the text alternative; from a billion on in short form. */
const inWords = (value: number): string => (Math.abs(value) >= 1e9 ? `${number(value / 1e9, { most: 2 })} billion` : number(value, { most: 4 }))

const monthsOf: Partial<Record<Indicator['frequency'], number>> = { monthly: 1, quarterly: 3, semiannual: 6, annual: 12 }
/** Values in equal steps: null for each period that the source leaves out. Periods shorter than a month are taken as they are listed. */
export function stepped(recent: Recent, frequency: Indicator['frequency']): (number | null)[] {
  const months = monthsOf[frequency]
  const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7))
  const start = recent[0] === undefined ? 0 : monthOf(recent[0].date)
  const places = recent.map(({ date }) => (monthOf(date) - start) / (months ?? 1))
  if (months === undefined || places.some(place => !Number.isInteger(place))) return recent.map(({ value }) => value)
  const values = new Array<number | null>((places.at(-1) ?? -1) + 1).fill(null)
  for (const [index, { value }] of recent.entries()) values[places[index] as number] = value
  return values
}

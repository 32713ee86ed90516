// Compares the series that `crossfile adjust` made with the expected closes: how far they differ, and what may explain it.
import { plainDecimal } from '#schemas/values.ts'
import { some } from './output.ts'

export type ComparisonIo = { readonly out: (line: string) => void; readonly err: (line: string) => void }
export type Closes = ReadonlyMap<string, number>

type Worst = { readonly date: string; readonly adjusted_close: number; readonly expected: number; readonly relative_difference: number }
function worstOf(ours: Closes, expected: Closes): { worst: Worst | null; missing: string[]; compared: number } {
  const missing: string[] = []
  let compared = 0
  let worst: Worst | null = null
  for (const [date, close] of [...expected].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const own = ours.get(date)
    if (own === undefined) {
      missing.push(date)
      continue
    }
    compared += 1
    const difference = close === own ? 0 : Math.abs(own - close) / Math.abs(close)
    if (worst === null || difference > worst.relative_difference)
      worst = { date, adjusted_close: own, expected: close, relative_difference: difference }
  }
  return { worst, missing, compared }
}

/** Below this difference two series are the same except for the digits that a vendor prints. */
const printedDigits = 1e-6
/** Lowest and highest ratio of an expected close to the computed one, over the days that both have. */
function ratiosOf(ours: Closes, expected: Closes): { readonly least: number; readonly spread: number; readonly days: number } {
  let [least, most, days] = [Number.POSITIVE_INFINITY, 0, 0]
  for (const [date, close] of expected) {
    const own = ours.get(date)
    if (own === undefined || own === 0) continue
    days += 1
    least = Math.min(least, close / own)
    most = Math.max(most, close / own)
  }
  return { least, spread: most / least - 1, days }
}

/** Days on each side of a step whose median ratio measures it, so that a single wrong close is not a step. */
const daysInQuarantine = 5
/** A smaller change of the ratio is rounding noise. */
const stepShare = 5e-5
const mostDepartures = 20

type Departure = {
  /** The first day on which both agree as they do afterwards: the ex-date of the action that one of them lacks. */
  readonly ex_date: string
  /** Expected divided by computed, before that day and from it on. */
  readonly ratio_before: number
  readonly ratio_from: number
  /** The step as cash on the unadjusted close before the day: above 0 if the computed series lacks the amount, below 0 if the expected one does. */
  readonly implied_amount: number | null
}

const spreadOf = (values: readonly number[]): number => Math.max(...values) / Math.min(...values) - 1
const middleOf = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

/** Ex-dates around which two series diverge: their ratio changes within one day and keeps the new value. */
function departuresOf(ours: Closes, expected: Closes, raw: Closes): Departure[] {
  const days = [...expected.keys()].filter(date => (ours.get(date) ?? 0) > 0).sort()
  const ratios = days.map(date => (expected.get(date) as number) / (ours.get(date) as number))
  const found: Departure[] = []
  for (const [at, date] of days.entries()) {
    if (at === 0 || Math.abs(ratios[at]! / ratios[at - 1]! - 1) <= stepShare) continue
    const [earlier, later] = [ratios.slice(Math.max(0, at - daysInQuarantine), at), ratios.slice(at, at + daysInQuarantine)]
    const [before, from] = [middleOf(earlier), middleOf(later)]
    const step = Math.abs(before / from - 1)
    // Rounded digits change the ratio too, on every day.
    if (step <= stepShare || earlier.length < 2 || later.length < 2 || step < 2 * Math.max(spreadOf(earlier), spreadOf(later))) continue
    const close = raw.get(days[at - 1] as string)
    const implied_amount = close === undefined ? null : Number(((1 - before / from) * close).toPrecision(4))
    found.push({ ex_date: date, ratio_before: before, ratio_from: from, implied_amount })
  }
  return found
}

/** Describes a departure. */
function reportedDeparture({ ex_date, ratio_before, ratio_from, implied_amount }: Departure): string {
  const moved = `the ratio of the expected closes to ours moves on ${ex_date}, from ${plainDecimal(Number(ratio_before.toPrecision(8)))} to ${plainDecimal(Number(ratio_from.toPrecision(8)))}`
  if (implied_amount === null) return moved
  const who = implied_amount > 0 ? 'the expected series has and ours lacks' : 'ours has and the expected series lacks'
  return `${moved}: consistent with a dividend of ${plainDecimal(Math.abs(implied_amount))} that ${who}`
}

/** Possible explanations of a difference: another convention, or one constant factor, e.g. a download before or after an action. */
function explanation(
  ours: Closes,
  expected: Closes,
  worst: Worst,
  others: readonly { readonly name: string; readonly closes: () => Closes }[],
): string[] {
  if (worst.relative_difference <= printedDigits) return []
  const explanations: string[] = []
  const { least, spread, days } = ratiosOf(ours, expected)
  const isConstant = days >= 3 && spread < 1e-5 && Math.abs(least - 1) > printedDigits
  for (const { name, closes } of others) {
    const other = closes()
    const difference = worstOf(other, expected).worst?.relative_difference ?? Number.POSITIVE_INFINITY
    const apart = ratiosOf(other, expected).spread
    if (difference < worst.relative_difference / 10)
      explanations.push(`the expected closes are nearer to ${name}: worst relative difference ${difference.toExponential(3)}`)
    else if (!isConstant && days >= 3 && apart < spread / 10)
      explanations.push(`the expected closes follow ${name}, apart from one constant factor: within ${apart.toExponential(3)}`)
  }
  if (isConstant)
    explanations.push(
      `every expected close is ${plainDecimal(Number(least.toPrecision(8)))} times ours: an action after the last bar, or before the download, that the actions lack`,
    )
  return explanations
}

export type Compared = {
  readonly ours: Closes
  readonly expected: Closes
  readonly without: number
  readonly others: readonly { readonly name: string; readonly closes: () => Closes }[]
  /** Unadjusted closes, which give the size of a missing amount. */
  readonly raw: Closes
}
/** Prints how far the series is from the expected closes and what may explain it; 0 if every day is present and within tolerance, else 1. */
export function compare(
  options: { readonly tolerance: number | null; readonly json: boolean },
  { ours, expected, without, others, raw }: Compared,
  summary: object,
  io: ComparisonIo,
): number {
  const { worst, missing, compared } = worstOf(ours, expected)
  const tooFar = options.tolerance !== null && worst !== null && !(worst.relative_difference <= options.tolerance)
  const equal = missing.length === 0 && !tooFar
  const departures = departuresOf(ours, expected, raw)
  const explained =
    worst === null ? [] : [...explanation(ours, expected, worst, others), ...departures.slice(0, mostDepartures).map(reportedDeparture)]
  if (departures.length > mostDepartures)
    explained.push(`${some(departures.length - mostDepartures, 'more day', 'more days')} on which the ratio moves`)
  if (options.json)
    io.out(
      JSON.stringify({
        ...summary,
        worst,
        compared,
        missing,
        without_expected: without,
        tolerance: options.tolerance,
        explained,
        departures,
        ok: equal,
      }),
    )
  else {
    if (worst)
      io.out(
        `worst relative difference ${worst.relative_difference.toExponential(3)} on ${worst.date}: ${plainDecimal(worst.adjusted_close)} against ${plainDecimal(worst.expected)}`,
      )
    io.out(
      `${some(compared, 'day')} compared, ${some(missing.length, 'expected day')} without a bar${missing.length > 0 ? `: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}` : ''}`,
    )
    for (const line of explained) io.err(line)
    if (tooFar) io.err(`above the tolerance of ${options.tolerance}`)
  }
  return equal ? 0 : 1
}

// The series that `crossfile adjust` made against the closes that somebody expects: how far they lie apart, and what may explain it.
import { plainDecimal } from '#schemas/values.ts'

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

/** Below this two series are the same but for the digits that a vendor prints. */
const printedDigits = 1e-6
/** Least and most of what an expected close is of ours, over the days that both have. */
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

/** What may explain a difference: another convention, or one constant factor, as of a download before or after an action. */
function explanation(
  ours: Closes,
  expected: Closes,
  worst: Worst,
  others: readonly { readonly name: string; readonly closes: () => Closes }[],
): string[] {
  if (worst.relative_difference <= printedDigits) return []
  const said: string[] = []
  const { least, spread, days } = ratiosOf(ours, expected)
  const isConstant = days >= 3 && spread < 1e-5 && Math.abs(least - 1) > printedDigits
  for (const { name, closes } of others) {
    const other = closes()
    const difference = worstOf(other, expected).worst?.relative_difference ?? Number.POSITIVE_INFINITY
    const apart = ratiosOf(other, expected).spread
    if (difference < worst.relative_difference / 10)
      said.push(`the expected closes are nearer to ${name}: worst relative difference ${difference.toExponential(3)}`)
    else if (!isConstant && days >= 3 && apart < spread / 10)
      said.push(`the expected closes follow ${name}, apart from one constant factor: within ${apart.toExponential(3)}`)
  }
  if (isConstant)
    said.push(
      `every expected close is ${plainDecimal(Number(least.toPrecision(8)))} times ours: an action after the last bar, or before the download, that the actions lack`,
    )
  return said
}

export type Compared = {
  readonly ours: Closes
  readonly expected: Closes
  readonly without: number
  readonly others: readonly { readonly name: string; readonly closes: () => Closes }[]
}
/** Prints how far the series lies from the expected closes and what may explain it; 0 where every day is there and near enough, else 1. */
export function compare(
  options: { readonly tolerance: number | null; readonly json: boolean },
  { ours, expected, without, others }: Compared,
  summary: object,
  io: ComparisonIo,
): number {
  const { worst, missing, compared } = worstOf(ours, expected)
  const tooFar = options.tolerance !== null && worst !== null && !(worst.relative_difference <= options.tolerance)
  const equal = missing.length === 0 && !tooFar
  const explained = worst === null ? [] : explanation(ours, expected, worst, others)
  if (options.json)
    io.out(JSON.stringify({ ...summary, worst, compared, missing, without_expected: without, tolerance: options.tolerance, explained, ok: equal }))
  else {
    if (worst)
      io.out(
        `worst relative difference ${worst.relative_difference.toExponential(3)} on ${worst.date}: ${plainDecimal(worst.adjusted_close)} against ${plainDecimal(worst.expected)}`,
      )
    io.out(
      `${compared} days compared, ${missing.length} expected days without a bar${missing.length > 0 ? `: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}` : ''}`,
    )
    for (const line of explained) io.err(line)
    if (tooFar) io.err(`above the tolerance of ${options.tolerance}`)
  }
  return equal ? 0 : 1
}

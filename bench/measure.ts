// Rounds and figures. Whatever is compared is measured in one run, in turns (A B B A …), so that a slow minute of the machine
// falls on both sides; what is reported is the median of the rounds, with their span.
export type Side = { readonly name: string; readonly run: () => Promise<number> }
export type Span = { readonly median: number; readonly min: number; readonly max: number; readonly rounds: number }
export type Figure = {
  readonly label: string
  readonly unit: string
  readonly value: Span
  /** What it is compared with, measured in the same rounds. */
  readonly baseline?: { readonly label: string; readonly value: Span }
  /** Median over the rounds of this value over the baseline's. */
  readonly ratio?: Span
  /** Which of value or ratio has an aim, and whether it was met. */
  readonly aim?: { readonly of: 'value' | 'ratio'; readonly least?: number; readonly most?: number }
}
export type Report = {
  readonly name: string
  readonly title: string
  readonly figures: readonly Figure[]
  readonly notes: readonly string[]
  readonly failed: string | null
}

export function spanOf(values: readonly number[]): Span {
  const sorted = [...values].sort((a, b) => a - b)
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN, rounds: sorted.length }
}

/** The q-quantile of ascending values, nearest rank; NaN of none. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN
}
export const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)

/** Runs the sides in turns, the order reversed every other round; one value per side and round. */
export async function interleave(sides: readonly Side[], rounds: number): Promise<Map<string, number[]>> {
  const values = new Map(sides.map(side => [side.name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) values.get(side.name)?.push(await side.run())
  }
  return values
}

/** A figure over the baseline of the same rounds. */
export function compared(
  label: string,
  unit: string,
  own: readonly number[],
  baseline: string,
  other: readonly number[],
  aim?: Figure['aim'],
): Figure {
  const ratios = own.map((value, at) => value / (other[at] ?? Number.NaN))
  return { label, unit, value: spanOf(own), baseline: { label: baseline, value: spanOf(other) }, ratio: spanOf(ratios), ...(aim ? { aim } : {}) }
}
/** The median of an index over that of a scan, with the tail of the index in the label; the index may take 250 ms at the most. */
export const againstScan = (label: string, own: readonly number[], scan: readonly number[]): Figure =>
  compared(
    `${label}, p50 (p99 ${quantile(ascending(own), 0.99).toFixed(0)})`,
    'ms',
    [quantile(ascending(own), 0.5)],
    'scan of the lake',
    [quantile(ascending(scan), 0.5)],
    { of: 'value', most: 250 },
  )
export const figure = (label: string, unit: string, values: readonly number[], aim?: Figure['aim']): Figure => ({
  label,
  unit,
  value: spanOf(values),
  ...(aim ? { aim } : {}),
})

/** True, false, or null where there is no aim. */
export function isMet({ aim, value, ratio }: Figure): boolean | null {
  if (!aim) return null
  const evaluated = aim.of === 'ratio' ? ratio?.median : value.median
  if (evaluated === undefined || Number.isNaN(evaluated)) return false
  return (aim.least === undefined || evaluated >= aim.least) && (aim.most === undefined || evaluated <= aim.most)
}

/** Rounds that differ by more than half of their median say more of the machine than of the program. */
const isNoisy = (span: Span): boolean => span.rounds > 1 && span.max - span.min > span.median / 2

const number = (value: number): string =>
  Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en-US')
    : Math.abs(value) >= 100
      ? value.toFixed(0)
      : Math.abs(value) >= 10
        ? value.toFixed(1)
        : value.toFixed(2)
const spanText = (span: Span, unit: string): string =>
  `${number(span.median)} ${unit}${span.rounds > 1 ? ` (${number(span.min)} to ${number(span.max)})` : ''}`

export function printReport(report: Report, print: (line: string) => void): void {
  print(`\n${report.name}: ${report.title}`)
  if (report.failed !== null) print(`  FAILED: ${report.failed}`)
  for (const each of report.figures) {
    const { label, unit, value, baseline, ratio, aim } = each
    const parts = [spanText(value, unit)]
    if (baseline) parts.push(`${baseline.label} ${spanText(baseline.value, unit)}`)
    if (ratio) parts.push(`ratio ${spanText(ratio, '').replace(/ +/g, ' ').trim()}`)
    if (aim)
      parts.push(
        `${isMet(each) ? 'met' : 'NOT MET'}: aim ${aim.least !== undefined ? `at least ${aim.least}` : `at most ${aim.most}`}${aim.of === 'value' ? ` ${unit}` : ''}`,
      )
    print(`  ${label.padEnd(44)} ${parts.join(' | ')}`)
    const noisy = [value, ...(baseline ? [baseline.value] : [])].some(isNoisy)
    if (noisy) print(`  ${''.padEnd(44)} noisy: the rounds differ by more than half of their median`)
  }
  for (const note of report.notes) print(`  ${note}`)
}

/** Milliseconds of each call. */
export async function timed(times: number, call: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let at = 0; at < times; at += 1) {
    const begun = performance.now()
    await call()
    taken.push(performance.now() - begun)
  }
  return taken
}

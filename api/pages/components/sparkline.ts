// A sparkline: the last values of a row as a small line without axes. It is plain SVG, so it needs no script and prints.
import { type Html, html } from '../html.ts'

export type Sparkline = {
  /** What is drawn, for people who do not see it: `Unemployment rate, Jan 2025 to Oct 2026`. */
  readonly label: string
  /** In equal steps, oldest first. Null: no value is known there, and the line has a gap. */
  readonly values: readonly (number | null)[]
  /** A value as the text alternative prints it. */
  readonly show: (value: number) => string
}

const [width, height, margin] = [96, 24, 2]

/** The line, or null if there are fewer than two values: one point shows no course. A table prints the dash for null. */
export function sparkline({ label, values, show }: Sparkline): Html | null {
  const known = values.filter(value => value !== null)
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined || known.length < 2) return null
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const gaps = values.length - known.length
  const summary = `${label}: first ${show(first)}, last ${show(last)}, lowest ${show(low)}, highest ${show(high)}${gaps > 0 ? `; ${gaps} without a value` : ''}`
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${summary}"><path d="${linePath(values, low, high)}"/></svg>`
}

/** One subpath for each run of values without a gap; a value between two gaps is a dot. Positions have one decimal at most. */
function linePath(values: readonly (number | null)[], low: number, high: number): string {
  const step = values.length < 2 ? 0 : (width - 2 * margin) / (values.length - 1)
  const at = (index: number, value: number): string => {
    // Equal values are a line in the middle.
    const share = high === low ? 0.5 : (value - low) / (high - low)
    return `${tenths(margin + index * step)} ${tenths(height - margin - share * (height - 2 * margin))}`
  }
  let path = ''
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    const [before, after] = [values[index - 1] ?? null, values[index + 1] ?? null]
    path += `${before === null ? 'M' : 'L'}${at(index, value)}`
    // A line of no length has round ends, which is a dot.
    if (before === null && after === null) path += 'h0'
  }
  return path
}
const tenths = (position: number): string => String(Math.round(position * 10) / 10)

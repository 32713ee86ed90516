// Joins runs to lines: runs on one baseline, in segments that a wide gap separates (cells of a table, columns of a page), in reading order.
import type { Run } from './runs.ts'

export type Segment = { readonly text: string; readonly x: number; readonly end: number; readonly bold: boolean }
export type Line = {
  readonly segments: readonly Segment[]
  readonly x: number
  readonly end: number
  /** Of the baseline. */
  readonly y: number
  readonly size: number
  readonly bold: boolean
  readonly angle: number
}

/** A gap of more font sizes than this separates segments. Spaces between words have a quarter to a third, justified ones rarely two thirds. */
const segmentGap = 0.85
/** A larger gap is a space that the file did not write. */
const wordGap = 0.16

/** Upright lines in reading order (columns of a page one after the other), then turned ones. */
export function linesOf(runs: readonly Run[], pageWidth: number): Line[] {
  const drawn = withoutDoubles(runs.filter(run => run.text.trim() !== '' && Number.isFinite(run.x + run.y + run.width + run.size) && run.size > 0))
  const upright = grouped(drawn.filter(run => run.angle === 0)).map(group => lineOf(group, 0))
  const turned = [...new Set(drawn.map(run => run.angle).filter(angle => angle !== 0))]
    .sort((a, b) => a - b)
    .flatMap(angle =>
      turnedLines(
        drawn.filter(run => run.angle === angle),
        angle,
      ),
    )
  return [...inReadingOrder(upright, pageWidth), ...turned]
}

/** Text that is drawn twice at one position, in place of bold type, or as a shadow. */
function withoutDoubles(runs: readonly Run[]): Run[] {
  const last = new Map<string, Run>()
  return runs.filter(run => {
    const key = `${run.angle} ${run.text}`
    const before = last.get(key)
    last.set(key, run)
    const near = run.size * 0.12
    return !before || Math.abs(before.x - run.x) > near || Math.abs(before.y - run.y) > near
  })
}

/** Runs by their baseline, top to bottom. A smaller run that is raised or lowered (a footnote mark, an index) belongs to the line next to it. */
function grouped(runs: readonly Run[]): Run[][] {
  const sorted = runs.toSorted((a, b) => a.y - b.y || a.x - b.x)
  const usual = usualSize(sorted)
  const isSmall = (run: Run): boolean => run.text.trim().length <= 3 && run.size < 0.78 * usual
  const groups: { y: number; size: number; runs: Run[] }[] = []
  for (const run of sorted) {
    if (isSmall(run)) continue
    const group = groups.at(-1)
    if (group && run.y - group.y <= 0.35 * Math.min(group.size, run.size)) group.runs.push(run)
    else groups.push({ y: run.y, size: run.size, runs: [run] })
  }
  for (const run of sorted) {
    if (!isSmall(run)) continue
    const at = groups.findLastIndex(group => group.y <= run.y + 0.6 * group.size)
    const near = groups.slice(Math.max(0, at - 1), at + 1).reverse()
    const host = near.find(group => Math.abs(group.y - run.y) <= 0.6 * group.size && group.runs.some(each => touches(each, run)))
    if (host) host.runs.push(run)
    else insert(groups, run)
  }
  return groups.map(group => group.runs)
}
const touches = (a: Run, b: Run): boolean => b.x <= a.x + a.width + 0.5 * a.size && b.x + b.width >= a.x - 0.5 * a.size
function insert(groups: { y: number; size: number; runs: Run[] }[], run: Run): void {
  const same = groups.find(group => Math.abs(group.y - run.y) <= 0.35 * run.size)
  if (same) same.runs.push(run)
  else {
    const at = groups.findIndex(group => group.y > run.y)
    groups.splice(at < 0 ? groups.length : at, 0, { y: run.y, size: run.size, runs: [run] })
  }
}

/** The size of most characters of the runs. */
export function usualSize(runs: readonly { readonly size: number; readonly text: string }[]): number {
  const counts = new Map<number, number>()
  for (const run of runs) {
    const size = Math.round(run.size * 2) / 2
    counts.set(size, (counts.get(size) ?? 0) + run.text.length)
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? 0
}

function lineOf(runs: readonly Run[], angle: number): Line {
  const parts = runs.flatMap(splitAtSpaces).toSorted((a, b) => a.x - b.x)
  const segments: { text: string; x: number; end: number; bold: number; characters: number }[] = []
  for (const run of parts) {
    const last = segments.at(-1)
    const gap = last ? run.x - last.end : 0
    const text = run.text.trim()
    const weight = run.bold ? text.length : 0
    if (!last || gap > segmentGap * run.size) segments.push({ text, x: run.x, end: run.x + run.width, bold: weight, characters: text.length })
    else {
      const isSpaced = gap > wordGap * run.size || /\s$/.test(last.text) || /^\s/.test(run.text)
      last.text = `${last.text.trimEnd()}${isSpaced ? ' ' : ''}${text}`
      last.end = Math.max(last.end, run.x + run.width)
      last.bold += weight
      last.characters += text.length
    }
    // A space at the end of a run belongs before the next one.
    if (/\s$/.test(run.text) && segments.at(-1)) (segments.at(-1) as { text: string }).text += ' '
  }
  const size = Math.max(...runs.map(run => run.size))
  const main = runs.reduce((a, b) => (b.text.length > a.text.length ? b : a))
  const finished = segments.map(({ text, x, end, bold, characters }) => ({ text: tidy(text), x, end, bold: bold > characters / 2 }))
  const first = finished[0] as Segment
  return {
    segments: finished,
    x: first.x,
    end: Math.max(...finished.map(each => each.end)),
    y: main.y,
    size: main.size > 0 ? main.size : size,
    bold: finished.every(each => each.bold),
    angle,
  }
}
/** One space between words, none outside; formatting and control characters are dropped. */
const tidy = (text: string): string =>
  text
    .replace(/[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed()

/** A run whose text contains three spaces or more, as in columns of a typewriter, is split; all characters count as equally wide. */
function splitAtSpaces(run: Run): Run[] {
  if (!/\S\s{3,}\S/.test(run.text)) return [run]
  const each = run.width / run.text.length
  return [...run.text.matchAll(/\S+(?:\s{1,2}\S+)*/g)].map(match => ({
    ...run,
    text: match[0],
    x: run.x + match.index * each,
    width: match[0].length * each,
  }))
}

/** Lines of text that runs up, down or upside down, read along their baseline. */
function turnedLines(runs: readonly Run[], angle: number): Line[] {
  const turn = (-angle * Math.PI) / 180
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  const along = runs.map(run => ({ ...run, x: run.x * cos - run.y * sin, y: run.x * sin + run.y * cos }))
  return grouped(along).map(group => {
    const line = lineOf(group, angle)
    const [x, y] = [line.x * cos + line.y * sin, -line.x * sin + line.y * cos]
    return { ...line, x, y, end: x + (line.end - line.x) }
  })
}

const isProse = ({ text }: Segment): boolean => text.length >= 16 && text.split(' ').length >= 3
const leastLines = 4

/** Lines of a page with two columns: those of the left, then those of the right, between lines that cross the gutter. */
function inReadingOrder(lines: readonly Line[], pageWidth: number): Line[] {
  const gutter = gutterOf(lines, pageWidth)
  if (gutter === null) return [...lines]
  const ordered: Line[] = []
  let region: Line[] = []
  const flush = (): void => {
    const both = region.filter(line => line.segments.some(each => each.end <= gutter.to) && line.segments.some(each => each.x >= gutter.from)).length
    if (both < leastLines) ordered.push(...region)
    else
      ordered.push(
        ...region.flatMap(line => side(line, each => each.end <= gutter.to)),
        ...region.flatMap(line => side(line, each => each.x >= gutter.from)),
      )
    region = []
  }
  for (const line of lines) {
    const above = region.at(-1)
    // A wide space over the whole page ends the columns: text after it, such as a footer, belongs to neither.
    if (above && line.y - above.y > 2.6 * Math.max(line.size, above.size)) flush()
    if (line.segments.some(each => each.x < gutter.from && each.end > gutter.to)) {
      flush()
      ordered.push(line)
    } else region.push(line)
  }
  flush()
  return ordered
}

function side(line: Line, isOn: (segment: Segment) => boolean): Line[] {
  const segments = line.segments.filter(isOn)
  const [first] = segments
  if (!first) return []
  return [{ ...line, segments, x: first.x, end: Math.max(...segments.map(each => each.end)), bold: segments.every(each => each.bold) }]
}

/** The gap between two columns of running text; null: the page has one column. */
function gutterOf(lines: readonly Line[], pageWidth: number): { readonly from: number; readonly to: number } | null {
  const gaps = lines.flatMap(({ segments }) => {
    const [left, right] = segments
    return segments.length === 2 && left && right && isProse(left) && isProse(right) ? [{ from: left.end, to: right.x }] : []
  })
  if (gaps.length < leastLines) return null
  // Lines of justified text end at one position; ragged ones nearly so.
  const to = gaps.map(gap => gap.to).sort((a, b) => a - b)[Math.floor(gaps.length / 2)] as number
  const aligned = gaps.filter(gap => Math.abs(gap.to - to) < 6)
  const from = Math.max(...aligned.map(gap => gap.from))
  const centre = (from + to) / 2
  if (aligned.length < leastLines || aligned.length < 0.6 * gaps.length || to - from < 4) return null
  return centre > 0.3 * pageWidth && centre < 0.7 * pageWidth ? { from: from - 1, to: to + 1 } : null
}

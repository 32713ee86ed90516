// Points of two measures as SVG: each point is a link to its company, so that it works without script and by keyboard.
import { number } from '../components/format.ts'
import { companyPath } from '../components/parts.ts'
import { emptyState } from '../components/table.ts'
import { type Html, html } from '../html.ts'

type Axis = { readonly label: string; readonly unit: string | null }
type Point = { readonly label: string; readonly x: number; readonly y: number }
export type Scatter = { readonly x: Axis; readonly y: Axis; readonly points: readonly Point[] }

const [width, height] = [1000, 420]
const margin = { left: 70, right: 20, top: 15, bottom: 45 }

/** A chart of points. The scale of an axis is logarithmic if all its values are positive and the largest is more than 1,000 times the smallest. */
export function scatter({ x, y, points }: Scatter): Html {
  if (points.length === 0) return emptyState('No listing of this page has both values.')
  const [across, up] = [scaleOf(points.map(each => each.x)), scaleOf(points.map(each => each.y))]
  const left = (value: number): string => (margin.left + across.at(value) * (width - margin.left - margin.right)).toFixed(1)
  const top = (value: number): string => (height - margin.bottom - up.at(value) * (height - margin.top - margin.bottom)).toFixed(1)
  const named = ({ label, unit }: Axis): string => (unit === null ? label : `${label}, ${unit}`)
  return html`<svg class="scatter" viewBox="0 0 ${width} ${height}" role="group" aria-label="${points.length} listings: ${named(y)} by ${named(x)}">
${across.ticks.map(tick => html`<line class="grid" x1="${left(tick)}" x2="${left(tick)}" y1="${margin.top}" y2="${height - margin.bottom}"/><text class="tick" x="${left(tick)}" y="${height - margin.bottom + 18}" text-anchor="middle">${short(tick)}</text>`)}
${up.ticks.map(tick => html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${top(tick)}" y2="${top(tick)}"/><text class="tick" x="${margin.left - 8}" y="${top(tick)}" dy="4" text-anchor="end">${short(tick)}</text>`)}
<text class="tick" x="${width - margin.right}" y="${height - 6}" text-anchor="end">${named(x)}</text>
<text class="tick" x="${margin.left}" y="${margin.top - 3}">${named(y)}</text>
${points.map(each => html`<a href="${companyPath(each.label)}"><circle cx="${left(each.x)}" cy="${top(each.y)}" r="6"><title>${each.label}: ${named(x)} ${number(each.x)}, ${named(y)} ${number(each.y)}</title></circle></a>`)}
</svg>`
}

const short = (value: number): string => {
  const size = Math.abs(value)
  const [by, letter] = size >= 1e12 ? [1e12, 'T'] : size >= 1e9 ? [1e9, 'B'] : size >= 1e6 ? [1e6, 'M'] : size >= 1e4 ? [1e3, 'k'] : [1, '']
  return `${number(value / (by as number), { most: 2 })}${letter}`
}

type Scale = { readonly at: (value: number) => number; readonly ticks: readonly number[] }
function scaleOf(values: readonly number[]): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (low > 0 && high / low > 1000) {
    const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
    return { at: value => (Math.log10(value) - from) / (to - from), ticks: Array.from({ length: to - from + 1 }, (_, n) => 10 ** (from + n)) }
  }
  const span = high - low || Math.abs(high) || 1
  const rough = span / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find(each => each * power >= rough) ?? 10) * power
  const from = Math.floor((low - span * 0.02) / step) * step
  const to = Math.ceil((high + span * 0.02) / step) * step
  const count = Math.round((to - from) / step)
  return { at: value => (value - from) / (to - from), ticks: Array.from({ length: count + 1 }, (_, n) => from + n * step) }
}

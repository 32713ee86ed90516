// Charts of plain data. The server draws a line as SVG, which is what a browser without script shows; a browser module replaces it by an
// interactive chart in a box of the same size. The numbers are in a table behind every chart.
import { type Content, dataScript, type Html, html } from '../html.ts'
import { day, number, price, unknown } from './format.ts'
import { numeric, plainText, table, tight } from './table.ts'

export type PricePoint = {
  /** A day, or an instant of a chart below a day. */
  readonly time: string
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number
  readonly volume: number | null
}
const markKinds = ['split', 'dividend', 'filing', 'buy', 'sell', 'report'] as const
type MarkKind = (typeof markKinds)[number]
export type Mark = {
  /** A time of one of the points, or a day between two: it is drawn at the next point. */
  readonly time: string
  readonly kind: MarkKind
  /** Two or three words: `Split 2:1`. */
  readonly title: string
  /** A sentence with the factor, the amount or the form. */
  readonly text: string
  readonly href?: string
}
export type PriceChart = {
  readonly id: string
  /** What is drawn, for people who do not see it: `GLPR.TO, daily prices from 19 Nov 2025 to 19 Nov 2026`. */
  readonly label: string
  readonly currency: string
  readonly points: readonly PricePoint[]
  readonly marks?: readonly Mark[]
  /** Candles, or a line of closes. */
  readonly style?: 'candles' | 'line'
  readonly tools?: Content
}

const markNames: Readonly<Record<MarkKind, string>> = {
  split: 'Splits',
  dividend: 'Dividends',
  filing: 'Filings',
  buy: 'Insiders bought',
  sell: 'Insiders sold',
  report: 'Reports of results',
}
const markLetters: Readonly<Record<MarkKind, string>> = { split: 'S', dividend: 'D', filing: 'F', buy: '▲', sell: '▼', report: 'E' }

/** A chart of prices with volume and marks. Load the module `price-chart` on the page. */
export function priceChart({ id, label, currency, points, marks = [], style = 'candles', tools }: PriceChart): Html {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return html`<p class="empty">There are no prices for this period.</p>`
  const placed = placedMarks(points, marks)
  const kinds = markKinds.filter(kind => placed.some(mark => mark.kind === kind))
  const column = (name: 'open' | 'high' | 'low' | 'close' | 'volume'): (number | null)[] => points.map(point => point[name])
  const data = {
    style,
    currency,
    times: points.map(({ time }) => time),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
    marks: placed.map(({ at, time, kind, title, text }) => ({
      time: at,
      kind,
      letter: markLetters[kind],
      title,
      text: time === at.slice(0, 10) ? text : `${plainText(day(time))}: ${text}`,
    })),
  }
  const closes = points.map(({ close }) => close)
  const summary = `${label}. First close ${price(first.close)}, last ${price(last.close)}, lowest ${price(Math.min(...closes))}, highest ${price(Math.max(...closes))} ${currency}.`
  return html`<figure class="chart" data-chart="price" id="${id}">
${tools}
<div class="chart-box" tabindex="0" role="img" aria-label="${summary} The table below the chart has all numbers.">${still([closes])}</div>
<output class="chart-readout" aria-live="polite"></output>
${kinds.length > 0 && html`<ul class="legend">${kinds.map(kind => html`<li><span class="mark-letter ${kind}" aria-hidden="true">${markLetters[kind]}</span> ${markNames[kind]}</li>`)}</ul>`}
${dataScript(data)}
<details class="behind"><summary>Numbers of the chart: ${points.length} rows${placed.length > 0 && html`, ${placed.length} marks`}</summary>
${placed.length > 0 && table({ caption: 'Marks', columns: [tight('Day'), tight('What'), 'Details'], rows: placed.map(mark => [day(mark.time), mark.href === undefined ? mark.title : html`<a href="${mark.href}">${mark.title}</a>`, mark.text]), tall: true })}
${table({
  caption: html`Prices in ${currency}, newest first`,
  columns: [tight('Time'), ...['Open', 'High', 'Low', 'Close', 'Volume'].map(numeric)],
  rows: points
    .map(point => [
      timeText(point.time),
      ...([point.open, point.high, point.low, point.close] as const).map(value => (value === null ? unknown : price(value))),
      point.volume === null ? unknown : number(point.volume),
    ])
    .reverse(),
  tall: true,
})}
</details>
</figure>`
}

/** Marks at the points where they are drawn: on their day, otherwise on the next one; those after the last point on the last. */
function placedMarks(points: readonly PricePoint[], marks: readonly Mark[]): (Mark & { readonly at: string })[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return []
  return marks
    .filter(mark => mark.time >= first.time.slice(0, 10))
    .map(mark => ({ ...mark, at: points.find(({ time }) => time.slice(0, 10) >= mark.time)?.time ?? last.time }))
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
}

type Series = { readonly label: string; readonly values: readonly (number | null)[] }
export type LineChart = {
  readonly id: string
  readonly label: string
  /** Unit of the values, as it is printed behind them. */
  readonly unit: string
  /** Days, one for each value; for bars also other words, such as `2025`. */
  readonly times: readonly string[]
  readonly series: readonly Series[]
  readonly style?: 'line' | 'bars'
  /** Decimals of the values. */
  readonly decimals?: number
  readonly size?: 'regular' | 'small'
}

/** Lines of any number of series, or bars of one or two. Load the module `line-chart` on the page. */
export function lineChart({ id, label, unit, times, series, style = 'line', decimals = 2, size = 'regular' }: LineChart): Html {
  if (times.length === 0 || series.every(({ values }) => values.every(value => value === null)))
    return html`<p class="empty">There are no values to draw.</p>`
  const show = (value: number | null): Content => (value === null ? unknown : number(value, { most: decimals }))
  return html`<figure class="chart ${size}" data-chart="line" id="${id}">
<div class="chart-box" tabindex="0" role="img" aria-label="${label}. The table below the chart has all numbers.">${still(series.map(({ values }) => values))}</div>
<output class="chart-readout" aria-live="polite"></output>
${series.length > 1 && html`<ul class="legend">${series.map((each, index) => html`<li><span class="series s${index + 1}" aria-hidden="true"></span> ${each.label}</li>`)}</ul>`}
${dataScript({ style, unit, decimals, times, series })}
<details class="behind"><summary>Numbers of the chart: ${times.length} rows</summary>
${table({
  caption: html`${label}, in ${unit}`,
  columns: [tight('Time'), ...series.map(each => numeric(each.label))],
  rows: times.map((time, index) => [timeText(time), ...series.map(({ values }) => show(values[index] ?? null))]).reverse(),
  tall: true,
})}
</details>
</figure>`
}

const timeText = (time: string): Content =>
  /^\d{4}-\d\d-\d\d$/.test(time)
    ? day(time)
    : /^\d{4}-\d\d-\d\dT/.test(time)
      ? html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>`
      : time

/** The picture before the module runs, and without script. */
function still(series: readonly (readonly (number | null)[])[]): Html {
  const [width, height] = [1000, 400]
  const range = bounds(series)
  return html`<svg class="still" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${series.map((values, index) =>
    linePaths(values, width, height, range, 16).map(d => html`<path class="s${index + 1}" d="${d}" vector-effect="non-scaling-stroke"/>`),
  )}</svg>`
}
function bounds(series: readonly (readonly (number | null)[])[]): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const values of series)
    for (const value of values) {
      if (value === null) continue
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
  return [low, high]
}
/** One path for each run of values without a gap. */
function linePaths(
  values: readonly (number | null)[],
  width: number,
  height: number,
  [low, high]: readonly [number, number],
  margin: number,
): string[] {
  const paths: string[] = []
  let path = ''
  const span = high - low || 1
  for (const [index, value] of values.entries()) {
    if (value === null) {
      if (path !== '') paths.push(path)
      path = ''
      continue
    }
    const x = values.length < 2 ? width / 2 : (index / (values.length - 1)) * width
    const y = margin + (1 - (value - low) / span) * (height - 2 * margin)
    path += `${path === '' ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  }
  if (path !== '') paths.push(path)
  return paths
}

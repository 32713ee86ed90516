// When an alert would have fired: the closes as a small chart with the days of its firings, and a table of them.
import type { AnswerOf } from '#schemas/operations.ts'
import { day, number, orUnknown } from '../components/format.ts'
import { notice } from '../components/notice.ts'
import { companyLink, section } from '../components/parts.ts'
import { facts, numeric, plainText, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { counted } from '../words.ts'
import { conditionWords } from './alert-form.ts'

export type DryRun = AnswerOf<'dry_run_alert'>
type Firing = DryRun['firings'][number]
type Session = DryRun['history'][number]
/** Prices at which conditions on a price become true. */
export type Level = { readonly price: number; readonly label: string }

const [width, height] = [1000, 340]
const margin = { left: 8, right: 12, top: 36, bottom: 44 }
/** Height of the chart of an RSI, which is below the prices. */
const rsiHeight = 190

/** The result of a dry run. `conditions`: their names, in the order of its readings. `readsBase`: a condition is on a change. */
export function dryRunSection(run: DryRun, levels: readonly Level[], conditions: readonly string[], readsBase: boolean): Html {
  const [only] = run.symbols.length === 1 ? run.symbols : []
  return section({
    id: 'tried',
    title: run.count === 0 ? 'It would not have fired' : `It would have fired ${counted(run.count, 'time')}`,
    lead: `${run.rule}. Evaluated on daily closes adjusted for splits. Nothing is saved.`,
    body: [
      run.symbols.some(({ holds_now }) => holds_now === true) &&
        notice('info', 'The condition is true on the newest close. An alert that is set now fires only after the condition has been false once.'),
      only !== undefined &&
        run.history.length > 1 && [
          chart(only.symbol, run.history, run.firings, levels, averagesOf(run.history, conditions)),
          rsiChart(only.symbol, run.history, conditions),
        ],
      only !== undefined &&
        facts([
          ['First session', orUnknown(only.from, day)],
          ['Last session', orUnknown(only.to, day)],
          ['Sessions', number(only.sessions)],
          ['Sessions without an input', number(only.unknown_sessions)],
          ...(readsBase ? ([['Base of a change in percent', orUnknown(only.baseline_price, value => number(value))]] as const) : []),
        ]),
      only === undefined && symbolTable(run),
      run.symbols_left_out > 0 &&
        html`<p class="small">${counted(run.symbols_left_out, 'further listing')} of the watchlist ${run.symbols_left_out === 1 ? 'was' : 'were'} not evaluated.</p>`,
      firingTable(run),
    ],
  })
}

type Average = { readonly label: string; readonly values: readonly (number | null)[]; readonly series: string }
/** The averages that conditions compare the price with: what they were compared with on each session. */
function averagesOf(history: readonly Session[], conditions: readonly string[]): Average[] {
  return conditions.flatMap((condition, at) => {
    const bars = /_sma(\d+)$/.exec(condition)?.[1]
    if (bars === undefined) return []
    const values = history.map(({ readings }) => readings[at]?.against ?? null)
    return values.every(value => value === null) ? [] : [{ label: `average of ${bars} closes`, values, series: at === 0 ? 's3' : 's4' }]
  })
}

/** A path over the sessions with gaps where a value is not known. */
const pathOf = (values: readonly (number | null)[], left: (index: number) => string, top: (value: number) => string): string =>
  values
    .map((value, index) => (value === null ? '' : `${index === 0 || values[index - 1] === null ? 'M' : 'L'}${left(index)} ${top(value)}`))
    .join('')
const leftOf =
  (count: number) =>
  (index: number): string =>
    (margin.left + (index / (count - 1)) * (width - margin.left - margin.right)).toFixed(1)

function chart(
  symbol: string,
  history: readonly Session[],
  firings: readonly Firing[],
  levels: readonly Level[],
  averages: readonly Average[],
): Html {
  const prices = [...history.map(({ close }) => close), ...averages.flatMap(({ values }) => values.filter(value => value !== null))]
  // A level far outside the prices would flatten the line: it is left out.
  const [lowest, highest] = [Math.min(...prices), Math.max(...prices)]
  const near = levels.filter(({ price }) => price > lowest - (highest - lowest || lowest) && price < highest + (highest - lowest || highest))
  const [low, high] = [Math.min(lowest, ...near.map(({ price }) => price)), Math.max(highest, ...near.map(({ price }) => price))]
  const left = leftOf(history.length)
  const top = (price: number): string => (margin.top + (1 - (price - low) / (high - low || 1)) * (height - margin.top - margin.bottom)).toFixed(1)
  const places = new Map(history.map(({ date }, index) => [date, index]))
  const hits = firings.flatMap(({ date, price }) => {
    const index = places.get(date)
    return index === undefined ? [] : [{ date, price, index }]
  })
  const [first, last] = [history[0] as Session, history.at(-1) as Session]
  const closes = history.map(({ close }) => close)
  const drawn = averages.map(({ label }) => `, with the ${label}`).join('')
  const summary = `${symbol}: closes from ${plainText(day(first.date))} to ${plainText(day(last.date))}${drawn}, lowest ${number(Math.min(...closes))}, highest ${number(Math.max(...closes))}, with ${counted(hits.length, 'firing')}. The table below lists the firings.`
  return html`<svg class="scatter dry-run" viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary}">
${[low, (low + high) / 2, high].map(price => html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${top(price)}" y2="${top(price)}"/><text class="tick" x="${margin.left}" y="${top(price)}" dy="-5">${number(price, { most: 2 })}</text>`)}
${near.map(({ price }) => html`<line class="level" x1="${margin.left}" x2="${width - margin.right}" y1="${top(price)}" y2="${top(price)}"/>`)}
${averages.map(({ values, series }) => html`<path class="average ${series}" d="${pathOf(values, left, top)}"/>`)}
<path class="closes" d="${pathOf(closes, left, top)}"/>
${hits.map(({ date, price, index }) => html`<circle cx="${left(index)}" cy="${top(price)}" r="6"><title>${plainText(day(date))}: ${number(price)}</title></circle>`)}
<text class="tick" x="${margin.left}" y="${height - 10}">${plainText(day(first.date))}</text>
<text class="tick" x="${width - margin.right}" y="${height - 10}" text-anchor="end">${plainText(day(last.date))}</text>
</svg>
<ul class="legend"><li><span class="series s1" aria-hidden="true"></span> Close</li><li><span class="series s2" aria-hidden="true"></span> Firing</li>${averages.map(({ label, series }) => html`<li><span class="series ${series}" aria-hidden="true"></span> ${label}</li>`)}${near.map(({ label }) => html`<li><span class="series s5" aria-hidden="true"></span> ${label}</li>`)}</ul>`
}

/** The RSI that a condition reads, from 0 to 100, with its thresholds; null without such a condition. */
function rsiChart(symbol: string, history: readonly Session[], conditions: readonly string[]): Html | null {
  const read = conditions.flatMap((condition, at) => (condition.startsWith('rsi_') ? [at] : []))
  const [of] = read
  if (of === undefined) return null
  const values = history.map(({ readings }) => readings[of]?.value ?? null)
  const known = values.filter(value => value !== null)
  if (known.length === 0) return null
  const limits = read.flatMap(at => history.at(-1)?.readings[at]?.against ?? [])
  const left = leftOf(history.length)
  const top = (value: number): string => (24 + (1 - value / 100) * (rsiHeight - 36)).toFixed(1)
  const summary = `${symbol}: RSI on each session, lowest ${number(Math.min(...known))}, highest ${number(Math.max(...known))}, newest ${number(known.at(-1) ?? 0)}; the condition compares it with ${limits.map(limit => number(limit)).join(' and ')}.`
  return html`<svg class="scatter dry-run" viewBox="0 0 ${width} ${rsiHeight}" role="img" aria-label="${summary}">
${[0, 50, 100].map(value => html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${top(value)}" y2="${top(value)}"/><text class="tick" x="${margin.left}" y="${top(value)}" dy="-5">${value}</text>`)}
${limits.map(limit => html`<line class="level" x1="${margin.left}" x2="${width - margin.right}" y1="${top(limit)}" y2="${top(limit)}"/>`)}
<path class="average s3" d="${pathOf(values, left, top)}"/>
</svg>
<ul class="legend"><li><span class="series s3" aria-hidden="true"></span> RSI</li>${limits.map(limit => html`<li><span class="series s5" aria-hidden="true"></span> threshold ${number(limit)}</li>`)}</ul>`
}

const symbolTable = ({ symbols }: DryRun): Html =>
  table({
    caption: 'Listings that were evaluated',
    columns: [tight('Symbol'), tight('From'), tight('To'), numeric('Sessions'), numeric('Firings')],
    rows: symbols.map(each => [
      companyLink(each.symbol),
      orUnknown(each.from, day),
      orUnknown(each.to, day),
      number(each.sessions),
      number(each.firings),
    ]),
    empty: 'The watchlist is empty.',
    tall: symbols.length > 12,
  })

const readings = ({ conditions }: Firing): Content =>
  conditions.map(
    ({ condition, value, against }) =>
      html`<div class="reading">${conditionWords[condition]}: ${orUnknown(value, each => number(each))} against ${orUnknown(against, each => number(each))}</div>`,
  )

const firingTable = ({ firings, count }: DryRun): Html =>
  table({
    caption: firings.length < count ? `The newest ${firings.length} of ${count} firings` : 'Firings, newest first',
    columns: [tight('Day'), tight('Symbol'), numeric('Close'), 'Readings', 'Needs'],
    rows: firings.map(each => [
      day(each.date),
      companyLink(each.symbol),
      number(each.price, { least: 2 }),
      readings(each),
      each.rearmed && html`<div class="reading">the alert set to active again</div>`,
    ]),
    empty: 'Its condition did not become true in this time.',
    tall: firings.length > 12,
  })

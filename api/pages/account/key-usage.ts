// The section of `/account` on what API keys were used for.
import type { AnswerOf } from '#schemas/operations.ts'
import { lineChart } from '../components/chart.ts'
import { number } from '../components/format.ts'
import { emptyState, numeric, table } from '../components/table.ts'
import { type Content, html } from '../html.ts'

type Usage = AnswerOf<'list_key_usage'>

/** Requests of all keys by day as bars, and the sums of each key by class. */
export function usageOf({ from, to, usage }: Usage): Content {
  const days = usage[0]?.days.map(({ day }) => day) ?? []
  if (days.length === 0) return emptyState(html`No key was used between ${from} and ${to} (UTC).`)
  const sumOf = (at: number, part: 'requests' | 'limited'): number => usage.reduce((sum, { days: counts }) => sum + (counts[at]?.[part] ?? 0), 0)
  const limited = usage.some(each => each.limited > 0)
  return html`${lineChart({
    id: 'key-usage',
    label: `Requests with your API keys by day (UTC), ${from} to ${to}`,
    unit: 'requests',
    times: days,
    series: [
      { label: 'Requests', values: days.map((_, at) => sumOf(at, 'requests')) },
      ...(limited ? [{ label: 'Over the limit (429)', values: days.map((_, at) => sumOf(at, 'limited')) }] : []),
    ],
    style: 'bars',
    decimals: 0,
    size: 'small',
  })}
${table({
  caption: 'Requests of each key by class of limits, over 30 days',
  captionHidden: true,
  columns: ['Key', 'Class', numeric('Requests'), numeric('Units'), numeric('Over the limit'), numeric('Refused'), numeric('Failed')],
  rows: usage.map(each => [
    html`${each.name} <code>…${each.last4}</code>`,
    each.class,
    ...[each.requests, each.units, each.limited, each.refused, each.failed].map(count => number(count)),
  ]),
})}
<p class="small">Units are what the limits of your tier count. Refused: answered with an error of the request, such as a wrong parameter. Failed: an error of this service.</p>`
}

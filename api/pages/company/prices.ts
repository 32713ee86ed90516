// The price chart of a listing: its period, its prices, and marks of what happened.
import { addDays, dayMs, utcDay } from '#schemas/days.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { type Mark, type PricePoint, priceChart } from '../components/chart.ts'
import { money, number } from '../components/format.ts'
import { filingPath } from '../components/parts.ts'
import type { Html } from '../html.ts'
import { type Content, html } from '../html.ts'
import type { Outcome } from '../page.ts'
import { counted } from '../words.ts'

export const ranges = ['5d', '1mo', '3mo', '6mo', '1y', '2y', '5y', '10y', 'max'] as const
export type Range = (typeof ranges)[number]
export const rangeNames: Readonly<Record<Range, string>> = {
  '5d': '5 days',
  '1mo': '1 month',
  '3mo': '3 months',
  '6mo': '6 months',
  '1y': '1 year',
  '2y': '2 years',
  '5y': '5 years',
  '10y': '10 years',
  max: 'All',
}
const days: Readonly<Record<Range, number>> = {
  '5d': 7,
  '1mo': 31,
  '3mo': 92,
  '6mo': 183,
  '1y': 366,
  '2y': 731,
  '5y': 1827,
  '10y': 3653,
  max: 36_525,
}
/** Above so many bars a day is too fine for a screen: bars of a week, then of a month. */
const mostBars = 800

/** First day of a period that ends with the data clock. */
export const firstDay = (range: Range, now: Date): string => addDays(utcDay(now), -days[range])

export type Interval = 'day' | 'week' | 'month'
/** The bars as points; more than `mostBars` are joined to weeks (from Monday) or months, each at its last session. */
export function pointsOf(bars: AnswerOf<'get_eod'>['bars'], adjusted: boolean): { readonly points: PricePoint[]; readonly interval: Interval } {
  const daily = bars.map(({ date, open, high, low, close, adjusted_close, volume }): PricePoint => {
    const factor = adjusted && close !== 0 ? adjusted_close / close : 1
    const at = (value: number | null): number | null => (value === null ? null : value * factor)
    return { time: date, open: at(open), high: at(high), low: at(low), close: adjusted ? adjusted_close : close, volume }
  })
  const interval: Interval = daily.length <= mostBars ? 'day' : daily.length <= mostBars * 5 ? 'week' : 'month'
  if (interval === 'day') return { points: daily, interval }
  const groups = Map.groupBy(daily, ({ time }) => (interval === 'month' ? time.slice(0, 7) : weekOf(time)))
  return { points: [...groups.values()].map(joined), interval }
}
/** Number of the week since 1970-01-05, a Monday. */
const weekOf = (day: string): string => String(Math.floor((Date.parse(day) / dayMs - 4) / 7))

function joined(group: readonly PricePoint[]): PricePoint {
  const last = group.at(-1) as PricePoint
  const known = (name: 'high' | 'low'): number[] => group.map(point => point[name]).filter(value => value !== null)
  const volumes = group.map(({ volume }) => volume).filter(value => value !== null)
  return {
    time: last.time,
    open: group[0]?.open ?? null,
    high: known('high').length === 0 ? null : Math.max(...known('high')),
    low: known('low').length === 0 ? null : Math.min(...known('low')),
    close: last.close,
    volume: volumes.length === 0 ? null : volumes.reduce((sum, value) => sum + value, 0),
  }
}

type Sources = {
  readonly actions: Outcome<AnswerOf<'list_corporate_actions'>>
  readonly earnings: Outcome<AnswerOf<'get_earnings'>>
  readonly filings: Outcome<AnswerOf<'search_filings'>>
  readonly insiders: Outcome<AnswerOf<'get_form4'>>
}
/** Forms of filings that get a mark: reports and offerings, not the many forms of holders. */
const markedForms = /^(?:10-K|10-Q|8-K|20-F|40-F|6-K|S-1|F-1|F-10|424B\d|SCHEDULE 13D|SC 13D)/

/** Splits, dividends, reports, filings and open-market trades of insiders, from the answers that there are. */
export function marksOf({ actions, earnings, filings, insiders }: Sources): Mark[] {
  const reports = earnings.ok ? earnings.value.history : []
  const reported = new Set(reports.map(({ accession }) => accession))
  return [
    ...(actions.ok ? actions.value.actions.flatMap(actionMark) : []),
    ...reports.map(
      ({ report_date, form, accession, period_end }): Mark => ({
        time: report_date,
        kind: 'report',
        title: 'Results',
        text: `Results${period_end === null ? '' : ` for the period to ${period_end}`}, Form ${form}`,
        href: filingPath(accession),
      }),
    ),
    ...(filings.ok ? filings.value.filings : [])
      .filter(({ form, accession }) => markedForms.test(form) && !reported.has(accession))
      .map(
        ({ form, form_title, filed_date, accession }): Mark => ({
          time: filed_date,
          kind: 'filing',
          title: form,
          text: `${form}${form_title === null ? '' : `: ${form_title}`}`,
          href: filingPath(accession),
        }),
      ),
    ...(insiders.ok ? insiderMarks(insiders.value.transactions) : []),
  ]
}

function actionMark(action: AnswerOf<'list_corporate_actions'>['actions'][number]): Mark[] {
  const { kind, ex_date, numerator, denominator, amount, currency, pay_date, cancelled, applied } = action
  if (cancelled) return []
  const factor = applied.price_factor === null ? '' : `; closes before are multiplied by ${number(applied.price_factor)}`
  const effect = applied.status === 'applied' ? factor : `; not applied: ${(applied.reason ?? applied.status).replaceAll('_', ' ')}`
  if (numerator !== null && denominator !== null)
    return [{ time: ex_date, kind: 'split', title: `Split ${numerator}:${denominator}`, text: `Split ${numerator} for ${denominator}${effect}` }]
  if (amount === null) return []
  const paid = pay_date === null ? '' : `, paid on ${pay_date}`
  const what = kind.replaceAll('_', ' ')
  return [
    {
      time: ex_date,
      kind: 'dividend',
      title: `${what.charAt(0).toUpperCase()}${what.slice(1)}`,
      text: `${what.charAt(0).toUpperCase()}${what.slice(1)} of ${money(amount, currency ?? '')} a share${paid}${effect}`,
    },
  ]
}

/** One mark for each day and direction: trades of one day are many lines. */
function insiderMarks(transactions: AnswerOf<'get_form4'>['transactions']): Mark[] {
  const open = transactions.filter(({ code_class, transaction_date }) => /^open_market_/.test(code_class ?? '') && transaction_date !== null)
  const groups = Map.groupBy(open, ({ transaction_date, code_class }) => `${transaction_date} ${code_class}`)
  return [...groups.values()].map((lines): Mark => {
    const [first] = lines
    const buys = first?.code_class === 'open_market_buy'
    const shares = lines.reduce((sum, line) => sum + (line.shares ?? 0), 0)
    const people = [...new Set(lines.flatMap(({ owner_names }) => owner_names))]
    return {
      time: first?.transaction_date ?? '',
      kind: buys ? 'buy' : 'sell',
      title: buys ? 'Insider bought' : 'Insider sold',
      text: `${people.join(', ')} ${buys ? 'bought' : 'sold'} ${number(shares)} shares${first?.plan_10b5_1 === 'yes' ? ' under a plan (Rule 10b5-1)' : ''}, Form ${first?.form}`,
      href: filingPath(first?.accession ?? ''),
    }
  })
}

/** The chart, or why there is none. */
export function priceSection(symbol: string, range: Range, adjusted: boolean, answer: AnswerOf<'get_eod'>, sources: Sources): Html {
  const { bars, currency, basis_note, held_actions, coverage } = answer
  if (bars.length === 0) return html`<p class="empty">${coverage.sentence}</p>`
  const { points, interval } = pointsOf(bars, adjusted)
  const [first, last] = [points[0]?.time, points.at(-1)?.time]
  const names = { day: 'daily', week: 'weekly', month: 'monthly' } as const
  return html`${priceChart({
    id: 'price-chart',
    label: `${symbol}, ${names[interval]} prices ${adjusted ? 'adjusted for splits and distributions' : 'as traded'}, from ${first} to ${last}`,
    currency: currency ?? '',
    points,
    marks: marksOf(sources),
    style: range === 'max' || range === '10y' || range === '5y' ? 'line' : 'candles',
  })}
<p class="small">${explanation(adjusted, interval)} ${basis_note}</p>
${held_actions.length > 0 && html`<p class="small">${counted(held_actions.length, 'reported action')} in doubt ${held_actions.length === 1 ? 'is' : 'are'} not in the adjusted prices.</p>`}`
}

const explanation = (adjusted: boolean, interval: Interval): Content =>
  html`${adjusted ? 'Prices are restated for every later split and distribution that is known, by the factors of the marks.' : 'Prices are those of their day: a split shows as a step.'}${interval === 'day' ? '' : ` Each bar covers a ${interval}.`}`

/** Bars below a day, as points. */
export const intradayPoints = (bars: AnswerOf<'get_intraday'>['bars']): PricePoint[] =>
  bars.map(({ start_at, open, high, low, close, volume }) => ({ time: start_at, open, high, low, close, volume }))

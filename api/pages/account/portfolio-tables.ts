// Tables of the portfolio: sums, and positions with the price and the rate that value them.
import type { AnswerOf } from '#schemas/operations.ts'
import { decimal, type Exact } from '../components/exact.ts'
import { formToken } from '../components/form.ts'
import { change, day, unknown } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { companyLink } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { counted } from '../words.ts'
import type { Position } from './portfolio-forms.ts'

type Summary = Exact<AnswerOf<'get_portfolio_summary'>>
type Sums = Summary['total']
type Valued = Summary['positions'][number]
type Unvalued = Summary['unvalued'][number]

const amount = (value: string | null): Content => (value === null ? unknown : decimal(value))
const gained = (value: string | null): Content => (value === null ? unknown : change(Number(value), decimal(value)))
const of = (part: string, all: string): Content =>
  part !== all && html`<br><span class="small">of ${part} of ${counted(Number(all), 'position')}</span>`

/** Sums of all positions, by account and by currency, and the rates that were used. */
export function summaryOf(summary: Summary): Content {
  const { total, currency, by_account_type, by_currency, rates, rates_missing, notes } = summary
  return [
    facts([
      ['Market value', html`${amount(total.market_value)} ${currency}${of(total.priced, total.positions)}`],
      ['Cost', html`${amount(total.cost)} ${currency}${of(total.costed, total.positions)}`],
      ['Gain', html`${gained(total.gain)} ${currency}${of(total.gained, total.positions)}`],
      ['Positions', decimal(total.positions)],
      ['Newest session of the prices', day(summary.rates_on)],
    ]),
    total.positions !== '0' &&
      sumTable(
        `By account, in ${currency}`,
        'Account',
        by_account_type.map(row => [row.account_type, row] as const),
      ),
    total.positions !== '0' &&
      sumTable(
        `By currency of the position, in ${currency}`,
        'Currency',
        by_currency.map(row => [row.position_currency, row] as const),
      ),
    rates.length > 0 && rateTable(rates),
    (rates_missing.length > 0 || notes.length > 0) &&
      html`<ul class="reasons">${rates_missing.map(each => html`<li>There is no published rate from ${each} to ${currency}: positions in ${each} have no value or no cost here.</li>`)}${notes.map(note => html`<li>${note}</li>`)}</ul>`,
  ]
}

const sumTable = (caption: string, name: string, rows: readonly (readonly [string, Sums])[]): Html =>
  table({
    caption,
    columns: [name, numeric('Positions'), numeric('With a value'), numeric('Market value'), numeric('Cost'), numeric('Gain')],
    rows: rows.map(([key, sums]) => [
      key,
      decimal(sums.positions),
      decimal(sums.priced),
      amount(sums.market_value),
      amount(sums.cost),
      gained(sums.gain),
    ]),
  })

const rateTable = (rates: Summary['rates']): Html =>
  html`<details class="behind"><summary>Rates of exchange: ${rates.length}</summary>${table({
    caption: 'Rates of exchange used',
    captionHidden: true,
    columns: [tight('From'), tight('To'), numeric('Rate'), tight('Published'), 'Kind', 'Source'],
    rows: rates.map(rate => [
      rate.from,
      rate.to,
      decimal(rate.rate),
      html`${day(rate.date)}${rate.carried_days !== '0' && html` <span class="small">${counted(Number(rate.carried_days), 'day')} before</span>`}`,
      rate.basis,
      rate.source,
    ]),
  })}</details>`

const reasons: Readonly<Record<Unvalued['reason'], string>> = {
  unknown_symbol: 'no directory lists this symbol',
  delisted: 'delisted: no value',
  no_price: 'no price',
  no_rate: 'no rate of exchange',
}

type Shown = {
  readonly positions: readonly Position[]
  /** Null: the values are not available at the moment. */
  readonly summary: Summary | null
  readonly currency: string
  readonly token: string | null
  readonly editOf: (id: string) => string
}
export function positionTable({ positions, summary, currency, token, editOf }: Shown): Html {
  const values = new Map<string, Valued | Unvalued>([...(summary?.positions ?? []), ...(summary?.unvalued ?? [])].map(each => [each.id, each]))
  return table({
    caption: 'Positions',
    captionHidden: true,
    columns: [
      tight('Symbol'),
      'Account',
      numeric('Quantity'),
      numeric('Cost per share'),
      numeric('Price'),
      numeric(`Value, ${currency}`),
      numeric(`Cost, ${currency}`),
      numeric(`Gain, ${currency}`),
      tight('Change'),
    ],
    rows: positions.map(position => {
      const value = values.get(position.id)
      return [
        html`${position.known ? companyLink(position.ticker) : html`<span class="symbol">${position.ticker}</span>`}${splits(value)}`,
        html`${position.account_type}${position.note !== null && html`<br><span class="small long">${position.note}</span>`}`,
        decimal(position.quantity),
        position.acb_per_share === null ? unknown : html`${decimal(position.acb_per_share)} ${position.currency}`,
        priceOf(value),
        amount(value?.market_value ?? null),
        amount(value?.cost ?? null),
        gained(value?.gain ?? null),
        html`<div class="row-actions"><a class="button quiet small" href="${editOf(position.id)}" aria-label="Edit ${position.ticker}, ${position.account_type}">Edit</a><form method="post" action="/account/portfolio/remove">${formToken(token)}<input type="hidden" name="id" value="${position.id}"><button type="submit" class="danger" aria-label="Remove ${position.ticker}, ${position.account_type}">Remove</button></form></div>`,
      ]
    }),
    empty: 'There is no position. Add one below, or import a CSV.',
  })
}

const splits = (value: Valued | undefined): Content =>
  value?.splits_since.map(
    ({ ex_date, numerator, denominator }) =>
      html`<br>${badge(html`split ${decimal(numerator)}:${decimal(denominator)}`, 'warn')} <span class="small">on ${day(ex_date)}, after quantity and cost were given</span>`,
  )

function priceOf(value: Valued | Unvalued | undefined): Content {
  const reason = value !== undefined && 'reason' in value ? html`<br><span class="small">${reasons[value.reason]}</span>` : null
  if (value === undefined || value.price === null) return html`${unknown}${reason}`
  const { price, currency, date } = value.price
  return html`${decimal(price)} ${currency}<br><span class="small">${day(date)}</span>${reason}`
}

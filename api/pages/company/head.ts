// The head of a company page: name, venue, price with its age; key figures; the lines of a cross-listing.
import type { AnswerOf } from '#schemas/operations.ts'
import { change, compact, day, duration, instant, money, number, orUnknown, percent, price, readable } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { companyLink } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Outcome } from '../page.ts'

type Listing = AnswerOf<'get_symbol'>
type Quote = AnswerOf<'get_quotes'>['quotes'][number]
export type Figures = AnswerOf<'run_screener'>['data'][number]

const venues: Readonly<Record<string, string>> = { TO: 'Toronto Stock Exchange', V: 'TSX Venture Exchange', US: 'United States' }
const sessions: Readonly<Record<string, string>> = {
  regular: 'Market open',
  pre: 'Before the open',
  post: 'After hours',
  closed: 'Market closed',
}

export function companyHead(listing: Listing, figures: Figures | null, quote: Quote | null): Html {
  const industry = figures === null ? null : text(figures['industry'])
  const { symbol, exchange, mic, currency, type, listed, listed_to, end_reason, successor } = listing
  return html`<div class="company-head">
<div class="company-name">
<h1>${listing.name ?? symbol}</h1>
<p class="lead"><span class="symbol">${symbol}</span> · ${venues[exchange] ?? exchange}${mic !== null && html` (${mic})`} · ${currency} · ${(type ?? 'listing').replaceAll('_', ' ')}${industry !== null && html` · ${industry}`}</p>
</div>
${quote && priceBlock(quote)}
</div>
${
  !listed &&
  html`<div class="notice warn"><p>This listing ended${listed_to !== null && html` on ${day(listed_to)}`}${end_reason !== null && html`: ${end_reason.replaceAll('_', ' ')}`}.${successor !== null && html` Its holders have ${companyLink(successor)} since.`}</p></div>`
}`
}

function priceBlock(quote: Quote): Html {
  const { price: last, currency, change: moved, change_pct, bid, ask, quoted_at, data_lag_seconds, stale, session, basis, source, halted } = quote
  return html`<div class="price" role="group" aria-label="Price">
<p class="price-now"><span class="price-value">${orUnknown(last, price)}</span> <span class="price-currency">${currency}</span> ${
    moved !== null && change_pct !== null && change(moved, `${price(Math.abs(moved)) === '0.00' ? '0.00' : price(moved)} (${percent(change_pct)})`)
  }</p>
<p class="small">${bid !== null && ask !== null && html`Bid ${price(bid)}, ask ${price(ask)} · `}${instant(quoted_at)}, ${duration(data_lag_seconds)} old · ${basis === 'last_bar' ? 'last daily bar' : (sessions[session] ?? session)} · ${source} ${halted === true && badge('halted', 'bad')}${stale === true && badge('older than 15 minutes', 'warn')}</p>
</div>`
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const figure = (row: Figures, name: string): number | null => {
  const value = row[name]
  return typeof value === 'number' ? value : null
}

/** The figures that the screener holds of this listing. */
export function keyFigures(row: Figures): Html {
  const currency = text(row['currency']) ?? ''
  const report = text(row['report_currency']) ?? ''
  const of = (name: string, show: (value: number) => Content): Content => orUnknown(figure(row, name), value => html`${show(value)}`)
  const moved = (name: string): Content => of(name, value => change(value, percent(value)))
  return facts([
    ['Market value', of('market_cap', value => compact(value, currency))],
    ['Price to earnings', of('pe', value => number(value, { most: 1, least: 1 }))],
    ['Price to book', of('pb', value => number(value, { most: 2, least: 2 }))],
    ['Dividend yield', of('dividend_yield_pct', value => percent(value))],
    ['Revenue', of('revenue', value => compact(value, report))],
    ['Net margin', of('net_margin_pct', value => percent(value, 1))],
    ['52-week low', of('low_52w', value => money(value, currency))],
    ['52-week high', of('high_52w', value => money(value, currency))],
    ['Return, 1 month', moved('return_1m_pct')],
    ['Return, 1 year', moved('return_1y_pct')],
    ['Volatility, 1 year', of('volatility_1y_pct', value => percent(value, 1))],
    ['Average volume, 20 days', of('avg_volume_20d', value => compact(value))],
    ['Shares outstanding', of('shares_outstanding', value => compact(value))],
    ['Next dividend', orUnknown(text(row['next_ex_date']), day)],
    ['Next report', orUnknown(text(row['next_report_date']), day)],
    ['Holders by Form 13F', of('holders_13f', value => number(value))],
  ])
}

const states: Readonly<Record<string, readonly [string, 'good' | 'warn' | 'bad']>> = {
  live: ['live', 'good'],
  stale_leg: ['an old price', 'warn'],
  fx_stale: ['an old exchange rate', 'warn'],
  skewed: ['prices of different times', 'warn'],
  one_market_closed: ['one market closed', 'warn'],
  corporate_action: ['corporate action', 'warn'],
  halted: ['halted', 'bad'],
  no_data: ['no prices', 'bad'],
}

/** Both lines of a company, and the spread between them. */
export function crossListing(quotes: readonly Quote[], pair: Outcome<AnswerOf<'get_arb_pair'>>): Html {
  const lines = table({
    caption: 'The lines of this company',
    captionHidden: true,
    columns: [tight('Line'), numeric('Price'), numeric('Change'), numeric('Volume'), tight('Time')],
    rows: quotes.map(({ symbol, price: last, currency, change_pct, volume, quoted_at }) => [
      companyLink(symbol),
      orUnknown(last, value => money(value, currency)),
      orUnknown(change_pct, value => change(value, percent(value))),
      orUnknown(volume, value => number(value)),
      instant(quoted_at),
    ]),
  })
  return html`${lines}${shown(pair, 'Spread', answer => {
    const { spread_bps, spread_abs, currency, us_in_cad, fx, status, reasons, premium_side, toronto_symbol, us_symbol, ratio } = answer
    const [name, tone] = states[status] ?? [status, 'warn']
    return html`${facts([
      ['Spread', orUnknown(spread_bps, value => `${number(value, { most: 2 })} basis points`)],
      ['In money', orUnknown(spread_abs, value => money(value, currency ?? ''))],
      [`${us_symbol} in ${currency ?? 'CAD'}`, orUnknown(us_in_cad, value => price(value))],
      ['Exchange rate', fx === null ? null : html`${number(fx.rate)} <span class="small">(${fx.source})</span>`],
      [
        'More expensive',
        premium_side === 'toronto' ? toronto_symbol : premium_side === 'us' ? us_symbol : premium_side === 'none' ? 'neither' : null,
      ],
      ['Ratio', ratio === 1 ? '1 to 1' : `${number(ratio)} Toronto shares for one`],
      ['State', badge(name, tone)],
    ])}${reasons.length > 0 && html`<ul class="reasons">${reasons.map(({ sentence }) => html`<li>${readable(sentence)}</li>`)}</ul>`}`
  })}`
}

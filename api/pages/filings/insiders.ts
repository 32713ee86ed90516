// `/insiders`: clusters of insider trades of all issuers. `/c/{symbol}/insiders`: trades of one issuer over its price, its clusters, trades
// under plans apart, and every footnote.
import { addDays, utcDay } from '#schemas/days.ts'
import { question } from '#schemas/operations/operation.ts'
import { cursor, day as dayOf, integer, oneOf, symbol } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { type Mark, priceChart } from '../components/chart.ts'
import { choiceField, inputField } from '../components/form.ts'
import { change, compact, day, number, orUnknown, percent, price, unknown } from '../components/format.ts'
import { badge, lockedSections, missing, notice, shown } from '../components/notice.ts'
import { answerLinks, companyLink, companyPath, filingLink, filingPath, pageHead, pager, section } from '../components/parts.ts'
import { emptyState, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { type Outcome, page } from '../page.ts'
import { counted, sentence } from '../words.ts'

type Clusters = AnswerOf<'list_insider_clusters'>
type Cluster = Clusters['clusters'][number]
type Trades = AnswerOf<'get_form4'>
type Trade = Trades['transactions'][number]

const sides = ['buy', 'sell'] as const
const roles = ['any', 'officers_and_directors', 'officers', 'directors', 'ten_percent_owners'] as const
const plans = ['exclude', 'include', 'only'] as const
const choices = {
  side: oneOf('purchases or sales', sides, 'buy').default('buy'),
  people: integer('different people, at least', 2, 20, { fallback: 2, clamp: true }).default(2),
  days: integer('calendar days of a cluster, at most', 1, 90, { fallback: 30, clamp: true }).default(30),
  amount: integer('dollars of all trades together, at least', 0, 1_000_000_000, { fallback: 0 }).default(0),
  roles: oneOf('whose trades count', roles, 'any').default('any'),
  plans: oneOf('trades under a plan', plans, 'exclude').default('exclude'),
  from: dayOf('first day of trades').optional(),
  to: dayOf('last day of trades', '2026-11-20').optional(),
  cursor,
}
type Definition = {
  readonly side: (typeof sides)[number]
  readonly people: number
  readonly days: number
  readonly amount: number
  readonly roles: (typeof roles)[number]
  readonly plans: (typeof plans)[number]
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly cursor?: string | undefined
}
const parametersOf = ({ side, people, days, amount, roles: who, plans: kept, from, to, cursor: after }: Definition) => ({
  side,
  people,
  days,
  amount,
  roles: who,
  plans: kept,
  limit: 50,
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
  ...(after === undefined ? {} : { cursor: after }),
})

export const insidersPage = page('/insiders', 'Insiders', {
  summary: 'Clusters of insider trades by a definition that you choose, with what the price did after each of them.',
  navigation: 'Insiders',
  question: question(choices),
  operations: ['list_insider_clusters', 'get_form4'],
  async render({ question: chosen, ask, dataNow }) {
    const [clusters, newest] = await Promise.all([
      ask('list_insider_clusters', parametersOf(chosen)),
      ask('get_form4', { since: addDays(utcDay(dataNow), -14), limit: 60 }),
    ])
    const head = pageHead(
      'Insiders',
      'What officers, directors and large owners report on Forms 3, 4 and 5, and what followed when several of them traded together.',
    )
    if (!clusters.ok && clusters.status === 401)
      return { main: html`${head}${lockedSections(['Clusters of trades', 'What happened since', 'Newest trades'])}` }
    return {
      main: html`${head}
${definitionForm('/insiders', chosen)}
${clusterSections('/insiders', chosen, clusters, true)}
${section({
  id: 'newest',
  title: 'Newest trades in the open market',
  lead: 'Filed in the last 14 days, without trades under plans.',
  tools: answerLinks(newest, 'newest trades'),
  body: shown(newest, 'Newest trades', ({ transactions }) =>
    tradeTable(
      transactions.filter(each => isOpen(each) && each.plan_10b5_1 !== 'yes'),
      true,
    ),
  ),
})}`,
    }
  },
})

export const companyInsidersPage = page('/c/{symbol}/insiders', 'Insiders of a company', {
  summary: 'Trades of the insiders of one issuer over its price, clusters and what followed, plans apart, with every footnote.',
  question: question({ symbol: symbol(), ...choices }),
  operations: ['get_symbol', 'get_eod', 'get_form4', 'list_insider_clusters'],
  sample: '/c/BRLX/insiders',
  async render({ question: { symbol: name, ...chosen }, ask, dataNow, release }) {
    const from = chosen.from ?? addDays(utcDay(dataNow), -366)
    const pinned: Readonly<Record<string, number>> = release === null ? {} : { release }
    const [listing, bars, trades, clusters] = await Promise.all([
      ask('get_symbol', { symbol: name }),
      ask('get_eod', { symbol: name, from }),
      ask('get_form4', { ticker: name, limit: 300, ...pinned }),
      ask('list_insider_clusters', { ...parametersOf(chosen), ticker: name }),
    ])
    const company = listing.ok ? (listing.value.name ?? name) : name
    const title = `Insiders of ${company}`
    const here = `${companyPath(name)}/insiders`
    if (!listing.ok && listing.status === 404) return { title, status: 404, main: html`${pageHead(title)}${missing(listing, name)}` }
    const head = pageHead(title, html`${companyLink(name)} Forms 3, 4 and 5: who traded, at which price, and what followed.`)
    if (!trades.ok && trades.status === 401)
      return { title, main: html`${head}${lockedSections(['Trades over the price', 'Clusters', 'Trades under plans', 'Footnotes'])}` }
    const lines = trades.ok ? trades.value.transactions : []
    const open = lines.filter(each => isOpen(each) && each.plan_10b5_1 !== 'yes')
    const planned = lines.filter(each => isOpen(each) && each.plan_10b5_1 === 'yes')
    const other = lines.filter(each => !isOpen(each))
    return {
      title,
      modules: ['price-chart'],
      main: html`${head}
${section({
  id: 'timeline',
  title: 'Trades over the price',
  lead: 'Adjusted closes. Arrows are purchases and sales in the open market without a plan, on the day of the trade.',
  tools: answerLinks(bars, 'prices'),
  body: shown(bars, 'Prices', answer =>
    answer.bars.length === 0
      ? emptyState(answer.coverage.sentence)
      : priceChart({
          id: 'insider-chart',
          label: `${name}, adjusted daily closes from ${answer.bars[0]?.date} to ${answer.bars.at(-1)?.date} with trades of insiders`,
          currency: answer.currency ?? '',
          style: 'line',
          points: answer.bars.map(each => ({ time: each.date, open: null, high: null, low: null, close: each.adjusted_close, volume: each.volume })),
          marks: marksOf(open.filter(each => (each.transaction_date ?? '') >= from)),
        }),
  ),
})}
${definitionForm(here, chosen)}
${clusterSections(here, chosen, clusters, false)}
${
  trades.ok
    ? html`${trades.value.stale === true && notice('warn', sentence(trades.value.freshness ?? 'the newest filings could not be requested'))}
${section({ id: 'open', title: 'In the open market', lead: 'Purchases and sales at market prices that were the decision of the insider on that day.', tools: answerLinks(trades, 'trades'), body: lines.length === 0 ? emptyState(sentence(trades.value.coverage?.sentence ?? trades.value.coverage_note ?? 'no transaction is held')) : tradeTable(open, false) })}
${section({ id: 'plans', title: 'Under a plan', lead: 'Trades under a Rule 10b5-1 plan were decided when the plan was adopted, so their day states little.', body: tradeTable(planned, false, 'No trade under a plan is reported.') })}
${section({ id: 'other', title: 'Grants, taxes, gifts and derivatives', lead: 'Changes that are not a decision to buy or sell at the market.', body: tradeTable(other, false, 'No other change is reported.') })}
${section({ id: 'footnotes', title: 'Footnotes', lead: 'Every footnote of these lines, in the words of the filing.', body: footnoteTable(lines) })}`
    : missing(trades, 'Trades')
}`,
    }
  },
})

const isOpen = ({ code_class, derivative }: Trade): boolean => /^open_market_/.test(code_class ?? '') && !derivative

/** The definition as a form that works without script; its address is the saved definition. */
function definitionForm(action: string, chosen: Definition): Html {
  const field = { form: 'clusters', faults: {} }
  const named = <T extends string>(values: readonly T[], names: Readonly<Record<T, string>>) => values.map(each => [each, names[each]] as const)
  return html`<form class="panel inline-form" method="get" action="${action}" aria-label="Definition of a cluster">
${choiceField({ ...field, name: 'side', label: 'Trades' }, named(sides, { buy: 'purchases', sell: 'sales' }), chosen.side)}
${inputField({ ...field, name: 'people', label: 'People, at least', attributes: html` min="2" max="20"` }, String(chosen.people), 'number')}
${inputField({ ...field, name: 'days', label: 'Within days', attributes: html` min="1" max="90"` }, String(chosen.days), 'number')}
${inputField({ ...field, name: 'amount', label: 'Dollars, at least', attributes: html` min="0" max="1000000000" step="1"` }, String(chosen.amount), 'number')}
${choiceField({ ...field, name: 'roles', label: 'Who' }, named(roles, { any: 'all insiders', officers_and_directors: 'officers and directors', officers: 'officers', directors: 'directors', ten_percent_owners: 'owners above 10 %' }), chosen.roles)}
${choiceField({ ...field, name: 'plans', label: 'Plans' }, named(plans, { exclude: 'without', include: 'with', only: 'only' }), chosen.plans)}
${inputField({ ...field, name: 'from', label: 'From' }, chosen.from ?? '', 'date')}
${inputField({ ...field, name: 'to', label: 'To' }, chosen.to ?? '', 'date')}
<p><button type="submit">Find clusters</button></p>
</form>`
}

function clusterSections(path: string, chosen: Definition, clusters: Outcome<Clusters>, market: boolean): Html {
  const address = (after: string | null): string => {
    const { limit: _limit, cursor: _cursor, ...state } = parametersOf(chosen)
    const query = new URLSearchParams(
      Object.entries({ ...state, ...(after === null ? {} : { cursor: after }) }).map(([key, value]) => [key, String(value)]),
    )
    return `${path}?${query}#clusters`
  }
  return html`${section({
    id: 'clusters',
    title: clusters.ok ? counted(clusters.value.total, 'cluster') : 'Clusters',
    lead:
      clusters.ok &&
      html`A cluster is ${clusters.value.definition.sentence}. From ${day(clusters.value.from)} to ${day(clusters.value.to)}; ${counted(clusters.value.trades_considered, 'trade')} considered.`,
    tools: answerLinks(clusters, 'clusters'),
    body: shown(clusters, 'Clusters', answer => [
      clusterTable(answer.clusters, market),
      pager({ first: chosen.cursor === undefined ? null : address(null), next: answer.next_cursor === null ? null : address(answer.next_cursor) }),
    ]),
  })}${
    clusters.ok &&
    clusters.value.total > 0 &&
    section({
      id: 'since',
      title: 'What happened since',
      lead: 'All clusters of the list above, those that lost included. From the close of the first session after a cluster was known, in prices adjusted for splits and dividends. Few clusters prove nothing, and a past return states nothing about the next.',
      body: outcomeTable(clusters.value),
    })
  }`
}

const horizonName = (sessions: number): string =>
  ({ 5: '1 week', 21: '1 month', 63: '3 months', 126: '6 months', 252: '1 year' })[sessions] ?? `${sessions} sessions`
const moved = (value: number | null): Content => (value === null ? html`<span class="soft">not yet</span>` : change(value, percent(value, 1)))

function clusterTable(clusters: readonly Cluster[], market: boolean): Html {
  const horizons = clusters[0]?.since.map(each => each.sessions) ?? []
  return table({
    caption: 'Clusters, newest known first, with the return of the adjusted price since',
    captionHidden: true,
    columns: [
      ...(market ? ['Issuer'] : []),
      tight('Trades'),
      'People',
      numeric('Amount'),
      tight('Known'),
      numeric('Close'),
      ...horizons.map(each => ({ label: horizonName(each), numeric: true })),
      numeric('To date'),
      'Filings',
    ],
    rows: clusters.map(each => [
      ...(market
        ? [
            html`${each.symbol !== null && html`<a class="symbol" href="${`${companyPath(each.symbol)}/insiders`}">${each.symbol}</a> `}${each.issuer_name}`,
          ]
        : []),
      html`${orUnknown(each.first_date, day)}${each.last_date !== each.first_date && html` to<br>${orUnknown(each.last_date, day)}`}`,
      html`<details><summary>${counted(each.people, 'person', 'people')}, ${counted(each.trades, 'trade')}</summary><ul class="plain">${each.owners.map(owner => html`<li>${owner.name ?? owner.cik} <span class="soft">${roleOf(owner)}</span></li>`)}</ul></details>`,
      html`${orUnknown(each.amount, value => compact(value, 'USD'))}${each.trades_without_price > 0 && html` <span class="small">${each.trades_without_price} without price</span>`}`,
      day(each.known_from),
      orUnknown(each.entry_close, price),
      ...each.since.map(({ return_pct }) => (each.entry_date === null ? unknown : moved(return_pct))),
      each.latest === null ? unknown : moved(each.latest.return_pct),
      html`<ul class="plain filings-of">${each.accessions.slice(0, 6).map(accession => html`<li><a class="source" href="${filingPath(accession)}" title="${accession}">${accession.slice(11)}</a></li>`)}</ul>`,
    ]),
    empty: 'No trades of this period fit the definition. Fewer people, more days or an earlier first day find more.',
  })
}

const roleOf = (owner: {
  readonly director: boolean
  readonly officer: boolean
  readonly ten_percent_owner: boolean
  readonly officer_title: string | null
}): string =>
  [owner.officer_title ?? (owner.officer ? 'officer' : null), owner.director ? 'director' : null, owner.ten_percent_owner ? 'owner above 10 %' : null]
    .filter(each => each !== null)
    .join(', ')

const outcomeTable = ({ outcomes, count, total }: Clusters): Html =>
  html`${table({
    caption: `Outcomes of ${count} clusters`,
    captionHidden: true,
    columns: [
      tight('After'),
      numeric('Measured'),
      numeric('Higher'),
      numeric('Lower'),
      numeric('Median'),
      numeric('Lowest'),
      numeric('Highest'),
      numeric('Not yet or no price'),
    ],
    rows: outcomes.map(each => [
      horizonName(each.sessions),
      number(each.measured),
      number(each.up),
      number(each.down),
      orUnknown(each.median_pct, value => change(value, percent(value, 1))),
      orUnknown(each.lowest_pct, value => change(value, percent(value, 1))),
      orUnknown(each.highest_pct, value => change(value, percent(value, 1))),
      number(each.not_yet),
    ]),
  })}${count < total && html`<p class="small">Over the ${number(count)} clusters of this page, of ${number(total)}.</p>`}`

const classNames: Readonly<Record<string, readonly [string, 'good' | 'bad' | 'plain']>> = {
  open_market_buy: ['bought', 'good'],
  open_market_sell: ['sold', 'bad'],
}

function tradeTable(lines: readonly Trade[], market: boolean, empty = 'No trade in the open market is reported.'): Html {
  return table({
    caption: 'Transactions, newest first',
    captionHidden: true,
    columns: [
      tight('Day'),
      ...(market ? [tight('Issuer')] : []),
      'Insider',
      tight('What'),
      numeric('Shares'),
      numeric('Price'),
      numeric('Amount'),
      numeric('Held after'),
      tight('Notes'),
      tight('Form'),
    ],
    rows: lines.map(line => {
      const [word, tone] = classNames[line.code_class ?? ''] ?? [(line.code_class ?? 'other').replaceAll('_', ' '), 'plain']
      const amount = line.shares !== null && line.price !== null ? line.shares * line.price : null
      return [
        orUnknown(line.transaction_date, day),
        ...(market
          ? [
              line.issuer_symbol === null
                ? line.issuer_name
                : html`<a class="symbol" href="${`${companyPath(line.issuer_symbol)}/insiders`}">${line.issuer_symbol}</a>`,
            ]
          : []),
        html`${line.owner_names.join(', ')} <span class="soft">${line.owners[0] && roleOf(line.owners[0])}</span>`,
        html`${badge(word, tone)}${line.amended_by !== null && html` ${badge('restated', 'warn')}`}${line.amends !== null && html` ${badge('amends', 'info')}`}${line.corrected !== undefined && html` ${badge('corrected', 'warn')}`}`,
        orUnknown(line.shares, value => number(value)),
        line.price !== null
          ? price(line.price)
          : line.price_low !== null && line.price_high !== null
            ? `${price(line.price_low)} to ${price(line.price_high)}`
            : unknown,
        orUnknown(amount, value => compact(value, 'USD')),
        orUnknown(line.shares_after, value => number(value)),
        line.footnotes.length === 0
          ? ''
          : market
            ? html`<a href="${filingPath(line.accession ?? '')}">${counted(line.footnotes.length, 'note')}</a>`
            : html`<a href="#${noteId(line)}">${counted(line.footnotes.length, 'note')}</a>`,
        filingLink(line.accession, line.form),
      ]
    }),
    empty,
    tall: lines.length > 14,
  })
}

const noteId = ({ filing_id, line }: Trade): string => `note-${filing_id.replaceAll(/[^\w-]/g, '')}-${line}`

/** Each footnote of each line: the price range of a weighted average, the trust that owns the shares, the terms of a plan. */
function footnoteTable(lines: readonly Trade[]): Html {
  return table({
    caption: 'Footnotes of transaction lines',
    captionHidden: true,
    columns: ['Line', 'About', 'Footnote'],
    rows: lines
      .filter(each => each.footnotes.length > 0)
      .flatMap(line =>
        line.footnotes.map((note, at) => [
          html`<span${at === 0 && html` id="${noteId(line)}"`}>${orUnknown(line.transaction_date, day)}</span> ${line.owner_names[0]} ${filingLink(line.accession, line.form)}`,
          note.field.replaceAll('_', ' '),
          note.text ?? 'The filing does not define this footnote.',
        ]),
      ),
    empty: 'No line has a footnote.',
    tall: true,
  })
}

/** One mark for each day and direction. */
function marksOf(lines: readonly Trade[]): Mark[] {
  const groups = Map.groupBy(
    lines.filter(each => each.transaction_date !== null && each.amended_by === null),
    each => `${each.transaction_date} ${each.code_class}`,
  )
  return [...groups.values()].map(group => {
    const [first] = group
    const buys = first?.code_class === 'open_market_buy'
    const people = [...new Set(group.flatMap(each => each.owner_names))]
    const shares = group.reduce((sum, each) => sum + (each.shares ?? 0), 0)
    return {
      time: first?.transaction_date ?? '',
      kind: buys ? 'buy' : 'sell',
      title: buys ? 'Insiders bought' : 'Insiders sold',
      text: `${people.join(', ')} ${buys ? 'bought' : 'sold'} ${number(shares)} shares`,
      href: filingPath(first?.accession ?? ''),
    }
  })
}

// `/pairs`: lines of one issuer in Toronto and New York with their spread. `/pairs/{toronto}/{us}`: one pair with both legs, the rate and the costs.
import { question } from '#schemas/operations/operation.ts'
import { cursor, oneOf, symbol } from '#schemas/operations/parameters.ts'
import { closeLines } from '../components/closes.ts'
import { change, duration, instant, number, orUnknown, price, readable, unknown } from '../components/format.ts'
import { badge, missing, notice, shown, statusOf } from '../components/notice.ts'
import { answerLinks, companyLink, linkTabs, pageHead, pager, section } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'

const states = ['live', 'stale_leg', 'fx_stale', 'skewed', 'one_market_closed', 'corporate_action', 'halted', 'no_data'] as const
type State = (typeof states)[number]
const stateWords: Readonly<Record<State, string>> = {
  live: 'live',
  stale_leg: 'an old price',
  fx_stale: 'an old exchange rate',
  skewed: 'prices of different times',
  one_market_closed: 'one market closed',
  corporate_action: 'corporate action',
  halted: 'halted',
  no_data: 'no data',
}
const stateTone = (state: State) => (state === 'live' ? 'good' : state === 'no_data' || state === 'halted' ? 'bad' : 'warn')
const pairPath = (toronto: string, us: string): string => `/pairs/${encodeURIComponent(toronto)}/${encodeURIComponent(us)}`
const points = (value: number) => change(value, `${number(value, { most: 1 })}\u00a0bp`)

export const pairsPage = page('/pairs', 'Cross-listed pairs', {
  summary: 'Lines of one issuer in Toronto and New York with their spread in basis points, and why a pair is not comparable.',
  navigation: 'Pairs',
  question: question({ status: oneOf('only pairs in this state', states, 'live').optional(), cursor }),
  operations: ['list_arb_pairs', 'list_closes'],
  async render({ question: { status, cursor: after }, ask }) {
    const found = await ask('list_arb_pairs', {
      limit: 100,
      ...(status === undefined ? {} : { status }),
      ...(after === undefined ? {} : { cursor: after }),
    })
    // An installation has prices of a part of the registered pairs.
    const lines = await closeLines(ask, found.ok ? found.value.pairs.filter(each => each.tsx_price !== null).map(each => each.toronto_symbol) : [])
    const address = (changed: Readonly<Record<string, string>>): string => {
      const parameters = new URLSearchParams({ ...(status === undefined ? {} : { status }), ...changed }).toString()
      return parameters === '' ? '/pairs' : `/pairs?${parameters}`
    }
    return {
      main: html`${pageHead('Cross-listed pairs', 'The US line in Canadian dollars against the line in Toronto. A spread is shown only if both prices and the rate are of the same time.')}
${
  found.ok &&
  linkTabs('State', [
    { label: 'All', href: '/pairs', current: status === undefined },
    ...states.flatMap(each => {
      const count = found.value.by_status[each] ?? 0
      return count === 0 ? [] : [{ label: `${stateWords[each]} (${count})`, href: `/pairs?status=${each}`, current: each === status }]
    }),
  ])
}
${section({
  id: 'pairs',
  title: found.ok ? html`${number(found.value.total)} pairs` : 'Pairs',
  lead: found.ok ? html`States and tolerances by <code>${found.value.ruleset}</code>; pairs by <code>${found.value.pairs_ruleset}</code>.` : null,
  tools: answerLinks(found, 'pairs'),
  body: shown(found, 'Pairs', ({ pairs, next_cursor }) => [
    table({
      caption: 'Pairs with prices, rate and spread',
      captionHidden: true,
      columns: [
        tight('Pair'),
        'Issuer',
        'State',
        numeric('Toronto, CAD'),
        'Toronto, 45 days',
        numeric('US, USD'),
        numeric('US in CAD'),
        numeric('Spread'),
        numeric('After costs'),
      ],
      // Those with a spread in front.
      rows: pairs
        .toSorted((a, b) => Number(b.spread_bps !== null) - Number(a.spread_bps !== null))
        .map(each => [
          html`<a href="${pairPath(each.toronto_symbol, each.us_symbol)}">${each.toronto_symbol} / ${each.us_symbol}</a>`,
          each.issuer,
          [badge(stateWords[each.status], stateTone(each.status)), each.why !== null && html` <span class="soft">${readable(each.why)}</span>`],
          orUnknown(each.tsx_price, price),
          lines.of(each.toronto_symbol),
          orUnknown(each.us_price, price),
          orUnknown(each.us_in_cad, price),
          orUnknown(each.spread_bps, points),
          orUnknown(each.net_edge_bps, points),
        ]),
      empty: 'No pair is in this state.',
    }),
    lines.note,
    pager({ first: after === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
  ]),
})}`,
    }
  },
})

export const pairPage = page('/pairs/{toronto_sym}/{us_sym}', 'Pair', {
  summary: 'One cross-listed pair: both prices with their age, the exchange rate, the spread and what a trade would cost.',
  question: question({ toronto_sym: symbol('the line in Toronto'), us_sym: symbol('the line in the United States', 'GLPR') }),
  operations: ['get_arb_pair', 'list_closes'],
  sample: '/pairs/GLPR.TO/GLPR',
  async render({ question: { toronto_sym, us_sym }, ask }) {
    const found = await ask('get_arb_pair', { toronto_sym, us_sym })
    const title = `${toronto_sym} and ${us_sym}`
    if (!found.ok) return { title, main: html`${pageHead(title)}${missing(found, 'This pair')}`, status: statusOf(found) }
    const pair = found.value
    const lines = await closeLines(ask, [pair.toronto_symbol, pair.us_symbol])
    const leg = (symbol: string, of: typeof pair.toronto) =>
      of === null
        ? html`<p class="empty">There is no price.</p>`
        : facts([
            ['Price', html`<strong>${price(of.price)}</strong>\u00a0${of.currency}`],
            ['Bid', orUnknown(of.bid, price)],
            ['Ask', orUnknown(of.ask, price)],
            ['Of', instant(of.observed_at)],
            ['Age', duration(of.age_seconds)],
            ['Session', of.session],
            ['Source', of.source],
            ['Closes, 45 days', lines.of(symbol) ?? unknown],
          ])
    const edges = pair.edges
    return {
      title: `${pair.toronto_symbol} and ${pair.us_symbol}`,
      main: html`${pageHead(html`${companyLink(pair.toronto_symbol)} and ${companyLink(pair.us_symbol)}`, pair.issuer)}
${pair.reasons.length > 0 && notice('warn', html`<p><strong>Not comparable: ${stateWords[pair.status]}.</strong></p><ul>${pair.reasons.map(reason => html`<li>${readable(reason.sentence)}</li>`)}</ul>`)}
<div class="panels">
${section({
  id: 'spread',
  title: 'Spread',
  wide: true,
  tools: answerLinks(found, 'the pair'),
  body: facts([
    ['State', badge(stateWords[pair.status], stateTone(pair.status))],
    ['US line in CAD', orUnknown(pair.us_in_cad, price)],
    ['Spread', orUnknown(pair.spread_abs, value => change(value, `${price(value)} ${pair.currency ?? ''}`))],
    ['In basis points', orUnknown(pair.spread_bps, points)],
    ['The dearer line', pair.premium_side === null ? unknown : { toronto: 'Toronto', us: 'United States', none: 'neither' }[pair.premium_side]],
    ['Rate implied by the prices', orUnknown(pair.fx_implied, value => number(value, { most: 6 }))],
    ['After costs', orUnknown(pair.net_edge_bps, points)],
  ]),
})}
${section({ id: 'toronto', title: 'Toronto', body: leg(pair.toronto_symbol, pair.toronto) })}
${section({ id: 'us', title: 'United States', body: leg(pair.us_symbol, pair.us) })}
${section({
  id: 'rate',
  title: 'Exchange rate',
  body:
    pair.fx === null
      ? html`<p class="empty">There is no rate.</p>`
      : facts([
          ['USD in CAD', number(pair.fx.rate)],
          ['Bid', orUnknown(pair.fx.bid, value => number(value))],
          ['Ask', orUnknown(pair.fx.ask, value => number(value))],
          ['Of', instant(pair.fx.observed_at)],
          ['Age', duration(pair.fx.age_seconds)],
          ['Source', pair.fx.source],
        ]),
})}
${section({
  id: 'edges',
  title: 'A trade in both directions',
  lead: 'For one unit, at bid and ask, with the costs that the ruleset states.',
  body:
    edges === null
      ? html`<p class="empty">Bid and ask of both lines and of the rate are needed.</p>`
      : table({
          caption: 'Proceeds and outlay in CAD',
          captionHidden: true,
          columns: ['Direction', numeric('Outlay'), numeric('Proceeds'), numeric('Costs'), numeric('Left')],
          rows: (
            [
              ['Buy in the US, sell in Toronto', edges.buy_us_sell_toronto],
              ['Buy in Toronto, sell in the US', edges.buy_toronto_sell_us],
            ] as const
          ).map(([label, each]) => [label, price(each.outlay), price(each.proceeds), price(each.costs), points(each.edge_bps)]),
        }),
})}
</div>`,
    }
  },
})

// `/holders/{query}`: which managers reported a position in an issuer on Form 13F, and what they hold together.
import { question } from '#schemas/operations/operation.ts'
import { cursor, quarter, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { compact, number, orUnknown, price } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { answerLinks, companyLink, managerPath, pageHead, pager, section, sourced } from '../components/parts.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Html, html } from '../html.ts'
import { page } from '../page.ts'
import { quarterName } from './manager.ts'

export const holdersPage = page('/holders/{query}', 'Holders', {
  summary: 'Managers that reported a position in an issuer on Form 13F, with shares, options and value.',
  question: question({
    query: text('a symbol, CUSIP, CIK or the name of an issuer', 100, 'BRLX'),
    period: quarter('the quarter, by its last day').optional(),
    cursor,
  }),
  operations: ['get_13f_issuer'],
  sample: '/holders/BRLX',
  async render({ question: { query, period, cursor: after }, ask }) {
    const holders = await ask('get_13f_issuer', {
      query,
      limit: 100,
      ...(period === undefined ? {} : { period }),
      ...(after === undefined ? {} : { cursor: after }),
    })
    const name = holders.ok ? (holders.value.issuer ?? holders.value.symbol ?? query) : query
    const here = `/holders/${encodeURIComponent(query)}`
    const address = (next: string | null): string | null => {
      if (next === null) return null
      const parameters = new URLSearchParams({ ...(period === undefined ? {} : { period }), ...(next === '' ? {} : { cursor: next }) }).toString()
      return parameters === '' ? here : `${here}?${parameters}`
    }
    return {
      title: `Holders of ${name}`,
      main: html`${pageHead(
        html`Holders of ${name}`,
        holders.ok
          ? html`${holders.value.symbol !== null && html`${companyLink(holders.value.symbol)}, `}${quarterName(holders.value.quarter)}: ${number(holders.value.holders_count)} managers reported a position.`
          : 'Positions that managers reported on Form 13F.',
      )}
${section({
  id: 'securities',
  title: 'Securities',
  lead: 'Sums over all managers. Puts and calls count the shares under the options, and are not added to the shares.',
  tools: answerLinks(holders, 'holders'),
  body: shown(holders, 'Holders', ({ securities, coverage }) => securitiesTable(securities, coverage.note)),
})}
${section({
  id: 'holders',
  title: 'Managers',
  tools: answerLinks(holders, 'holders'),
  body: shown(holders, 'Holders', ({ holders: rows, next_cursor, coverage }) => [
    managersTable(rows, coverage.note),
    pager({ first: after === undefined ? null : address(''), next: address(next_cursor) }),
  ]),
})}`,
    }
  },
})

type Holders = AnswerOf<'get_13f_issuer'>
const securitiesTable = (securities: Holders['securities'], empty: string): Html =>
  table({
    caption: 'Securities of the issuer that managers hold',
    captionHidden: true,
    columns: ['Class', tight('CUSIP'), numeric('Holders'), numeric('Shares'), numeric('Value'), numeric('Puts'), numeric('Calls'), numeric('Price')],
    rows: securities.map(each => [
      each.class_title ?? each.issuer_name,
      each.cusip,
      number(each.holders),
      number(each.shares),
      compact(each.value_usd, 'USD'),
      number(each.put_shares),
      number(each.call_shares),
      orUnknown(
        each.price_usd,
        value => html`${price(value)} USD${each.price_basis === 'median_of_holders' && html` <span class="soft">median of the reports</span>`}`,
      ),
    ]),
    empty,
  })
const managersTable = (rows: Holders['holders'], empty: string): Html =>
  table({
    caption: 'Managers and their reported holdings, the largest value first',
    captionHidden: true,
    columns: ['Manager', 'Kind', numeric('Shares'), numeric('Value'), 'Discretion', tight('Filing')],
    rows: rows.map(each => [
      [
        html`<a href="${managerPath(each.manager_cik)}">${each.manager ?? each.manager_cik}</a>`,
        each.corrected !== undefined && html` ${badge('corrected', 'warn')}`,
      ],
      each.put_call === null ? (each.shares_type === 'PRN' ? 'principal' : 'shares') : badge(each.put_call, 'info'),
      orUnknown(each.shares, value => number(value)),
      orUnknown(each.value_usd, value => compact(value, 'USD')),
      each.discretion,
      each.accession === null ? null : sourced('', { accession: each.accession, form: '13F' }),
    ]),
    empty,
  })

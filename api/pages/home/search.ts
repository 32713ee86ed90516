// The results of the search field. One exact match of a symbol, an accession number or a CIK leads to its page.
import { question } from '#schemas/operations/operation.ts'
import { text } from '#schemas/operations/parameters.ts'
import { shown } from '../components/notice.ts'
import { answerLinks, companyLink, companyPath, filingPath, managerPath, pageHead, section } from '../components/parts.ts'
import { table, tight } from '../components/table.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'

const most = 25

export const searchPage = page('/search', 'Search', {
  summary: 'Symbols, companies and managers that match a text, and filings by their accession number.',
  question: question({ q: text('a symbol, a company, a manager or an accession number', 100, 'great lakes').optional() }),
  operations: ['list_symbols', 'list_13f_managers'],
  sample: '/search?q=great',
  async render({ question: { q }, ask }) {
    if (q === undefined) return { main: pageHead('Search', 'Type a symbol, a company, a manager or an accession number into the field above.') }
    const accession = /^\d{10}-?\d{2}-?\d{6}$/.exec(q)?.[0].replaceAll('-', '')
    if (accession) return { redirect: filingPath(`${accession.slice(0, 10)}-${accession.slice(10, 12)}-${accession.slice(12)}`) }
    const [symbols, managers] = await Promise.all([ask('list_symbols', { query: q, limit: most }), ask('list_13f_managers', {})])
    const exact = symbols.ok ? symbols.value.symbols.find(({ symbol }) => symbol === q.toUpperCase()) : undefined
    if (exact) return { redirect: companyPath(exact.symbol) }
    return {
      title: `Search: ${q}`,
      search: q,
      main: html`${pageHead(html`Results for “${q}”`)}
${section({
  id: 'symbols',
  title: 'Symbols and companies',
  tools: answerLinks(symbols, 'symbols'),
  body: shown(symbols, 'Symbols', ({ symbols: rows }) =>
    table({
      caption: 'Listings whose symbol or name matches',
      captionHidden: true,
      columns: [tight('Symbol'), 'Name', 'Venue', 'Currency', 'Type'],
      rows: rows.map(({ symbol, name, exchange, currency, type }) => [companyLink(symbol), name, exchange, currency, type]),
      empty: 'No listing matches. Symbols of Toronto end in .TO, those of the Venture exchange in .V.',
    }),
  ),
})}
${section({
  id: 'managers',
  title: 'Managers',
  body: shown(managers, 'Managers', ({ managers: rows }) =>
    table({
      caption: 'Managers of Form 13F whose name or CIK matches',
      captionHidden: true,
      columns: ['Manager', tight('CIK'), tight('Last quarter')],
      rows: rows
        .filter(({ manager, cik }) => (manager ?? '').toLowerCase().includes(q.toLowerCase()) || cik.replace(/^0+/, '') === q.replace(/^0+/, ''))
        .map(({ manager, cik, last_quarter }) => [html`<a href="${managerPath(cik)}">${manager ?? cik}</a>`, cik, last_quarter]),
      empty: 'No manager matches.',
    }),
  ),
})}`,
    }
  },
})

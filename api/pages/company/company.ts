// The page of a listing.
import { question } from '#schemas/operations/operation.ts'
import { symbol } from '#schemas/operations/parameters.ts'
import { pageHead } from '../components/parts.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'

export const companyPage = page({
  path: '/c/{symbol}',
  title: 'Company',
  summary: 'Prices with the events that moved them, fundamentals, dividends, screens and filings of one listing.',
  question: question({ symbol: symbol() }),
  operations: ['get_symbol'],
  sample: '/c/GLPR.TO',
  async render({ question: { symbol: asked }, ask }) {
    const found = await ask('get_symbol', { symbol: asked })
    return { title: asked, main: html`${pageHead(found.ok ? found.value.name : asked)}` }
  },
})

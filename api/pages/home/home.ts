// The start page.
import { question } from '#schemas/operations/operation.ts'
import { pageHead } from '../components/parts.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'

export const homePage = page({
  path: '/',
  title: 'Crossfile',
  summary: 'Research data for North American equities: filings, prices, corporate actions and fundamentals, each figure with its source.',
  navigation: 'Start',
  question: question({}),
  operations: [],
  sample: '/',
  render: async () => ({ main: html`${pageHead('Crossfile')}` }),
})

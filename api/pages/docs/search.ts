// `/docs`: results of a search in the documentation. Without words it leads to the first page.
import { question } from '#schemas/operations/operation.ts'
import { text } from '#schemas/operations/parameters.ts'
import { emptyState } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page } from '../page.ts'
import { counted } from '../words.ts'
import { docsFrame, docsHome } from './frame.ts'
import { type Hit, mostHits, nearestWord, searchDocs, wordsOf } from './search-index.ts'

export const docsSearchPage = page('/docs', 'Search the documentation', {
  summary: 'Operations, parameters, fields and sections of guides that contain the words.',
  question: question({ q: text('words', 100, 'receipt').optional() }),
  operations: [],
  sample: '/docs?q=receipt',
  async render({ question: { q } }) {
    if (q === undefined) return { redirect: docsHome }
    const hits = searchDocs(q)
    return {
      title: `Documentation: ${q}`,
      main: docsFrame({
        path: '/docs',
        search: q,
        main: html`<p class="crumbs"><a href="${docsHome}">Documentation</a></p>
<h1>Results for “${q}”</h1>
<p role="status">${hits.length === 0 ? 'Nothing was found.' : hits.length === mostHits ? `The best ${mostHits} results.` : counted(hits.length, 'result')}</p>
${hits.length === 0 ? nothing(q) : html`<ol class="doc-hits">${hits.map(hit)}</ol>`}`,
      }),
    }
  },
})

const hit = ({ title, path, kind, excerpt }: Hit): Html =>
  html`<li><a href="${path}">${title}</a> <span class="small">${kind}</span><p>${excerpt}</p></li>\n`

function nothing(q: string): Content {
  const words = wordsOf(q)
  const corrected = words.map(word => nearestWord(word) ?? word)
  const other = corrected.join(' ')
  return html`${emptyState(html`No page of the documentation contains ${words.length > 1 ? 'all of these words' : 'this word'}.${other !== words.join(' ') && html` Did you mean <a href="/docs?q=${other}">${other}</a>?`}`)}
<p>Use fewer words, or look in the <a href="${docsHome}#operations">list of operations</a>. Companies and filings are found by the <a href="/search">search of the data</a>.</p>`
}

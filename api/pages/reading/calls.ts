// `/calls`: transcripts of calls of issuers, with links to the second.
import { question } from '#schemas/operations/operation.ts'
import { cursor, oneOf, symbol, text } from '#schemas/operations/parameters.ts'
import { choiceField, inputField } from '../components/form.ts'
import { badge, shown } from '../components/notice.ts'
import { answerLinks, companyLink, filingPath, pageHead, pager, section } from '../components/parts.ts'
import { emptyState, numeric, table, tight } from '../components/table.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'
import { counted } from '../words.ts'

/** `3723000` gives `1:02:03`. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}` : minutes}:${String(rest).padStart(2, '0')}`
}

export const callsPage = page('/calls', 'Calls', {
  summary: 'Search in transcripts of calls: words, phrases and their stems in English and French, with links to the second.',
  navigation: 'Calls',
  question: question({
    q: text('words, or a phrase in quotes', 200, 'copper').optional(),
    ticker: symbol('one issuer').optional(),
    language: oneOf('language of the transcript', ['en', 'fr'], 'en').optional(),
    cursor,
  }),
  operations: ['search_concalls', 'get_concall_stats'],
  sample: '/calls?q=copper',
  async render({ question: { q, ticker, language, cursor: after }, ask }) {
    const [found, stats] = await Promise.all([
      q === undefined
        ? null
        : ask('search_concalls', {
            q,
            limit: 25,
            ...(ticker === undefined ? {} : { ticker }),
            ...(language === undefined ? {} : { language }),
            ...(after === undefined ? {} : { cursor: after }),
          }),
      ask('get_concall_stats'),
    ])
    const state: Readonly<Record<string, string>> = {
      ...(q === undefined ? {} : { q }),
      ...(ticker === undefined ? {} : { ticker }),
      ...(language === undefined ? {} : { language }),
    }
    const address = (changed: Readonly<Record<string, string>>): string => `/calls?${new URLSearchParams({ ...state, ...changed })}`
    return {
      main: html`${pageHead('Calls', 'Transcripts that the operator loaded or that issuers furnished with filings.')}
<form class="panel" method="get" action="/calls">
${inputField({ form: 'calls', name: 'q', label: 'Words', faults: {}, help: 'A phrase in quotes is found as it is; other words are found in all their forms.', attributes: html` maxlength="200" autocomplete="off"` }, q ?? '', 'search')}
<div class="pair">
${inputField({ form: 'calls', name: 'ticker', label: 'Symbol', faults: {}, attributes: html` maxlength="16" autocomplete="off" spellcheck="false"` }, ticker ?? '')}
${choiceField(
  { form: 'calls', name: 'language', label: 'Language', faults: {} },
  [
    ['', 'any'],
    ['en', 'English'],
    ['fr', 'French'],
  ],
  language ?? '',
)}
</div>
<p><button type="submit">Search</button></p></form>
${
  found !== null &&
  section({
    id: 'hits',
    title: found.ok ? counted(found.value.total, 'passage') : 'Passages',
    tools: answerLinks(found, 'passages'),
    body: shown(found, 'Passages', ({ hits, next_cursor }) => [
      hits.length === 0 && emptyState('No passage has these words.'),
      html`<ul class="cards">${hits.map(
        hit => html`<li class="card"><div class="panel-head"><h3>${companyLink(hit.ticker)} ${hit.video_title ?? 'Call'}</h3><div class="tools">${hit.language === 'fr' && badge('French')} ${hit.accession !== null ? html`<a href="${filingPath(hit.accession)}">filing</a>` : hit.timed ? html`<a href="${hit.video_url}" rel="noreferrer">at ${clock(hit.start_ms)}</a>` : html`<a href="${hit.video_url}" rel="noreferrer">recording</a>`}</div></div>
<blockquote>${hit.text}</blockquote><p class="small">${hit.speaker ?? 'speaker not named'}${hit.upload_date !== null && html`, ${hit.upload_date}`}</p></li>`,
      )}</ul>`,
      pager({ first: after === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
    ]),
  })
}
${section({
  id: 'issuers',
  title: 'Issuers with transcripts',
  tools: answerLinks(stats, 'issuers with transcripts'),
  body: shown(stats, 'Issuers', ({ by_ticker }) =>
    table({
      caption: 'Calls and passages by issuer',
      captionHidden: true,
      columns: [tight('Symbol'), numeric('Calls'), numeric('Passages')],
      rows: by_ticker.map(each => [companyLink(each.ticker), String(each.call_count), String(each.chunk_count)]),
      empty: 'No transcript is loaded.',
      tall: true,
    }),
  ),
})}`,
    }
  },
})

// `/updates` and `/updates/{slug}`: what a day brought, each sentence with the answers that its figures come from.
import { question } from '#schemas/operations/operation.ts'
import { integer, symbol, text } from '#schemas/operations/parameters.ts'
import { day, number } from '../components/format.ts'
import { badge, missing, statusOf } from '../components/notice.ts'
import { answerLinks, companyLink, pageHead, pager, section } from '../components/parts.ts'
import { emptyState } from '../components/table.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'

const size = 30
/** Where the page shows the answer that a sentence was written from. */
const answerAddress = (as: 'json' | 'receipt', request: string): string => `/answer?${new URLSearchParams({ as, of: request.replace(/^GET /, '') })}`

export const updatesPage = page('/updates', 'Daily updates', {
  summary: 'What each day brought: filings of note, insiders, owners, actions and restatements, each figure with its receipt.',
  navigation: 'Updates',
  question: question({ ticker: symbol('one listing').optional(), offset: integer('updates to skip', 0, 100_000, { fallback: 0 }).default(0) }),
  operations: ['list_updates'],
  async render({ question: { ticker, offset }, ask }) {
    const found = await ask('list_updates', { limit: size, offset, ...(ticker === undefined ? {} : { ticker }) })
    if (!found.ok) return { main: html`${pageHead('Daily updates')}${missing(found, 'Updates')}`, status: statusOf(found) }
    const address = (at: number): string => `/updates?${new URLSearchParams({ ...(ticker === undefined ? {} : { ticker }), offset: String(at) })}`
    const { updates, total } = found.value
    return {
      main: html`${pageHead('Daily updates', html`Written by rules from the releases of a day. <a href="/api/v1/updates.atom">Atom feed</a>`)}
${section({
  id: 'updates',
  title: html`${number(total)} updates`,
  tools: answerLinks(found, 'updates'),
  body: [
    updates.length === 0 && emptyState('There is no update yet.'),
    html`<ul class="cards">${updates.map(
      each =>
        html`<li class="card"><div class="panel-head"><h3><a href="${`/updates/${encodeURIComponent(each.slug)}`}">${each.title}</a></h3><div class="tools">${each.ticker !== null && companyLink(each.ticker)} ${each.category !== null && badge(each.category.replaceAll('_', ' '))} ${day(each.date)}</div></div><p>${each.summary}</p></li>`,
    )}</ul>`,
    pager({ first: offset === 0 ? null : address(0), next: offset + size < total ? address(offset + size) : null }),
  ],
})}`,
    }
  },
})

export const updatePage = page('/updates/{slug}', 'Update', {
  summary: 'One daily update: its sentences, and for each figure the answer that it was taken from.',
  width: 'text',
  question: question({ slug: text('the update', 100, '2026-11-19') }),
  operations: ['get_update'],
  sample: '/updates/2026-11-19',
  async render({ question: { slug }, ask }) {
    const found = await ask('get_update', { slug })
    if (!found.ok)
      return { main: html`${pageHead('Update')}${missing(found, 'This update')}<p><a href="/updates">All updates</a></p>`, status: statusOf(found) }
    const { title, date, summary, statements, revision, llm_provider } = found.value
    return {
      title,
      description: summary,
      main: html`${pageHead(title, html`${day(date)}${revision > 1 && html`, revision ${revision}`}, ${llm_provider === null ? 'written by rules' : html`phrased by ${llm_provider}`}`)}
<p>${summary}</p>
${statements.length === 0 && emptyState('Nothing of note happened on this day.')}
<ol class="statements">${statements.map(
        each => html`<li><p>${each.ticker !== null && html`${companyLink(each.ticker)} `}${each.text}</p>
<details><summary>Where ${each.claims.length === 1 ? 'its figure comes' : `its ${each.claims.length} figures come`} from</summary>
<ul>${each.claims.map(claim => html`<li><strong>${claim.value}${claim.unit !== null && html` ${claim.unit}`}</strong> ${claim.pointer === null ? html`<span class="soft">${claim.computed === undefined || claim.computed === null ? '' : `${claim.computed} of ${claim.operands?.length ?? 0} values`}</span>` : html`<code>${claim.pointer}</code>`}</li>`)}</ul>
<p><a href="${answerAddress('json', each.request)}">The answer</a> <a href="${answerAddress('receipt', each.request)}">Its receipt</a></p></details></li>`,
      )}</ol>
<p class="small"><a href="${`/api/v1/updates/${encodeURIComponent(slug)}/markdown`}">This update as Markdown</a></p>`,
    }
  },
})

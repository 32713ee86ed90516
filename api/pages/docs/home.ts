// The first page of the documentation: how to begin, the guides, and every operation with a link to its page.
import type { Operation } from '#schemas/operations.ts'
import { tagDescriptions } from '../../plugins/openapi.ts'
import { badge } from '../components/notice.ts'
import { type Html, html } from '../html.ts'
import { page } from '../page.ts'
import { counted } from '../words.ts'
import { docsFrame, docsHome, isForBrowsers, operationGroups, operationPath } from './frame.ts'
import { guideGroups, guidePath, leadOf } from './guides.ts'
import { codeTabs } from './operation.ts'
import { accessOf } from './operation-parts.ts'
import { samplesOf } from './samples.ts'

export const docsHomePage = page(docsHome, 'Documentation', {
  answers: 'get_docs',
  summary: 'How to use the service: guides, every operation of the API with examples, client libraries, errors and limits.',
  navigation: 'Documentation',
  operations: [],
  async render({ base_url }) {
    const groups = operationGroups()
    const all = groups.flatMap(each => each.operations)
    const first = all.find(each => each.id === 'get_eod')
    return {
      modules: ['docs'],
      main: docsFrame({
        path: docsHome,
        main: html`<h1>Documentation</h1>
<p class="lead">Research data for North American equities, Canada and cross-border names first: one signed, reproducible answer per question.</p>
${first && codeTabs(samplesOf(first, base_url))}
<div class="doc-cards">
<section><h2>Send a key</h2><p>Operations marked ${badge('No key needed', 'good')} need none. For the others send <code>Authorization: Bearer cf_live_…</code> or <code>X-API-Key</code>, and from a spreadsheet <code>apikey=</code>. <a href="/developer">Make a key</a>.</p></section>
<section><h2>Know what you got</h2><p>Every answer with data states <code>as_of</code>, <code>release</code> and <code>sources</code>. <code>release=</code> repeats an answer, <code>as_of=</code> leaves out what became known later. <a href="${guidePath('concepts')}">Concepts</a>.</p></section>
<section><h2>Take it with you</h2><p><code>format=csv</code>, <code>xlsx</code>, <code>parquet</code> and more. Digits are those of the source, and null is never zero. <a href="${guidePath('how-to/spreadsheets-and-notebooks')}">Spreadsheets and notebooks</a>, <a href="${guidePath('clients')}">client libraries</a>.</p></section>
<section><h2>Check it later</h2><p>A signed answer names its receipt, which you can verify without the service. <a href="${guidePath('receipts')}">Receipts</a>.</p></section>
</div>
<h2 id="guides">Guides</h2>
<div class="doc-groups">${guideGroups().map(group => html`<section><h3>${group.title}</h3><ul>${group.guides.map(guide => html`<li><a href="${guidePath(guide.name)}">${guide.title}</a><span class="small">${leadOf(guide)}</span></li>`)}</ul></section>`)}</div>
<h2 id="operations">Operations</h2>
<p>${counted(all.length, 'operation')}, each with a separate page. The same for programs: <a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a>, the public part as <a href="/api/v1/public/openapi.json">openapi.json</a>, and <a href="/llms.txt">llms.txt</a> with Markdown twins of every page.</p>
${groups.map(
  group => html`<section class="doc-operations"><h3>${group.operations.some(isForBrowsers) ? 'Pages and forms' : group.tag}</h3><p class="small">${tagDescriptions[group.tag]}</p>
<ul>${group.operations.map(entry)}</ul></section>`,
)}
<h2 id="errors">Errors and limits</h2>
<p><a href="${guidePath('reference/errors')}">Errors</a> lists every code with its meaning. <a href="${operationPath('list_plans')}">What each tier allows</a> has the limits as data; the page of each operation shows those of its class.</p>
<p class="small">All output is research data. It is not investment advice and contains no recommendation. Cite the accession number of the filing where you republish figures.</p>`,
      }),
    }
  },
})

const entry = (operation: Operation): Html =>
  html`<li id="${operation.id}"><a href="${operationPath(operation.id)}">${operation.summary}</a> ${operation.access === 'public' ? badge('No key needed', 'good') : badge(accessOf(operation))}<span class="doc-path"><b class="method ${operation.method.toLowerCase()}">${operation.method}</b> <code>${operation.path}</code></span></li>\n`

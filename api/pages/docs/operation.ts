// The page of one operation, generated from its row: purpose, parameters, answer, errors, limits, freshness, examples, and a form to try it.

import { NotFound } from '#schemas/errors.ts'
import { question } from '#schemas/operations/operation.ts'
import { shaped } from '#schemas/operations/parameters.ts'
import { type Operation, operations } from '#schemas/operations.ts'
import { number } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page } from '../page.ts'
import { type FieldRow, fieldsOf } from './fields.ts'
import { docsFrame, docsHome, isForBrowsers, operationPath } from './frame.ts'
import { guidePath } from './guides.ts'
import { codeBox } from './markdown.ts'
import { operationMarkdown } from './operation-markdown.ts'
import { accessOf, errorRows, exampleAnswer, operationFacts, type ParameterRow, parameterRows, siblingsOf } from './operation-parts.ts'
import { type Sample, samplesOf } from './samples.ts'
import { renderTry } from './try.ts'
import { explained } from './words.ts'

export const operationPage = page('/docs/operations/{operation}', 'Operation', {
  summary: 'One operation of the API: parameters, answer, errors, limits, examples, and a form to try it.',
  question: question({ operation: shaped('operation', /^[a-z0-9_]{1,60}(?:\.md)?$/, 'the name of an operation', 'get_eod') }),
  operations: ['list_plans'],
  sample: '/docs/operations/get_eod',
  async render({ question: { operation: name }, ask, base_url, session }) {
    const operation = operations.find(each => each.id === name.replace(/\.md$/, ''))
    if (!operation) throw new NotFound(`there is no operation ${name}`, { hint: `${docsHome} lists all operations` })
    const samples = samplesOf(operation, base_url)
    if (name.endsWith('.md')) return { data: operationMarkdown(operation, base_url, samples), media_type: 'text/markdown; charset=utf-8' }
    const plans = await ask('list_plans')
    const { id, summary, description, method, path, body, answer, other_successes } = operation
    const parameters = parameterRows(operation)
    const bodyFields = body === null ? [] : fieldsOf(body, 'input')
    const answerFields = answer === null ? [] : fieldsOf(answer)
    const example = exampleAnswer(operation)
    const limits = operation.cost === 0 ? html`<p>Requests are not counted.</p>` : shown(plans, 'Limits', value => limitTable(operation, value.plans))
    const parts: readonly (readonly [id: string, title: string, content: Content] | null)[] = [
      ['request', 'Request', codeTabs(samples)],
      parameters.length > 0 ? ['parameters', 'Parameters', parameterTable(parameters)] : null,
      bodyFields.length > 0 ? ['body', 'Body', fieldTable('Member', bodyFields)] : null,
      ['answer', 'Answer', answerPart(operation, example, answerFields)],
      ['errors', 'Errors', errorPart(operation)],
      ['limits', 'Limits', limits],
      ['try', 'Try it', renderTry(operation, session !== null)],
    ]
    const listed = parts.filter(each => each !== null)
    return {
      title: summary,
      description: `${method} ${path}: ${explained(description.split('\n')[0] ?? summary)}`.slice(0, 300),
      modules: ['docs'],
      main: docsFrame({
        path: operationPath(id),
        headings: listed.map(([anchor, title]) => ({ id: anchor, text: title })),
        main: html`<p class="crumbs"><a href="${docsHome}">Documentation</a> / ${operation.tag}</p>
<h1>${summary}</h1>
<p class="endpoint"><b class="method ${method.toLowerCase()}">${method}</b> <code>${pathHtml(path)}</code> ${badge(accessOf(operation), operation.access === 'public' ? 'good' : 'warn')}</p>
${description.split('\n').map(line => line.trim() !== '' && html`<p>${explained(line.trim())}</p>`)}
${other_successes.length > 0 && html`<ul>${other_successes.map(([status, text]) => html`<li><code>${status}</code>: ${explained(text)}</li>`)}</ul>`}
${facts(operationFacts(operation))}
${listed.map(
  ([
    anchor,
    title,
    content,
  ]) => html`<section aria-labelledby="${anchor}"><h2 id="${anchor}">${title} <a class="anchor" href="#${anchor}" aria-label="Link to ${title}">#</a></h2>
${content}</section>\n`,
)}
<footer class="doc-end"><p><a href="${`${operationPath(id)}.md`}">This page as Markdown</a> · <a href="/openapi.json">OpenAPI</a></p>
${related(operation)}</footer>`,
      }),
    }
  },
})

const pathHtml = (path: string): Html => html`${path.split(/(\{\w+\})/).map(part => (part.startsWith('{') ? html`<i>${part}</i>` : part))}`

/** Samples behind tabs that work without script: a radio button each. */
export const codeTabs = (samples: readonly Sample[]): Html =>
  html`<fieldset class="code-tabs"><legend class="hidden">Language of the example</legend>
${samples.map(({ id, label }, index) => html`<input class="hidden" type="radio" name="sample" id="sample-${id}"${index === 0 && html` checked`}><label for="sample-${id}">${label}</label>\n`)}
${samples.map(({ id, label, code, language, note }) => html`<div class="pane pane-${id}"><p class="pane-title">${label}</p>${codeBox(code.trimEnd(), language)}${note !== null && html`<p class="small">${note}</p>`}</div>\n`)}</fieldset>`

const valuesOf = (values: readonly string[]): Content =>
  values.length <= 12
    ? values.map((value, index) => [index > 0 && ' ', html`<code>${value}</code>`])
    : html`<details><summary>${values.length} values</summary>${values.map((value, index) => [index > 0 && ' ', html`<code>${value}</code>`])}</details>`

const parameterTable = (rows: readonly ParameterRow[]): Html =>
  html`<div class="doc-fields">${table({
    caption: 'Parameters of the request',
    captionHidden: true,
    columns: ['Name', 'Type', 'Meaning'],
    rows: rows.map(({ name, place, required, type, values, bounds, standard, meaning, example }) => [
      html`<code>${name}</code>${required && html` ${badge('required', 'warn')}`}${place !== 'query' && html`<br><span class="small">in the ${place}</span>`}`,
      html`${values.length > 0 ? valuesOf(values) : type}${bounds !== null && html`, ${bounds}`}${standard !== null && html`<br><span class="small">default <code>${standard}</code></span>`}`,
      html`${explained(meaning)}${example !== null && html` <span class="small">Example: <code>${example}</code></span>`}`,
    ]),
  })}</div>`

function fieldTable(label: string, rows: readonly FieldRow[]): Html {
  return html`<div class="doc-fields">${table({
    caption: `${label}s with type and meaning`,
    captionHidden: true,
    columns: [label, 'Type', 'Meaning'],
    rows: rows.map(({ name, depth, type, values, nullable, optional, meaning }) => {
      const at = name.lastIndexOf('.', name.length - 1)
      const levels = ['', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6']
      return [
        html`<span class="field-name ${levels[Math.min(depth, 6)] ?? ''}"><code>${at > 0 && html`<span class="field-path">${name.slice(0, at + 1)}</span>`}${name.slice(at + 1)}</code></span>`,
        html`${values.length > 0 ? valuesOf(values) : type}${(nullable || optional) && html`<br><span class="small">${[nullable && 'or null', optional && 'may be absent'].filter(Boolean).join(', ')}</span>`}`,
        meaning === null ? '' : explained(meaning),
      ]
    }),
  })}</div>`
}

function answerPart(operation: Operation, example: ReturnType<typeof exampleAnswer>, fields: readonly FieldRow[]): Html {
  const { success, media_type } = operation
  return html`<p>Status <code>${success}</code>${success === 204 ? ', without a body.' : html`, <code>${media_type.split(';', 1)[0]}</code>.`}${operation.data && html` The members <code>as_of</code>, <code>release</code>, <code>sources</code> and <code>receipt_id</code> are explained in <a href="${guidePath('api')}">API</a> and <a href="${guidePath('receipts')}">Receipts</a>.`}</p>
${example !== null && html`<h3>Example, as the service answers it</h3>${example.text.length > 6000 ? html`<details><summary>Show the whole example (${number(example.text.length)} characters)</summary>${codeBox(example.text, example.language)}</details>` : codeBox(example.text, example.language)}`}
${fields.length > 0 && html`<h3 id="fields">Fields</h3>${fieldTable('Field', fields)}`}`
}

const errorPart = (operation: Operation): Html =>
  html`<p>Every error has the members <code>detail</code>, <code>code</code>, <code>hint</code> and <code>docs</code>. <a href="${guidePath('reference/errors')}">All errors</a>.</p>
${table({
  caption: 'Errors of this operation',
  captionHidden: true,
  columns: [tight('Status'), 'Code', 'Meaning'],
  rows: errorRows(operation).map(({ status, code, meaning }) => [status, html`<code>${code}</code>`, meaning]),
})}`

type Limits = {
  readonly limit_class: string
  readonly limit: number
  readonly window_seconds: number
  readonly burst: number
  readonly daily: number | null
}
function limitTable(
  { cost, limit_class }: Operation,
  plans: readonly { readonly title: string; readonly counted_per: string; readonly limits: readonly Limits[] }[],
): Html {
  return html`<p>One request costs ${cost} ${cost === 1 ? 'unit' : 'units'} of the class <code>${limit_class}</code>. The header <code>RateLimit</code> has the units that are left, <code>Retry-After</code> the wait after 429.</p>
${table({
  caption: `Units of ${limit_class} by tier`,
  captionHidden: true,
  columns: ['Tier', 'Counted per', numeric('Units'), numeric('Burst'), numeric('Per day')],
  rows: plans.flatMap(({ title, counted_per, limits }) =>
    limits
      .filter(each => each.limit_class === limit_class)
      .map(each => [
        title,
        counted_per,
        `${number(each.limit)} in ${number(each.window_seconds)} s`,
        number(each.burst),
        each.daily === null ? 'no limit' : number(each.daily),
      ]),
  ),
})}`
}

function related(operation: Operation): Html | null {
  const others = siblingsOf(operation)
    .filter(each => isForBrowsers(each) === isForBrowsers(operation))
    .slice(0, 12)
  return others.length === 0
    ? null
    : html`<h2>More of ${operation.tag}</h2><ul class="doc-links">${others.map(each => html`<li><a href="${operationPath(each.id)}">${each.summary}</a></li>`)}</ul>`
}

// The documentation page, rendered from the same table as the routes. Its script and its style are separate files.
import { z } from 'zod'
import type { Access, Operation, Tag } from '#schemas/operations.ts'
import { tags } from '#schemas/operations.ts'
import type { Plans } from '#schemas/plans.ts'
import { formatsOf } from '../plugins/formats.ts'
import { parametersOf, tagDescriptions } from '../plugins/openapi.ts'
import { escaped as text } from './html.ts'

type Settings = { readonly baseUrl: string; readonly plans: Plans }
type Node = { readonly [key: string]: unknown }

const accessWords: Readonly<Record<Access, string>> = {
  public: 'no key',
  session: 'key',
  key: 'key',
  user: 'signed in',
  admin: 'administrator',
  agent: 'key of an agent',
}

/** The page for the curated operations of the table. */
export function renderDocs(table: readonly Operation[], { baseUrl, plans }: Settings): string {
  const listed = table.filter(each => each.curated)
  const groups = tags.map(tag => ({ tag, operations: listed.filter(each => each.tag === tag) })).filter(each => each.operations.length > 0)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossfile API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/v1/public/docs.css">
<script src="/api/v1/public/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#start">Skip to the text</a>
<nav aria-label="Operations">
<p class="brand"><a href="#start">Crossfile</a> <span>API 1.0.0</span></p>
<input id="find" type="search" placeholder="Find an operation" aria-label="Find an operation" hidden>
<p><a href="#start">Start</a></p>
<p><a href="/developer">Your API keys</a></p>
${groups.map(({ tag, operations }) => renderContents(tag, operations)).join('\n')}
<h2>More</h2>
<ul>
<li><a href="#errors">Errors</a></li>
<li><a href="#limits">Limits</a></li>
<li><a href="/api/v1/public/openapi.json">openapi.json</a></li>
</ul>
</nav>
<main>
${renderStart(baseUrl)}
${groups.map(({ tag, operations }) => renderGroup(tag, operations, baseUrl)).join('\n')}
${renderErrors()}
${renderLimits(plans)}
</main>
</body>
</html>
`
}

function renderContents(tag: Tag, operations: readonly Operation[]): string {
  const items = operations.map(each => `<li><a href="#${each.id}">${text(each.summary)}</a></li>`)
  return `<h2>${text(tag)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
}

function renderStart(baseUrl: string): string {
  return `<header id="start">
<h1>Crossfile API</h1>
<p class="lead">Research data for North American equities, Canada and cross-border names first: one signed, reproducible answer per question.</p>
<pre class="shell"><code>curl ${text(quoted(`${baseUrl}/api/v1/market/eod/GLPR.TO?from=2026-01-02`))}</code></pre>
<div class="cards">
<section><h3>Say who you are</h3><p>Operations marked <b class="badge open">no key</b> need none. For the others send <code>Authorization: Bearer cf_live_…</code>, or <code>X-API-Key</code>, or, from a spreadsheet, <code>apikey=</code> in the address. A key in the address should be treated as half public. <a href="/developer">Make a key</a> on the developer page.</p></section>
<section><h3>Know what you got</h3><p>Every data answer carries <code>as_of</code>, <code>release</code> and <code>sources</code>. A request with <code>release=</code> always returns the same bytes. With <code>as_of=</code>, data that became known later is excluded.</p></section>
<section><h3>Take it with you</h3><p><code>format=csv</code>, <code>excel</code> (tab-separated) and <code>ndjson</code> give the rows of any answer as text, <code>xlsx</code> a workbook, <code>parquet</code> and <code>arrow</code> typed tables. Money keeps the digits that its source printed. Null is never zero.</p></section>
<section><h3>Check it later</h3><p>Signed answers name their receipt in <code>receipt_id</code> and <code>X-Receipt-Id</code>; <code>receipt=1</code> signs any other. <a href="#verify_lineage">Verify</a> needs no key.</p></section>
</div>
<p class="small">All output is research data. It is not investment advice, is not tailored to anybody, and contains no recommendation. Where figures are republished, cite the accession number of the filing.</p>
</header>`
}

function renderGroup(tag: Tag, operations: readonly Operation[], baseUrl: string): string {
  return `<section class="group"><h2>${text(tag)}</h2><p>${text(tagDescriptions[tag])}</p>
${operations.map(each => renderOperation(each, baseUrl)).join('\n')}</section>`
}

function renderOperation(operation: Operation, baseUrl: string): string {
  const { id, method, path, access, summary, description, example, freshness, cost, limit_class } = operation
  const header = access === 'public' ? '' : ` \\\n  -H 'Authorization: Bearer cf_live_…'`
  const facts = [
    `<div><dt>Access</dt><dd>${access === 'public' ? 'no key needed' : 'API key'}</dd></div>`,
    `<div><dt>Fresh within</dt><dd>${text(freshness)}</dd></div>`,
    `<div><dt>Cost</dt><dd>${cost === 0 ? 'not counted' : `${cost} ${cost === 1 ? 'request' : 'requests'} of ${limit_class}`}</dd></div>`,
    ...(formatsOf(operation).length > 1 ? [`<div><dt>Formats</dt><dd>${formatsOf(operation).join(', ')}</dd></div>`] : []),
  ]
  const answer = example.answer === null ? '' : typeof example.answer === 'string' ? example.answer : JSON.stringify(example.answer, null, 2)
  return `<article id="${id}" data-find="${text(`${summary} ${path} ${id}`.toLowerCase())}">
<h3>${text(summary)} <a class="anchor" href="#${id}" aria-label="Link to ${text(summary)}">#</a></h3>
<p class="path"><b class="method">${method}</b> <code>${pathHtml(path)}</code> <b class="badge ${access === 'public' ? 'open' : 'keyed'}">${accessWords[access]}</b></p>
<p>${text(description)}</p>
<dl class="facts">${facts.join('')}</dl>
${renderParameters(operation)}
<h4>Request</h4>
<pre class="shell"><code>curl ${text(quoted(baseUrl + example.request))}${text(header)}</code></pre>
${answer === '' ? '' : `<h4>Answer</h4>\n<pre class="answer" tabindex="0"><code>${text(answer)}</code></pre>`}
${renderFields(operation)}
${access === 'public' && method === 'GET' ? renderTry(operation) : ''}
</article>`
}

function renderParameters(operation: Operation): string {
  const parameters = parametersOf(operation)
  if (parameters.length === 0) return ''
  const rows = parameters.map(parameter => {
    const { name, required, description, schema, example } = parameter as {
      name: string
      required: boolean
      description: string
      schema: Node
      example: unknown
    }
    // The type column already shows these.
    const plain = schema['enum'] !== undefined || schema['type'] === 'boolean' || schema['default'] !== undefined
    const sample = plain ? '' : ` <span class="example">e.g. <code>${text(String(example))}</code></span>`
    return `<tr><th scope="row"><code>${text(name)}</code>${required ? '<span class="must">required</span>' : ''}</th><td>${typeWords(schema)}</td><td>${text(description)}${sample}</td></tr>`
  })
  return `<h4>Parameters</h4>
<div class="wide"><table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

/** Fields of the answer with their meaning, collapsed by default. */
function renderFields(operation: Operation): string {
  if (operation.answer === null) return ''
  const rows = fieldRows(z.toJSONSchema(operation.answer) as Node, '', 0)
  if (rows.length === 0) return ''
  return `<details><summary>Fields of the answer</summary>
<div class="wide"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></details>`
}
function fieldRows(node: Node, path: string, depth: number): string[] {
  const properties = node['properties'] as Record<string, Node> | undefined
  if (!properties || depth > 3) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = notNull(property)
    const items = inner['items'] as Node | undefined
    const here = `${path}${name}${inner['type'] === 'array' ? '[]' : ''}`
    const meaning = (property['description'] ?? inner['description'] ?? '') as string
    const row = `<tr><th scope="row"><code>${text(here)}</code></th><td>${typeWords(property)}</td><td>${text(meaning)}</td></tr>`
    return [row, ...fieldRows(items ? notNull(items) : inner, `${here}.`, depth + 1)]
  })
}

function renderTry(operation: Operation): string {
  const fields = parametersOf(operation).map(parameter => {
    const { name, required, schema, example } = parameter as { name: string; required: boolean; schema: Node; example: unknown }
    const shown = `${text(name)}${required ? ' *' : ''}`
    const options = schema['enum'] as readonly string[] | undefined
    const id = `${operation.id}-${name}`
    const control = options
      ? `<select id="${id}" name="${text(name)}"><option value=""></option>${options.map(option => `<option>${text(option)}</option>`).join('')}</select>`
      : `<input id="${id}" name="${text(name)}" placeholder="${text(String(example))}"${required ? ` value="${text(String(example))}" required` : ''}>`
    return `<div class="field"><label for="${id}">${shown}</label>${control}</div>`
  })
  return `<details class="try" hidden><summary>Try it</summary>
<form data-path="${text(operation.path)}">${fields.join('')}
<p><button type="submit">Send</button> <output class="status"></output></p>
<pre class="answer" tabindex="0" hidden><code></code></pre>
</form></details>`
}

function renderErrors(): string {
  const rows = [
    ['400', 'bad_request', 'a parameter is unknown, duplicated or malformed; see the hint'],
    ['401', 'unauthorized', 'no API key, or one that is not valid'],
    ['403', 'forbidden, tier_required', 'the key may not do this'],
    ['404', 'not_found', 'the resource does not exist; end-of-day of an unknown symbol is 200 with count 0'],
    ['405, 406, 413, 414, 415', 'method_not_allowed, not_acceptable, payload_too_large, uri_too_long, unsupported_media_type', 'as HTTP means them'],
    ['422', 'validation_error', 'fields of a body; detail is a list of loc, msg, type'],
    ['429', 'rate_limited', 'a limit is used up; Retry-After gives the wait'],
    ['500', 'internal_error', 'a failure of the service; report the X-Request-Id'],
    ['503', 'upstream_unavailable', 'temporary; retry with exponential backoff'],
  ].map(([status, code, meaning]) => `<tr><th scope="row">${status}</th><td><code>${code}</code></td><td>${meaning}</td></tr>`)
  return `<section class="group" id="errors"><h2>Errors</h2>
<p>Every error is JSON of one shape: <code>detail</code>, <code>code</code>, <code>hint</code> (what to change) and <code>docs</code>. With <code>Accept: application/problem+json</code> the same values come as RFC 9457.</p>
<div class="wide"><table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`
}

function renderLimits(plans: Plans): string {
  const rows = plans.plans.map(({ title, counted_per, rates }) => {
    const cells = (['reads', 'queries', 'files', 'agents'] as const).map(name => {
      const { limit, window_seconds, burst, daily } = rates[name]
      return `<td>${grouped(limit)} in ${window_seconds} s, bursts of ${grouped(burst)}${daily === null ? '' : `, ${grouped(daily)} a day`}</td>`
    })
    return `<tr><th scope="row">${text(title)}</th><td>${counted_per}</td>${cells.join('')}</tr>`
  })
  return `<section class="group" id="limits"><h2>Limits</h2>
<p>Counted per key, or per address without one, evenly over the window. <code>RateLimit</code> has the remaining units, <code>Retry-After</code> the wait after a refused request. The same table as JSON: <a href="#list_plans">what each tier allows</a>.</p>
<div class="wide"><table><thead><tr><th scope="col">Tier</th><th scope="col">Per</th><th scope="col">Reads</th><th scope="col">Queries</th><th scope="col">Files</th><th scope="col">Agents</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`
}

function notNull(node: Node): Node {
  const branches = node['anyOf'] as readonly Node[] | undefined
  return branches?.find(branch => branch['type'] !== 'null') ?? node
}
function typeWords(node: Node): string {
  const branches = node['anyOf'] as readonly Node[] | undefined
  const inner = notNull(node)
  const options = inner['enum'] as readonly unknown[] | undefined
  const base =
    inner['type'] === 'array'
      ? 'list'
      : String(inner['format'] ?? inner['type'] ?? (inner['const'] === undefined ? 'any' : JSON.stringify(inner['const'])))
  const bounds =
    inner['maximum'] !== undefined && Number(inner['maximum']) < 1e8 ? ` ${inner['minimum'] ?? 0} to ${grouped(Number(inner['maximum']))}` : ''
  const standard = inner['default'] === undefined ? '' : ` <span class="example">default <code>${text(String(inner['default']))}</code></span>`
  const words = options ? options.map(option => `<code>${text(String(option))}</code>`).join(' ') : text(base + bounds)
  return `${words}${standard}${branches?.some(branch => branch['type'] === 'null') ? ' <span class="example">or null</span>' : ''}`
}
function pathHtml(path: string): string {
  return text(path).replaceAll(/\{(\w+)\}/g, '<i>{$1}</i>')
}
const grouped = (value: number): string => value.toLocaleString('en-CA').replaceAll(',', '\u202f')
const quoted = (address: string): string => `'${address}'`

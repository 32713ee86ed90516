// The form that sends the operation from the page. The module `docs` runs it; a key is held by the field alone and never stored.
import type { Operation } from '#schemas/operations.ts'
import { type Html, html } from '../html.ts'
import { type ParameterRow, parameterRows } from './operation-parts.ts'
import { exampleParameters } from './samples.ts'

/** Why there is no form; null if there is one. Requests that change something belong to programs and to the account pages. */
function whyNot({ access, method, body, body_media, calculates, answer, media_type }: Operation, signedIn: boolean): string | null {
  if (access === 'admin') return 'This operation needs the session of an administrator. Use the curl example.'
  if (access === 'agent') return 'This operation takes messages of the Model Context Protocol. Connect an agent, or use the curl example.'
  if (answer === null && !media_type.startsWith('text/') && !media_type.startsWith('application/'))
    return 'The answer has no text to show. Use the curl example.'
  if (method !== 'GET' && !calculates)
    return 'This operation changes something, so it is not sent from a page of documentation. Use the curl example.'
  if (body !== null && body_media[0] !== 'application/json') return 'The body of this operation is a file. Use the curl example.'
  if (access === 'user' && !signedIn) return 'This operation reads what belongs to a signed-in user. Sign in to send it from here.'
  return null
}

export function renderTry(operation: Operation, signedIn: boolean): Html {
  const reason = whyNot(operation, signedIn)
  if (reason !== null) return html`<p>${reason}</p>`
  const { access, method, path, body, example } = operation
  const given = new Map(exampleParameters(operation).map(({ name, value }) => [name, String(value)]))
  const rows = parameterRows(operation).filter(each => each.place !== 'header')
  const [main, further] = [rows.filter(each => each.required || given.has(each.name)), rows.filter(each => !each.required && !given.has(each.name))]
  return html`<noscript><p>This form needs script. The examples above work in a shell.</p></noscript>
<form class="try" data-try data-path="${path}" data-method="${method}" data-credentials="${access === 'user' ? 'same-origin' : 'omit'}" autocomplete="off">
${(access === 'key' || access === 'session') && keyField}
<div class="try-fields">${main.map(each => field(each, given.get(each.name) ?? ''))}</div>
${further.length > 0 && html`<details><summary>${further.length} more ${further.length === 1 ? 'parameter' : 'parameters'}</summary><div class="try-fields">${further.map(each => field(each, ''))}</div></details>`}
${body !== null && html`<div class="field"><label for="try-body">Body (JSON)</label><textarea id="try-body" name="" data-body rows="12" spellcheck="false">${JSON.stringify(example.body ?? {}, null, 2)}</textarea></div>`}
<p class="try-send"><button type="submit" disabled>Send</button> <button type="button" class="quiet" data-stop hidden>Stop</button> <output class="small" data-status></output></p>
<div data-result hidden><p class="small try-headers" data-headers></p>
<div class="code"><pre tabindex="0" aria-label="The answer of the service"><code></code></pre><button type="button" class="copy" data-copy hidden>Copy</button></div></div>
</form>`
}

const keyField = html`<div class="field"><label for="try-key">API key</label><p class="help" id="try-key-help">The key stays in this field: it is sent with your request and stored nowhere. <a href="/developer">Make a key</a>.</p>
<input id="try-key" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="try-key-help" placeholder="cf_live_…" data-key></div>`

function field({ name, values, required, example }: ParameterRow, value: string): Html {
  const id = `try-${name}`
  const control =
    values.length > 0
      ? html`<select id="${id}" name="${name}">${!required && html`<option value=""></option>`}${values.map(each => html`<option${each === value && html` selected`}>${each}</option>`)}</select>`
      : html`<input id="${id}" name="${name}" value="${value}"${required && html` required`}${example !== null && html` placeholder="${example}"`} spellcheck="false">`
  return html`<div class="field"><label for="${id}">${name}${required && html` <span class="small">required</span>`}</label>${control}</div>`
}

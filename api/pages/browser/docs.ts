// Documentation: buttons that copy code, the form that sends an operation, and old links to `#operation` on the first page.
import { indented } from './indented.ts'

/** Characters of an answer that are shown. */
const mostShown = 1024 * 1024

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', () => void copy(button))
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const code = button.parentElement?.querySelector('code')
  if (!code) return
  const done = await copied(code)
  button.textContent = done ? 'Copied' : 'Not copied'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1600)
}

/** Whether the text is in the clipboard. Over plain HTTP browsers have no clipboard interface, only the command for a selection. */
async function copied(code: HTMLElement): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '')
      return true
    } catch (error) {
      if (!(error instanceof DOMException)) throw error
    }
  }
  const selection = getSelection()
  if (!selection) return false
  selection.selectAllChildren(code)
  const done = document.execCommand('copy')
  selection.removeAllRanges()
  return done
}

// Errors and older links name an operation as `#get_eod` of the first page: its page is the better place.
const target = location.hash.slice(1)
if (/^[a-z0-9_]+$/.test(target)) {
  const link = document.getElementById(target)?.querySelector<HTMLAnchorElement>('a[href^="/docs/operations/"]')
  if (link) location.replace(link.href)
}

const contents = document.querySelector<HTMLDetailsElement>('.docs-contents')
contents?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-try]')) prepare(form)

function prepare(form: HTMLFormElement): void {
  const send = form.querySelector<HTMLButtonElement>('button[type="submit"]')
  const stop = form.querySelector<HTMLButtonElement>('[data-stop]')
  const key = form.querySelector<HTMLInputElement>('[data-key]')
  if (!send || !stop) return
  send.disabled = false
  let running: AbortController | null = null
  stop.addEventListener('click', () => running?.abort())
  // A page that is restored by the Back button has no key.
  addEventListener('pagehide', () => {
    if (key) key.value = ''
  })
  form.addEventListener('submit', event => {
    event.preventDefault()
    running?.abort()
    const mine = new AbortController()
    running = mine
    stop.hidden = false
    void run(form, mine.signal).finally(() => {
      if (running === mine) stop.hidden = true
    })
  })
}

/** The address and the options of the request that the fields describe. Throws SyntaxError for a body that is not JSON. */
function requestOf(form: HTMLFormElement): readonly [address: string, init: RequestInit] {
  const query = new URLSearchParams()
  let path = form.dataset['path'] ?? ''
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== 'string' || value.trim() === '') continue
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, () => encodeURIComponent(value.trim()))
    else query.set(name, value.trim())
  }
  const headers = new Headers({ accept: query.has('format') ? '*/*' : 'application/json, text/plain;q=0.9, */*;q=0.5' })
  const key = form.querySelector<HTMLInputElement>('[data-key]')?.value.trim() ?? ''
  if (key !== '') headers.set('authorization', `Bearer ${key}`)
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value
  if (body !== undefined) {
    JSON.parse(body)
    headers.set('content-type', 'application/json')
  }
  const credentials = form.dataset['credentials'] === 'same-origin' ? 'same-origin' : 'omit'
  const init: RequestInit = {
    method: form.dataset['method'] ?? 'GET',
    headers,
    credentials,
    cache: 'no-store',
    ...(body === undefined ? {} : { body }),
  }
  return [query.size > 0 ? `${path}?${query}` : path, init]
}

async function run(form: HTMLFormElement, signal: AbortSignal): Promise<void> {
  const status = form.querySelector<HTMLOutputElement>('[data-status]')
  const result = form.querySelector<HTMLElement>('[data-result]')
  const code = result?.querySelector('code')
  const headers = result?.querySelector<HTMLElement>('[data-headers]')
  if (!status || !result || !code || !headers) return
  status.textContent = 'Sending …'
  const started = performance.now()
  try {
    const [address, init] = requestOf(form)
    const response = await fetch(address, { ...init, signal })
    const bytes = await response.arrayBuffer()
    const took = Math.round(performance.now() - started)
    status.textContent = `${response.status} ${response.statusText}, ${took.toLocaleString('en-US')} ms, ${bytes.byteLength.toLocaleString('en-US')} bytes`
    headers.textContent = shownHeaders.flatMap(name => (response.headers.has(name) ? [`${name}: ${response.headers.get(name)}`] : [])).join('\n')
    const type = response.headers.get('content-type') ?? ''
    code.textContent = shownBody(bytes, type)
    result.hidden = false
  } catch (error) {
    if (signal.aborted) status.textContent = 'Stopped.'
    else if (error instanceof SyntaxError) status.textContent = `The body is not JSON: ${error.message}`
    else if (error instanceof TypeError) status.textContent = 'The service did not answer.'
    else throw error
  }
}
const shownHeaders = ['X-Request-Id', 'X-Receipt-Id', 'X-Cost', 'RateLimit', 'Retry-After', 'ETag', 'Content-Type']

function shownBody(bytes: ArrayBuffer, type: string): string {
  if (!/json|text|xml|yaml/.test(type)) return `${bytes.byteLength.toLocaleString('en-US')} bytes of ${type}: use the curl example with -o FILE.`
  const text = new TextDecoder().decode(bytes)
  const cut = text.length > mostShown ? `${text.slice(0, mostShown)}\n… ${(text.length - mostShown).toLocaleString('en-US')} more characters` : text
  return type.includes('json') && text.length <= mostShown ? indented(cut) : cut
}

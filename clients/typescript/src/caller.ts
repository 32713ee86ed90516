// Sends one request of the client: parameters to an address, retries, the ETag cache, errors, pages.
import { CrossfileError, readError } from './errors.ts'

export type OperationRow = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Names of the parameters that are part of the path. */
  readonly inPath: readonly string[]
  readonly answer: 'json' | 'text' | 'bytes' | 'none'
  /** The member of the answer whose items are the rows. */
  readonly rows: string | null
  /** Takes `as_of`, `release` and `receipt`. */
  readonly data: boolean
  /** Takes an `Idempotency-Key`, so that it can be repeated safely. */
  readonly idempotent: boolean
  readonly media: string | null
}

export type ClientOptions = {
  /** Address of the service without a path, for example `https://research.example.com`. */
  readonly baseUrl: string
  readonly apiKey?: string
  /** Answer every data question as of this instant (RFC 3339 or a day). */
  readonly asOf?: string
  /** Answer every data question from this release. */
  readonly release?: number
  /** How often a request is repeated after 429, 503 or a lost connection. Default 4. */
  readonly retries?: number
  /** Longest total wait between the attempts of one call, in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number
  /** Longest time for one attempt, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  /** Most text that the ETag cache holds, in UTF-16 code units. 0 turns it off. Default 16,777,216. */
  readonly cacheSize?: number
  /** In place of the platform's `fetch`. */
  readonly fetch?: typeof fetch
}
export type CallOptions = {
  readonly signal?: AbortSignal
  readonly asOf?: string
  readonly release?: number
  /** Sign the answer; its receipt id is in `receiptId`. */
  readonly receipt?: boolean
  /** Name of this request for operations that accept one; the client makes one by default. */
  readonly idempotencyKey?: string
}
export type Answer<T> = {
  readonly data: T
  /** The body as received, digit for digit; null if it is no text. */
  readonly text: string | null
  readonly status: number
  readonly release: number | null
  readonly asOf: string | null
  readonly receiptId: string | null
  readonly etag: string | null
  readonly requestId: string | null
  /** True if the service confirmed with 304 that a stored answer is still current. */
  readonly fromCache: boolean
}

export type Values = Readonly<Record<string, unknown>>
type Stored = { readonly text: string; readonly etag: string; readonly data: unknown; readonly headers: Headers }
type Received = {
  readonly status: number
  readonly text: string | null
  readonly data: unknown
  readonly headers: Headers
  readonly fromCache: boolean
}

const defaults = { retries: 4, maxWaitMs: 60_000, timeoutMs: 60_000, cacheSize: 16_777_216 }
const repeated = new Set([429, 502, 503, 504])

/** Answers with their ETag, oldest use first; shared by the clients that `at` makes. */
export class AnswerStore {
  private readonly entries = new Map<string, Stored>()
  private size = 0
  constructor(private readonly limit: number) {}
  get(url: string): Stored | null {
    const found = this.entries.get(url)
    if (found === undefined) return null
    this.entries.delete(url)
    this.entries.set(url, found)
    return found
  }
  put(url: string, stored: Stored): void {
    const before = this.entries.get(url)
    if (before !== undefined) this.size -= before.text.length
    this.entries.delete(url)
    if (stored.text.length > this.limit) return
    this.entries.set(url, stored)
    this.size += stored.text.length
    for (const [oldest, { text }] of this.entries) {
      if (this.size <= this.limit) return
      this.entries.delete(oldest)
      this.size -= text.length
    }
  }
}

export class Caller {
  protected readonly options: ClientOptions
  private readonly base: string
  private readonly store: AnswerStore

  constructor(options: ClientOptions, store?: AnswerStore) {
    const url = new URL(options.baseUrl)
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError(`baseUrl ${options.baseUrl} is not an http or https address`)
    if (options.asOf !== undefined && options.release !== undefined) throw new TypeError('give asOf or release, not both')
    this.base = url.href.replace(/\/+$/, '')
    this.options = options
    this.store = store ?? new AnswerStore(options.cacheSize ?? defaults.cacheSize)
  }

  /** The cache, for a client of the same service and key. */
  protected get answers(): AnswerStore {
    return this.store
  }

  protected async call<T>(row: OperationRow, values: Values, body: unknown, options: CallOptions): Promise<Answer<T>> {
    const received = await this.send(row, this.urlOf(row, values, options), body, options, row.answer)
    return answerOf<T>(received)
  }

  /** The answer of an operation in another format, as bytes: `csv`, `excel`, `xlsx`, `parquet`, `ndjson` and what else the operation offers. */
  protected async callAs(row: OperationRow, values: Values, format: string, options: CallOptions): Promise<Answer<Uint8Array<ArrayBuffer>>> {
    const received = await this.send(row, this.urlOf(row, { ...values, format }, options), undefined, options, 'bytes')
    return answerOf<Uint8Array<ArrayBuffer>>(received)
  }

  protected async *pages<T>(row: OperationRow, values: Values, body: unknown, options: CallOptions): AsyncGenerator<Answer<T>, void, undefined> {
    let cursor = values['cursor']
    for (;;) {
      const page = await this.call<T>(row, { ...values, cursor }, body, options)
      yield page
      const next = (page.data as { next_cursor?: unknown }).next_cursor
      if (typeof next !== 'string' || next === '') return
      if (next === cursor) throw new Error(`${row.path}: the service returned the cursor that was sent`)
      cursor = next
    }
  }

  protected async *rows<R>(row: OperationRow, values: Values, body: unknown, options: CallOptions): AsyncGenerator<R, void, undefined> {
    for await (const { data } of this.pages<Record<string, unknown>>(row, values, body, options)) {
      for (const each of (data[row.rows as string] ?? []) as readonly R[]) yield each
    }
  }

  private urlOf(row: OperationRow, values: Values, options: CallOptions): string {
    const rest: Record<string, unknown> = { ...values }
    let path = row.path
    for (const name of row.inPath) {
      const value = rest[name]
      if (value === undefined || value === null || value === '') throw new TypeError(`${row.path}: ${name} is missing`)
      delete rest[name]
      path = path.replace(`{${name}}`, encodeURIComponent(String(value)))
    }
    if (row.data) this.addMoment(rest, options)
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(rest)) {
      if (value === undefined || value === null) continue
      if (typeof value === 'boolean') query.set(name, value ? '1' : '0')
      else query.set(name, Array.isArray(value) ? value.join(',') : String(value))
    }
    const text = query.toString()
    return `${this.base}${path}${text === '' ? '' : `?${text}`}`
  }

  /** What the call itself names wins over the options of the call, and those over the options of the client. */
  private addMoment(rest: Record<string, unknown>, options: CallOptions): void {
    if (options.receipt !== undefined && rest['receipt'] === undefined) rest['receipt'] = options.receipt
    if (rest['as_of'] !== undefined || rest['release'] !== undefined) return
    const from = options.asOf !== undefined || options.release !== undefined ? options : this.options
    if (from.asOf !== undefined) rest['as_of'] = from.asOf
    if (from.release !== undefined) rest['release'] = from.release
  }

  private async send(row: OperationRow, url: string, body: unknown, options: CallOptions, kind: OperationRow['answer']): Promise<Received> {
    const { retries = defaults.retries, maxWaitMs = defaults.maxWaitMs } = this.options
    const headers = this.headersOf(row, body, options)
    const stored = row.method === 'GET' && kind === 'json' ? this.store.get(url) : null
    if (stored !== null) headers.set('if-none-match', stored.etag)
    const safe = row.method === 'GET' || row.method === 'PUT' || row.method === 'DELETE' || headers.has('idempotency-key')
    let waited = 0
    for (let attempt = 0; ; attempt += 1) {
      let wait: number | null
      try {
        const response = await this.attempt(row.method, url, headers, body, options.signal)
        if (response.status === 304 && stored !== null) return { ...stored, status: 200, headers: response.headers, fromCache: true }
        if (response.ok) return await this.receive(response, url, kind)
        const error = await readError(response)
        // A request that was refused with 429 was not carried out, so that it can be repeated whatever it does.
        wait = repeated.has(response.status) && (safe || response.status === 429) ? waitOf(error.retryAfterSeconds, attempt) : null
        if (wait === null || attempt >= retries || waited + wait > maxWaitMs) throw error
      } catch (error) {
        if (error instanceof CrossfileError || options.signal?.aborted) throw error
        wait = safe ? waitOf(null, attempt) : null
        if (wait === null || attempt >= retries || waited + wait > maxWaitMs) throw error
      }
      waited += wait
      await pause(wait, options.signal)
    }
  }

  private headersOf(row: OperationRow, body: unknown, options: CallOptions): Headers {
    const headers = new Headers({ accept: row.answer === 'json' ? 'application/json' : '*/*' })
    if (this.options.apiKey !== undefined) headers.set('authorization', `Bearer ${this.options.apiKey}`)
    if (body !== undefined && !(body instanceof FormData))
      headers.set('content-type', typeof body === 'string' ? 'text/csv' : (row.media ?? 'application/json'))
    if (row.idempotent) headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID())
    return headers
  }

  private async attempt(method: string, url: string, headers: Headers, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs ?? defaults.timeoutMs)
    const send = this.options.fetch ?? fetch
    return await send(url, {
      method,
      headers,
      // A key is never sent on to another address.
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body: body instanceof FormData || typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  private async receive(response: Response, url: string, kind: OperationRow['answer']): Promise<Received> {
    const { status, headers } = response
    if (kind === 'none' || status === 204) return { status, text: null, data: null, headers, fromCache: false }
    if (kind === 'bytes') return { status, text: null, data: new Uint8Array(await response.arrayBuffer()), headers, fromCache: false }
    const text = await response.text()
    if (kind === 'text') return { status, text, data: text, headers, fromCache: false }
    const data: unknown = JSON.parse(text)
    const etag = headers.get('etag')
    if (etag !== null) this.store.put(url, { text, etag, data, headers })
    return { status, text, data, headers, fromCache: false }
  }
}

function answerOf<T>({ status, text, data, headers, fromCache }: Received): Answer<T> {
  const body = (typeof data === 'object' && data !== null ? data : {}) as { release?: unknown; as_of?: unknown; receipt_id?: unknown }
  return {
    data: data as T,
    text,
    status,
    release: typeof body.release === 'number' ? body.release : null,
    asOf: typeof body.as_of === 'string' ? body.as_of : null,
    receiptId: typeof body.receipt_id === 'string' ? body.receipt_id : headers.get('x-receipt-id'),
    etag: headers.get('etag'),
    requestId: headers.get('x-request-id'),
    fromCache,
  }
}

/** Milliseconds until the next attempt: what the service names, otherwise 0.5 s doubled each time, with up to a quarter more. */
function waitOf(retryAfterSeconds: number | null, attempt: number): number {
  if (retryAfterSeconds !== null) return Math.max(0, retryAfterSeconds) * 1000
  return 500 * 2 ** attempt * (1 + Math.random() / 4)
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

// Calls operations over HTTP against a running Crossfile, for `crossfile eval --api`. It connects to the address that the operator
// gives and follows no redirect.
import { BadRequest, Upstream } from '#schemas/errors.ts'
import type { CallOperation } from '#schemas/operation-calls.ts'
import { operationOf } from '#schemas/operations.ts'

const timeoutMs = 30_000

/** `base`: the address of the service; `key`: an API key for its operations. */
export function serviceCalls(base: string, key: string): CallOperation {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new BadRequest(`--api ${base}: expected an address such as http://127.0.0.1:8080`)
  return async ({ operation, parameters, body }, { signal, signed }) => {
    const { method, path: template, question } = operationOf(operation)
    const query = new URLSearchParams()
    let path: string = template
    for (const [name, value] of Object.entries(parameters)) {
      const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
      if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, () => encodeURIComponent(text))
      else query.set(name, text)
    }
    if (signed && 'receipt' in question.shape) query.set('receipt', '1')
    const url = query.size === 0 ? path : `${path}?${query}`
    const response = await fetch(new URL(url, base), {
      method,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new Upstream(`${base} does not answer`, { cause, hint: 'give --api the address that `crossfile start` printed' })
    })
    const text = await response.text()
    const answer = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (response.status === 401) throw new BadRequest('the service does not accept the key', { hint: 'give a valid key in CROSSFILE_API_KEY' })
    if (!response.ok) {
      const detail = typeof answer['detail'] === 'string' ? answer['detail'] : JSON.stringify(answer['detail'])
      const hint = typeof answer['hint'] === 'string' ? { hint: answer['hint'] } : {}
      return {
        ok: false,
        status: response.status,
        error: { detail, code: String(answer['code'] ?? 'internal_error'), docs: String(answer['docs'] ?? ''), ...hint },
      }
    }
    const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
    return {
      ok: true,
      name: `${method} ${url}`,
      url,
      text,
      release: typeof answer['release'] === 'number' ? answer['release'] : null,
      as_of: textOf(answer['as_of']),
      receipt_id: response.headers.get('x-receipt-id'),
    }
  }
}

/** A response of the service that is not a success. `hint` names what to change; `docs` is the page of the operation. */
export class CrossfileError extends Error {
  override readonly name = 'CrossfileError'
  constructor(
    readonly status: number,
    /** Stable code such as `not_found`, `bad_request` or `rate_limited`; null if the answer has none. */
    readonly code: string | null,
    readonly detail: string,
    readonly hint: string | null,
    readonly docs: string | null,
    readonly requestId: string | null,
    /** Seconds after which the same request may succeed; null if the service names none. */
    readonly retryAfterSeconds: number | null,
    /** The faults of a body, if the status is 422. */
    readonly faults: readonly Fault[],
  ) {
    super(`${status}${code === null ? '' : ` ${code}`}: ${detail}${hint === null ? '' : ` (${hint})`}`)
  }
}
export type Fault = { readonly loc: readonly (string | number)[]; readonly msg: string; readonly type: string }

/** The error of a response; a body that is not JSON becomes the detail. */
export async function readError(response: Response): Promise<CrossfileError> {
  const text = await response.text()
  const body = parse(text)
  const { detail, code, hint, docs } = body
  const faults = Array.isArray(detail) ? (detail as Fault[]) : []
  const words = faults.map(each => `${each.loc.join('.')}: ${each.msg}`).join('; ')
  return new CrossfileError(
    response.status,
    textOf(code),
    typeof detail === 'string' ? detail : words || text.slice(0, 500) || response.statusText,
    textOf(hint),
    textOf(docs),
    response.headers.get('x-request-id'),
    retryAfter(response.headers),
    faults,
  )
}
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** RFC 9110, section 10.2.3: seconds, or an HTTP date. */
function retryAfter(headers: Headers): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  if (/^\d+$/.test(value)) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000)
}

// The body of a request against the schema of its operation.
import { BadRequest } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { withValidation } from './plugins/errors.ts'

/** What is wrong with a member. A name that is none may be a whole body in a wrong form, with a password in it: it is not repeated. */
function messageOf(issue: { readonly code: string; readonly message: string; readonly keys?: readonly string[] }): string {
  const plain = issue.code !== 'unrecognized_keys' || issue.keys?.every(name => /^[\w-]{1,64}$/.test(name))
  return plain ? issue.message.slice(0, 500) : 'a member of this name is not read here'
}

/** The body with its defaults filled in. Throws `BadRequest` (422) that lists at most 50 fields with what was expected of each. */
export function checkBody(operation: Operation, body: unknown): unknown {
  if (operation.body === null || operation.raw_body) return body
  const parsed = operation.body.safeParse(body)
  if (parsed.success) return parsed.data
  if (body === undefined) {
    const form = operation.body_media.includes('multipart/form-data')
    const hint = form ? 'send a form: curl -F file=@report.pdf' : 'send JSON with Content-Type: application/json'
    const missing = new BadRequest('the request has no body', { status: 422, code: 'validation_error', hint })
    throw withValidation(missing, [{ loc: ['body'], msg: 'the request has no body', type: 'missing' }])
  }
  const items = parsed.error.issues.slice(0, 50).map(issue => ({
    loc: ['body', ...issue.path.map(part => (typeof part === 'number' ? part : String(part).slice(0, 64)))],
    msg: messageOf(issue),
    type: issue.code,
  }))
  const error = new BadRequest(`${items.length} fields of the body are not as described`, {
    status: 422,
    code: 'validation_error',
    hint: `correct ${items[0]?.loc.join('.') ?? 'the body'}: ${items[0]?.msg ?? ''}`,
  })
  throw withValidation(error, items)
}

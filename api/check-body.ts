// Checks the body of a request against the schema of its operation.
import { BadRequest } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { withValidation } from './plugins/errors.ts'
import { faultType, issueWords } from './plugins/issue-words.ts'

/** The body with its defaults filled in. Throws `BadRequest` (422) that lists at most 50 fields with the expected values. */
export function checkBody(operation: Operation, body: unknown): unknown {
  if (operation.body === null || operation.raw_body) return body
  const parsed = operation.body.safeParse(body, { error: issueWords })
  if (parsed.success) return parsed.data
  if (body === undefined) {
    const form = operation.body_media.includes('multipart/form-data')
    const hint = form ? 'send a form: curl -F file=@report.pdf' : 'send JSON with Content-Type: application/json'
    const missing = new BadRequest('the request has no body', { status: 422, code: 'validation_error', hint })
    throw withValidation(missing, [{ loc: ['body'], msg: 'the request has no body', type: 'missing' }])
  }
  const items = parsed.error.issues.slice(0, 50).map(issue => ({
    loc: ['body', ...issue.path.map(part => (typeof part === 'number' ? part : String(part).slice(0, 64)))],
    msg: issue.message.slice(0, 500),
    type: faultType(issue),
  }))
  // A misspelled member explains why another one is missing.
  const first = items.find(item => item.type === 'unknown_member' && item.msg.includes('did you mean')) ?? items[0]
  const error = new BadRequest(`${items.length} fields of the body are not as described`, {
    status: 422,
    code: 'validation_error',
    hint: `correct ${first?.loc.join('.') ?? 'the body'}: ${first?.msg ?? ''}`,
  })
  throw withValidation(error, items)
}

// `/answer`: the data behind a section of a page as CSV or JSON, or its receipt, requested in the visitor's name. A browser has no API key,
// so links to operations that need one lead here.

import { BadRequest } from '#schemas/errors.ts'
import { isCallable } from '#schemas/operation-calls.ts'
import { requestedOperation } from '#schemas/operations/find-operation.ts'
import { question } from '#schemas/operations/operation.ts'
import { oneOf, text } from '#schemas/operations/parameters.ts'
import { type OperationId, operationOf, operations } from '#schemas/operations.ts'
import { mediaTypes, renderFormat } from '../plugins/formats.ts'
import { missing, notice } from './components/notice.ts'
import { pageHead, receiptPath } from './components/parts.ts'
import { html } from './html.ts'
import { page } from './page.ts'

const readable = operations.filter(each => isCallable(each) && each.method === 'GET')
/** The operation for a path with parameters in it; null if there is none, or if the path is not encoded correctly. */
function operationAt(path: string): ReturnType<typeof requestedOperation<(typeof readable)[number]>> {
  try {
    return requestedOperation(readable, `GET ${path}`)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}
const sample = '/api/v1/market/eod/GLPR.TO?limit=5'

export const answerPage = page('/answer', 'Answer', {
  summary: 'The data behind a section of a page: rows as CSV, the JSON answer, or its receipt.',
  width: 'text',
  question: question({
    of: text('path and query of the answer', 4096, sample),
    as: oneOf('what to return', ['csv', 'json', 'receipt'], 'json').default('json'),
  }),
  operations: readable.map(({ id }) => id as OperationId),
  sample: `/answer?as=csv&of=${encodeURIComponent(sample)}`,
  async render({ question: { of, as }, ask, base_url }) {
    const [path = '', query = ''] = of.split('?', 2)
    const found = operationAt(path)
    if (!found) throw new BadRequest(`of: no operation that reads is at ${path}`, { hint: 'follow a link of a page to its data' })
    const id = found.operation.id as OperationId
    const parameters = { ...Object.fromEntries(new URLSearchParams(query)), ...found.parameters }
    const outcome = await ask(id, parameters, { signed: as === 'receipt', seconds: 15 })
    if (!outcome.ok) return { main: html`${pageHead('This answer is missing')}${missing(outcome, operationOf(id).summary)}`, status: outcome.status }
    if (as === 'json') return { data: outcome.text, media_type: 'application/json; charset=utf-8' }
    if (as === 'csv') {
      const context = { baseUrl: base_url, createdBy: 'crossfile', notes: [] }
      const { body, headers } = await renderFormat(operationOf(id), 'csv', Buffer.from(outcome.text), outcome.name, context)
      return { data: body, media_type: mediaTypes.csv, headers }
    }
    if (outcome.receipt_id !== null) return { redirect: receiptPath(outcome.receipt_id) }
    const reason = (outcome.value as { readonly unsigned_reason?: string } | null)?.unsigned_reason
    return {
      main: html`${pageHead('There is no receipt')}${notice(
        'warn',
        reason === 'no_signing_key'
          ? 'The service has no usable signing key at the moment. Its operator was notified. The answer itself is the same.'
          : reason === 'not_signed_in_time'
            ? 'The answer was not signed in time. Load this page again.'
            : 'Answers of this kind are not signed.',
      )}`,
    }
  },
})

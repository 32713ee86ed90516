// Calls of operations over one release of the lake, without the HTTP layer, for `crossfile eval` and tests. Answers of the lake and the
// calculators are built as in the API. Nothing is signed, and operations on users or on the running service are 404.

import { BlueSkyCheckRequest, DelistingRiskRequest, FTSCalculateRequest } from '#schemas/compliance.ts'
import { cursorRelease } from '#schemas/cursor.ts'
import { midnight } from '#schemas/days.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { type CallOperation, isCallable, type OperationCall, type OperationOutcome } from '#schemas/operation-calls.ts'
import { canonicalName, canonicalQuery, inputSha256 } from '#schemas/operations/canonical.ts'
import { type Operation, operationOf } from '#schemas/operations.ts'
import { buildDelisting } from '../answers/delisting.ts'
import { buildPayload, completeQuestion, isLakeOperation } from '../answers/index.ts'
import type { QuestionOf } from '../answers/types.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { blueSkyBody, blueSkySources } from '../rules/blue-sky/body.ts'
import { checkBlueSky } from '../rules/blue-sky/check.ts'
import { flowThroughBody, flowThroughSources } from '../rules/flow-through/body.ts'
import { calculateFlowThrough } from '../rules/flow-through/calculate.ts'
import { blueSkyRules } from '../rulesets/blue-sky/rules.ts'
import { flowThroughRules } from '../rulesets/flow-through/rules.ts'

/** Answers from `context`; `now` is the data clock's instant. */
export function lakeCalls(context: ReleaseContext, now: Date): CallOperation {
  return async (call, { signal }) => {
    signal.throwIfAborted()
    try {
      return await outcomeOf(context, call, now)
    } catch (error) {
      if (error instanceof CrossfileError) return failed(error.status, error.message, error.code, error.hint)
      throw error
    }
  }
}

const failed = (status: number, detail: string, code: string, hint: string | undefined): OperationOutcome => ({
  ok: false,
  status,
  error: { detail, code, docs: '', ...(hint === undefined ? {} : { hint }) },
})

async function outcomeOf(context: ReleaseContext, call: OperationCall, now: Date): Promise<OperationOutcome> {
  const operation = operationOf(call.operation)
  if (!isCallable(operation)) return failed(404, `${operation.id} cannot be called`, 'not_found', undefined)
  const texts = Object.fromEntries(
    Object.entries(call.parameters).map(([name, value]) => [name, typeof value === 'boolean' ? (value ? '1' : '0') : String(value)]),
  )
  const parsed = operation.question.safeParse(texts)
  if (!parsed.success)
    return failed(400, parsed.error.issues.map(each => `${each.path.join('.')}: ${each.message}`).join('; '), 'bad_request', undefined)
  const body = operation.body === null ? null : operation.body.safeParse(call.body)
  if (body?.success === false)
    return failed(422, body.error.issues.map(each => `${each.path.join('.')}: ${each.message}`).join('; '), 'validation_error', undefined)
  const question = parsed.data as Readonly<Record<string, unknown>>
  if (isLakeOperation(operation.id)) return await lakeOutcome(context, operation, question, body?.data, now)
  const built = await calculated(operation.id, context, body?.data)
  if (built === null) return failed(404, `${operation.id} is answered by a running service only`, 'not_found', 'give --api with the address of one')
  const text = JSON.stringify({ ...built.body, as_of: built.as_of, release: built.release, sources: built.sources })
  return {
    ok: true,
    name: canonicalName(operation.method, operation.path, question),
    url: urlOf(operation, question),
    text,
    release: built.release,
    as_of: built.as_of,
    receipt_id: null,
  }
}

async function lakeOutcome(
  context: ReleaseContext,
  operation: Operation,
  question: Readonly<Record<string, unknown>>,
  body: unknown,
  now: Date,
): Promise<OperationOutcome> {
  const id = operation.id
  if (!isLakeOperation(id)) return failed(404, `${id} is not answered from the lake`, 'not_found', undefined)
  const { release: _release, receipt: _receipt, ...rest } = question
  const cursor = typeof rest['cursor'] === 'string' ? cursorRelease(rest['cursor']) : null
  if (cursor !== null && cursor !== context.lake.release) return failed(400, 'the cursor belongs to another release', 'bad_request', undefined)
  const instant = now.toISOString()
  const requested = {
    ...completeQuestion(id, rest, { now: instant, pinned: false }),
    ...(body === undefined || operation.body === null ? {} : { input_sha256: inputSha256(body), body }),
  }
  const payload = await buildPayload(id, context, requested as unknown as QuestionOf<typeof id>, instant)
  if (payload === null) return failed(404, `${id} knows nothing of this`, 'not_found', undefined)
  return {
    ok: true,
    name: canonicalName(operation.method, operation.path, rest),
    url: urlOf(operation, rest),
    text: payload.payload.toString('utf8'),
    release: payload.release,
    as_of: payload.as_of,
    receipt_id: null,
  }
}

function urlOf({ method, path }: Operation, question: Readonly<Record<string, unknown>>): string {
  const filled =
    canonicalName(method, path, question)
      .slice(method.length + 1)
      .split('?', 1)[0] ?? ''
  const query = canonicalQuery(Object.fromEntries(Object.entries(question).filter(([name]) => !path.includes(`{${name}}`))))
  return query === '' ? filled : `${filled}?${query}`
}

type Calculated = { readonly body: object; readonly sources: readonly unknown[]; readonly as_of: string; readonly release: number | null }
const publishedAt = (published: string): string => midnight(published)
async function calculated(id: string, context: ReleaseContext, body: unknown): Promise<Calculated | null> {
  if (id === 'check_blue_sky') {
    const rules = blueSkyRules(undefined)
    const found = checkBlueSky(BlueSkyCheckRequest.parse(body), rules)
    return { body: blueSkyBody(found, rules), sources: blueSkySources(found, rules), as_of: publishedAt(rules.published), release: null }
  }
  if (id === 'calculate_flow_through') {
    const rules = flowThroughRules(undefined)
    const found = calculateFlowThrough(FTSCalculateRequest.parse(body), rules)
    return { body: flowThroughBody(found, rules), sources: flowThroughSources(found, rules), as_of: publishedAt(rules.published), release: null }
  }
  if (id === 'check_delisting_risk') return await buildDelisting(context, DelistingRiskRequest.parse(body), undefined)
  return null
}

// Operations that the model can call inside the worker: the builders of pages, at the newest release. Only operations of the lake can be
// called; every signed-in user may read them.
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import type { CallOperation, OperationOutcome } from '#schemas/operation-calls.ts'
import { canonicalName, canonicalQuery, inputSha256 } from '#schemas/operations/canonical.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import type { Operation } from '#schemas/operations.ts'
import { buildPayload, completeQuestion, isLakeOperation } from '#warehouse/answers/index.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { spliceReceiptId } from '#warehouse/store/receipts/receipt.ts'
import type { IngestTools } from '../../ingest/ingest.ts'
import { signAndStore } from '../../ingest/sign-answer.ts'

/** Maximum length of an answer to a model's call. */
const mostBytes = 8 * 1024 * 1024

const table = new Map((lakeOperations as readonly Operation[]).filter(each => isLakeOperation(each.id)).map(each => [each.id, each]))
const docs = '/api/v1/public/docs'

/** `now`: the data clock's instant. Rejects with the signal's reason; every other failure is an outcome. */
export function createWorkerCalls(tools: IngestTools, now: () => Date): CallOperation {
  async function answer(id: string, parameters: Readonly<Record<string, unknown>>, body: unknown, signed: boolean): Promise<OperationOutcome> {
    const operation = table.get(id)
    if (!operation || !isLakeOperation(id)) return failed(404, 'not_found', `no operation "${id.slice(0, 60)}" can be called here`)
    const read = operation.question.safeParse(textsOf(parameters))
    if (!read.success) {
      const [issue] = read.error.issues
      return failed(400, 'bad_request', `${String(issue?.path[0] ?? 'parameters')}: ${issue?.message ?? 'not as described'}`)
    }
    const posted = operation.body === null ? null : operation.body.safeParse(body)
    if (posted?.success === false) return failed(422, 'validation_error', posted.error.issues[0]?.message ?? 'the body is not as described')
    const plain: Record<string, unknown> = { ...(read.data as Record<string, unknown>) }
    delete plain['receipt']
    delete plain['release']
    const given = posted ? { ...plain, input_sha256: inputSha256(posted.data) } : plain
    // The canonical question, completed with what it leaves open.
    const question = completeQuestion(id, given, { now: now().toISOString(), pinned: false })
    const { db, writer } = tools
    const catalogue = await loadCatalogue(db)
    // This instant is after every fact of the release, so its listings are read once, not once a second.
    const asOf = typeof plain['as_of'] === 'string' ? plain['as_of'] : null
    const known = await tools.contexts(openLake(catalogue, writer.connections, writer.verifier), asOf)
    const context = tools.models ? { ...known, models: tools.models } : known
    const wanted = posted ? { ...question, body: posted.data } : question
    const payload = await buildPayload(id, context, wanted as never, now().toISOString())
    if (payload === null) return failed(404, 'not_found', 'nothing is known of what the parameters name')
    if (payload.payload.length > mostBytes) return failed(413, 'payload_too_large', 'the answer is too long: ask for less, such as fewer days')
    const receipt_id = signed ? await signAndStore(tools, operation, question, payload, context) : null
    const text = (receipt_id === null ? payload.payload : spliceReceiptId(payload.payload, receipt_id)).toString('utf8')
    const query: Record<string, unknown> = { ...plain }
    for (const name of Object.keys(query)) if (operation.path.includes(`{${name}}`)) delete query[name]
    const name = canonicalName(operation.method, operation.path, question)
    const path = name.slice(operation.method.length + 1).split('?', 1)[0] ?? ''
    const search = canonicalQuery(query)
    return { ok: true, name, url: search === '' ? path : `${path}?${search}`, text, release: payload.release, as_of: payload.as_of, receipt_id }
  }

  return async ({ operation, parameters, body }, { signal, signed }) => {
    signal.throwIfAborted()
    try {
      const outcome = await answer(operation, parameters, body, signed)
      signal.throwIfAborted()
      return outcome
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof BadRequest) return failed(error.status, error.code, error.message, error.hint)
      if (error instanceof CrossfileError && error.status < 500) return failed(error.status, error.code, error.message, error.hint)
      if (error instanceof CrossfileError && error.status === 503) return failed(503, error.code, error.message, error.hint)
      throw error
    }
  }
}

const textsOf = (parameters: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, typeof value === 'boolean' ? (value ? '1' : '0') : String(value)]))

const failed = (status: number, code: string, detail: string, hint?: string): OperationOutcome => ({
  ok: false,
  status,
  error: { detail, code, docs, ...(hint === undefined ? {} : { hint }) },
})

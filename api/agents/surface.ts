// The tools, resources and prompts of an agent endpoint. Each message gets a new server without state.
import type { CallToolResult, Server } from '@modelcontextprotocol/server'
import { type AgentPrompt, type AgentTool, maxResultTokens } from '#schemas/agent-tools.ts'
import { cacheLimits } from '#schemas/cache-limits.ts'
import { CrossfileError } from '#schemas/errors.ts'
import type { CallOperation, OperationError, OperationOutcome } from '#schemas/operation-calls.ts'
import { printable } from '#schemas/operations/parameters.ts'
import { type Operation, operationOf } from '#schemas/operations.ts'
import { type DescribedTool, describeTool, namesIn, type ReadCall, readArguments } from './arguments.ts'
import { hintForAgents } from './hints.ts'
import { type Ambiguous, lookupCall, resolveNames, suggest } from './names.ts'
import type { Sdk } from './protocol.ts'
import { cutMark, type Shaped, type Shaping, shapeResult } from './results.ts'

export type Surface = {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly instructions: string
  readonly tools: readonly AgentTool[]
  readonly prompts: readonly AgentPrompt[]
  readonly docs: () => string
}
/** A call that takes longer returns an error. */
const callMs = 30_000
/** The lists change only with a version of this service. */
const listHint = { ttlMs: 3_600_000, cacheScope: 'public' } as const
const sectionLength = 12_000

export type ServerMaker = (sdk: Sdk, call: CallOperation) => Server

/** Creates the servers of one endpoint. The descriptions are built once, with the first server. */
export function createSurface(surface: Surface): ServerMaker {
  let described: readonly DescribedTool[] | null = null
  const tools = new Map(surface.tools.map(tool => [tool.name, tool]))
  const prompts = new Map(surface.prompts.map(prompt => [prompt.name, prompt]))

  return (sdk, call) => {
    const { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } = sdk
    const server = new Server(
      { name: surface.name, title: surface.title, version: surface.version },
      {
        capabilities: { tools: {}, resources: {}, prompts: {} },
        instructions: surface.instructions,
        cacheHints: {
          'tools/list': listHint,
          'prompts/list': listHint,
          'resources/list': listHint,
          'resources/templates/list': listHint,
          'server/discover': listHint,
        },
      },
    )
    server.setRequestHandler('tools/list', () => {
      described ??= surface.tools.map(describeTool)
      return { tools: [...described] }
    })
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = tools.get(params.name)
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${printable(params.name)}`)
      return await callTool(tool, params.arguments ?? {}, call, mcpReq.signal)
    })
    server.setRequestHandler('resources/list', () => ({ resources: [] }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...templates] }))
    server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) => {
      const wanted = resourceCall(params.uri)
      if (!wanted) throw new ResourceNotFoundError(params.uri.slice(0, 200))
      const outcome = await call(wanted, { signal: limited(mcpReq.signal), signed: false })
      if (!outcome.ok) {
        if (outcome.status === 404 || outcome.status === 400) throw new ResourceNotFoundError(params.uri.slice(0, 200), outcome.error.detail)
        throw new ProtocolError(ProtocolErrorCode.InternalError, outcome.error.detail, outcome.error)
      }
      const operation = operationOf(wanted.operation)
      const text = resourceText(params.uri, outcome, operation)
      return { contents: [{ uri: params.uri, mimeType: 'application/json', text, _meta: metaOf(outcome, operation) }] }
    })
    server.setRequestHandler('prompts/list', () => ({
      prompts: surface.prompts.map(({ name, title, description, arguments: taken }) => ({
        name,
        title,
        description,
        arguments: taken.map(({ name: argument, description: about, required }) => ({ name: argument, description: about, required })),
      })),
    }))
    server.setRequestHandler('prompts/get', ({ params }) => {
      const prompt = prompts.get(params.name)
      if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${printable(params.name)}`)
      const text = fillPrompt(prompt, params.arguments ?? {}, fault => new ProtocolError(ProtocolErrorCode.InvalidParams, fault))
      return { description: prompt.description, messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] }
    })
    return server
  }

  function forAgents(error: OperationError): OperationError {
    return error.hint === undefined ? error : { ...error, hint: hintForAgents(error.hint, surface.tools) }
  }

  async function callTool(
    tool: AgentTool,
    given: Readonly<Record<string, unknown>>,
    call: CallOperation,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const bounded = limited(signal)
    try {
      const read = readArguments(tool, given)
      const ask = lookupCall(call, bounded)
      const names = namesIn(read)
      const resolution = await resolveNames(read.call, names, ask)
      if (resolution.kind === 'candidates') return candidatesResult(resolution.result, surface.docs())
      const outcome = await call(resolution.call, { signal: bounded, signed: read.signed })
      const missing = outcome.ok ? isEmptySeries(read, outcome) : outcome.status === 404
      if (missing) {
        const found = await suggest(names, ask)
        if (found && !found.candidates.some(each => names.some(({ text }) => text.toUpperCase() === each['symbol'])))
          return candidatesResult(found, surface.docs())
      }
      if (!outcome.ok) return errorResult(forAgents(outcome.error))
      if (missing) {
        const unknown = await ask({ operation: 'get_symbol', parameters: { symbol: String(resolution.call.parameters['symbol']) } })
        if (!unknown.ok && unknown.status === 404) return errorResult(unknown.error)
      }
      const more = resolution.resolved ? { resolved: resolution.resolved } : {}
      return await toolResult(tool, { ...read, call: resolution.call }, outcome, more, call, bounded)
    } catch (error) {
      signal.throwIfAborted()
      if (bounded.aborted)
        return errorResult({
          detail: `${tool.name} took longer than ${callMs / 1000} s`,
          code: 'upstream_unavailable',
          hint: 'ask for less, or later',
          docs: surface.docs(),
        })
      if (!(error instanceof CrossfileError)) throw error
      const { message, code, hint } = error
      return errorResult(forAgents({ detail: message, code, ...(hint === undefined ? {} : { hint }), docs: surface.docs() }))
    }
  }
}

/** If a list does not fit, it is requested again with the rows that fit, so that cursor, address and receipt belong to the rows that are shown. */
async function toolResult(
  tool: AgentTool,
  read: ReadCall,
  first: Extract<OperationOutcome, { ok: true }>,
  more: Record<string, unknown>,
  call: CallOperation,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { operation, view, fields, maxTokens } = read
  const shaping = { title: tool.title, operation, fields, defaultFields: fields === null ? (view.fields ?? null) : null, maxTokens, more }
  let outcome = first
  let shaped = shapeOnce(outcome, shaping)
  for (let again = 0; again < 4 && shaped.rowsShown !== null && shaped.rowsShown > 0 && 'limit' in operation.question.shape; again += 1) {
    const fewer = { ...read.call, parameters: { ...read.call.parameters, limit: shaped.rowsShown } }
    const next = await call(fewer, { signal, signed: read.signed })
    if (!next.ok) break
    outcome = next
    const noted = { ...more, rows_fitted: `limit lowered to ${shaped.rowsShown} so that the result fits max_tokens` }
    shaped = shapeOnce(outcome, { ...shaping, more: noted, before: shaped.rowCut })
  }
  return { content: [{ type: 'text', text: shaped.text }], structuredContent: shaped.structured, _meta: metaOf(outcome, operation) }
}

/** Cache of shaped results: to parse, shorten and count an answer takes longer than the rest of a call from memory. */
const shapedLast = new Map<string, { readonly text: string; readonly shaped: Shaped }>()
const longestShaped = 64 * 1024

function shapeOnce(outcome: Extract<OperationOutcome, { ok: true }>, shaping: Shaping): Shaped {
  const { title, fields, defaultFields, maxTokens, more, before } = shaping
  const key = JSON.stringify([title, outcome.url, outcome.release, fields, defaultFields, maxTokens, more, before])
  const held = shapedLast.get(key)
  // The same address can return other bytes a second later (quotes, status), so the text is part of the key.
  if (held?.text === outcome.text) return held.shaped
  const shaped = shapeResult(outcome, shaping)
  if (outcome.text.length <= longestShaped) {
    if (shapedLast.size >= cacheLimits.toolResults) shapedLast.delete(shapedLast.keys().next().value ?? '')
    shapedLast.set(key, { text: outcome.text, shaped })
  }
  return shaped
}

/** End-of-day of an unknown symbol is an empty series, not an error. */
function isEmptySeries({ view }: ReadCall, { text }: Extract<OperationOutcome, { ok: true }>): boolean {
  return view.operation === 'get_eod' && /"count":0[,}]/.test(text.slice(0, 400))
}

const limited = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(callMs)])

/**
 * `receipt` states how to get a receipt if there is none. To sign an answer that is not a page takes 100 to 700 ms and stores a copy, so it
 * is done on request only.
 */
function metaOf({ name, url, release, as_of, receipt_id }: Extract<OperationOutcome, { ok: true }>, operation: Operation): Record<string, unknown> {
  const receipt = receipt_id !== null ? 'signed' : operation.data ? 'unsigned: call again with receipt true' : 'none: nothing here is signed'
  return { dataset_version: release, receipt_id, receipt, as_of, operation: name, url }
}

function errorResult(error: OperationError): CallToolResult {
  const { detail, hint } = error
  return { isError: true, content: [{ type: 'text', text: hint === undefined ? detail : `${detail}. ${hint}` }], structuredContent: { ...error } }
}

function candidatesResult(found: Ambiguous, docs: string): CallToolResult {
  const lines = found.candidates.map(each => `- ${Object.values(each).filter(Boolean).join(', ')}`)
  const text = [`${found.detail}. ${found.hint}`, ...lines].join('\n')
  return { isError: true, content: [{ type: 'text', text }], structuredContent: { ...found, docs } }
}

const templates = [
  {
    uriTemplate: 'filing://{accession}',
    name: 'filing',
    title: 'Filing',
    description: 'Metadata and sections of a filing; filing://{accession}#item1a is the text of item 1A as untrusted_text, whose rest is at next_uri',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'receipt://{receipt_id}',
    name: 'receipt',
    title: 'Receipt',
    description: 'The signed statement of an answer',
    mimeType: 'application/json',
  },
] as const

/** A resource has the size of a tool's result; the rest of a section is at `next_uri`. */
function resourceText(uri: string, outcome: Extract<OperationOutcome, { ok: true }>, operation: Operation): string {
  const { structured } = shapeResult(outcome, { title: operation.id, operation, fields: null, defaultFields: null, maxTokens: maxResultTokens })
  const section = structured['section'] as
    | { readonly start: number; readonly next_start: number | null; readonly untrusted_text: string }
    | null
    | undefined
  const isCut = section?.untrusted_text.endsWith(cutMark) === true
  // Positions are counted in characters (code points), as the operation counts them.
  const next = isCut ? section.start + [...section.untrusted_text].length - cutMark.length : section?.next_start
  const rest = typeof next === 'number' ? { next_uri: uri.replace(/(?:\?start=\d+)?(?=#|$)/, `?start=${next}`) } : {}
  return JSON.stringify({ ...structured, ...rest })
}

/** The operation for the address of a resource; null if there is none. All addresses belong to this service. */
function resourceCall(uri: string): Parameters<CallOperation>[0] | null {
  const filing = /^filing:\/\/(\d{10}-?\d{2}-?\d{6})\/?(?:\?start=(\d{1,7}))?(?:#item[-_]?([0-9a-z]{1,3}(?:\.[0-9a-z]{1,2})?))?$/i.exec(uri)
  if (filing?.[1]) {
    const [, , start, item] = filing
    return {
      operation: 'get_filing_sections',
      parameters: { accession: filing[1], ...(item === undefined ? {} : { item, start: Number(start ?? 0), length: sectionLength }) },
    }
  }
  const receipt = /^receipt:\/\/(r1_[a-z2-7]{51}[aq])\/?$/.exec(uri)
  return receipt?.[1] ? { operation: 'get_receipt', parameters: { receipt_id: receipt[1] } } : null
}

/** The prompt with its arguments as JSON strings: quoted data, separate from the instructions. */
function fillPrompt({ name, arguments: taken, text }: AgentPrompt, given: Readonly<Record<string, unknown>>, fail: (fault: string) => Error): string {
  return taken.reduce((filled, { name: argument, required, maxLength }) => {
    const value = given[argument]
    if (value === undefined && required) throw fail(`prompt ${name}: ${argument} is missing`)
    if (value !== undefined && (typeof value !== 'string' || value.length > maxLength))
      throw fail(`prompt ${name}: ${argument} is a text of at most ${maxLength} characters`)
    return filled.replace(`{${argument}}`, () => (value === undefined ? '' : JSON.stringify({ [argument]: value })))
  }, text)
}

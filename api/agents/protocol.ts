// The Model Context Protocol over HTTP: one message in, one answer out. The SDK handles both generations of the protocol. Batches, invalid
// JSON and deep nesting are refused here, before the SDK. The SDK is loaded with the first message.
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { McpHttpHandler, McpServer, Server } from '@modelcontextprotocol/server'
import { BadRequest } from '#schemas/errors.ts'
import type { MessageAnswer } from '../handler.ts'
import { refuseUnstorable } from '../plugins/body-limits.ts'

export type Sdk = typeof import('@modelcontextprotocol/server')
type Message = {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly signal: AbortSignal
}
type Settings<Caller> = {
  /** A server for one message of one caller. */
  readonly serverFor: (sdk: Sdk, caller: Caller) => McpServer | Server
  /** Maximum number of open streams of subscriptions/listen; 0 if the lists never change. */
  readonly maxSubscriptions: number
  readonly failed: (error: Error) => void
}
export type Protocol<Caller> = (message: Message, caller: Caller) => Promise<MessageAnswer>

/** Headers that the protocol reads. Other headers, such as credentials, do not reach the SDK. */
const read = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'last-event-id'] as const
export const isProtocolHeader = (name: string): boolean => (read as readonly string[]).includes(name) || name.startsWith('mcp-param-')

let loading: Promise<Sdk> | null = null
const loadSdk = (): Promise<Sdk> => {
  loading ??= import('@modelcontextprotocol/server')
  return loading
}

/** Answers messages of the protocol with the servers that `serverFor` makes. */
export function createProtocol<Caller>({ serverFor, maxSubscriptions, failed }: Settings<Caller>): Protocol<Caller> {
  let made: Promise<McpHttpHandler> | null = null
  const make = async (): Promise<McpHttpHandler> => {
    const sdk = await loadSdk()
    return sdk.createMcpHandler(({ authInfo }) => serverFor(sdk, authInfo?.extra?.['caller'] as Caller), {
      legacy: 'stateless',
      onerror: failed,
      ...(maxSubscriptions > 0 ? { maxSubscriptions } : {}),
    })
  }
  return async ({ headers, text, signal }, caller) => {
    const message = parseMessage(text)
    if ('kind' in message) return message
    const { body } = message
    if (maxSubscriptions === 0 && isSubscription(body)) return jsonRpcError(404, -32601, 'Method not found', idOf(body))
    made ??= make()
    const { fetch } = await made
    const sent = new Headers()
    for (const [name, value] of Object.entries(headers)) if (typeof value === 'string' && isProtocolHeader(name)) sent.set(name, value)
    const request = new Request('http://agents.invalid/mcp', { method: 'POST', headers: sent, signal })
    const authInfo = { token: '', clientId: '', scopes: [], extra: { caller } }
    return await answerOf(await fetch(request, { authInfo, parsedBody: body }))
  }
}

/** The JSON of the message, or the answer that refuses it. */
function parseMessage(text: string): { readonly body: unknown } | MessageAnswer {
  let body: unknown
  try {
    body = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return jsonRpcError(400, -32700, 'Parse error: the body is no JSON', null)
  }
  if (Array.isArray(body)) return jsonRpcError(400, -32600, 'Invalid Request: batches are not accepted, send one message a request', null)
  if (typeof body !== 'object' || body === null) return jsonRpcError(400, -32600, 'Invalid Request: a message is a JSON object', null)
  try {
    refuseUnstorable(body)
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    return jsonRpcError(400, -32600, `Invalid Request: ${error.items?.[0]?.msg ?? error.message}`, idOf(body))
  }
  return { body }
}

const isSubscription = (body: unknown): boolean => (body as { method?: unknown }).method === 'subscriptions/listen'
function idOf(body: unknown): string | number | null {
  const { id } = body as { id?: unknown }
  return typeof id === 'string' ? id.slice(0, 256) : typeof id === 'number' ? id : null
}

function jsonRpcError(status: number, code: number, message: string, id: string | number | null): MessageAnswer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
  return { kind: 'message', status, media_type: 'application/json; charset=utf-8', body, headers: [] }
}

async function answerOf(response: Response): Promise<MessageAnswer> {
  const { status, body } = response
  const media_type = response.headers.get('content-type')
  const allow = response.headers.get('allow')
  const headers = allow === null ? [] : ['Allow', allow]
  if (media_type?.startsWith('text/event-stream') && body !== null) {
    const stream = Readable.fromWeb(body as WebStream)
    return { kind: 'message', status, media_type: 'text/event-stream; charset=utf-8', body: stream, headers: [...headers, 'X-Accel-Buffering', 'no'] }
  }
  const bytes = Buffer.from(await response.arrayBuffer())
  return { kind: 'message', status, media_type: bytes.length === 0 ? null : (media_type ?? 'application/json'), body: bytes, headers }
}

// The HTTP service of a witness: `POST /add-checkpoint`, and its state for people at `/`.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { answerAddCheckpoint, type WitnessAnswer, type WitnessTools } from './answer.ts'

/** A signed note has at most 64 KiB; the proof of the longest log 3 KiB. */
const MAX_BODY_BYTES = 72 * 1024

/** A server that answers for the witness, not yet listening. `now`: milliseconds since 1970. */
export function witnessServer(tools: WitnessTools, now: () => number): Server {
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 30_000, maxHeaderSize: 8_192 },
    (request, response) => {
      answer(tools, request, now).then(
        each => send(response, request, each),
        error => {
          tools.log('error', `a request failed: ${error instanceof Error ? error.message : String(error)}`)
          send(response, request, {
            status: 500,
            type: 'text/plain; charset=utf-8',
            body: 'this witness could not keep its state; nothing was cosigned\n',
          })
        },
      )
    },
  )
  server.maxConnections = 256
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })
  return server
}

async function answer(tools: WitnessTools, request: IncomingMessage, now: () => number): Promise<WitnessAnswer> {
  const { method = '', url = '' } = request
  const text = (status: number, body: string): WitnessAnswer => ({ status, type: 'text/plain; charset=utf-8', body: `${body}\n` })
  if (url === '/add-checkpoint') {
    if (method !== 'POST') return text(405, 'send a checkpoint with POST')
    const body = await readBody(request)
    if (body === null) return text(413, `a request has at most ${MAX_BODY_BYTES} bytes`)
    const decoded = decode(body)
    return decoded === null ? text(400, 'the request is not text in UTF-8') : answerAddCheckpoint(tools, decoded, Math.floor(now() / 1000))
  }
  if (url !== '/') return text(404, 'this witness has POST /add-checkpoint and /')
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'read this address with GET')
  return text(200, describeWitness(tools))
}

/** The key and the newest cosigned checkpoint of each log: what everyone may compare with the log. */
function describeWitness({ store, logs }: WitnessTools): string {
  const known = logs()
  const cosigned = store.list().filter(each => known.has(each.origin))
  return [store.vkey, '', ...cosigned.flatMap(({ note, line }) => [`${note.slice(0, note.lastIndexOf('\n\n') + 2)}${line}`])].join('\n').trimEnd()
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null // not UTF-8: the caller answers with 400
  }
}

/** Null if the body is longer than the limit; the rest is not read. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.byteLength
    if (bytes > MAX_BODY_BYTES) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function send(response: ServerResponse, request: IncomingMessage, { status, type, body }: WitnessAnswer): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 413 || status === 400 ? { connection: 'close' } : {}),
    ...(status === 405 ? { allow: request.url === '/' ? 'GET, HEAD' : 'POST' } : {}),
    ...(status === 503 ? { 'retry-after': '60' } : {}),
  })
  response.end(request.method === 'HEAD' ? '' : body)
}

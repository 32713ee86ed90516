// The HTTP server with its limits, and JSON errors for requests that Node would refuse in plain text.
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientError, rawErrorBytes } from './errors.ts'
import { apiPolicy, securityHeaders } from './headers.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void
type Settings = {
  /** Answers a request if it can do so synchronously; false: the request continues. */
  readonly answerFast: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly repeatedMessages: {
    /** True if `serve` may answer the request when its body has arrived. */
    readonly mayServe: (request: IncomingMessage) => boolean
    /** As `answerFast`; a request that continues has its whole body. */
    readonly serve: (request: IncomingMessage, response: ServerResponse) => boolean
  }
  readonly docs: () => string
  readonly nextId: (request: IncomingMessage | null) => string
  readonly connectionsPerAddress: number
  /** Peers that represent many clients: trusted proxies. The address of this machine is not limited. */
  readonly manyClients: (address: string) => boolean
}
export type Sockets = {
  readonly serve: (handle: Handle) => http.Server
  readonly clientError: (error: NodeJS.ErrnoException, socket: Socket) => void
}

export const serverBounds = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  // An idle process is woken for it: a slow client is closed at most so much later than the limits above.
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  // Without a Host header, Node sends an empty 400; this server sends a body.
  requireHostHeader: false,
  noDelay: true,
} as const
const maxConnections = 4_096

const tickMs = 250
/** The remaining part of a delay after a tick: a tenth of it after 5 seconds. */
const keptOfDelay = 0.89
const mostDelayMs = 60_000

/**
 * Extends the timeouts of clients by the time for which this process did not run its event loop: meanwhile requests wait unread, and their
 * clients are not slow. The returned function is called every `tickMs`.
 */
export function createLateness(server: Pick<http.Server, 'headersTimeout' | 'requestTimeout'>, monotonic: () => number): () => void {
  let due = monotonic() + tickMs
  let delay = 0
  return () => {
    const now = monotonic()
    delay = Math.min(mostDelayMs, Math.max(now - due, delay * keptOfDelay, 0))
    due = now + tickMs
    server.headersTimeout = serverBounds.headersTimeout + Math.round(delay)
    server.requestTimeout = serverBounds.requestTimeout + Math.round(delay)
  }
}

/** Calls `begin` when the first client connects, and `end` when the last connection is closed. */
function whileConnected(server: http.Server, begin: () => void, end: () => void): void {
  let open = 0
  server.on('connection', (socket: Socket) => {
    open += 1
    if (open === 1) begin()
    socket.once('close', () => {
      open -= 1
      if (open === 0) end()
    })
  })
}

/** Ticks while a connection is open: without any there is no timeout to extend, and an idle process is not woken. */
export function extendWhileConnected(server: http.Server, monotonic: () => number): void {
  let timer: NodeJS.Timeout | undefined
  whileConnected(
    server,
    () => {
      timer = setInterval(createLateness(server, monotonic), tickMs).unref()
    },
    () => clearInterval(timer),
  )
}

/** The longest interval that a timer of Node can have: 24.8 days. */
const neverMs = 2 ** 31 - 1

/**
 * Looks for slow clients only while there are any: Node does it at its interval for as long as a server listens, which wakes an idle process. Node
 * has no setting for this, but it begins its interval again in its listener of 'listening'. Where there is no such listener, Node's way remains.
 * Slow clients are looked for while the server closes too.
 */
export function checkWhileConnected(server: http.Server & { connectionsCheckingInterval?: number }): void {
  const everyMs = server.connectionsCheckingInterval
  const restart = server.listeners('listening').find(each => each.name === 'setupConnectionsTracking')
  if (restart === undefined || everyMs === undefined) return
  let isConnected = false
  const check = (ms: number): void => {
    isConnected = ms === everyMs
    server.connectionsCheckingInterval = ms
    if (server.listening) restart.call(server)
  }
  whileConnected(
    server,
    () => check(everyMs),
    () => check(neverMs),
  )
  // Node stops looking when a server closes, and a slow client would then hold up the close for as long as it likes.
  const close = server.close
  server.close = onClosed => {
    close.call(server, onClosed)
    if (isConnected) restart.call(server)
    return server
  }
  server.once('close', () => {
    server.connectionsCheckingInterval = neverMs
    restart.call(server)
  })
  // Before the server listens: its first interval is that of a server without clients.
  check(neverMs)
}

export function createSockets({ answerFast, repeatedMessages, docs, nextId, connectionsPerAddress, manyClients }: Settings): Sockets {
  return {
    serve(handle) {
      const server = http.createServer(serverBounds, (request, response) => {
        if (answerFast(request, response)) return
        if (!repeatedMessages.mayServe(request)) return handle(request, response)
        // After this tick, the part of the body that came with the headers can be read.
        process.nextTick(() => {
          if (!repeatedMessages.serve(request, response)) handle(request, response)
        })
      })
      server.maxConnections = maxConnections
      extendWhileConnected(server, () => performance.now())
      checkWhileConnected(server)
      // For an Expect other than 100-continue, Node would send an empty 417; this server ignores the header (RFC 9110, 10.1.1 allows it).
      server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => handle(request, response))
      const open = new Map<string, number>()
      server.on('connection', (socket: Socket) => {
        const address = socket.remoteAddress ?? ''
        if (address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1' || manyClients(address)) return
        const now = (open.get(address) ?? 0) + 1
        if (now > connectionsPerAddress) {
          socket.destroy()
          return
        }
        open.set(address, now)
        socket.once('close', () => {
          const left = (open.get(address) ?? 1) - 1
          if (left > 0) open.set(address, left)
          else open.delete(address)
        })
      })
      return server
    },
    clientError(error, socket) {
      if (error.code === 'ECONNRESET' || socket.destroyed) return
      if (socket.writable)
        socket.write(rawErrorBytes(clientError(error), docs(), nextId(null), [...securityHeaders, 'Content-Security-Policy', apiPolicy]))
      socket.destroySoon()
    },
  }
}

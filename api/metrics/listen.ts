// GET /metrics on a separate port, for a scraper on the operator's network. Off by default.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BadRequest } from '#schemas/errors.ts'

export type MetricsPort = { readonly address: string; close(): Promise<void> }

/** Listens; `page` creates the response to a scrape. Throws `BadRequest` if the port is in use. */
export async function listenMetrics(host: string, port: number, page: () => Promise<string>): Promise<MetricsPort> {
  const server = createServer({ maxHeaderSize: 8192, headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const known = (request.url ?? '').split('?', 1)[0] === '/metrics'
    if (!known || request.method !== 'GET') {
      response.writeHead(known ? 405 : 404, { 'Content-Type': 'text/plain; charset=utf-8', ...(known ? { Allow: 'GET' } : {}) })
      response.end('GET /metrics is all there is here\n')
      return
    }
    page().then(
      text => {
        response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' })
        response.end(text)
      },
      () => {
        response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' })
        response.end('the metrics could not be read\n')
      },
    )
  })
  server.maxConnections = 32
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE'
          ? new BadRequest(`port ${port} of ${host} is in use by another program`, { cause, hint: 'set CROSSFILE_METRICS_PORT to a free port' })
          : cause,
      ),
    )
    server.listen(port, host, resolve)
  })
  const { address, port: taken } = server.address() as AddressInfo
  return {
    address: `http://${address.includes(':') ? `[${address}]` : address}:${taken}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

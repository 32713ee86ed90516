// A plain server of documents that were rendered before: what an ingest is measured against costs as little as it can.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [file = ''] = process.argv.slice(2)
/** `{ "https://host/path": "text" }`, asked for as `/host/path`. */
const documents = new Map(
  Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>).map(([url, text]) => [
    url.slice('https:/'.length),
    Buffer.from(text, 'latin1'),
  ]),
)
const missing = Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>')

const server = createServer((request, response) => {
  // A key is part of the question, not of the document's address.
  const body = documents.get((request.url ?? '').replace(/[?&]api_token=[^&]*/, ''))
  if (body) response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length }).end(body)
  else response.writeHead(403, { 'content-type': 'application/xml', 'content-length': missing.length }).end(missing)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
process.once('SIGTERM', () => process.exit(0))

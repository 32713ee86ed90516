// Bare node:http: the same bytes and headers from memory, and 304 to whoever names the ETag. Nothing else is done.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [answerFile = '', headersFile = ''] = process.argv.slice(2)
const body = readFileSync(answerFile)
const headers = JSON.parse(readFileSync(headersFile, 'utf8')) as string[]
const etag = headers[headers.findIndex(text => text.toLowerCase() === 'etag') + 1]
const withoutBody = headers.filter((_, at) => !['content-length', 'content-type'].includes((headers[at - (at % 2)] as string).toLowerCase()))

const server = createServer((request, response) => {
  if (request.headers['if-none-match'] === etag) response.writeHead(304, withoutBody).end()
  else response.writeHead(200, headers).end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
process.once('SIGTERM', () => process.exit(0))

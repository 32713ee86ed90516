// The way to a model against a server of our own: one address, no redirect, no private network unless the operator named it.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createModelFetch } from './model-fetch.ts'

const seen: string[] = []
let server: Server
let base = ''
beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    if (request.url === '/v1/moved') response.writeHead(302, { location: 'https://evil.example/' }).end()
    else if (request.url === '/v1/long') response.end(Buffer.alloc(9 * 1024 * 1024))
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => void server.close())

it('reaches the configured address with its headers and body, and nothing else', async () => {
  const { fetch, close } = createModelFetch(base, true)
  const response = await fetch(`${base}/chat/completions`, { method: 'POST', headers: { authorization: 'Bearer k' }, body: '{}' })
  expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([200, 'application/json', { ok: true }])
  expect(seen).toEqual(['POST /v1/chat/completions Bearer k'])
  for (const other of [
    'https://evil.example/v1/x',
    base.replace('/v1', '/v2/x'),
    `${base}/../admin`,
    `${base.replace('http://', 'http://user:pass@')}/x`,
    `${base}x/y`,
  ])
    await expect(fetch(other)).rejects.toThrow('is not below')
  expect(seen).toHaveLength(1)
  await close()
})
it('follows no redirect and reads no endless answer', async () => {
  const { fetch, close } = createModelFetch(base, true)
  await expect(fetch(`${base}/moved`)).rejects.toThrow('redirect')
  await expect(fetch(`${base}/long`)).rejects.toThrow('longer than')
  await close()
})
it('does not reach this machine or a private network at an address that the operator did not name', async () => {
  const local = createModelFetch(base, false)
  await expect(local.fetch(`${base}/x`)).rejects.toThrow('not https on port 443')
  await local.close()
  const inside = createModelFetch('https://api.example.com/v1', false, async () => [{ address: '10.0.0.1', family: 4 }])
  await expect(inside.fetch('https://api.example.com/v1/messages')).rejects.toThrow('not a public address')
  await inside.close()
})

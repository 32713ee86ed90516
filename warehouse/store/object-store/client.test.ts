// The client against a server of its own, for what the servers of other tests do seldom.
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createS3Client, listObjects, type S3Client } from './client.ts'

const content = Buffer.alloc(100_000, 'a')
let server: Server
let endpoint: string
beforeAll(async () => {
  server = createServer(socket =>
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\nConnection: close\r\n\r\n`)
      socket.end(content)
    }),
  )
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(() => void server.close())

// With undici 7 the process ended with an assertion (nodejs/undici#5360).
test('a body that waits for its reader is whole after the server has closed the connection', async () => {
  const settings = { endpoint, region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b', sessionToken: null }
  const { status, body } = await createS3Client('s3://bucket', settings).stream('name', new AbortController().signal)
  // The connection is closed within this time on most machines; on others the test shows less.
  await sleep(100)
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part as Buffer)
  expect([status, Buffer.concat(parts).equals(content)]).toEqual([200, true])
})

const page = (keys: readonly string[]): string =>
  `<?xml version="1.0"?><ListBucketResult xmlns="a"><IsTruncated>false</IsTruncated>${keys.map(key => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')}</ListBucketResult>`
/** The names of a list whose pages have these texts, one for each request. */
async function listed(...texts: readonly string[]): Promise<string[]> {
  const left = [...texts]
  const send = async () => ({ status: 200, headers: {}, body: Buffer.from(left.shift() ?? '') })
  const client = { address: 's3://bucket', prefix: '', send } as unknown as S3Client
  const names: string[] = []
  for await (const { key } of listObjects(client, '', () => new Error('refused'))) names.push(key)
  return names
}
const proxyPage = '<html>Sign in</html>'
const half = page(['a', 'b']).slice(0, -60)

test.each(['', proxyPage, half])('a page of a list that is not whole (%j) is requested again', async text => {
  expect(await listed(text, page(['a', 'b']))).toEqual(['a', 'b'])
})
test('a list that is never whole is a failure and not a list of fewer objects', async () => {
  await expect(listed(half, half, half)).rejects.toThrow('s3://bucket: a list of its objects is not whole, 3 times')
})
test.each([page([]), '<ListBucketResult xmlns="a"/>\n'])('an empty list (%j) is one', async text => {
  expect(await listed(text)).toEqual([])
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createS3Client } from '../../object-store/client.ts'
import { askBucket, recordAvailability } from './availability.ts'
import { openObjects } from './objects.ts'

let reply: { status: number; body: string } | 'closed' = { status: 200, body: '' }
let requests = 0
let server: Server
let endpoint: string
beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1
    if (reply === 'closed') request.socket.destroy()
    else response.writeHead(reply.status).end(request.method === 'HEAD' ? undefined : reply.body)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

/** A bucket on the server, one attempt of each request. */
function aBucket() {
  const settings = { endpoint, region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b', sessionToken: null }
  const prober = openObjects(createS3Client('s3://lake/x', settings, { tries: 1 }))
  const availability = recordAvailability(() => askBucket(prober))
  const objects = openObjects(createS3Client('s3://lake/x', settings, { tries: 1, observe: availability.note }))
  return { availability, objects }
}
const errorOf = (code: string): string => `<Error><Code>${code}</Code></Error>`

test.each([
  ['answers', { status: 200, body: 'P' }, null],
  ['answers that the object does not exist', { status: 404, body: errorOf('NoSuchKey') }, null],
  ['closes the connection', 'closed' as const, 's3://lake/x: GET x/releases.parquet failed: '],
  ['is overloaded', { status: 503, body: errorOf('SlowDown') }, 'failed: 503 SlowDown'],
  ['refuses the key', { status: 403, body: errorOf('SignatureDoesNotMatch') }, '403 SignatureDoesNotMatch'],
  ['was deleted', { status: 404, body: errorOf('NoSuchBucket') }, '404 NoSuchBucket'],
])('a probe finds whether the bucket %s', async (_what, given, expected) => {
  reply = given
  const { availability } = aBucket()
  expect(availability.fault()).toBeNull()
  const fault = await availability.probe()
  if (expected === null) expect(fault).toBeNull()
  else expect(fault).toContain(expected)
  expect(availability.fault()).toBe(fault)
})

test('the outcome of other requests counts, a HEAD with 404 shows nothing, and reading the outcome sends no request', async () => {
  const { availability, objects } = aBucket()
  reply = { status: 403, body: errorOf('AccessDenied') }
  await expect(objects.text('a')).rejects.toThrow('was refused')
  expect(availability.fault()).toContain('403 AccessDenied')
  reply = { status: 404, body: '' }
  expect(await objects.facts('a')).toBeNull()
  expect(availability.fault()).toContain('403 AccessDenied')
  const sent = requests
  for (let count = 0; count < 100; count += 1) availability.fault()
  expect(requests).toBe(sent)
  reply = { status: 200, body: 'text' }
  expect(await objects.text('a')).toBe('text')
  expect(availability.fault()).toBeNull()
})

test('a watch probes while no request is answered, reports each change once, and ends', async () => {
  const { availability } = aBucket()
  const changes: (string | null)[] = []
  reply = { status: 503, body: '' }
  const end = availability.watch(fault => void changes.push(fault), 5)
  await expect.poll(() => changes.length).toBe(1)
  expect(changes[0]).toContain('failed: 503')
  reply = { status: 200, body: '' }
  await expect.poll(() => changes.length).toBe(2)
  expect(changes[1]).toBeNull()
  end()
  await availability.probe()
  const sent = requests
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(requests).toBe(sent)
})

// The time of requests under a lock: a failing bucket gives the lock back, whatever the limits of each request are.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { StoreUnavailable } from '#schemas/errors.ts'
import { openObjects } from '../lake/bucket/objects.ts'
import { createS3Client } from './client.ts'
import { allowLockedBytes, lockedMs, lockedTimeLeft, withLockedTime } from './locked-time.ts'

let server: Server
let answer: 'nothing' | number = 'nothing'
let requests = 0
let endpoint: string
beforeAll(async () => {
  server = createServer((_request, response) => {
    requests += 1
    if (answer !== 'nothing') response.writeHead(answer).end()
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  vi.restoreAllMocks()
  requests = 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const client = (options: Parameters<typeof createS3Client>[2] = {}) =>
  createS3Client(
    's3://lake/x',
    { endpoint, region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b', sessionToken: null },
    // Only the limit of the lock can end an attempt in the time of a test.
    { tries: 1_000, requestMs: 3_600_000, ...options },
  )
const failureOf = (work: Promise<unknown>): Promise<unknown> => work.then(() => null).catch((error: unknown) => error)

test('a store that does not answer gives an error that names it', async () => {
  answer = 'nothing'
  const hour = 3_600_000
  const limitsOfAttempts: number[] = []
  const attempt = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(ms => {
    limitsOfAttempts.push(ms)
    return attempt.signal
  })
  // The hour passes when the request has reached the store, however long that takes.
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  server.once('request', () => {
    now = hour
    attempt.abort(new DOMException('the attempt took too long', 'TimeoutError'))
  })
  const failure = await failureOf(withLockedTime(() => client().send({ method: 'PUT', key: 'a', body: Buffer.from('text') }), hour))
  expect(failure).toBeInstanceOf(StoreUnavailable)
  expect((failure as Error).message).toMatch(
    /^s3:\/\/lake\/x: PUT x\/a failed in 3600\.0 s and is not repeated, because other commits wait: the attempt took too long$/,
  )
  // Half of what is left, and the time for four bytes.
  expect(limitsOfAttempts).toEqual([hour / 2 + 1])
  expect(requests).toBe(1)
})

test('a store that refuses is asked again only within the time', async () => {
  answer = 503
  const failure = await failureOf(withLockedTime(() => client({ wait: async () => undefined }).send({ method: 'HEAD', key: 'a' }), 4_000))
  expect((failure as Error).message).toContain('is not repeated, because other commits wait: 503')
  // Pauses of 500, 1,000 and 2,000 ms fit, and one of 4,000 does not.
  expect(requests).toBeLessThanOrEqual(4)
})

test('a download is not repeated after the time', async () => {
  answer = 503
  const patient = { idleMs: 3_600_000, attemptMs: 3_600_000, deadlineMs: 3_600_000 }
  const objects = openObjects(client(), patient, async () => undefined)
  const failure = await failureOf(withLockedTime(() => objects.download('a', null, null), -1))
  expect((failure as Error).message).toBe('s3://lake/x: reading a failed: 503')
  expect(requests).toBe(1)
})

test('the limit that ends first counts, bytes extend it, and what outlives the work has none', async () => {
  expect(lockedTimeLeft()).toBeNull()
  let later: Promise<number | null> = Promise.resolve(0)
  await withLockedTime(async () => {
    expect(lockedTimeLeft()).toBeLessThanOrEqual(lockedMs)
    await withLockedTime(async () => expect(lockedTimeLeft()).toBeLessThanOrEqual(lockedMs), 3_600_000)
    allowLockedBytes(3_600_000)
    expect(lockedTimeLeft()).toBeGreaterThan(lockedMs)
    later = new Promise(resolve => setTimeout(() => resolve(lockedTimeLeft()), 1))
  })
  expect(await later).toBeNull()
})

// Documents that this process and a thread read ahead have the readings that each has alone, whatever happens to the thread.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { readDocument } from '../ingest/read-document.ts'
import { notRead, type ReaderThread, startThread, type ThreadRequest } from '../ingest/reader-thread.ts'
import type { RawDocument } from '../read/parsed.ts'
import { readers } from '../read/register.ts'
import { type ReadAhead, readAhead } from './read-ahead.ts'

const folder = join(import.meta.dirname, '../../fixtures/holdings')
const documentOf = (body: Uint8Array, url: string): RawDocument => ({
  ...{ sha256: sha256Hex(body), source: 'edgar', url, retrieved_at: '2026-11-20T12:00:00Z', status: 200, headers: {}, body },
})
const documents = readdirSync(folder)
  .filter(name => /\.(?:txt|xml|html)$/.test(name))
  .map(name => documentOf(readFileSync(join(folder, name)), `recorded:${name}`))
const inParts = documentOf(Buffer.from('x'), 'https://www.sec.gov/files/insider-transactions-data-sets/2024q1_form345.zip')
const all = [...documents.slice(0, 6), inParts, ...documents.slice(6), documentOf(Buffer.from('text'), 'recorded:none.bin')]
const never = new AbortController().signal

/** The readings without the facts that the thread has checked already, which the commit makes of those of this process. */
const readingsOf = (ahead: ReadAhead): unknown[] =>
  all.map((document, raw_id) => {
    const { reading } = ahead.withReading({ raw_id, document })
    return reading && { ...reading, parsed: reading.parsed && { ...reading.parsed, facts: null } }
  })
const alone = all.map((document, raw_id) => {
  if (document === inParts) return undefined
  const reading = readDocument(readers, { raw_id, document })
  return { ...reading, parsed: reading.parsed && { ...reading.parsed, facts: null } }
})
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (key, each) => (key === 'body' ? undefined : each)) ?? 'null')

type Answer = (request: ThreadRequest) => ReturnType<ReaderThread['ask']>
/** A thread whose answers the test gives, and how many documents it was sent. */
function fakeThread(answer: Answer, loaded: Promise<void> = Promise.resolve()) {
  const thread = {
    ...{ loaded, sent: 0, closed: 0, isOutOfMemory: () => false },
    async ask(request: ThreadRequest) {
      thread.sent += 1
      return await answer(request)
    },
    async close() {
      thread.closed += 1
    },
  }
  return thread
}
const read: Answer = async ({ raw_id, document }) => ({ reading: readDocument(readers, { raw_id, document }) })

test('a thread reads the last ones, and both together read each once', async () => {
  const thread = startThread({})
  await thread.loaded
  const asked: string[] = []
  const watched: ReaderThread = {
    ...thread,
    async ask(request, bytes) {
      asked.push(request.document.url)
      return await thread.ask(request, bytes)
    },
  }
  const ahead = readAhead(all, Promise.resolve(), never, watched)
  await ahead.finish()
  expect(asked[0]).toBe('recorded:none.bin')
  expect(new Set(asked).size).toBe(asked.length)
  expect(plain(readingsOf(ahead))).toEqual(plain(alone))
  // Its bytes are still there: they are stored.
  expect(documents.every(({ body, sha256 }) => sha256Hex(body) === sha256)).toBe(true)
  await expect(thread.ask({ raw_id: 0, document: documents[0] as RawDocument }, 'copied')).rejects.toThrow('ended')
})

test.each<[string, Answer]>([
  ['fails on each document', async () => ({ fault: 'its reader failed: no reason' })],
  ['has too little memory', async () => notRead],
  ['ends', () => Promise.reject(new Error('the thread that reads documents ended'))],
  ['fails on every second one', request => (request.document.url.length % 2 === 0 ? Promise.resolve({ fault: 'no' }) : read(request))],
])('what a thread that %s does not read, this process reads', async (_, answer) => {
  const thread = fakeThread(answer)
  // It may begin before this process does.
  const ahead = readAhead(all, Promise.resolve(), never, thread)
  await ahead.finish()
  expect([thread.sent > 0, thread.closed]).toEqual([true, 1])
  expect(plain(readingsOf(ahead))).toEqual(plain(alone))
})

test.each([
  ['is still loading', () => new Promise<void>(() => undefined)],
  ['cannot load', () => Promise.reject(new Error('no such file'))],
])('a thread that %s is not waited for', async (_, load) => {
  const thread = fakeThread(read, load())
  const ahead = readAhead(all, Promise.resolve(), never, thread)
  await ahead.finish()
  expect([thread.sent, thread.closed]).toEqual([0, 1])
  expect(plain(readingsOf(ahead))).toEqual(plain(alone))
})

test('a document that the thread has when this process is done is waited for', async () => {
  const { promise: mayAnswer, resolve: answerNow } = Promise.withResolvers<void>()
  const thread = fakeThread(async request => {
    await mayAnswer
    return await read(request)
  })
  const ahead = readAhead(all, Promise.resolve(), never, thread)
  let isDone = false
  const finished = ahead.finish().then(() => {
    isDone = true
  })
  for (let turn = 0; turn < 1_000; turn += 1) await new Promise(resolve => setImmediate(resolve))
  expect([isDone, thread.closed]).toEqual([false, 0])
  answerNow()
  await finished
  expect(plain(readingsOf(ahead))).toEqual(plain(alone))
})

test('a start that is stopped ends both', async () => {
  const stop = new AbortController()
  const thread = fakeThread(read)
  const ahead = readAhead(all, new Promise(() => undefined), stop.signal, thread)
  stop.abort(new Error('stopping'))
  await expect(ahead.finish()).rejects.toThrow('stopping')
  expect(thread.closed).toBe(1)
  expect(thread.sent).toBeLessThan(all.length)
})

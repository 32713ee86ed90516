// A body too large to be held, written to a file: whole or not at all.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startWorldServer, type WorldServer } from '#fixtures/world/server.ts'
import { answerOf, endOf } from '#fixtures/world/upstream.ts'
import { NotFound, Upstream } from '#schemas/errors.ts'
import { createHttpClient, type HttpClient, type RefusedAnswer } from '../http.ts'
import { bulkSubmissionsUrl, dailyFeedUrl, edgar } from '../sources/edgar/index.ts'
import { createPoliteness, memoryStore } from './politeness.ts'

const folder = mkdtempSync(join(tmpdir(), 'crossfile-download-'))
const path = join(folder, 'archive')
let simulator: WorldServer
let client: HttpClient
let refused: RefusedAnswer[]

beforeAll(async () => {
  simulator = await startWorldServer({ scale: 'tiny', secRate: null })
})
afterAll(async () => {
  await simulator.close()
  rmSync(folder, { recursive: true })
})
const sleep = async (): Promise<void> => {}
function aClient(): HttpClient {
  refused = []
  client = createHttpClient({
    settings: { version: '0.1.0', contact: null, keys: {}, optIn: [], base: { edgar: simulator.origin }, simulatorPerSecond: 10_000 },
    politeness: createPoliteness(memoryStore(Date.now), { now: Date.now, sleep }),
    now: Date.now,
    sleep,
    random: () => 0.5,
    keepRaw: async answer => void refused.push(answer),
  })
  return client
}
afterEach(async () => {
  await client.close()
  simulator.faults.clear()
  rmSync(path, { force: true })
})
const whole = (): Buffer => answerOf(simulator.world, bulkSubmissionsUrl, endOf(simulator.world)).body

test('the file holds every byte, and its hash is known without reading it again', async () => {
  const fetched = await aClient().fetchFile(edgar, { url: bulkSubmissionsUrl }, path, null)
  const bytes = readFileSync(path)
  expect(bytes.equals(whole())).toBe(true)
  expect(fetched).toMatchObject({
    kind: 'file',
    file: { url: bulkSubmissionsUrl, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
  })
  expect(Object.keys((fetched as { file: object }).file)).not.toContain('body')
})
test.each(['short_body', 'cut_chunk', 'reset'] as const)('after %s the next attempt begins the file anew', async kind => {
  simulator.faults.add({ kind, match: 'submissions.zip', times: 1 })
  await aClient().fetchFile(edgar, { url: bulkSubmissionsUrl }, path, null)
  expect(readFileSync(path).equals(whole())).toBe(true)
})
test("the SEC's page of refusal is no archive: no file stays, and the page is kept", async () => {
  simulator.faults.add({ kind: 'block_page_ok', match: 'submissions.zip', times: 1 })
  await expect(aClient().fetchFile(edgar, { url: bulkSubmissionsUrl }, path, null)).rejects.toThrow(Upstream)
  expect(existsSync(path)).toBe(false)
  expect(refused).toHaveLength(1)
})
test('an archive that has not changed is not sent again', async () => {
  const fetched = await aClient().fetchFile(edgar, { url: bulkSubmissionsUrl }, path, null)
  rmSync(path)
  const held = fetched.kind === 'file' ? fetched.file : null
  await expect(client.fetchFile(edgar, { url: bulkSubmissionsUrl }, path, held)).resolves.toMatchObject({ kind: 'unchanged' })
  expect(existsSync(path)).toBe(false)
})
test('a day without a feed does not exist, though the store says that access is denied', async () => {
  await expect(aClient().fetchFile(edgar, { url: dailyFeedUrl('2026-11-15') }, path, null)).rejects.toThrow(NotFound)
})

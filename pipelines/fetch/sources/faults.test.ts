// Every kind of address that the bundled universe answers, asked through the real client while the simulator misbehaves: an
// error dressed as success never becomes data. A source that is added to the universe is tried here without another line.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worldDocuments } from '#fixtures/world/documents.ts'
import type { FaultKind } from '#fixtures/world/faults.ts'
import { startWorldServer, type WorldServer } from '#fixtures/world/server.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { readDocument } from '../../ingest/read-document.ts'
import type { Parsed, RawDocument } from '../../read/parsed.ts'
import { readers } from '../../read/register.ts'
import { createPoliteness, memoryStore } from '../http/politeness.ts'
import { createHttpClient } from '../http.ts'
import { upstreamOf, upstreams } from './index.ts'
import { questionAt } from './question.ts'

/** Same host, same path apart from numbers and names, same parameters: one kind of question. */
function kindOf(address: string): string {
  const { url, body } = questionAt(address)
  const { hostname, pathname, searchParams } = new URL(url)
  const path = pathname
    .split('/')
    .map((part, at, parts) => (/\d|^[A-Z.%-]+$/.test(part) || parts[at - 1] === 'daily' ? '*' : part))
    .join('/')
  const requested = body === null ? '' : (/(?:get|Get)[A-Z]\w+|"\w+"/.exec(body)?.[0] ?? '')
  return `${hostname}${path} ${[...searchParams.keys()].join(',')}${searchParams.get('type') ?? ''} ${requested}`
}

const kinds = new Map<string, string>()
for (const { source, url } of worldDocuments('small')) if (source !== 'csv' && source !== 'transcripts') kinds.set(kindOf(url), url)
const addresses = [...kinds.values()].sort()

/** Answers that look like one and are none; what only cuts or delays is the client's own test. */
const disguises: readonly FaultKind[] = [
  'block_page_ok',
  'block_page',
  'empty_ok',
  'garbage',
  'wrong_type',
  'wrong_shape',
  'short_body',
  'too_many_requests',
]

let world: WorldServer
beforeAll(async () => {
  world = await startWorldServer({ scale: 'small', seed: 7, secRate: null })
})
afterAll(() => world.close())

/** One question without patience: what fails once has failed. */
async function ask(url: string): Promise<RawDocument> {
  const upstream = upstreamOf(url)
  if (!upstream) throw new TypeError(`no upstream serves ${url}`)
  const client = createHttpClient({
    settings: {
      version: '0.1.0',
      contact: 'Jane Roe jane@roe-research.ca',
      keys: {},
      optIn: [],
      base: Object.fromEntries([...upstreams.keys()].map(name => [name, world.origin])),
      simulatorPerSecond: 1000,
    },
    politeness: createPoliteness(memoryStore(Date.now), { now: Date.now, sleep: async () => {} }),
    now: Date.now,
    sleep: async () => {},
    random: () => 0.5,
    attempts: 1,
  })
  try {
    return await client.fetchRaw(upstream, { url })
  } finally {
    await client.close()
  }
}

const rowsIn = (parsed: Parsed): number =>
  Object.values(parsed.facts).reduce((sum, rows) => sum + rows.length, 0) +
  (parsed.bars?.length ?? 0) +
  (parsed.directories?.length ?? 0) +
  (parsed.renames?.length ?? 0)

/** Rows that come of what an address answered; an answer that is refused gives none. */
async function rowsOf(url: string): Promise<number> {
  try {
    const document = await ask(url)
    const { parsed } = readDocument(readers, { raw_id: 1, document })
    return parsed === null ? 0 : rowsIn(parsed)
  } catch (error) {
    if (error instanceof CrossfileError) return 0
    throw error
  }
}

describe('every source of the universe', () => {
  it('is one of the register, and several are there', () => {
    const named = new Set(addresses.map(address => upstreamOf(address)?.name))
    expect(named.has(undefined)).toBe(false)
    expect(named.size).toBeGreaterThanOrEqual(6)
  })
  it.each(addresses)('%s gives rows when it answers, and none when it only looks as if', async address => {
    world.faults.clear()
    expect(readDocument(readers, { raw_id: 1, document: await ask(address) })).toMatchObject({ detail: null, reader: expect.any(String) })
    // The answer itself, not the cookie that a source wants first.
    const { hostname, pathname } = new URL(questionAt(address).url)
    for (const kind of disguises) {
      world.faults.add({ kind, times: 1, match: `${hostname}${pathname}` })
      expect([kind, await rowsOf(address)]).toEqual([kind, 0])
      world.faults.clear()
    }
  })
})

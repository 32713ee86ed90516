// Every document of fixtures/, read by the one reader that recognises it, against the result next to it (`<document>.expected.json`).
// A new document needs no code: two files, and why it is there, in `why` of the result or in the folder's index.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import { rowOf } from '../ingest/facts.ts'
import type { RawDocument } from './parsed.ts'
import { readers } from './register.ts'

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures')
/** Folders whose results have another form, or whose documents are known by their address: a test of their folder reads them. */
const ownTests: ReadonlySet<string> = new Set([
  'bars',
  'business-activities',
  'calendars',
  'corporate-actions',
  'dual-listings',
  'fundamentals',
  'intraday',
  'quotes',
  'symbols',
])
/** When a folder's documents were retrieved, if it matters. */
const retrievedAt: Readonly<Record<string, string>> = { macro: '2024-06-30T15:00:00Z', 'economic-calendar': '2024-06-30T15:00:00Z' }
const documents = readdirSync(fixtures, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && !ownTests.has(entry.name))
  .flatMap(({ name: folder }) =>
    readdirSync(join(fixtures, folder))
      .filter(name => name.endsWith('.expected.json'))
      .map(name => [folder, name.replace(/\.expected\.json$/, '')] as const),
  )

describe('a document', () => {
  test.each(documents)('fixtures/%s/%s is read as expected', (folder, name) => {
    const path = join(fixtures, folder, name)
    expect([path, existsSync(path)]).toEqual([path, true])
    const body = readFileSync(path)
    const found = readers.flatMap(reader => {
      const url = reader.recognise(name, body.subarray(0, 65_536).toString('utf8'))
      return url === null ? [] : [{ reader, url }]
    })
    expect(found.map(({ reader }) => reader.name)).toHaveLength(1)
    const [{ reader, url }] = found as [(typeof found)[number]]
    const document: RawDocument = {
      sha256: '0'.repeat(64),
      source: reader.source,
      url,
      retrieved_at: retrievedAt[folder] ?? '2026-11-20T12:00:00Z',
      status: 200,
      headers: {},
      body,
    }
    const { why, ...expected } = JSON.parse(readFileSync(`${path}.expected.json`, 'utf8')) as { why?: string }
    const parsed = reader.parse(document)
    expect(parsed).toEqual(expected)
    for (const dataset of datasetNames)
      for (const fact of (parsed.facts as Partial<Record<string, readonly object[]>>)[dataset] ?? [])
        expect(datasetOf(dataset).record.safeParse(rowOf(fact as never, document)).error, JSON.stringify(fact)).toBeUndefined()
    const index = join(fixtures, folder, 'index.md')
    expect(why ?? (existsSync(index) ? readFileSync(index, 'utf8') : ''), 'why it is there').toMatch(why === undefined ? `\`${name}\`` : /\w/)
  })
  test('of each kind is there', () => {
    expect(documents.length).toBeGreaterThan(15)
  })
})

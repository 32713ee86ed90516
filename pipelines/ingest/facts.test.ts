// Rows that were checked when their document was read are the rows that the commit would have checked.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { type MemoryLake, openMemoryLake } from '#warehouse/store/lake/memory.ts'
import { nothing, type Parsed } from '../read/parsed.ts'
import { derive } from './derive.ts'
import { checkFacts, rowOf } from './facts.ts'
import type { Origin } from './types.ts'

const folder = mkdtempSync(join(tmpdir(), 'crossfile-facts-'))
let lake: MemoryLake
beforeAll(async () => {
  lake = await openMemoryLake(await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] }), folder)
})
afterAll(() => {
  lake.close()
  rmSync(folder, { recursive: true, force: true })
})

const origin: Origin = { sha256: 'a'.repeat(64), source: 'boc', url: 'https://www.bankofcanada.ca/x', retrieved_at: '2026-11-19T21:00:00Z' }
const rate = (date: string, value: string) => ({ base_currency: 'USD', quote_currency: 'CAD', date, rate: value, series: 'FXUSDCAD' })
const parsed: Parsed = {
  ...nothing,
  facts: { fx_rates: [rate('2026-11-17', '1.4'), rate('2026-11-31', '1.4'), rate('2026-11-18', '1,4'), rate('2026-11-19', '1.41')] as never },
}

test('a row that does not fit is refused with its reason, and the others keep their order', () => {
  const rates = checkFacts({ origin, parsed }).get('fx_rates')
  expect(rates?.rows.map(row => [row['date'], row['rate'], row.known_from, row.known_basis, row.raw_sha256])).toEqual([
    ['2026-11-17', '1.4', origin.retrieved_at, 'retrieved', origin.sha256],
    ['2026-11-19', '1.41', origin.retrieved_at, 'retrieved', origin.sha256],
  ])
  expect(rates?.refused.map(({ refused }) => [refused.reason, refused.detail])).toEqual([
    ['does_not_fit_schema', expect.stringContaining('date: no such calendar day; got "2026-11-31"')],
    ['does_not_fit_schema', expect.stringContaining('rate: expected a decimal number; got "1,4"')],
  ])
})

test('a commit of rows that were checked before derives what it derives without', async () => {
  const document = { origin, parsed }
  const own = await derive([document], lake.at(0), new Map())
  expect(own.rows.get('fx_rates')).toHaveLength(2)
  expect(own.refused).toHaveLength(2)
  expect(await derive([{ ...document, checked: checkFacts(document) }], lake.at(0), new Map())).toEqual(own)
})

test('the instant that a document states is known from there; without one, from its retrieval', () => {
  const known = { known_from: '2026-11-17T21:30:00Z', known_basis: 'published' } as const
  expect(rowOf({ ...rate('2026-11-17', '1.4'), ...known }, origin)).toMatchObject(known)
  expect(rowOf({ ...rate('2026-11-17', '1.4'), known_basis: 'published' }, origin)).toMatchObject({
    known_from: origin.retrieved_at,
    known_basis: 'retrieved',
  })
})

// A receipt names the documents of the rows that it was made from, and is re-executed from these alone.
test('what a later document states about an issuer is another version, known since that document, also within one batch', async () => {
  const header: Origin = {
    ...origin,
    source: 'edgar',
    sha256: 'b'.repeat(64),
    url: 'https://www.sec.gov/a.txt',
    retrieved_at: '2026-11-20T04:00:00Z',
  }
  const submissions: Origin = { ...header, sha256: 'c'.repeat(64), url: 'https://data.sec.gov/b.json', retrieved_at: '2026-11-20T04:30:00Z' }
  const accepted = { known_from: '2026-02-24T21:17:00Z', known_basis: 'accepted' }
  const issuer = { cik: '0009900003', name: null, sic: '7372', sic_title: null, state_of_incorporation: null, fiscal_year_end: '1231' }
  const derived = await derive(
    [
      { origin: header, parsed: { ...nothing, facts: { issuers: [{ ...issuer, ...accepted }] as never } } },
      {
        origin: submissions,
        parsed: {
          ...nothing,
          facts: { issuers: [{ ...issuer, name: 'Juniper Peak Inc', state_of_incorporation: 'DE', fiscal_year_end: null }] as never },
        },
      },
    ],
    lake.at(0),
    new Map(),
  )
  expect(derived.rows.get('issuers')).toMatchObject([
    { name: null, fiscal_year_end: '1231', ...accepted, raw_sha256: header.sha256 },
    {
      name: 'Juniper Peak Inc',
      state_of_incorporation: 'DE',
      fiscal_year_end: '1231',
      known_from: submissions.retrieved_at,
      known_basis: 'retrieved',
      raw_sha256: submissions.sha256,
    },
  ])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { testLake } from '#fixtures/memory-lake.ts'
import type { InsiderFiling, InsiderTransaction } from '#schemas/insider.ts'
import { findInsiderTransactions } from '../datasets/insider/insider.ts'
import type { MemoryLake } from '../store/lake/memory.ts'

let lake: MemoryLake
beforeAll(async () => {
  lake = await testLake()
})
afterAll(() => lake.close())

type Line = readonly [shares: string, price: string | null, title?: string]
const provenance = (at: string) => ({ known_from: at, known_basis: 'accepted', source: 'edgar', raw_sha256: 'a'.repeat(64), withdrawn: false })
async function filed(cik: string, id: string, form: string, at: string, lines: readonly Line[], original: string | null = null): Promise<void> {
  const filing: Partial<InsiderFiling> = {
    filing_id: id,
    issuer_cik: cik,
    form,
    filed_date: at.slice(0, 10),
    period_of_report: '2026-03-02',
    original_filed_date: original,
    owner_ciks: ['0009950001'],
  }
  const rows = lines.map(
    ([shares, price, title = 'Common Shares'], at_): Partial<InsiderTransaction> => ({
      filing_id: id,
      line: at_ + 1,
      form,
      issuer_cik: cik,
      derivative: false,
      owner_ciks: ['0009950001'],
      security_title: title,
      transaction_date: '2026-03-02',
      code: 'P',
      shares,
      price,
    }),
  )
  const release = { release: 1, committed_at: at }
  await lake.add('insider_filings', [{ ...filing, ...provenance(at) }], release)
  await lake.add(
    'insider_transactions',
    rows.map(row => ({ ...row, ...provenance(at) })),
    release,
  )
}
async function restated(cik: string, as_of: string | null = null): Promise<string[]> {
  const rows = await findInsiderTransactions(lake.at(1), { issuer_cik: cik, owner_cik: null, since: null, as_of, after: null, limit: 100 })
  return rows
    .filter(row => row.amended_by !== null)
    .map(row => `${row.filing_id}/${row.line} by ${row.amended_by}`)
    .sort()
}

test('the line with the same shares is restated, whatever its place', async () => {
  await filed('0000000001', 'a', '4', '2026-03-03T22:00:00Z', [
    ['100', '10'],
    ['200', '11'],
  ])
  await filed('0000000001', 'b', '4/A', '2026-03-05T22:00:00Z', [['200', '11.5']], '2026-03-03')
  expect(await restated('0000000001')).toEqual(['a/2 by b'])
})
test('else the one with the same price, else the next in order; another security is another line', async () => {
  await filed('0000000002', 'c', '4', '2026-03-03T22:00:00Z', [
    ['100', '10'],
    ['200', '11'],
    ['300', '12'],
    ['5', '1', 'Preferred'],
  ])
  await filed(
    '0000000002',
    'd',
    '4/A',
    '2026-03-05T22:00:00Z',
    [
      ['250', '11'],
      ['400', '9'],
    ],
    '2026-03-03',
  )
  expect(await restated('0000000002')).toEqual(['c/1 by d', 'c/2 by d'])
})
test('the newest of two amendments is named, and before it was filed the older one', async () => {
  await filed('0000000003', 'e', '4', '2026-03-03T22:00:00Z', [['100', '10']])
  await filed('0000000003', 'f', '4/A', '2026-03-05T22:00:00Z', [['100', '10.5']], '2026-03-03')
  await filed('0000000003', 'g', '4/A', '2026-03-09T22:00:00Z', [['100', '10.6']], '2026-03-03')
  expect(await restated('0000000003')).toEqual(['e/1 by g'])
  expect(await restated('0000000003', '2026-03-06T00:00:00Z')).toEqual(['e/1 by f'])
  expect(await restated('0000000003', '2026-03-04T00:00:00Z')).toEqual([])
})
test('a filing of another day or form is amended by none of them', async () => {
  await filed('0000000004', 'h', '4', '2026-03-03T22:00:00Z', [['100', '10']])
  await filed('0000000004', 'i', '4', '2026-03-04T22:00:00Z', [['100', '10']])
  await filed('0000000004', 'j', '4/A', '2026-03-09T22:00:00Z', [['100', '11']], '2026-03-04')
  await filed('0000000004', 'k', '5/A', '2026-03-10T22:00:00Z', [['100', '12']], '2026-03-03')
  expect(await restated('0000000004')).toEqual(['i/1 by j'])
})
test('an amendment that became known at the same instant as its original restates it', async () => {
  // Filings without a known acceptance are known from 22:00 of their day, both of them.
  await filed('0000000011', 'same', '4', '2026-03-03T22:00:00Z', [['100', '10']])
  await filed('0000000011', 'same-a', '4/A', '2026-03-03T22:00:00Z', [['100', '10.5']], '2026-03-03')
  expect(await restated('0000000011')).toEqual(['same/1 by same-a'])
  expect(await restated('0000000011', '2026-03-03T22:00:00Z')).toEqual(['same/1 by same-a'])
  expect(await restated('0000000011', '2026-03-03T21:59:59.999Z')).toEqual([])
})

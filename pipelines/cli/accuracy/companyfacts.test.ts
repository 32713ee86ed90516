// The judge of companyfacts: what it counts, and that it can say no.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { companyfacts } from './companyfacts.ts'
import type { Found } from './compare.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'fundamentals')
function evaluated(body: Buffer, entry: Readonly<Record<string, unknown>>): [string, boolean][] {
  const document = {
    sha256: '',
    source: 'edgar',
    url: 'recorded:companyfacts/a.json',
    retrieved_at: '1970-01-01T00:00:00Z',
    status: 200,
    headers: {},
    body,
  }
  const found: Found = { document, reader: null, other: () => 'no other' }
  return companyfacts(found, entry, Object.keys(entry)).map(({ field, equal }) => [field, equal])
}
const own = readFileSync(join(folder, 'CIK0009909101.json'))
const annual = (points: readonly object[]): Buffer =>
  Buffer.from(JSON.stringify({ cik: 1, entityName: 'A', facts: { 'us-gaap': { NetIncomeLoss: { label: 'x', units: { USD: points } } } } }))
const point = (start: string, end: string, val: number, form = '10-K', fp = 'FY') => ({
  start,
  end,
  val,
  accn: '0009909101-26-000001',
  fy: 2025,
  fp,
  form,
  filed: '2026-02-20',
})

describe('the judge of companyfacts', () => {
  test('concepts of each taxonomy and values over all units', () => {
    expect(evaluated(own, { taxonomies: { dei: 1, 'us-gaap': 4 }, points: 8 })).toEqual([
      ['taxonomies', true],
      ['points', true],
    ])
    expect(evaluated(own, { taxonomies: { dei: 1 }, points: 7 })).toEqual([
      ['taxonomies', false],
      ['points', false],
    ])
  })

  test('of the annual values the last two ends, of one end the last listed, of quarters and other forms none', () => {
    const body = annual([
      point('2023-01-01', '2023-12-31', 1),
      point('2024-01-01', '2024-12-31', 2),
      point('2025-01-01', '2025-12-31', 3),
      point('2025-01-01', '2025-12-31', 4),
      point('2025-10-01', '2025-12-30', 5),
      point('2025-01-02', '2026-01-01', 6, '10-K/A'),
      point('2025-01-03', '2026-01-02', 7, '10-K', 'Q4'),
    ])
    expect(evaluated(body, { annual: { NetIncomeLoss: { '2024-12-31': 2, '2025-12-31': 4 } } })).toEqual([['annual', true]])
    expect(evaluated(body, { annual: { NetIncomeLoss: { '2024-12-31': 2, '2025-12-31': 3 } } })).toEqual([['annual', false]])
    expect(evaluated(body, { annual: {} })).toEqual([['annual', false]])
  })
})

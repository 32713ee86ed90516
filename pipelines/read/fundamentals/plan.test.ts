// The requests of the jobs over company facts.
import { describe, expect, test } from 'vitest'
import { plans } from '../../jobs/plans/plans.ts'
import { nothing, type Parsed } from '../parsed.ts'
import { mayReportResults, statesFacts } from './forms.ts'

const window = { partition: 'x', from: '2026-11-02', to: '2026-11-03', symbols: null, today: '2026-11-04' }
const filing = (cik: string, form: string, accession: string, items: readonly string[] = [], filed_date = '2026-11-02') =>
  ({
    cik,
    form,
    accession,
    items: [...items],
    filed_date,
    url: `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accession}.txt`,
  }) as NonNullable<Parsed['facts']['filings']>[number]
const read = (...filings: readonly ReturnType<typeof filing>[]): Parsed => ({ ...nothing, facts: { filings } })
const factsUrl = (cik: string): string => `https://data.sec.gov/api/xbrl/companyfacts/CIK${cik}.json`

describe('facts of who filed statements', () => {
  const plan = plans.get('edgar-changed-facts')

  test('the index of each day, then one facts file a company, which may not exist', async () => {
    const first = await plan?.first(window, { cikOf: async () => null })
    expect(first?.map(wanted => wanted.url.slice(-8))).toEqual(['1102.idx', '1103.idx'])
    const index = first?.[0]?.url ?? ''
    const parsed = read(
      filing('0009909101', '10-Q', '0009909101-26-000001'),
      filing('0009909101', '8-K', '0009909101-26-000002'),
      filing('0009909102', '4', '0009909102-26-000001'),
    )
    expect(plan?.next?.(index, parsed, window)).toEqual([{ url: factsUrl('0009909101'), final: false, mayBeMissing: true }])
    expect(plan?.next?.(factsUrl('0009909101'), parsed, window)).toEqual([])
  })
})

describe('facts and releases of one issuer', () => {
  const plan = plans.get('edgar-issuer-facts')

  test('its facts, its filings, and those of the window that may tell of results', async () => {
    const first = await plan?.first(
      { ...window, symbols: ['QUIL', 'NONE', '9909102'] },
      { cikOf: async symbol => (symbol === 'QUIL' ? '0009909101' : null) },
    )
    expect(first?.map(wanted => wanted.url)).toEqual([
      factsUrl('0009909101'),
      'https://data.sec.gov/submissions/CIK0009909101.json',
      factsUrl('0009909102'),
      'https://data.sec.gov/submissions/CIK0009909102.json',
    ])
    const parsed = read(
      filing('0009909101', '8-K', '0009909101-26-000001', ['2.02', '9.01']),
      filing('0009909101', '8-K', '0009909101-26-000002', ['5.02']),
      filing('0009909101', '6-K', '0009909101-26-000003'),
      filing('0009909101', '8-K', '0009909101-20-000004', ['2.02'], '2020-11-02'),
      filing('0009909101', '10-K', '0009909101-26-000005'),
    )
    expect(plan?.next?.('https://data.sec.gov/submissions/CIK0009909101.json', parsed, window)?.map(wanted => wanted.url.slice(-10, -4))).toEqual([
      '000001',
      '000003',
    ])
  })

  test('forms that state facts, and items that may tell of results', () => {
    expect(['10-K', '10-KT/A', '20-F', '40-F', '6-K', '10-12B', 'S-1/A', '424B4'].every(statesFacts)).toBe(true)
    expect(['4', 'SC 13G', 'DEF 14A', '13F-HR', 'CORRESP', '10-D'].some(statesFacts)).toBe(false)
    expect(mayReportResults({ form: '8-K', items: ['12'] })).toBe(true)
    expect(mayReportResults({ form: '8-K/A', items: ['8.01'] })).toBe(true)
    expect(mayReportResults({ form: '10-Q', items: ['2.02'] })).toBe(false)
  })
})

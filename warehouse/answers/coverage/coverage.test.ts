import { afterAll, describe, expect, it } from 'vitest'
import { testLake } from '#fixtures/memory-lake.ts'
import type { Filing } from '#schemas/filings.ts'
import { evaluateInsiderRegime, insiderRules } from '../../rulesets/insider-reporting/rules.ts'
import type { MemoryLake } from '../../store/lake/memory.ts'
import { findCoverage, findInsiderCoverage } from './coverage.ts'

const provenance = {
  known_from: '2026-11-20T22:00:00Z',
  known_basis: 'filed' as const,
  source: 'edgar',
  raw_sha256: 'a'.repeat(64),
  withdrawn: false,
}
let serial = 0
const filed = (cik: string, form: string, day: string, given: Partial<Filing> = {}): Partial<Filing> => {
  serial += 1
  const accession = `0000990555-26-${String(serial).padStart(6, '0')}`
  return {
    accession,
    cik,
    form,
    filed_date: day,
    role: null,
    items: [],
    documents: [],
    url: 'https://www.sec.gov/',
    primary_document: null,
    ...provenance,
    ...given,
  }
}
/** An index of every month back to `from`, of a company that no request names. */
const indexBackTo = (from: string): Partial<Filing>[] => {
  const rows: Partial<Filing>[] = []
  for (let at = new Date(`${from.slice(0, 7)}-15T00:00:00Z`); at.toISOString() < '2026-11-20'; at.setUTCMonth(at.getUTCMonth() + 1))
    rows.push(filed('0009909999', 'D', at.toISOString().slice(0, 10)))
  return rows
}

const lakes: MemoryLake[] = []
afterAll(() => {
  for (const lake of lakes) lake.close()
})
async function lakeOf(filings: readonly Partial<Filing>[], read: readonly Partial<Filing>[] = []): Promise<MemoryLake> {
  const memory = await testLake()
  lakes.push(memory)
  const release = { release: 1, committed_at: '2026-11-20T22:00:00Z' }
  await memory.add('filings', filings, release)
  const contents = read.map(each => ({
    filing_id: each.accession,
    accession: each.accession,
    issuer_cik: each.cik,
    form: each.form,
    filed_date: each.filed_date,
  }))
  await memory.add(
    'insider_filings',
    contents.map(row => ({ ...row, owner_ciks: [], ...provenance })),
    release,
  )
  return memory
}
const cik = '0009909001'
async function ofInsiders(memory: MemoryLake, given: { cik?: string | null; listedInCanada?: boolean; byOwner?: boolean } = {}) {
  const found = await findInsiderCoverage(memory.at(1), { cik, subject: 'QLN', listedInCanada: false, byOwner: false, as_of: null, ...given })
  return found.coverage
}

describe('no Forms 3, 4 and 5 of an issuer', () => {
  it('because none are listed, however far back they are filed as XML', async () => {
    const memory = await lakeOf([...indexBackTo('2003-05-15'), filed(cik, '10-K', '2026-02-03')])
    expect(await ofInsiders(memory)).toEqual({
      status: 'none',
      sentence: 'there are no Forms 3, 4 and 5 of QLN: the index of all filings since 2003-05-15 names none',
      from: '2003-05-15',
    })
  })
  it("because the filer's own whole list names none, though the index reaches back a month", async () => {
    const memory = await lakeOf([...indexBackTo('2026-10-15'), filed(cik, '10-K', '2012-02-03', { primary_document: 'a10k.htm' })])
    expect(await ofInsiders(memory)).toMatchObject({ status: 'none', from: '2012-02-03' })
  })
  it('as far as is loaded: the index before a day was not', async () => {
    const memory = await lakeOf([...indexBackTo('2026-08-15'), filed('0009909999', 'D', '2019-03-04')])
    expect(await ofInsiders(memory)).toEqual({
      status: 'not_loaded',
      sentence: 'no Forms 3, 4 and 5 of QLN are listed since 2026-08-15; the index of filings before that day was not loaded here',
      from: '2026-08-15',
    })
  })
  it('because no index was loaded at all', async () => {
    expect(await ofInsiders(await lakeOf([]))).toMatchObject({ status: 'not_loaded', from: null })
  })
  it('because they came on paper: they are listed, and their content is not read', async () => {
    const memory = await lakeOf([...indexBackTo('1996-01-15'), filed(cik, '4', '1999-04-01'), filed(cik, '3', '1998-02-01')])
    const coverage = await ofInsiders(memory)
    expect(coverage.status).toBe('not_read')
    expect(coverage.sentence).toContain('2 filings on Forms 3, 4 and 5 of QLN from 1998-02-01 to 1999-04-01 are listed; before 2003-06-30')
  })
  it('because their content was not loaded, whatever law applies to the issuer', async () => {
    const memory = await lakeOf([...indexBackTo('2026-08-15'), filed(cik, '40-F', '2026-03-01'), filed(cik, '4', '2026-11-03')])
    const coverage = await ofInsiders(memory, { listedInCanada: true })
    expect(coverage).toEqual({
      status: 'not_read',
      sentence: '1 filing on Forms 3, 4 and 5 of QLN of 2026-11-03 is listed and its content was not loaded here',
      from: null,
    })
  })
  it('that holds what was asked, where all of them were read', async () => {
    const form = filed(cik, '3', '2026-11-03')
    expect(await ofInsiders(await lakeOf([...indexBackTo('2026-08-15'), form], [form]))).toMatchObject({ status: 'none', from: '2026-11-03' })
  })
  it('because the filings of it as an owner are about another company', async () => {
    const memory = await lakeOf([...indexBackTo('2003-05-15'), filed(cik, '4', '2026-11-03', { role: 'reporting_owner' })])
    expect(await ofInsiders(memory)).toMatchObject({ status: 'none' })
    expect(await ofInsiders(memory, { byOwner: true })).toMatchObject({ status: 'not_read' })
  })
  it('because its insiders report on SEDI', async () => {
    const memory = await lakeOf([...indexBackTo('2026-08-15'), filed(cik, '40-F', '2026-03-01'), filed(cik, '6-K', '2026-10-01')])
    const coverage = await ofInsiders(memory)
    expect(coverage.status).toBe('home_country')
    expect(coverage.sentence).toMatch(/^home-country insider reports on SEDI: .*until 2026-03-18 .* order of 2026-03-05 .*NI 55-104/)
  })
  it('because no CIK is known for it, in Canada and elsewhere', async () => {
    const memory = await lakeOf([])
    expect(await ofInsiders(memory, { cik: null, listedInCanada: true })).toMatchObject({ status: 'home_country' })
    expect(await ofInsiders(memory, { cik: null })).toMatchObject({ status: 'unknown_filer', from: null })
  })
})

describe('the rules that bind insiders', () => {
  const regime = (filings: Readonly<Record<string, string>>, listedInCanada = false) =>
    evaluateInsiderRegime({ listedInCanada, filed: new Map(Object.entries(filings)) })
  it('are section 16 for a Canadian company that files as a domestic one', () => {
    expect(regime({ '10-K': '2026-02-03', '40-F': '2019-03-01' }, true)).toBe('section_16')
  })
  it("are Canada's for one that went over to the Canadian forms", () => {
    expect(regime({ '10-K': '2018-02-03', '40-F': '2026-03-01' })).toBe('canada')
    expect(regime({ '20-F': '2026-03-01' }, true)).toBe('canada')
    expect(regime({}, true)).toBe('canada')
  })
  it("are the home country's for other foreign private issuers, and unknown without a report", () => {
    expect(regime({ '20-F': '2026-03-01' })).toBe('foreign')
    expect(regime({ '8-K': '2026-03-01' })).toBe('unknown')
  })
  it('name their sources and days', () => {
    expect(insiderRules.sources.length).toBeGreaterThan(2)
    expect(insiderRules.foreign_insiders_report_from).toBe('2026-03-18')
  })
})

describe('coverage of other filings', () => {
  it('is evaluated by their own forms and dataset', async () => {
    const memory = await lakeOf([...indexBackTo('2026-08-15'), filed(cik, 'SC 13D/A', '2026-11-03')])
    const requested = {
      cik,
      subject: `CIK ${cik}`,
      what: 'Schedules 13D',
      forms: ['SC 13D', 'SCHEDULE 13D'],
      readFrom: '1996-01-01',
      before: 'before 1996-01-01 they came on paper',
    }
    const found = await findCoverage(memory.at(1), { ...requested, content: { dataset: 'report_items' }, as_of: null })
    expect(found.coverage).toMatchObject({ status: 'not_read', from: null })
    expect(found.filed.get('SC 13D')).toBe('2026-11-03')
    const before = await findCoverage(memory.at(1), { ...requested, content: { dataset: 'report_items' }, as_of: '2026-11-19T00:00:00Z' })
    expect(before.coverage).toMatchObject({ status: 'not_loaded', from: null })
  })
})

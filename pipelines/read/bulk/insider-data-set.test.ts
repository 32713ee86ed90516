// The data set of Forms 3, 4 and 5 against the forms themselves: the same filings of the fictional universe, once as the SEC's
// tables and once as the documents that the tables repeat.
import { describe, expect, test } from 'vitest'
import { zip } from '#fixtures/bulk/archives.ts'
import { insiderDataSet } from '#fixtures/world/render/bulk.ts'
import { submissionText } from '#fixtures/world/render/submission.ts'
import { buildWorld } from '#fixtures/world/world.ts'
import { Unreadable } from '#schemas/errors.ts'
import { insiderFilings, insiderHoldings, insiderTransactions } from '#schemas/insider.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { parseFiling } from '../edgar/full-submission.ts'
import type { Parsed } from '../parsed.ts'
import { insiderDataSetReader, readInsiderDataSet } from './insider-data-set.ts'

const world = buildWorld('tiny')
const [year, quarter] = [world.last.slice(0, 4), Math.ceil(Number(world.last.slice(5, 7)) / 3)]
const url = `https://www.sec.gov/files/structureddata/data/insider-transactions-data-sets/${year}q${quarter}_form345.zip`

async function read(body: Buffer): Promise<Parsed[]> {
  const parts: Parsed[] = []
  for await (const part of readInsiderDataSet({ url, body })) parts.push(part)
  return parts
}
type Fact = Readonly<Record<string, unknown>>
const factsOf = (parts: readonly Parsed[], name: 'filings' | 'insider_filings' | 'insider_transactions' | 'insider_holdings'): Fact[] =>
  parts.flatMap(part => (part.facts[name] ?? []) as unknown as Fact[])
const without = (fact: Fact, ...columns: string[]): string => JSON.stringify(Object.entries(fact).filter(([name]) => !columns.includes(name)))
const own = world.filings.filter(
  filing =>
    filing.ownership !== null &&
    filing.oddity !== 'paper' &&
    filing.oddity !== 'truncated' &&
    filing.filed.startsWith(year) &&
    Math.ceil(Number(filing.filed.slice(5, 7)) / 3) === quarter,
)
const themselves = own.map(filing => {
  const body = submissionText(filing)
  return parseFiling({
    sha256: sha256Hex(body),
    source: 'edgar',
    url: `https://www.sec.gov/Archives/edgar/data/1/${filing.accession}.txt`,
    retrieved_at: '2026-11-20T00:00:00Z',
    status: 200,
    headers: {},
    body,
  })
})

describe('a data set of Forms 3, 4 and 5', async () => {
  const parts = await read(insiderDataSet(world, year, quarter) as Buffer)

  test('says of each filing what its own document says, but for the schema and the time of acceptance', () => {
    expect(own.length).toBeGreaterThan(20)
    const left = ['schema_version', 'flags', 'known_from', 'known_basis']
    const sorted = (facts: readonly Fact[]): string[] => facts.map(fact => without(fact, ...left)).sort()
    expect(sorted(factsOf(parts, 'insider_filings'))).toEqual(sorted(factsOf(themselves, 'insider_filings')))
  })
  test.each(['insider_transactions', 'insider_holdings'] as const)('has the same %s, each with its footnotes, in whatever order', name => {
    const left = ['line', 'known_from', 'known_basis']
    const sorted = (facts: readonly Fact[]): string[] => facts.map(fact => without(fact, ...left)).sort()
    expect(sorted(factsOf(parts, name))).toEqual(sorted(factsOf(themselves, name)))
    expect(factsOf(parts, name).length).toBeGreaterThan(0)
  })
  test('is known from the closing hour of the day of filing, and fits the schemas', () => {
    for (const [name, dataset] of [
      ['insider_filings', insiderFilings],
      ['insider_transactions', insiderTransactions],
      ['insider_holdings', insiderHoldings],
    ] as const) {
      for (const { known_from, known_basis, ...facts } of factsOf(parts, name)) {
        expect(known_basis).toBe('filed')
        expect(String(known_from)).toMatch(/T0[23]:00:00Z$/)
        dataset.facts.parse(facts)
      }
    }
    expect(parts.every(part => part.fills)).toBe(true)
  })
  test('names every party of a filing, so that owner and issuer are found', () => {
    const named = new Set(factsOf(parts, 'filings').map(fact => `${String(fact['accession'])} ${String(fact['cik'])}`))
    for (const filing of own) for (const { cik } of filing.entities) expect(named).toContain(`${filing.accession} ${cik}`)
  })
})

/** The smallest data set: one filing, whose tables may be changed one by one. */
function aDataSet(changed: Readonly<Record<string, string | null>> = {}): Buffer {
  const accession = '0000990201-25-000081'
  const tables: Record<string, string | null> = {
    SUBMISSION: `ACCESSION_NUMBER\tFILING_DATE\tDOCUMENT_TYPE\tISSUERCIK\tISSUERNAME\tISSUERTRADINGSYMBOL\n${accession}\t08-JAN-2025\t4\t990001\tTIDEWRACK MOTORS INC\tTIDW\n`,
    REPORTINGOWNER: `ACCESSION_NUMBER\tRPTOWNERCIK\tRPTOWNERNAME\tRPTOWNER_RELATIONSHIP\n${accession}\t990201\tLongshore Capital LP\tTenPercentOwner\n`,
    NONDERIV_TRANS: `ACCESSION_NUMBER\tNONDERIV_TRANS_SK\tSECURITY_TITLE\tTRANS_DATE\tTRANS_CODE\tTRANS_SHARES\tTRANS_SHARES_FN\n${accession}\t9\tCommon\t06-JAN-2025\tP\t200\t\n${accession}\t8\tCommon\t06-JAN-2025\tP\t100.50\tF1\n`,
    NONDERIV_HOLDING: 'ACCESSION_NUMBER\tNONDERIV_HOLDING_SK\n',
    DERIV_TRANS: 'ACCESSION_NUMBER\tDERIV_TRANS_SK\n',
    DERIV_HOLDING: 'ACCESSION_NUMBER\tDERIV_HOLDING_SK\n',
    FOOTNOTES: `ACCESSION_NUMBER\tFOOTNOTE_ID\tFOOTNOTE_TXT\n${accession}\tF1\tBought at several prices.\n`,
    ...changed,
  }
  return zip(Object.entries(tables).flatMap(([name, text]) => (text === null ? [] : [{ name: `${name}.tsv`, body: Buffer.from(text) }])))
}
const refusals = async (body: Buffer): Promise<string[]> =>
  (await read(body)).flatMap(part => part.refused.map(each => `${each.subject} ${each.reason}`))

describe('the tables of a data set', () => {
  test('give lines in the order of their surrogate keys, digits as printed, footnotes tied to their cells', async () => {
    const [part] = await read(aDataSet())
    expect(part?.facts.insider_transactions).toMatchObject([
      { line: 1, shares: '100.50', transaction_date: '2025-01-06', footnotes: [{ field: 'shares', id: 'F1', text: 'Bought at several prices.' }] },
      { line: 2, shares: '200', acquired_disposed: null },
    ])
    expect(part?.facts.insider_filings?.[0]).toMatchObject({ flags: ['order_of_data_set'], transactions: 2, filed_date: '2025-01-08' })
    expect(await refusals(aDataSet())).toEqual([])
  })
  test('may lack footnotes and signatures, and nothing else', async () => {
    await expect(refusals(aDataSet({ FOOTNOTES: null }))).resolves.toEqual([])
    await expect(read(aDataSet({ DERIV_HOLDING: null }))).rejects.toThrow(/has no DERIV_HOLDING\.tsv/)
  })
  test('refuse rows of a filing that nobody submitted, and lines of another width, and keep the rest', async () => {
    const stray = 'ACCESSION_NUMBER\tDERIV_TRANS_SK\n0000990201-25-000099\t1\n0000990201-25-000081\t2\tone too many\nnot an accession\t3\n'
    expect(await refusals(aDataSet({ DERIV_TRANS: stray }))).toEqual([
      'DERIV_TRANS line 3 line_misshapen',
      'DERIV_TRANS line 4 line_misshapen',
      '0000990201-25-000099 submission_missing',
    ])
  })
  test('refuse a filing without a day or of another form, by itself', async () => {
    const head = 'ACCESSION_NUMBER\tFILING_DATE\tDOCUMENT_TYPE\tISSUERCIK\n'
    expect(await refusals(aDataSet({ SUBMISSION: `${head}0000990201-25-000081\t31-FOO-2025\t4\t990001\n` }))).toEqual([
      '0000990201-25-000081 filed_date_missing',
    ])
    expect(await refusals(aDataSet({ SUBMISSION: `${head}0000990201-25-000081\t08-JAN-2025\t144\t990001\n` }))).toEqual([
      '0000990201-25-000081 not_ownership',
    ])
  })
  test('of a damaged archive are refused whole: a filing lies in several of them', async () => {
    const whole = aDataSet()
    await expect(read(whole.subarray(0, whole.length - 40))).rejects.toThrow(Unreadable)
    const flipped = Buffer.from(whole)
    flipped[60] = (flipped[60] ?? 0) ^ 1
    await expect(read(flipped)).rejects.toThrow(/refused whole/)
  })
  test('are known by the address of their quarter', () => {
    expect(insiderDataSetReader.reads(url)).toBe(true)
    expect(insiderDataSetReader.reads(url.replace('_form345', '_form13f'))).toBe(false)
    expect(() =>
      insiderDataSetReader.parse({ sha256: '', source: 'edgar', url, retrieved_at: '', status: 200, headers: {}, body: aDataSet() }),
    ).toThrow(/in parts only/)
  })
})

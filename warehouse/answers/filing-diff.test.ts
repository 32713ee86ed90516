// The filing diff over a lake that is filled by hand: three years of one issuer, its stubs, its quarters, and unknown cases.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testLake } from '#fixtures/memory-lake.ts'
import { filingDiffOperations } from '#schemas/operations/filing-diff.ts'
import { renderPayload } from '../context/answer.ts'
import { contextOf } from '../context/release-contexts.ts'
import type { MemoryLake } from '../store/lake/memory.ts'
import { buildFilingDiff } from './filing-diff.ts'

const [definition] = filingDiffOperations
let lake: MemoryLake

const cik = '0000990501'
const release = { release: 1, committed_at: '2026-06-01T00:00:00Z' }
const words = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${name}${String.fromCharCode(97 + (at % 26))}${Math.floor(at / 26)}x`).join(' ')
type Factor = readonly [heading: string, body: string]
const flood: Factor = ['Floods may stop our plant.', `${words('flood', 60)} insured for $25 million.`]
const loan: Factor = ['Our lenders restrict us.', words('loan', 60)]
const tariff: Factor = ['Tariffs could raise our costs.', words('tariff', 60)]

async function filed(
  accession: string,
  form: string,
  day: string,
  status: string | null,
  factors: readonly Factor[],
  period: string | null = null,
): Promise<void> {
  const provenance = {
    known_from: `${day}T21:00:00Z`,
    known_basis: 'accepted',
    source: 'edgar',
    raw_sha256: createHash('sha256').update(accession).digest('hex'),
    withdrawn: false,
  }
  const text = ['Item 1A. Risk Factors', ...factors.flat()].join('\n')
  const base = { accession, cik, form, filed_date: day, period_of_report: period }
  const url = `https://www.sec.gov/Archives/edgar/data/990501/${accession}.txt`
  await lake.add('filings', [{ ...base, company: 'NORTHFERRY STORAGE CORP', items: [], url, documents: [], ...provenance }], release)
  if (status === null) return
  const item = {
    line: 1,
    part: 'I',
    item: '1A',
    title: 'Risk Factors',
    status,
    reason: status === 'full' ? null : 'as it says',
    text,
    text_sha256: 'b'.repeat(64),
    document: 'r.htm',
    document_type: form,
    flags: [],
  }
  await lake.add('report_items', [{ ...base, ...item, words: text.split(/\s+/).length, ...provenance }], release)
  const rows = factors.map(([heading, body], at) => ({
    ...base,
    rank: at + 1,
    group_heading: null,
    heading,
    body,
    words: `${heading} ${body}`.split(' ').length,
    text_sha256: createHash('sha256').update(`${heading}\n${body}`).digest('hex'),
    document: 'r.htm',
    source_start: at * 100,
    source_end: at * 100 + 99,
    flags: [],
    ...provenance,
  }))
  await lake.add('risk_factors', rows, release)
}

beforeAll(async () => {
  lake = await testLake()
  const provenance = { known_from: '2020-01-01T00:00:00Z', known_basis: 'retrieved', source: 'edgar', raw_sha256: 'c'.repeat(64), withdrawn: false }
  await lake.add(
    'issuer_tickers',
    [
      { cik, symbol: 'NFST', name: 'NORTHFERRY STORAGE CORP', exchange_name: 'Nasdaq', ...provenance },
      { cik: '0000990502', symbol: 'STUB', name: 'STUB CORP', exchange_name: 'Nasdaq', ...provenance },
    ],
    release,
  )
  await filed('0000990501-24-000001', '10-K', '2024-02-20', 'full', [flood, loan])
  await filed('0000990501-25-000001', '10-K', '2025-02-20', 'full', [loan, flood, tariff])
  await filed('0000990501-26-000001', '10-K', '2026-02-20', 'full', [loan, [flood[0], flood[1].replace('$25', '$40')]])
  await filed('0000990501-25-000005', '10-Q', '2025-05-05', 'full', [flood])
  await filed('0000990501-25-000007', '10-Q', '2025-08-05', 'no_material_change', [])
  await filed('0000990501-23-000003', '20-F', '2023-05-05', 'full', [flood])
})
afterAll(() => lake.close())

async function ask(question: Readonly<Record<string, string>>) {
  const parsed = definition.question.parse({ ticker: 'NFST', ...question })
  const context = await contextOf(lake.at(1), parsed.as_of ?? null)
  const built = await buildFilingDiff(context, parsed)
  const answer: unknown = JSON.parse(renderPayload(built, context.lake, parsed.as_of ?? null).payload.toString())
  expect(definition.answer?.safeParse(answer).error).toBeUndefined()
  return answer as Readonly<Record<string, unknown>> & {
    readonly changes: readonly {
      class: string
      old: { factor_id: string; heading: string }[]
      new: { factor_id: string; heading: string }[]
      hunks: { old_text: string; new_text: string }[]
      numbers: object[]
    }[]
    readonly coverage: { status: string; detail: string }
    readonly sources: readonly { accession: string }[]
  }
}
const reported = (answer: Awaited<ReturnType<typeof ask>>) =>
  answer.changes.map(change => [change.class, change.old[0]?.heading ?? null, change.new[0]?.heading ?? null])

describe('filing diff', () => {
  it('compares the two latest, names both, and reports what changed', async () => {
    const answer = await ask({})
    expect(answer).toMatchObject({
      cik,
      form: '10-K',
      item: '1A',
      coverage: { status: 'compared' },
      no_update: false,
      ruleset: 'rfdiff@1',
      count: 3,
      next_cursor: null,
    })
    expect([answer['old'], answer['new']]).toMatchObject([
      { accession: '0000990501-25-000001', factors: 3 },
      { accession: '0000990501-26-000001', factors: 2 },
    ])
    expect(reported(answer)).toEqual([
      ['unchanged', loan[0], loan[0]],
      ['numbers_only', flood[0], flood[0]],
      ['removed', tariff[0], null],
    ])
    expect(answer.changes[1]).toMatchObject({ numbers: [{ old: '$25', new: '$40' }], hunks: [{ old_text: '$25', new_text: '$40' }] })
    expect(answer['summary']).toMatchObject({ unchanged: 1, numbers_only: 1, removed: 1, new: 0 })
    expect(answer['thresholds']).toMatchObject({ unchanged_from: 0.97, rewritten_from: 0.3 })
    expect(answer.sources.map(source => source.accession)).toEqual(['0000990501-25-000001', '0000990501-26-000001'])
  })
  it('ids are those of the first year that we hold, whichever two are compared', async () => {
    const [latest, whole] = [await ask({}), await ask({ old: '0000990501-24-000001', new: '0000990501-26-000001' })]
    const idOf = (answer: typeof latest, heading: string) =>
      answer.changes.flatMap(change => change.new).find(each => each.heading === heading)?.factor_id
    for (const [heading] of [flood, loan]) expect(idOf(whole, heading)).toBe(idOf(latest, heading))
    for (const change of whole.changes) expect(change.old[0]?.factor_id).toBe(change.new[0]?.factor_id)
  })
  it('as of an earlier day the later filing is not known', async () => {
    const answer = await ask({ as_of: '2025-06-30' })
    expect([answer['old'], answer['new']]).toMatchObject([{ accession: '0000990501-24-000001' }, { accession: '0000990501-25-000001' }])
    expect(reported(answer).map(([kind]) => kind)).toEqual(['unchanged', 'unchanged', 'new'])
  })
  it('a page goes on where the one before ended', async () => {
    const first = await ask({ limit: '2' })
    const second = await ask({ limit: '2', cursor: String(first['next_cursor']) })
    expect([...reported(first), ...reported(second)]).toEqual(reported(await ask({})))
    expect(second['next_cursor']).toBeNull()
  })
  it('a quarter that changed nothing is no update, and nothing is removed', async () => {
    const answer = await ask({ form: '10-Q' })
    expect(answer).toMatchObject({ coverage: { status: 'no_update' }, no_update: true, changes: [], metrics: null, summary: null })
  })
  it('one filing, none, and an issuer outside of the SEC are distinguished; an unknown symbol is an error', async () => {
    expect((await ask({ form: '20-F' })).coverage).toMatchObject({ status: 'one_filing', detail: expect.stringContaining('0000990501-23-000003') })
    expect((await ask({ form: 'S-1' })).coverage.status).toBe('no_filing')
    expect((await ask({ ticker: 'STUB' })).coverage.status).toBe('no_filing')
    await expect(ask({ ticker: 'NOBODY' })).rejects.toMatchObject({ status: 404 })
    await expect(ask({ new: '0000990501-11-000001' })).rejects.toMatchObject({ status: 400 })
  })
  it('a subsidiary that files with its parent has the sections of the common filing', async () => {
    const provenance = { known_from: '2026-02-20T21:00:00Z', known_basis: 'accepted', source: 'edgar', raw_sha256: 'd'.repeat(64), withdrawn: false }
    const rows = ['0000990501-25-000001', '0000990501-26-000001'].map(accession => ({
      accession,
      cik: '0000990502',
      company: 'STUB CORP',
      form: '10-K',
      filed_date: `20${accession.slice(11, 13)}-02-20`,
      items: [],
      url: 'https://www.sec.gov/Archives/edgar/data/990502/x.txt',
      documents: [],
      ...provenance,
      known_from: `20${accession.slice(11, 13)}-02-20T21:00:00Z`,
    }))
    await lake.add('filings', rows, release)
    const answer = await ask({ ticker: 'STUB' })
    expect(answer).toMatchObject({ cik: '0000990502', coverage: { status: 'compared' }, summary: { unchanged: 1, numbers_only: 1, removed: 1 } })
  })
  it('an item of which the filing has nothing is an error, never an unchanged one', async () => {
    await expect(ask({ item: '7' })).rejects.toMatchObject({ status: 404, message: expect.stringContaining('item 7 cannot be compared') })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromEdgar, listedSymbols, testLake } from '#fixtures/memory-lake.ts'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { submissionDocument } from '#fixtures/world/render/submission.ts'
import { buildWorld } from '#fixtures/world/world.ts'
import type { DatasetName } from '#schemas/index.ts'
import { offeringOperations } from '#schemas/operations/offerings.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import { pagedOperation } from '#warehouse/answers/paged.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import type { MemoryLake } from '#warehouse/store/lake/memory.ts'
import { parseFiling } from '../edgar/full-submission.ts'
import { parseSubmission } from '../filings/sgml.ts'

const world = buildWorld('small', 7)
const stories = world.filings.filter(each => each.story.startsWith('offering'))
let lake: MemoryLake
const release = { release: 1, committed_at: '2026-11-20T00:00:00Z' }

beforeAll(async () => {
  lake = await testLake()
  const facts = new Map<DatasetName, object[]>([
    ['offerings', []],
    ['offering_financials', []],
    ['filings', []],
  ])
  for (const [at, filing] of stories.entries()) {
    const read = parseFiling(submissionDocument(filing, `f${at}`))
    for (const [name, held] of facts) {
      const rows: readonly object[] = read.facts[name as 'offerings'] ?? []
      held.push(...rows.map(row => ({ ...fromEdgar(`f${at}`), ...row, ...(name === 'filings' ? { documents: [] } : {}) })))
    }
  }
  // A registration that only an index names.
  const qt = world.issuers.find(each => each.key === 'QT')
  const [pattern] = facts.get('filings') ?? []
  facts.get('filings')?.push({ ...pattern, cik: qt?.cik, accession: '0009990002-26-999999', form: 'S-1', filed_date: '2026-11-18' })
  for (const [name, rows] of facts) await lake.add(name, rows, release)
  await lake.add('symbols', listedSymbols(world), release)
})
afterAll(() => lake.close())

// biome-ignore lint/suspicious/noExplicitAny: the answer is asked for single members here, and checked whole by its schema
type Json = any
async function ask(ticker: string, more: { accession?: string; as_of?: string } = {}): Promise<Json> {
  const context = await contextOf(lake.at(1), more.as_of ?? null)
  const payload = await buildPayload('get_s1', context, { ticker, ...more } as never, '2026-11-20T00:00:00Z')
  if (payload === null) return null
  const json: Json = JSON.parse(payload.payload.toString())
  expect(offeringOperations[0].answer?.safeParse(json).error).toBeUndefined()
  return json
}

describe('a registration statement', () => {
  test('is found by the symbol that it proposes, and the latest amendment answers', async () => {
    const answer = await ask('SLTK')
    expect(answer).toMatchObject({
      matched_by: 'proposed_symbol',
      symbol: null,
      cik: '0009965001',
      ruleset: 's1@1',
      coverage: { status: 'read' },
    })
    expect(answer.filing).toMatchObject({ form: 'S-1/A', filed_date: '2026-10-30' })
    expect(answer.offering).toMatchObject({ price: 15, price_low: 14, price_high: 16, price_basis: 'midpoint', shares: 6000000, lock_up_days: 180 })
    expect(answer.use_of_proceeds.net_proceeds_estimate).toEqual({
      amount: 81900000,
      overallotment_amount: 94500000,
      approximate: true,
      placeholder: false,
      currency: 'USD',
      basis: 'midpoint',
    })
    expect(answer.use_of_proceeds.items.map((item: Json) => [item.category, item.amount])).toEqual([
      ['debt_repayment', 30000000],
      ['r_and_d', 24500000],
      ['working_capital', null],
    ])
    expect(answer.sources.map((source: Json) => source.accession)).toEqual([answer.filing.accession, answer.final_terms.accession])
  })

  test('its history is one list under its file number: first, range, higher range, priced', async () => {
    const { history, registration, final_terms: final } = await ask('9965001')
    expect(registration).toEqual({ file_number: '333-991001', filings: 4 })
    expect(history.map((row: Json) => [row.form, row.change, row.price])).toEqual([
      ['424B4', 'priced', 16.5],
      ['S-1/A', 'range_amended', 15],
      ['S-1/A', 'range_amended', 13],
      ['S-1', 'first', null],
    ])
    expect(final).toMatchObject({ form: '424B4', price: 16.5, shares: 6500000, gross: { amount: 107250000 }, net_approx: { amount: 97200000 } })
  })

  test('a blank is null with placeholder, never 0', async () => {
    const { history } = await ask('SLTK')
    const first = await ask('SLTK', { accession: history.at(-1).accession })
    expect(first.filing.form).toBe('S-1')
    expect(first.use_of_proceeds.net_proceeds_estimate).toMatchObject({ amount: null, placeholder: true })
    expect(first.use_of_proceeds.items[0]).toMatchObject({ amount: null, placeholder: true })
  })

  test('nothing that was accepted after as_of is in the answer', async () => {
    const then = await ask('SLTK', { as_of: '2026-10-10T00:00:00Z' })
    expect([then.filing.filed_date, then.final_terms, then.history.length]).toEqual(['2026-10-02', null, 2])
    await expect(ask('SLTK', { as_of: '2026-08-01T00:00:00Z' })).rejects.toThrow('no symbol SLTK')
  })

  test('pre-IPO financials carry period, scale, basis and whether they were audited', async () => {
    const { pre_ipo_financials: financials } = await ask('SLTK')
    expect(financials).toMatchObject({ taken_from: 'table', differences: 0 })
    const revenue = financials.rows.filter((row: Json) => row.line_item === 'revenue')
    expect(revenue.map((row: Json) => [row.period_end, row.period_months, row.audited, row.value, row.scale])).toEqual([
      ['2024-12-31', 12, true, 18204, 1000],
      ['2025-12-31', 12, true, 27910, 1000],
      ['2026-06-30', 6, false, 16480, 1000],
    ])
  })

  test('a listed issuer: exact net of a supplement, its own section and not the base prospectus’s', async () => {
    const answer = await ask('HLTB')
    expect(answer).toMatchObject({ matched_by: 'listing', filing: { form: '424B5', document_kind: 'supplement', terms: 'final' } })
    expect(answer.coverage.sentence).toContain('only prospectuses')
    expect(answer.use_of_proceeds.net_proceeds_estimate).toMatchObject({ amount: 18450000, approximate: false })
    expect(answer.use_of_proceeds.untrusted_text).not.toContain('Unless a supplement')
  })

  test('a resale raises nothing for the issuer', async () => {
    const { offering, use_of_proceeds: uses } = await ask('BRLX')
    expect([offering.selling_holders_only, offering.primary_shares, offering.secondary_shares, uses.net_proceeds_estimate.amount]).toEqual([
      true,
      null,
      1800000,
      null,
    ])
  })

  test('nothing there, not read yet, no filer and no such symbol are four answers', async () => {
    expect((await ask('BXH-B')).coverage.status).toBe('not_loaded')
    expect((await ask('QT')).coverage).toMatchObject({ status: 'not_read' })
    const home = world.listings.find(line => line.to === null && line.issuer.cik === null)?.symbol ?? ''
    expect((await ask(home)).coverage.status).toBe('unknown_filer')
    await expect(ask('NOSUCH')).rejects.toThrow('no symbol NOSUCH')
    await expect(ask('SLTK', { accession: '0000000000-00-000000' })).rejects.toThrow('is no offering of SLTK')
  })

  test('a page stands only for a ticker that the listings know, and while it says that something was read', async () => {
    const context = await contextOf(lake.at(1), null)
    const paged = pagedOperation('get_s1')
    expect(['HLTB', 'SLTK', '9965001'].map(ticker => paged?.standard({ ticker }, context))).toEqual([true, false, false])
    const payload = await buildPayload('get_s1', context, { ticker: 'HLTB' } as never, '2026-11-20T00:00:00Z')
    expect(paged?.isCurrent?.(payload?.payload ?? Buffer.alloc(0), { ticker: 'HLTB' }, context)).toBe(true)
    const none = await buildPayload('get_s1', context, { ticker: 'QT' } as never, '2026-11-20T00:00:00Z')
    expect(paged?.isCurrent?.(none?.payload ?? Buffer.alloc(0), { ticker: 'QT' }, context)).toBe(false)
    expect(paged?.changed(new Map([['offerings', [{ cik: context.symbols.find('HLTB')?.cik }]]]), context)).toContainEqual({ ticker: 'HLTB' })
  })
})

describeReal('recorded prospectuses', () => {
  const held = [
    'edgar/offering/acurx-0001104659-23-076317.txt',
    'edgar/offering/imunon-0001493152-25-029712.txt',
    'edgar/offering/traws-0001104659-24-132924.txt',
    'edgar2/offering/aerovironment-s3asr.txt.gz',
    'edgar2/offering/bofa-arn-ita.txt',
    'edgar2/offering/bofa-spx-autocall.txt',
    'edgar2/offering/bofa-ubs-yield.txt',
    'edgar2/offering/bofa-worstof-callable.txt.gz',
    'edgar2/offering/creditsuisse-f3.txt.gz',
    'edgar2/offering/gcm-s3.txt.gz',
    'edgar2/offering/vigil-s3.txt',
    'edgar2/offering/whitehawk-s3.txt',
  ]
  let real: MemoryLake
  beforeAll(async () => {
    real = await testLake()
    const rows = held.flatMap((path, at) => {
      const body = realBytes(path)
      const cik = parseSubmission(body).header.entities.find(entity => entity.cik !== null)?.cik
      const read = parseFiling({
        sha256: `e${at}`,
        source: 'edgar',
        url: `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/0000000000-25-00000${at}.txt`,
        retrieved_at: '2026-11-20T00:00:00Z',
        status: 200,
        headers: {},
        body,
      })
      return (read.facts.offerings ?? []).map(row => ({ ...fromEdgar(`e${at}`), ...row }))
    })
    expect(rows).toHaveLength(held.length)
    await real.add('offerings', rows, release)
  })
  afterAll(() => real.close())

  test('a reference asset or a word finds no issuer; an issuer’s own symbol does', async () => {
    const find = async (ticker: string): Promise<Json> => {
      const payload = await buildPayload('get_s1', await contextOf(real.at(1), null), { ticker } as never, '2026-11-20T00:00:00Z')
      return JSON.parse(payload?.payload.toString() ?? 'null')
    }
    for (const ticker of ['SPX', 'NDX', 'RTY', 'ITA', 'EFFECT']) await expect(find(ticker)).rejects.toThrow(`no symbol ${ticker}`)
    const vigil = await find('VIGL')
    expect([vigil.matched_by, vigil.offering.underwriters, vigil.offering.underwriters_reason, vigil.offering.price]).toEqual([
      'proposed_symbol',
      [],
      'sold_by_holders',
      null,
    ])
  })
})

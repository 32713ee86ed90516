// The index and the lake find the same filings for every query, release and instant.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { Upstream } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { connect } from '../../store/postgres.ts'
import { type RequestedFilings, readFilingQuestion } from './filing-question.ts'
import { searchFilings } from './filings.ts'
import { filingIndexOn, fillFilingIndex, findCandidates, indexFilings, isComplete } from './search-index.ts'
import { searchWords } from './search-words.ts'

const warehouse = await worldWarehouse()
const { db } = warehouse.runtime.postgres
let head = 0
beforeAll(async () => {
  head = (await warehouse.lake()).release
})

const keyOf = (row: { accession: string; cik: string }): string => `${row.accession} ${row.cik}`
async function both(requested: RequestedFilings, given: { release?: number; as_of?: string; limit?: number } = {}): Promise<[string[], string[]]> {
  const lake = await warehouse.lake(given.release)
  const question = { ...readFilingQuestion(requested), ciks: null, after: null, as_of: given.as_of ?? null, limit: given.limit ?? 50 }
  const [byLake, byIndex] = await Promise.all([searchFilings(lake, question, null), searchFilings(lake, question, filingIndexOn(db))])
  expect(byIndex).toEqual(byLake)
  return [byLake.map(keyOf), byIndex.map(keyOf)]
}

const questions: readonly RequestedFilings[] = [
  {},
  { form: '4' },
  { form: '4', amendments: 'include' },
  { form: '4', amendments: 'only' },
  { form: '4,10-K,8-K', amendments: 'exclude' },
  { form: '10-*' },
  { amendments: 'only' },
  { from: '2026-11-10' },
  { to: '2026-06-30' },
  { from: '2026-03-01', to: '2026-09-30', form: '4' },
  { items: '2.02' },
  { items: '5.02,9.01', from: '2026-01-01' },
  { q: 'annual report' },
  { q: 'insider' },
  { q: 'quartz TRACTOR' },
  { q: 'inc', form: '8-K' },
  { q: 'nothing is called so' },
]

describe('the index of filings', () => {
  it.each(questions.map(question => [JSON.stringify(question), question] as const))('finds what the lake finds: %s', async (_name, question) => {
    const [found] = await both(question)
    await both(question, { limit: 3 })
    for (const release of [1, Math.floor(head / 2)]) await both(question, { release })
    await both(question, { as_of: '2026-06-30T12:00:00Z' })
    expect(found.length > 0).toBe(question.q !== 'nothing is called so')
  })

  it('gives every filing once over its pages, in one order', async () => {
    const lake = await warehouse.lake()
    const index = filingIndexOn(db)
    const question = { ...readFilingQuestion({}), ciks: null, as_of: null, limit: 7 }
    const seen: string[] = []
    let after = null
    for (;;) {
      const rows = await searchFilings(lake, { ...question, after }, index)
      seen.push(...rows.map(keyOf))
      if (rows.length < question.limit) break
      after = rows.at(-1) ?? null
    }
    const [all] = await both({}, { limit: 100_000 })
    expect(seen).toEqual(all)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('finds a filing by a heading inside it, and by its words no longer once the heading was withdrawn', async () => {
    const lake = await warehouse.lake()
    const [first] = await searchFilings(lake, { ...readFilingQuestion({}), ciks: null, after: null, as_of: null, limit: 1 }, null)
    const { accession, cik, form, filed_date, known_from } = first as NonNullable<typeof first>
    const heading = { accession, cik, form, filed_date, known_from, line: 3, item: '1A', title: 'Quokka hazards and Risk Factors', withdrawn: false }
    const ask = (q: string, release: number, items?: string) =>
      findCandidates(db, { ...readFilingQuestion({ q, items }), ciks: null, after: null, as_of: null, limit: 5 }, release)
    const put = (row: object, release: number) =>
      db.transaction().execute(trx => indexFilings(trx, new Map<DatasetName, object[]>([['report_items', [row]]]) as never, release))
    await put(heading, head + 1)
    await put({ ...heading, line: 4 }, head + 1)
    expect((await ask('quokka hazards', head + 1)).map(keyOf)).toEqual([`${accession} ${cik}`])
    expect(await ask('quokka hazards', head + 1, '1.01')).toEqual([])
    expect(await ask('quokka hazards', head)).toEqual([])
    await put({ ...heading, withdrawn: true }, head + 2)
    await put({ ...heading, line: 4, title: 'Wombats' }, head + 2)
    expect(await ask('quokka', head + 2)).toEqual([])
    expect((await ask('quokka', head + 1)).map(keyOf)).toEqual([`${accession} ${cik}`])
    await db
      .deleteFrom('filing_index' as never)
      .where('release_from' as never, '>', head as never)
      .execute()
  })

  it('takes hostile text without failing the commit', async () => {
    const key = { accession: '0009900099-26-000001', cik: '0009900099', filed_date: '2026-11-20' }
    const odd = {
      ...key,
      known_from: '2026-11-20T10:00:00Z',
      withdrawn: false,
      form: `8-K\u0000${'x'.repeat(9000)}`,
      company: `A'b\\c & | ! <-> ${'y'.repeat(9000)}\u0000`,
      primary_description: null,
      items: ['\u0000', "'"],
    }
    const ancient = { ...odd, accession: '0009900099-26-000002', filed_date: '0000-01-01' }
    await db.transaction().execute(trx => indexFilings(trx, new Map([['filings', [odd, ancient]]]) as never, head + 1))
    const found = await findCandidates(db, { ...readFilingQuestion({ q: "a'B c" }), ciks: null, after: null, as_of: null, limit: 5 }, head + 1)
    expect(found.map(keyOf)).toEqual(['0009900099-26-000001 0009900099'])
    await db
      .deleteFrom('filing_index' as never)
      .where('release_from' as never, '>', head as never)
      .execute()
  })

  it('reports that it took too long, rather than failing, if Postgres stops the search', async () => {
    const impatient = connect(warehouse.runtime.url, { max: 1, statementTimeout: 200 })
    const question = { ...readFilingQuestion({ q: 'report' }), ciks: null, after: null, as_of: null, limit: 5 }
    try {
      await db.transaction().execute(async trx => {
        await sql`lock table filing_index in access exclusive mode`.execute(trx)
        await expect(findCandidates(impatient.db, question, head)).rejects.toThrow(Upstream)
      })
      expect(await findCandidates(impatient.db, question, head)).toHaveLength(5)
    } finally {
      await impatient.close()
    }
  })

  it('walks back from the newest day where hits are too many to be sorted, and finds the same', async () => {
    const lake = await warehouse.lake()
    const question = { ...readFilingQuestion({ q: 'statement', from: '2026-01-01' }), ciks: null, after: null, as_of: null, limit: 30 }
    const sorted = await findCandidates(db, question, lake.release)
    expect(sorted.length).toBeGreaterThan(5)
    expect(await findCandidates(db, question, lake.release, 3)).toEqual(sorted)
  })

  it('is filled from the lake where an older version left it behind', async () => {
    const before = await both({ q: 'report' })
    await db.updateTable('filing_index_state').set({ complete: true, words_version: 0 }).execute()
    expect(await isComplete(db)).toBe(false)
    expect(await fillFilingIndex(db, release => warehouse.lake(release), new AbortController().signal)).toBeGreaterThan(0)
    expect(await isComplete(db)).toBe(true)
    expect(await both({ q: 'report' })).toEqual(before)
    for (const release of [1, Math.floor(head / 2)]) await both({}, { release })
    expect(await fillFilingIndex(db, release => warehouse.lake(release), new AbortController().signal)).toBe(0)
  })
})

describe('words', () => {
  it('are whole, in lower case, of any script, each once', () => {
    expect(searchWords('10-K/A of Société Générale, 10-K')).toEqual(['10', 'k', 'a', 'of', 'société', 'générale'])
    expect(searchWords(' — ')).toEqual([])
  })
  it('must be letters or digits somewhere', () => {
    expect(() => readFilingQuestion({ q: '---' })).toThrow('holds no letter and no digit')
  })
})

describe('forms', () => {
  it('are exact, or beginnings with a star, or include their amendments', () => {
    const forms = (form: string, amendments?: 'include' | 'exclude' | 'only') => {
      const read = readFilingQuestion({ form, amendments })
      return [read.forms, read.prefixes, read.amendments]
    }
    expect(forms('10-K')).toEqual([['10-K'], [], 'any'])
    expect(forms('sc 13d, 10-K*')).toEqual([['SC 13D'], ['10-K'], 'any'])
    expect(forms('10-K', 'include')).toEqual([['10-K', '10-K/A'], [], 'any'])
    expect(forms('10-K/A', 'exclude')).toEqual([['10-K'], [], 'exclude'])
    expect(forms('10-K', 'only')).toEqual([['10-K/A'], [], 'only'])
  })
})

// Every page that a load of the universe signs is re-executed from its documents with the same bytes, and so are answers whose rows have
// several documents, or whose symbols come from a filing.
import { expect, test } from 'vitest'
import { answersOf } from '#fixtures/answers.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { findSubjects, installedTools, type ReExecuted, reproduceMany } from './reproduce.ts'

const warehouse = await worldWarehouse()
const { runtime } = warehouse
const { db } = runtime.postgres

test('every signed page of the universe', async () => {
  const pages = await db.selectFrom('page').select('receipt_id').where('receipt_id', 'is not', null).execute()
  const ids = pages.map(page => String(page.receipt_id))
  expect(ids.length).toBeGreaterThan(100)
  const others: ReExecuted[] = []
  let equal = 0
  await reproduceMany(
    installedTools(runtime.tools, runtime.raw),
    await findSubjects(db, ids),
    result => {
      if (result.result === 'equal') equal += 1
      else others.push(result)
    },
    new AbortController().signal,
  )
  expect(others).toEqual([])
  expect(equal).toBe(ids.length)
})

test.each([
  // Before the SEC's map of tickers was read: the symbols are those of Forms 3, 4 and 5.
  ['list_earnings_calendar', { as_of: '2026-11-18T04:59:59Z', from: '2026-11-18', to: '2027-03-17', status: 'confirmed', limit: '1000' }],
  ['list_earnings_calendar', { from: '2026-11-18', to: '2027-03-17' }],
  // Issuers are described by headers of filings and by the SEC's list of their filings.
  ['list_themes', {}],
  ['list_themes', { as_of: '2026-11-18T04:59:59Z' }],
] as const)('%s %j', async (operation, requested) => {
  expect(await answersOf(warehouse).reproduced(operation, requested)).toMatchObject({ reproduced: true, from: 'documents' })
})

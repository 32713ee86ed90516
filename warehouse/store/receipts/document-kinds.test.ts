// The kinds of documents of the bundled universe, by their SHA-256.
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { findDocumentKinds } from './document-kinds.ts'

const { runtime } = await worldWarehouse()
const { db } = runtime.postgres

test.each([
  ['eodhd.bars', 'daily bars of a symbol'],
  ['eodhd.bulk_dividends', 'dividend list of an exchange for a day'],
  ['yahoo.quote', 'quotes'],
  ['edgar.submission.3', 'filing as submitted'],
])('a document that %s read is %s', async (reader, kind) => {
  const { sha256 } = await db
    .selectFrom('raw_document as d')
    .innerJoin('reading as r', 'r.raw_id', 'd.raw_id')
    .select('d.sha256')
    .where('r.reader', '=', reader)
    .where('d.holds_body', '=', true)
    .limit(1)
    .executeTakeFirstOrThrow()
  const unknown = hash('sha256', 'no document of this service')
  expect(await findDocumentKinds(db, [unknown, sha256])).toEqual([
    { sha256: unknown, kind: null },
    { sha256, kind },
  ])
})
test('every document that was read has a kind', async () => {
  const rows = await db
    .selectFrom('raw_document as d')
    .innerJoin('reading as r', 'r.raw_id', 'd.raw_id')
    .select('d.sha256')
    .where('d.holds_body', '=', true)
    .where('r.reader', 'is not', null)
    .execute()
  const found = await findDocumentKinds(
    db,
    rows.map(each => each.sha256),
  )
  expect(found.length).toBeGreaterThan(500)
  expect(found.filter(each => each.kind === null)).toEqual([])
})
test('without hashes there is nothing to look up', async () => expect(await findDocumentKinds(db, [])).toEqual([]))

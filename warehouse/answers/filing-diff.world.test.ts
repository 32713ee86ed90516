// The filing diff of the bundled universe, from files, and the pages that its ingest stored.
import { expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import { filingDiffOperations } from '#schemas/operations/filing-diff.ts'
import { renderPayload } from '../context/answer.ts'
import { contextOf } from '../context/release-contexts.ts'
import { findPage } from '../store/pages.ts'
import { buildFilingDiff } from './filing-diff.ts'

const warehouse = await worldWarehouse()
const [definition] = filingDiffOperations

it('two years of one issuer differ as its story defines, and the stored page is equal', async () => {
  const lake = await warehouse.lake()
  const context = await contextOf(lake, null)
  const question = definition.question.parse({ ticker: 'BRLX' })
  const payload = renderPayload(await buildFilingDiff(context, question), lake, null).payload.toString()
  const answer = JSON.parse(payload) as {
    readonly coverage: { readonly status: string }
    readonly summary: Readonly<Record<string, number>>
    readonly changes: readonly object[]
  }
  expect(definition.answer?.safeParse(answer).error).toBeUndefined()
  expect(answer.coverage.status).toBe('compared')
  const { new: added, removed, unchanged, modified_minor, modified } = answer.summary as Record<string, number>
  for (const count of [added, removed, unchanged, (modified_minor ?? 0) + (modified ?? 0)]) expect(count).toBeGreaterThan(0)
  const page = await findPage(warehouse.runtime.postgres.db, 'get_filing_diff', canonicalQuery(question), lake.release)
  if (page?.payload) expect(JSON.parse(page.payload.toString())).toMatchObject({ changes: answer.changes, summary: answer.summary })
  expect(page).not.toBeNull()
})

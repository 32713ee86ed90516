import { expect, it } from 'vitest'
import { testLake } from '#fixtures/memory-lake.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import type { Signer } from '#warehouse/store/receipts/signer.ts'
import { buildPages, changedQuestions } from './pages.ts'

it('a page that cannot be made takes the place of the one before, empty: the commit goes on, and who asks is told why', async () => {
  const lake = await testLake()
  const release = { release: 1, committed_at: '2026-06-01T00:00:00Z' }
  const provenance = { known_from: '2026-02-20T21:00:00Z', known_basis: 'accepted', source: 'edgar', raw_sha256: 'a'.repeat(64), withdrawn: false }
  const filing = { accession: '0000990501-26-000001', cik: '0000990501', form: '10-K', filed_date: '2026-02-20', ...provenance }
  const item = { ...filing, line: 1, item: '1A', status: 'empty', words: 4, document_type: '10-K', flags: [] }
  await lake.add('issuer_tickers', [{ cik: '0000990501', symbol: 'NFST', name: 'NORTHFERRY', ...provenance }], release)
  await lake.add('filings', [{ ...filing, items: [], url: '', documents: [] }], release)
  await lake.add('report_items', [item], release)
  const context = await contextOf(lake.at(1), null)
  const requested = changedQuestions(new Map([['report_items', [item]]]), context)
  expect(requested).toEqual([{ operation: 'get_filing_diff', question: { ticker: 'NFST', form: '10-K', item: '1A', limit: 100 } }])
  const unsigned = {} as Signer // nothing is signed of a page without a payload
  expect(await buildPages(requested, context, 1, release.committed_at, unsigned)).toMatchObject([
    { operation: 'get_filing_diff', payload: null, receipt: null, release_from: 1 },
  ])
  lake.close()
})

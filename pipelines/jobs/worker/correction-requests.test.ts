// A second attempt of a correction whose first attempt stopped.
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { commitCorrection, findFilingRows, newestLake, planCorrection } from '../../ingest/correct-value.ts'
import { correctValue } from './correction-requests.ts'
import type { RequestTools } from './request-tools.ts'

const { runtime } = await worldWarehouse()
const { tools: ingest, raw } = runtime
const at = '2026-11-21T12:00:00.000Z'
const [purchase] = await (await newestLake(ingest)).query<{ filing_id: string; line: number }>(
  "select filing_id, line from insider_transactions where issuer_symbol = 'BRLX' and price is not null and code = 'P' order by filing_id, line limit 1",
  { as_of: null },
  { insider_transactions: 'all' },
)
if (!purchase) throw new TypeError('the universe has no purchase of BRLX')
const filing = purchase.filing_id
const request = {
  kind: 'correct',
  filing,
  dataset: 'insider_transactions',
  line: String(purchase.line),
  field: 'price',
  value: '7.25',
  reason: 'decimal point',
  evidence: 'https://www.example.com/statement.pdf',
  dry_run: false,
  at,
  actor: 'p_administrator',
} as const

test('finds the correction that the sweep of unread documents committed, and writes its missing audit row once', async () => {
  const names = { line: 'line', dataset: 'dataset', reason: 'reason', evidence: 'evidence', list: 'the list' }
  const place = { filing, dataset: 'insider_transactions', row: request.line } as const
  const rows = await findFilingRows(await newestLake(ingest), filing)
  const { reason, evidence, field, value } = request
  const changes = planCorrection(rows, { place, field, value, reason, evidence }, names)
  const swept = await commitCorrection(
    { raw, ingest },
    { crossfile: 'correction', version: 1, filing, corrected_at: at, reason, evidence, changes },
    names,
  )

  const announced: number[] = []
  const tools = { ingest, raw, now: () => new Date(at), onRelease: (release: number) => announced.push(release) } as unknown as RequestTools
  const audited = () => ingest.db.selectFrom('audit_entry').select(['actor', 'subject', 'details']).where('act', '=', 'filing.correct').execute()
  expect(await audited()).toEqual([])
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect(await correctValue(tools, request, true)).toMatchObject({ filing, release: swept, changes: [{ field: 'price', value: '7.25' }] })
    expect(await audited()).toEqual([
      {
        actor: 'p_administrator',
        subject: filing,
        details: { dataset: 'insider_transactions', line: request.line, field, undone: false, reason, at, release: swept },
      },
    ])
  }
  expect([announced, (await newestLake(ingest)).release]).toEqual([[], swept])
})

test('a correction of another field in the same millisecond is not taken for it', async () => {
  const tools = { ingest, raw, now: () => new Date(at), onRelease: () => {} } as unknown as RequestTools
  const before = (await newestLake(ingest)).release
  const other = { ...request, field: 'shares', value: '4321', reason: 'a digit is missing' } as const
  const done = await correctValue(tools, other, true)
  expect(done).toMatchObject({ filing, release: before + 1, changes: [{ field: 'shares', value: '4321' }] })
  // A third attempt of each finds its own.
  expect(await correctValue(tools, other, true)).toMatchObject({ release: before + 1, changes: [{ field: 'shares', value: '4321' }] })
  expect(await correctValue(tools, request, true)).toMatchObject({ release: before, changes: [{ field: 'price', value: '7.25' }] })
  const { audited } = await ingest.db
    .selectFrom('audit_entry')
    .select(({ fn }) => fn.countAll<number>().as('audited'))
    .where('act', '=', 'filing.correct')
    .executeTakeFirstOrThrow()
  expect(Number(audited)).toBe(2)
})

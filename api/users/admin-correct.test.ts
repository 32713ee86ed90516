// Corrections of filings by an administrator, over HTTP and with a worker.
import { expect, it } from 'vitest'
import { answerOf, send, worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { CorrectionOut, Corrections, FilingValues } from '#schemas/admin-correct.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'

const { db, server, warehouse } = await worldService()
const admin = await signedInUser(db, { is_admin: true, kind: 'admin' })
await enrolNow(db, openSealKey(keysFolderOf(warehouse.config.dataFolder)), admin, new Date())
const call = async (path: string, body?: unknown, more: Record<string, string> = {}) =>
  answerOf(
    await send(`${server.address}/api/v1/admin/corrections${path}`, {
      ...(body === undefined ? {} : { body }),
      headers: { ...admin.cookie, ...more },
    }),
  )
const acts = async () => await db.selectFrom('audit_entry').select(['subject', 'details']).where('act', '=', 'filing.correct').execute()

const lake = await warehouse.lake()
const [purchase] = await lake.query<{ filing_id: string; line: number; price: string }>(
  "select filing_id, line, price from insider_transactions where issuer_symbol = 'BRLX' and price is not null and code = 'P' order by filing_id, line limit 1",
  { as_of: null },
  { insider_transactions: 'all' },
)
if (!purchase) throw new TypeError('the universe has no purchase of BRLX')
const { filing_id: filing, price } = purchase
const line = String(purchase.line)
const wanted = { filing, line, field: 'price', value: '7.25', reason: 'decimal point', evidence: 'https://www.example.com/statement.pdf' }

it('shows the values of a filing that can be corrected, of one row or of all', async () => {
  const one = FilingValues.parse((await call(`/${filing}?dataset=insider_transactions&line=${line}`)).body)
  expect([one.count, one.of]).toEqual([1, 1])
  expect(one.rows[0]?.fields.find(each => each.field === 'price')).toEqual({ field: 'price', filed: price, value: price, corrected: false })
  const all = FilingValues.parse((await call(`/${filing}`)).body)
  expect(all.of).toBe(all.datasets.reduce((sum, each) => sum + each.rows, 0))
  const unknown = await call('/0000000000-26-000001')
  expect([unknown.status, unknown.body['detail']]).toEqual([400, expect.stringContaining('has no stored row that can be corrected')])
})

it('a preview writes nothing, and what does not fit is refused with the names of the request', async () => {
  const before = (await warehouse.lake()).release
  const preview = await call('', { ...wanted, dry_run: true })
  expect([preview.status, CorrectionOut.parse(preview.body)]).toMatchObject([
    202,
    { state: 'preview', release: null, changes: [{ dataset: 'insider_transactions', line, field: 'price', before: price, value: '7.25' }] },
  ])
  const refused = async (body: object) => (await call('', { ...wanted, ...body })).body
  expect(await refused({ value: 'seven' })).toMatchObject({ detail: expect.stringContaining('expected a decimal number') })
  expect(await refused({ field: 'prise' })).toMatchObject({ hint: expect.stringContaining('did you mean price?') })
  expect(await refused({ evidence: null })).toMatchObject({ detail: 'correct: evidence is missing' })
  expect(await refused({ value: null })).toMatchObject({ hint: 'GET /api/v1/admin/corrections shows the corrections' })
  expect((await call('', { ...wanted, dataset: 'bars' })).status).toBe(422)
  expect(Corrections.parse((await call('')).body)).toEqual({ count: 0, of: 0, corrections: [] })
  expect([(await warehouse.lake()).release, await acts()]).toEqual([before, []])
})

it('a correction is applied once for its Idempotency-Key, listed, audited in its commit, and can be withdrawn', async () => {
  const key = { 'idempotency-key': 'correct-one' }
  const made = await call('', wanted, key)
  expect([made.status, CorrectionOut.safeParse(made.body).error]).toEqual([202, undefined])
  const listed = async () => Corrections.parse((await call(`?filing=${filing}`)).body)
  await expect.poll(async () => (await listed()).count).toBe(1)
  const again = await call('', wanted, key)
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
  expect((await listed()).corrections).toMatchObject([
    { filing, line, field: 'price', filed: price, value: '7.25', undone: false, reason: 'decimal point' },
  ])
  const [act, ...more] = await acts()
  expect([act, more]).toEqual([
    {
      subject: filing,
      details: {
        dataset: 'insider_transactions',
        line,
        field: 'price',
        undone: false,
        reason: 'decimal point',
        at: expect.any(String),
        release: (await warehouse.lake()).release,
      },
    },
    [],
  ])
  await call('', { ...wanted, value: null, evidence: null, reason: 'the filing is right' })
  await expect.poll(async () => (await listed()).of).toBe(2)
  const values = FilingValues.parse((await call(`/${filing}?line=${line}&dataset=insider_transactions`)).body)
  expect(values.rows[0]?.fields.find(each => each.field === 'price')).toEqual({ field: 'price', filed: price, value: price, corrected: false })
  expect(await acts()).toHaveLength(2)
})

it('refuses a user who is no administrator', async () => {
  const user = await signedInUser(db)
  expect((await call('', wanted, user.cookie)).status).toBe(401)
})

// Watches of signed answers through the whole service: made over HTTP, compared after a release, reported once by each channel.
import { beforeAll, describe, expect, it } from 'vitest'
import { answersOf, operationOf } from '#fixtures/answers.ts'
import { send, worldService } from '#fixtures/service.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { addDocument } from '#fixtures/warehouse.ts'
import { signAndStore } from '#pipelines/ingest/sign-answer.ts'
import { evaluateWatches } from '#pipelines/jobs/receipt-watches/evaluate.ts'
import { receiptWatchOperations } from '#schemas/operations/receipt-watches.ts'
import { keptChanges, noticesOfDay } from '#schemas/receipt-watches.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { writeChanges } from '#warehouse/people/receipt-watches/fire.ts'
import { requestedBound, sweepRequested } from '#warehouse/store/requested-answers.ts'

const { db, key, server, warehouse } = await worldService()
let ada: TestUser
let bea: TestUser
beforeAll(async () => {
  ada = await signedInUser(db)
  bea = await signedInUser(db, { verified: false })
})

type Json = Record<string, unknown>
type Given = { readonly body?: unknown; readonly key?: string }
async function ask(user: TestUser | null, method: string, path: string, { body, key: once }: Given = {}) {
  const response = await send(`${server.address}/api/v1${path}`, {
    method,
    body,
    headers: { ...(user ? { authorization: `Bearer ${user.token}` } : {}), ...(once ? { 'idempotency-key': once } : {}) },
  })
  const text = await response.text()
  return { status: response.status, text, body: (text === '' ? null : JSON.parse(text)) as Json, headers: response.headers }
}
const fits = (id: string, body: unknown): void =>
  expect(receiptWatchOperations.find(each => each.id === id)?.answer?.safeParse(body).error).toBeUndefined()
async function receiptOf(path: string): Promise<string> {
  const response = await fetch(`${server.address}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
  expect([path, response.status]).toEqual([path, 200])
  return ((await response.json()) as { receipt_id: string }).receipt_id
}
const watch = (user: TestUser, receipt_id: string, channels: readonly string[] = ['changes']) =>
  ask(user, 'POST', '/receipts/watch', { body: { receipt_id, channels } })
const evaluate = () =>
  evaluateWatches(
    { ...warehouse.runtime.tools, baseUrl: 'https://example.org' },
    () => Date.parse('2026-11-20T22:00:00Z'),
    new AbortController().signal,
  )
const changesOf = async (user: TestUser, since = 0): Promise<Json[]> => {
  const answer = await ask(user, 'GET', `/receipts/changes?since=${since}`)
  fits('list_receipt_changes', answer.body)
  return answer.body['changes'] as Json[]
}
let dividends = 0
/** A dividend of the listing, which restates its earlier prices; returns the release. */
const addDividend = (symbol: string, day: string): Promise<number> =>
  addDocument(warehouse, `file:watch-${++dividends}.csv`, `symbol,ex_date,kind,amount,currency\n${symbol},${day},dividend,0.1${dividends},CAD\n`)
const mails = () => db.selectFrom('mail_outbox').select(['user_id', 'subject', 'body']).where('kind', '=', 'answer_changed').execute()

describe('a watch', () => {
  it('is made once for each question, listed, and belongs to its user', async () => {
    const id = await receiptOf('/market/eod/QT.TO?from=2026-11-16&to=2026-11-19&receipt=1')
    const body = { receipt_id: ` ${id.toUpperCase()} `, channels: ['mail'] }
    const made = await ask(ada, 'POST', '/receipts/watch', { body, key: 'one' })
    expect(made).toMatchObject({
      status: 201,
      body: { receipt_id: id, first_receipt_id: id, channels: ['mail', 'changes'], changes: 0, changed_at: null, problem: null },
    })
    fits('create_receipt_watch', made.body)
    const replayed = await ask(ada, 'POST', '/receipts/watch', { body, key: 'one' })
    expect([replayed.text, replayed.headers.get('idempotency-replayed')]).toEqual([made.text, 'true'])
    expect(await watch(ada, id)).toMatchObject({ status: 409, body: { code: 'conflict', detail: expect.stringContaining(String(made.body['id'])) } })
    const list = await ask(ada, 'GET', '/receipts/watch')
    fits('list_receipt_watches', list.body)
    expect(list.body).toMatchObject({ count: 1, limit: 10 })
    const path = `/receipts/watch/${made.body['id']}`
    expect((await ask(ada, 'GET', path)).text).toBe(made.text)
    expect([(await ask(bea, 'GET', path)).status, (await ask(bea, 'DELETE', path)).status]).toEqual([404, 404])
    const changed = await ask(ada, 'PATCH', path, { body: { channels: ['changes', 'push'] } })
    expect(changed).toMatchObject({ status: 200, body: { channels: ['push', 'changes'], receipt_id: id } })
    fits('update_receipt_watch', changed.body)
    expect((await ask(bea, 'PATCH', path, { body: { channels: ['mail'] } })).status).toBe(404)
    for (const channels of [[], ['sms'], 'mail']) expect((await ask(ada, 'PATCH', path, { body: { channels } })).status).toBe(422)
    await ask(ada, 'PATCH', path, { body: { channels: ['mail'] } })
    expect((await ask(bea, 'GET', '/receipts/watch')).body).toMatchObject({ count: 0 })
    expect((await ask(null, 'GET', '/receipts/watch')).status).toBe(401)
  })

  it('is refused for what cannot be watched, with the reason', async () => {
    expect(await watch(ada, `r1_${'a'.repeat(52)}`)).toMatchObject({ status: 404 })
    expect(await watch(ada, 'r1_zzz')).toMatchObject({ status: 422 })
    expect(await watch(ada, `r1_${'a'.repeat(52)}`, ['sms'])).toMatchObject({ status: 422 })
    expect(await watch(ada, `r1_${'a'.repeat(52)}`, [])).toMatchObject({ status: 422 })
    const posted = await send(`${server.address}/api/v1/data/drill/interpret?receipt=1`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: { text: 'DH-1 intersected 12.0 m of 2.5 g/t Au from 100.0 m' },
    })
    const { receipt_id } = (await posted.json()) as { receipt_id: string }
    expect(receipt_id).toMatch(/^r1_/)
    expect(await watch(ada, receipt_id)).toMatchObject({ status: 422, body: { detail: [{ msg: expect.stringContaining('posted request') }] } })
  })

  it('is limited by the tier', async () => {
    const user = await signedInUser(db)
    for (let day = 1; day <= 10; day += 1) {
      const id = await receiptOf(`/market/eod/CBC.TO?from=2026-10-${String(day).padStart(2, '0')}&receipt=1`)
      expect((await watch(user, id)).status).toBe(201)
    }
    const id = await receiptOf('/market/eod/CBC.TO?from=2026-10-20&receipt=1')
    expect(await watch(user, id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('tier free allows 10') } })
  })
})

describe('a release', () => {
  it('that changes the answer is reported once by each channel, with both receipts and the causes', async () => {
    const [{ id: watchId, receipt_id: before } = {}] = (await ask(ada, 'GET', '/receipts/watch')).body['watches'] as Json[]
    expect((await watch(bea, String(before), ['push', 'mail'])).status).toBe(201)
    const quiet = await evaluate()
    expect(quiet).toMatchObject({ changes: 0, left: 0, waiting: 0 })
    expect((await evaluate()).questions).toBe(0)
    const release = await addDividend('QT.TO', '2026-11-18')
    expect(await evaluate()).toMatchObject({ release, changes: 2, left: 0, waiting: 0 })
    expect(await evaluate()).toMatchObject({ questions: 0, changes: 0 })
    const [change, ...more] = await changesOf(ada)
    expect(more).toEqual([])
    const { receipt_id: newest } = (change as Record<'after', Json>).after
    const after = String(newest)
    expect(change).toMatchObject({
      watch_id: watchId,
      before: { receipt_id: before },
      after: { release },
      reason: null,
      diff: `/api/v1/data/receipts/${before}/diff/${after}`,
      page: `/r/${before}/diff/${after}`,
      channels: [
        { channel: 'mail', queued: true, skipped: null },
        { channel: 'changes', queued: true, skipped: null },
      ],
    })
    expect(change?.['changes']).toHaveLength(Number(change?.['count']))
    expect(change?.['causes']).toContainEqual(expect.objectContaining({ kind: 'restatement', ex_date: '2026-11-18', release }))
    expect((await ask(ada, 'GET', `/receipts/watch/${watchId}`)).body).toMatchObject({ receipt_id: after, first_receipt_id: before, changes: 1 })
    // The new answer is signed: its receipt verifies, and the address of the difference answers.
    const headers = { authorization: `Bearer ${key}` }
    expect(await (await fetch(server.address + String(change?.['diff']), { headers })).json()).toMatchObject({ count: change?.['count'] })
    expect(await (await fetch(`${server.address}/api/v1/lineage/verify/${after}`)).json()).toMatchObject({ valid: true, reproduced: true })
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    expect(mail?.user_id).toBe(ada.user_id)
    expect(mail?.body).toContain(`https://example.org/r/${before}/diff/${after}`)
    expect(mail?.body).toContain('restatement: ')
    const [ofBea] = await changesOf(bea)
    expect(ofBea?.['channels']).toEqual([
      { channel: 'push', queued: false, skipped: 'no browser is registered' },
      { channel: 'mail', queued: false, skipped: 'the address is not verified' },
      { channel: 'changes', queued: true, skipped: null },
    ])
    const next = (await ask(ada, 'GET', '/receipts/changes')).body['next_since'] as number
    expect(await changesOf(ada, next)).toEqual([])
    const readable = (await ask(ada, 'GET', '/receipts/changes?order=newest&limit=1')).body
    expect(readable).toMatchObject({ count: 1, changes: [{ id: change?.['id'] }], next_before: null, next_since: next })
    expect((await ask(ada, 'GET', `/receipts/changes?order=newest&before=${change?.['position']}`)).body).toMatchObject({
      count: 0,
      next_before: null,
    })
  })

  it('that changes other datasets, or other rows of the same one, is no change', async () => {
    const before = (await changesOf(ada)).length
    await addDocument(
      warehouse,
      'file:watch-other.csv',
      'symbol,date,open,high,low,close,volume,currency\nGLPR.TO,2026-11-20,110,111,109,110.5,10,CAD\n',
      'csv',
      '2026-11-20T22:30:00Z',
    )
    expect(await evaluate()).toMatchObject({ changes: 0, left: 0, waiting: 0 })
    expect(await changesOf(ada)).toHaveLength(before)
  })

  it('before the watch was made is reported at once', async () => {
    const old = await receiptOf('/market/eod/QT.TO?from=2026-11-12&to=2026-11-17&receipt=1')
    await addDividend('QT.TO', '2026-11-19')
    const user = await signedInUser(db)
    expect((await watch(user, old)).status).toBe(201)
    await evaluate()
    expect(await changesOf(user)).toMatchObject([{ before: { receipt_id: old } }])
  })

  it('is not answered for a user who leaves', async () => {
    const user = await signedInUser(db)
    expect((await watch(user, await receiptOf('/market/eod/QT.TO?from=2026-11-13&to=2026-11-17&receipt=1'))).status).toBe(201)
    await db.updateTable('app_user').set({ erasure_requested_at: '2026-11-20T00:00:00Z' }).where('user_id', '=', user.user_id).execute()
    await addDividend('QT.TO', '2026-11-17')
    await evaluate()
    expect(await db.selectFrom('receipt_change').select('change_id').where('user_id', '=', user.user_id).execute()).toEqual([])
  })
})

describe('what is stored', () => {
  it('a watch keeps a bounded number of changes', async () => {
    const user = await signedInUser(db)
    const first = await receiptOf('/market/eod/QT.TO?from=2026-11-10&to=2026-11-11&receipt=1')
    const { id } = (await watch(user, first, ['mail'])).body as { id: string }
    const side = { release: 1, as_of: '2026-11-20T00:00:00Z', schema: 'get_eod/1', transform: 'answers@2', payload_sha256: 'a'.repeat(64) }
    let before = first
    for (let n = 0; n < keptChanges + 5; n += 1) {
      const after = `r1_${n}`
      const difference = {
        question: 'q',
        before: { ...side, receipt_id: before },
        after: { ...side, receipt_id: after },
        equal: false,
        reason: null,
        count: 1,
        changes: [],
        causes: [],
      }
      const tools = { now: '2026-11-20T22:00:00Z', baseUrl: '', crashPoint: () => {} }
      expect(await db.transaction().execute(trx => writeChanges(trx, [id], difference, { datasets: ['bars'], release: 1000 + n }, tools))).toBe(1)
      // The same change again finds that the watch has its answer already.
      expect(await db.transaction().execute(trx => writeChanges(trx, [id], difference, { datasets: ['bars'], release: 1000 + n }, tools))).toBe(0)
      before = after
    }
    const kept = await db.selectFrom('receipt_change').select('after_receipt_id').where('watch_id', '=', id).orderBy('position').execute()
    expect([kept.length, kept[0]?.after_receipt_id, kept.at(-1)?.after_receipt_id]).toEqual([keptChanges, 'r1_5', `r1_${keptChanges + 4}`])
    // Mail reports as many changes of a day as it may, and the feed the rest, with the reason.
    expect((await mails()).filter(each => each.user_id === user.user_id)).toHaveLength(noticesOfDay)
    const last = await db
      .selectFrom('receipt_change')
      .select('mail_skipped')
      .where('watch_id', '=', id)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst()
    expect(last?.mail_skipped).toContain(`more than ${noticesOfDay} changes`)
    expect((await ask(user, 'DELETE', `/receipts/watch/${id}`)).status).toBe(204)
    expect(await db.selectFrom('receipt_change').select('change_id').where('watch_id', '=', id).execute()).toEqual([])
  })

  it('the bound on requested answers removes the longest unused, keeps watched ones, and every receipt', async () => {
    const unused = await receiptOf('/market/eod/GLPR.TO?from=2026-11-02&receipt=1')
    const used = await receiptOf('/market/eod/GLPR.TO?from=2026-11-03&receipt=1')
    const page = (id: string) => db.selectFrom('page').select('used_at').where('receipt_id', '=', id).executeTakeFirst()
    await db.updateTable('page').set({ used_at: '2020-01-01T00:00:00Z' }).where('receipt_id', 'in', [unused, used]).execute()
    const bundle = await fetch(`${server.address}/api/v1/data/receipts/${used}/bundle`, { headers: { authorization: `Bearer ${key}` } })
    expect(bundle.status).toBe(200)
    expect(Date.parse(String((await page(used))?.used_at))).toBeGreaterThan(Date.parse('2026-01-01'))
    const watched = (await db.selectFrom('receipt_watch').select('receipt_id').execute()).map(each => each.receipt_id)
    await db.updateTable('page').set({ used_at: '2019-01-01T00:00:00Z' }).where('receipt_id', 'in', watched).execute()
    const held = (await db.selectFrom('page').select('receipt_id').where('used_at', 'is not', null).execute()).length
    const standard = (await db.selectFrom('page').select('receipt_id').where('used_at', 'is', null).execute()).length
    expect(await sweepRequested(db, requestedBound)).toBe(0)
    expect(await sweepRequested(db, { answers: 1, bytes: requestedBound.bytes })).toBeGreaterThan(0)
    expect(await page(unused)).toBeUndefined()
    expect(await page(used)).toBeDefined()
    const kept = (await db.selectFrom('page').select('receipt_id').where('used_at', 'is not', null).execute()).map(each => each.receipt_id)
    expect(watched.every(each => kept.includes(each))).toBe(true)
    expect(kept.length).toBeLessThan(held)
    expect(await db.selectFrom('page').select('receipt_id').where('used_at', 'is', null).execute()).toHaveLength(standard)
    // The receipt stays, and the same question at its release stores the same bytes again.
    const { release } = await db.selectFrom('receipt').select('release').where('receipt_id', '=', unused).executeTakeFirstOrThrow()
    const { payload, question } = await answersOf(warehouse).payloadOf('get_eod', { symbol: 'GLPR.TO', from: '2026-11-02' }, release)
    const context = await contextOf(await warehouse.lake(release), null)
    const again = await signAndStore(warehouse.runtime.tools, operationOf('get_eod'), question, payload, context)
    expect(again).toBe(unused)
    expect(await page(unused)).toBeDefined()
    expect(await sweepRequested(db, { answers: 1_000, bytes: 1 })).toBeGreaterThan(0)
    expect(await page(used)).toBeUndefined()
  })
})

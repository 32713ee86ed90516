// Billing over HTTP: two users, a Stripe of our own that checks what it is sent, signed events, and an installation without payments.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, answerOf, send } from '#fixtures/service.ts'
import { type FakeStripe, startStripe, stripeSignature, subscriptionEvent } from '#fixtures/stripe.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { AccountRequestRow } from '#schemas/billing.ts'
import { Secret } from '#schemas/config.ts'
import { BillingStatus } from '#schemas/operations/billing.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { type Server, startServer } from '../server.ts'

const warehouse = await worldWarehouse()
const { db } = warehouse.runtime.postgres
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())
const secret = 'whsec_local'
let stripe: FakeStripe
let server: Server
let bare: Server
beforeAll(async () => {
  stripe = await startStripe()
  bare = await startServer(warehouse.config)
  server = await startServer({
    ...warehouse.config,
    stripeKey: new Secret('sk_test_local'),
    stripeWebhookSecret: new Secret(secret),
    stripePrices: { 'trader.monthly': 'price_t', 'alpha.yearly': 'price_a' },
    stripeApi: stripe.origin,
  })
})
afterAll(async () => {
  await Promise.all([server.close(), bare.close()])
  await stripe.close()
})

const call = async (method: string, path: string, who: { cookie?: string } | null, body?: unknown, more = {}, at = () => server): Promise<Answer> =>
  answerOf(await send(at().address + path, { method, body, headers: { ...(who?.cookie ? { cookie: who.cookie } : {}), ...more } }))
const statusOf = async (user: TestUser): Promise<Record<string, unknown>> => (await call('GET', '/api/v1/billing/status', user.cookie)).body
const tell = (body: string, signature = stripeSignature(body, secret, clock.now())): Promise<Answer> =>
  call('POST', '/api/v1/billing/webhook', null, body, { 'stripe-signature': signature })
const seconds = (): number => Math.floor(clock.now().getTime() / 1000)
async function anAdmin(): Promise<TestUser> {
  const user = await signedInUser(db, { is_admin: true, kind: 'admin' })
  await enrolNow(db, openSealKey(keysFolderOf(warehouse.config.dataFolder)), user, clock.now())
  return user
}

describe('requests of an account', () => {
  it('are asked for by a user, seen by that user alone, and fulfilled by an administrator once', async () => {
    const [one, other, admin] = [await signedInUser(db), await signedInUser(db), await anAdmin()]
    const key = { 'idempotency-key': randomUUID() }
    const requested = await call('POST', '/api/v1/billing/change-tier', one.cookie, { target_tier: 'alpha', note: 'for the team' }, key)
    expect([requested.status, AccountRequestRow.safeParse(requested.body).error]).toEqual([201, undefined])
    expect(requested.body).toMatchObject({
      user_id: one.user_id,
      email: one.email,
      kind: 'change_tier',
      target_tier: 'alpha',
      days_until_eligible: 0,
    })
    const again = await call('POST', '/api/v1/billing/change-tier', one.cookie, { target_tier: 'alpha', note: 'for the team' }, key)
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([requested.body, 'true'])
    expect(BillingStatus.safeParse(await statusOf(one)).error).toBeUndefined()
    expect([(await statusOf(one))['requests'], (await statusOf(other))['requests']]).toEqual([[requested.body], []])

    const listed = await call('GET', '/api/v1/admin/account-requests?limit=1', admin.cookie)
    expect([listed.body['requests'], listed.body['count']]).toEqual([[requested.body], 1])
    const path = `/api/v1/admin/account-requests/${String(requested.body['id'])}/fulfil`
    expect((await call('POST', path, one.cookie)).status).toBe(401)
    const all = await Promise.all(Array.from({ length: 10 }, () => call('POST', path, admin.cookie)))
    expect(all.map(each => each.status).sort()).toEqual([200, ...Array(9).fill(409)])
    const done = all.find(each => each.status === 200)
    expect(done?.body).toMatchObject({ fulfilled_by: admin.user_id, days_until_eligible: null })
    expect(await statusOf(one)).toMatchObject({ tier: 'alpha', assistant_queries_per_day: 100, requests: [] })
    const mail = await db.selectFrom('mail_outbox').select(['kind', 'to_address', 'body']).where('user_id', '=', one.user_id).execute()
    expect(mail).toMatchObject([{ kind: 'request_fulfilled', to_address: one.email, body: expect.stringContaining('alpha') }])
    expect((await call('GET', '/api/v1/admin/account-requests?state=fulfilled', admin.cookie)).body['requests']).toEqual([done?.body])
    expect((await call('POST', '/api/v1/admin/account-requests/999999/fulfil', admin.cookie)).status).toBe(404)
  })
  it.each([
    ['change-tier', { target_tier: 'free' }, 422],
    ['change-tier', { target_tier: 'alpha', note: 'x'.repeat(501) }, 422],
    ['change-tier', { target_tier: 'alpha', user_id: 'u_1' }, 422],
    ['change-tier', {}, 422],
    ['cancel', { reason: 'x'.repeat(501) }, 422],
    ['cancel', {}, 409],
    ['checkout', { tier: 'core', interval: 'monthly' }, 422],
    ['checkout', { tier: 'trader', interval: 'weekly' }, 422],
  ])('POST /billing/%s %j is refused: %i', async (path, body, status) => {
    const { cookie } = await signedInUser(db)
    expect((await call('POST', `/api/v1/billing/${path}`, cookie, body)).status).toBe(status)
    expect((await call('POST', `/api/v1/billing/${path}`, null, body)).status).toBe(401)
  })
})

describe('checkout', () => {
  it('asks Stripe for a page of this user, once for each Idempotency-Key', async () => {
    const user = await signedInUser(db)
    const key = { 'idempotency-key': randomUUID() }
    const before = stripe.requested.length
    const begun = await call('POST', '/api/v1/billing/checkout', user.cookie, { tier: 'trader', interval: 'monthly' }, key)
    expect([begun.status, begun.body]).toEqual([
      201,
      {
        checkout_id: expect.stringMatching(/^cs_test_/),
        url: expect.stringContaining('https://checkout.stripe.example/'),
        expires_at: '2026-11-18T11:06:40.000Z',
      },
    ])
    const [requested] = stripe.requested.slice(before)
    expect(requested && Object.fromEntries(requested.form)).toMatchObject({
      mode: 'subscription',
      'line_items[0][price]': 'price_t',
      client_reference_id: user.user_id,
      customer_email: user.email,
      'subscription_data[metadata][user_id]': user.user_id,
      success_url: `${server.address}/developer?checkout=done`,
    })
    expect((await call('POST', '/api/v1/billing/checkout', user.cookie, { tier: 'trader', interval: 'monthly' }, key)).body).toEqual(begun.body)
    expect((await call('POST', '/api/v1/billing/checkout', user.cookie, { tier: 'alpha', interval: 'yearly' }, key)).status).toBe(409)
    // Another user's key of the same text is another key.
    const other = await signedInUser(db)
    const theirs = await call('POST', '/api/v1/billing/checkout', other.cookie, { tier: 'trader', interval: 'monthly' }, key)
    expect(theirs.body['checkout_id']).not.toBe(begun.body['checkout_id'])
  })
  it('is 503 if Stripe fails, and reveals nothing of its response', async () => {
    const user = await signedInUser(db)
    stripe.trouble = 500
    const failed = await call('POST', '/api/v1/billing/checkout', user.cookie, { tier: 'trader', interval: 'monthly' })
    stripe.trouble = null
    expect([failed.status, failed.body['code'], failed.headers.get('retry-after')]).toEqual([503, 'upstream_unavailable', '30'])
    expect(JSON.stringify(failed.body)).not.toMatch(/sk_test|quotes/)
    expect((await call('POST', '/api/v1/billing/checkout', user.cookie, { tier: 'apex', interval: 'monthly' })).status).toBe(503)
  })
  it('is 503 with a hint where this installation takes no payments, and requests work all the same', async () => {
    const user = await signedInUser(db)
    const at = () => bare
    const off = await call('POST', '/api/v1/billing/checkout', user.cookie, { tier: 'trader', interval: 'monthly' }, {}, at)
    expect([off.status, off.body['code'], off.body['hint']]).toEqual([503, 'upstream_unavailable', expect.stringContaining('STRIPE_API_KEY')])
    expect((await call('POST', '/api/v1/billing/webhook', null, '{}', {}, at)).status).toBe(503)
    expect((await call('GET', '/api/v1/billing/status', user.cookie, undefined, {}, at)).body['checkout_available']).toBe(false)
    expect((await call('POST', '/api/v1/billing/change-tier', user.cookie, { target_tier: 'core' }, {}, at)).status).toBe(201)
  })
})

describe("Stripe's events", () => {
  it('change the tier of whom they are about, from the payment to the end', async () => {
    const [user, other] = [await signedInUser(db), await signedInUser(db)]
    const answered = { user_id: user.user_id, customer: 'cus_http', subscription: 'sub_http', price: 'price_t', created: seconds() } as const
    const paid = await tell(subscriptionEvent({ ...answered, type: 'created', status: 'active' }))
    expect([paid.status, paid.body]).toEqual([200, { received: true, effect: 'applied', repeated: false }])
    expect(await statusOf(user)).toMatchObject({
      tier: 'trader',
      billing_status: 'active',
      subscription: { tier: 'trader', interval: 'monthly', status: 'active', cancel_at_period_end: false },
    })
    expect((await statusOf(other))['tier']).toBe('free')
    expect((await call('POST', '/api/v1/billing/checkout', user.cookie, { tier: 'alpha', interval: 'yearly' })).status).toBe(409)
    // Cancelling sets it to end with the period at Stripe; the request waits for that.
    stripe.trouble = 500
    expect((await call('POST', '/api/v1/billing/cancel', user.cookie, { reason: null })).status).toBe(503)
    stripe.trouble = null
    expect((await statusOf(user))['requests']).toEqual([])
    const cancelled = await call('POST', '/api/v1/billing/cancel', user.cookie, { reason: 'too dear' })
    expect([cancelled.status, cancelled.body['days_until_eligible']]).toEqual([201, 30])
    expect(stripe.requested.at(-1)).toMatchObject({ path: '/v1/subscriptions/sub_http' })
    expect(stripe.requested.at(-1)?.form.get('cancel_at_period_end')).toBe('true')
    await tell(subscriptionEvent({ ...answered, type: 'updated', status: 'active', created: answered.created + 1, cancel_at_period_end: true }))
    expect(await statusOf(user)).toMatchObject({ tier: 'trader', billing_status: 'canceling' })
    await tell(subscriptionEvent({ ...answered, type: 'deleted', status: 'canceled', created: answered.created + 2 }))
    expect(await statusOf(user)).toMatchObject({ tier: 'free', billing_status: 'canceled', subscription: null, requests: [] })
    const late = await tell(subscriptionEvent({ ...answered, type: 'updated', status: 'active', created: answered.created + 1, id: 'evt_late' }))
    expect(late.body['effect']).toBe('older')
    expect((await statusOf(user))['tier']).toBe('free')
  })
  it('are asked to end when the account is to be erased', async () => {
    const user = await signedInUser(db)
    const answered = { user_id: user.user_id, customer: 'cus_gone', subscription: 'sub_gone', price: 'price_t', created: seconds() } as const
    await tell(subscriptionEvent({ ...answered, type: 'created', status: 'active' }))
    expect((await call('POST', '/api/v1/user/delete', user.cookie, { confirm: true })).status).toBe(202)
    expect(stripe.requested.at(-1)).toMatchObject({ path: '/v1/subscriptions/sub_gone' })
  })
  it('count with a signature of the last five minutes over exactly these bytes alone', async () => {
    const body = subscriptionEvent({
      type: 'created',
      created: seconds(),
      user_id: (await signedInUser(db)).user_id,
      customer: 'cus_s',
      subscription: 'sub_s',
      status: 'active',
      price: 'price_t',
    })
    const refused = await Promise.all([
      tell(body, ''),
      tell(body, stripeSignature(body, 'whsec_other', clock.now())),
      tell(body, stripeSignature(body, secret, new Date(clock.now().getTime() - 301_000))),
      tell(body.replace('cus_s', 'cus_t'), stripeSignature(body, secret, clock.now())),
      tell('{}', stripeSignature('{}', secret, clock.now())),
      tell('{"id":', stripeSignature('{"id":', secret, clock.now())),
    ])
    expect(refused.map(each => each.status)).toEqual(Array(6).fill(400))
    expect(await db.selectFrom('billing_event').select('event_id').where('object_id', '=', 'sub_s').execute()).toEqual([])
    expect((await tell(body)).body['effect']).toBe('applied')
    expect((await tell(body)).body).toEqual({ received: true, effect: 'applied', repeated: true })
    const unknown = JSON.stringify({
      id: 'evt_x',
      type: 'customer.tax_id.created',
      created: seconds(),
      data: { object: { id: 'txi_1', value: 'secret' } },
    })
    expect([(await tell(unknown)).body['effect'], (await tell(unknown)).body['repeated']]).toEqual(['not_followed', true])
    expect(JSON.stringify(await db.selectFrom('billing_event').selectAll().execute())).not.toContain('secret')
  })
})

// Stripe's events in Postgres: applied once, in any order, for two users; and the numbers of requests by users.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { type SubscriptionState, subscriptionEvent } from '#fixtures/stripe.ts'
import { signedInUser } from '#fixtures/users.ts'
import { brokenAudit } from '../users/audit.ts'
import { applyStripeEvent } from './apply-event.ts'
import { eligibleAt } from './eligible.ts'
import { askFor, fulfil, openRequests } from './requests.ts'
import { type Prices, readStripeEvent, type StripeEvent } from './stripe-event.ts'

const { db } = await testDatabase()
const now = new Date('2026-11-21T12:00:00Z')
const seconds = 1_795_000_000
const prices: Prices = new Map([
  ['price_t', { tier: 'trader', interval: 'monthly' }],
  ['price_a', { tier: 'alpha', interval: 'yearly' }],
])
let serial = 0
const fresh = (name: string): string => {
  serial += 1
  return `${name}_${serial}`
}
function anEvent(state: SubscriptionState): StripeEvent {
  const event = readStripeEvent(JSON.parse(subscriptionEvent(state)))
  if (!event) throw new TypeError('no event')
  return event
}
const apply = (state: SubscriptionState) => applyStripeEvent(db, anEvent(state), prices, now)
const accountOf = (id: string) => db.selectFrom('app_user').select(['tier', 'billing_status']).where('user_id', '=', id).executeTakeFirstOrThrow()

describe('an event', () => {
  it('acts once, however many deliveries there are at once', async () => {
    const { user_id } = await signedInUser(db)
    const state: SubscriptionState = {
      type: 'created',
      created: seconds,
      user_id,
      customer: fresh('cus'),
      subscription: fresh('sub'),
      status: 'active',
      price: 'price_t',
    }
    const taken = await Promise.all(Array.from({ length: 200 }, () => apply(state)))
    expect(taken.filter(each => !each.repeated)).toHaveLength(1)
    expect(new Set(taken.map(each => each.effect))).toEqual(new Set(['applied']))
    expect(await accountOf(user_id)).toEqual({ tier: 'trader', billing_status: 'active' })
    const acts = await db.selectFrom('audit_entry').select('details').where('act', '=', 'billing.tier').execute()
    expect(acts.map(each => each.details)).toEqual([{ from: 'free', to: 'trader' }])
  })

  it('comes in any order: the final state is what Stripe reported last', async () => {
    const story = [
      { type: 'created', status: 'incomplete', price: 'price_t' },
      { type: 'updated', status: 'active', price: 'price_t' },
      { type: 'updated', status: 'active', price: 'price_a' },
      { type: 'updated', status: 'past_due', price: 'price_a' },
      { type: 'deleted', status: 'canceled', price: 'price_a' },
    ] as const
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: story.length }),
        fc.array(fc.nat({ max: 99 }), { minLength: 12, maxLength: 12 }),
        fc.boolean(),
        async (length, order, oneSecond) => {
          const { user_id } = await signedInUser(db)
          const [customer, subscription] = [fresh('cus'), fresh('sub')]
          // All in one second, so only the order of their kinds distinguishes them.
          const reported = oneSecond ? [story[0], story[1], story[4]].slice(0, length) : story.slice(0, length)
          const events = reported.map((each, at) => ({ ...each, created: oneSecond ? seconds : seconds + at, user_id, customer, subscription }))
          const deliveries = order.map(pick => events[pick % events.length] as SubscriptionState)
          for (const state of [...deliveries, ...events.toSorted(() => (order[0] ?? 0) - 50)]) await apply(state)
          const last = events.at(-1)
          const live = last?.status === 'active' || last?.status === 'past_due'
          expect(await accountOf(user_id)).toEqual({
            tier: live ? prices.get(last?.price ?? '')?.tier : 'free',
            billing_status: last?.status,
          })
        },
      ),
      { numRuns: 40 },
    )
    expect(await brokenAudit(db)).toBeNull()
  })

  it('of a subscription that ended takes nothing from one that lives, and the higher tier counts', async () => {
    const { user_id } = await signedInUser(db)
    const customer = fresh('cus')
    const base = { user_id, customer, type: 'created', status: 'active' } as const
    const [old, newer] = [fresh('sub'), fresh('sub')]
    await apply({ ...base, subscription: old, price: 'price_a', created: seconds })
    await apply({ ...base, subscription: newer, price: 'price_t', created: seconds + 10 })
    expect((await accountOf(user_id)).tier).toBe('alpha')
    await apply({ ...base, subscription: old, price: 'price_a', created: seconds + 20, type: 'deleted', status: 'canceled' })
    expect(await accountOf(user_id)).toEqual({ tier: 'trader', billing_status: 'active' })
  })

  it('is stored and changes nothing if it has no known user, price or subject', async () => {
    const { user_id } = await signedInUser(db, { tier: 'core' })
    const base = { type: 'created', created: seconds, customer: fresh('cus'), subscription: fresh('sub'), status: 'active' } as const
    expect((await apply({ ...base, id: fresh('evt'), user_id: 'u_nobody', price: 'price_t' })).effect).toBe('no_such_user')
    expect((await apply({ ...base, id: fresh('evt'), user_id: null, price: 'price_t' })).effect).toBe('no_such_user')
    expect((await apply({ ...base, id: fresh('evt'), user_id, price: 'price_other' })).effect).toBe('unknown_price')
    const other = readStripeEvent({ id: fresh('evt'), type: 'invoice.paid', created: seconds, data: { object: { id: 'in_1' } } })
    expect(other && (await applyStripeEvent(db, other, prices, now)).effect).toBe('not_followed')
    expect(await accountOf(user_id)).toEqual({ tier: 'core', billing_status: 'none' })
    expect(readStripeEvent({ id: 'evt_1' })).toBeNull()
  })

  it('belongs to whom the customer is, not to whom it names afterwards', async () => {
    const [one, other] = [await signedInUser(db), await signedInUser(db)]
    const [customer, subscription] = [fresh('cus'), fresh('sub')]
    const base = { customer, subscription, status: 'active', price: 'price_t' } as const
    await apply({ ...base, type: 'created', created: seconds, user_id: one.user_id })
    await apply({ ...base, type: 'updated', created: seconds + 1, user_id: other.user_id, price: 'price_a' })
    expect([(await accountOf(one.user_id)).tier, (await accountOf(other.user_id)).tier]).toEqual(['alpha', 'free'])
  })

  it('changes the tier of the account’s keys with it, and fulfils what was asked for', async () => {
    const user = await signedInUser(db)
    const key = { key_id: fresh('k'), name: 'x', owner: user.user_id, sha256: Buffer.alloc(32, serial), last4: 'abcd', tier: 'free', scopes: [] }
    await db.insertInto('api_key').values(key).execute()
    await askFor(db, user, { kind: 'change_tier', target: 'trader', note: null }, now)
    const base = { user_id: user.user_id, customer: fresh('cus'), subscription: fresh('sub'), price: 'price_t' } as const
    await apply({ ...base, type: 'created', created: seconds, status: 'active' })
    expect((await db.selectFrom('api_key').select('tier').where('key_id', '=', key.key_id).executeTakeFirstOrThrow()).tier).toBe('trader')
    expect(await openRequests(db, user.user_id, now)).toEqual([])
    // While the subscription lives, a cancellation waits for its end, and cannot be fulfilled by hand.
    const cancel = await askFor(db, user, { kind: 'cancel', target: null, note: 'too dear' }, now)
    expect(cancel.days_until_eligible).toBe(Math.ceil((seconds + 2_592_000 - now.getTime() / 1000) / 86_400))
    const after = new Date((seconds + 2_600_000) * 1000)
    await expect(db.transaction().execute(trx => fulfil(trx, cancel.id, 'u_admin', after))).rejects.toThrow('pays through Stripe')
    await apply({ ...base, type: 'deleted', created: seconds + 9, status: 'canceled' })
    expect(await openRequests(db, user.user_id, now)).toEqual([])
    expect(await accountOf(user.user_id)).toEqual({ tier: 'free', billing_status: 'canceled' })
  })
})

describe('a request', () => {
  it('is fulfilled once, also under concurrent attempts, and a new one may follow', async () => {
    const user = await signedInUser(db)
    const requested = await askFor(db, user, { kind: 'change_tier', target: 'core', note: 'please' }, now)
    const changed = await askFor(db, user, { kind: 'change_tier', target: 'apex', note: null }, now)
    expect([changed.id, changed.target_tier, changed.note, changed.days_until_eligible]).toEqual([requested.id, 'apex', null, 0])
    const done = await Promise.allSettled(
      Array.from({ length: 50 }, () => db.transaction().execute(trx => fulfil(trx, requested.id, 'u_admin', now))),
    )
    expect(done.filter(each => each.status === 'fulfilled')).toHaveLength(1)
    expect((await accountOf(user.user_id)).tier).toBe('apex')
    const next = await askFor(db, user, { kind: 'cancel', target: null, note: null }, now)
    expect(next.id).not.toBe(requested.id)
    await expect(askFor(db, user, { kind: 'change_tier', target: 'apex', note: null }, now)).rejects.toThrow('on tier apex already')
    await expect(askFor(db, await signedInUser(db), { kind: 'cancel', target: null, note: null }, now)).rejects.toThrow('nothing to cancel')
  })
  it('waits as the rules say: upgrades not, the rest for the end of what is paid', () => {
    const requested = { from: 'trader', paidUntil: '2026-12-01T00:00:00Z', receivedAt: now } as const
    expect(eligibleAt({ ...requested, to: 'prime' })).toEqual(now)
    expect([eligibleAt({ ...requested, to: 'core' }), eligibleAt({ ...requested, to: null })]).toEqual(
      Array(2).fill(new Date('2026-12-01T00:00:00Z')),
    )
    expect(eligibleAt({ ...requested, to: null, paidUntil: null })).toEqual(now)
    const slow = { wait_days: 14, after_paid_period: true }
    expect(eligibleAt({ ...requested, to: null }, { upgrade: slow, downgrade: slow, cancel: slow })).toEqual(new Date('2026-12-05T12:00:00Z'))
  })
})

// Alerts in Postgres: two users' alerts stay separate, compared with a model; a firing happens once, for any number of attempts.
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { pictureAt } from '#fixtures/price-picture.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { maxAlerts, maxIpoAlerts, maxWatchlistAlerts } from '#schemas/alerts.ts'
import type { DealRow } from '../../answers/ipo-deal.ts'
import type { AlertTerms } from '../../rules/indicators/alerts.ts'
import { asUser } from '../users/own-rows.ts'
import { changeAlert, deleteAlert, findAlerts, findFirings, getAlert, insertAlert, type NewAlert } from './alerts.ts'
import { type Firing, firingId, writeFirings } from './fire.ts'
import { changeIpoAlert, deleteIpoAlert, findIpoAlerts, getIpoAlert, insertIpoAlert } from './ipo-alerts.ts'
import { eventsOf, isOf, seenOf } from './ipo-events.ts'

const { db, pool } = await testDatabase()
const now = '2026-11-20T21:05:00Z'
const terms: AlertTerms = { condition: 'above', threshold: '12.50', baseline_price: null, condition2: null, threshold2: null, logic: null }
const picture = pictureAt(now)
const newId = (prefix: string): string => `${prefix}_${randomBytes(9).toString('base64url')}`
const aNew = (given: Partial<NewAlert> = {}): NewAlert => ({
  alert_id: newId('a'),
  ticker: 'ZED',
  instrument_id: 'i_zed',
  scope: 'ticker',
  terms,
  note: null,
  picture,
  release: 7,
  ...given,
})
const aFiring = (user: TestUser, alert_id: string, given: Partial<Firing> = {}): Firing => ({
  user_id: user.user_id,
  kind: 'price',
  alert_id,
  armed: 1,
  subject: 'ZED',
  symbol: 'ZED',
  price: '13',
  release: 8,
  rule: 'price above 12.50',
  ruleset: 'indicators@1',
  inputs: { conditions: [], splits: [], series: 'split_adjusted' },
  bars: [['2026-11-20', '13']],
  ...given,
})
const make = async (user: TestUser, given: Partial<NewAlert> = {}): Promise<string> => {
  const alert = aNew(given)
  await asUser(db, user.user_id, trx => insertAlert(trx, user.user_id, alert, now))
  return alert.alert_id
}
const fire = (firings: readonly Firing[], crashPoint: (name: string) => void = () => {}) =>
  writeFirings(db, firings, { now, baseUrl: 'https://example.org', crashPoint })
const count = async (table: string, column: string, value: string): Promise<number> =>
  (await pool.query(`select from ${table} where ${column} = $1`, [value])).rowCount ?? 0

describe('a firing', () => {
  it('is written once by 200 writers, with one mail and one row for each way', async () => {
    const user = await signedInUser(db)
    const id = await make(user)
    const written = await Promise.all(Array.from({ length: 200 }, () => fire([aFiring(user, id)])))
    expect(written.flat()).toHaveLength(1)
    const firing_id = firingId({ alert_id: id, armed: 1, subject: 'ZED' })
    expect([
      await count('alert_firing', 'alert_id', id),
      await count('alert_delivery', 'firing_id', firing_id),
      await count('mail_outbox', 'user_id', user.user_id),
    ]).toEqual([1, 3, 1])
  })
  it('is there whole or not at all, wherever the writer ends', async () => {
    for (const point of ['alerts-triggered', 'alerts-written']) {
      const user = await signedInUser(db)
      const id = await make(user)
      const crash = (name: string): void => {
        if (name === point) throw new Error('killed')
      }
      await expect(fire([aFiring(user, id)], crash)).rejects.toThrow('killed')
      expect([await count('alert_firing', 'alert_id', id), await count('mail_outbox', 'user_id', user.user_id)]).toEqual([0, 0])
      expect(await fire([aFiring(user, id)])).toHaveLength(1)
      expect(await fire([aFiring(user, id)])).toHaveLength(0)
    }
  })
  it('is of one arming: an alert that was dismissed, armed again or deleted meanwhile does not fire by what was read before', async () => {
    const user = await signedInUser(db)
    const [dismissed, rearmed, deleted] = [await make(user), await make(user), await make(user)]
    const change = { terms: null, picture, release: 7 }
    await asUser(db, user.user_id, async trx => {
      await changeAlert(trx, user.user_id, dismissed, { ...change, status: 'dismissed' }, now)
      await changeAlert(trx, user.user_id, rearmed, { ...change, status: 'dismissed' }, now)
      await changeAlert(trx, user.user_id, rearmed, { ...change, status: 'active' }, now)
      await deleteAlert(trx, user.user_id, deleted)
    })
    expect(await fire([dismissed, rearmed, deleted].map(id => aFiring(user, id)))).toEqual([])
    expect(await fire([aFiring(user, rearmed, { armed: 2 })])).toHaveLength(1)
  })
  it('of a watchlist is one for each listing that became true at the same time, and the alert waits after it', async () => {
    const user = await signedInUser(db)
    const id = await make(user, { scope: 'watchlist', instrument_id: null, picture: null })
    expect(
      await fire([aFiring(user, id, { subject: 'ONE', symbol: 'ONE' }), aFiring(user, id, { subject: 'TWO', symbol: 'TWO', price: '14' })]),
    ).toHaveLength(2)
    expect(await fire([aFiring(user, id, { subject: 'SIX', symbol: 'SIX' })])).toHaveLength(0)
    const { printed } = await asUser(db, user.user_id, trx => getAlert(trx, user.user_id, id))
    expect(printed).toMatchObject({ status: 'triggered', triggered_symbol: 'ONE', triggered_at: now })
  })
  it('is not mailed to an unverified address', async () => {
    const user = await signedInUser(db, { verified: false })
    const id = await make(user)
    await fire([aFiring(user, id)])
    const { printed } = await asUser(db, user.user_id, trx => findFirings(trx, user.user_id, id, { limit: 10, after: null }))
    expect(printed).toMatchObject([
      {
        deliveries: [
          { channel: 'api', skipped: null },
          { channel: 'mail', skipped: 'the address is not verified' },
          { channel: 'push', skipped: 'no device takes pushes of it' },
        ],
      },
    ])
    expect(await count('mail_outbox', 'user_id', user.user_id)).toBe(0)
  })
})

describe('how many alerts a user may have', () => {
  it('holds under requests at once, and for each user by themselves', async () => {
    const [ada, bea] = [await signedInUser(db), await signedInUser(db)]
    await pool.query(
      `insert into alert (alert_id, user_id, scope, ticker, condition, threshold, status, armed_at, created_at)
       select 'a_' || $1 || n, $1, 'ticker', 'ZED', 'above', 1, 'active', now(), now() from generate_series(1, $2) as n`,
      [ada.user_id, maxAlerts - 3],
    )
    const tried = await Promise.allSettled(Array.from({ length: 20 }, () => make(ada)))
    expect(tried.filter(each => each.status === 'fulfilled')).toHaveLength(3)
    expect(tried.find(each => each.status === 'rejected')?.reason).toMatchObject({ status: 409, code: 'conflict' })
    await make(bea)
    const watching = () => make(bea, { scope: 'watchlist', instrument_id: null, picture: null })
    const many = await Promise.allSettled(Array.from({ length: maxWatchlistAlerts + 5 }, watching))
    expect(many.filter(each => each.status === 'fulfilled')).toHaveLength(maxWatchlistAlerts)
    await make(bea)
  })
})

const own = <T>(user: TestUser, work: (trx: Parameters<Parameters<typeof asUser<T>>[2]>[0], id: string) => Promise<T>): Promise<T> =>
  asUser(db, user.user_id, trx => work(trx, user.user_id))

type Known = { status: string; note: string | null; threshold: string; armed: number; fired: number }
type Command =
  | { readonly kind: 'make'; readonly who: 0 | 1; readonly note: string | null; readonly threshold: string }
  | {
      readonly kind: 'patch'
      readonly who: 0 | 1
      readonly which: number
      readonly status?: 'active' | 'dismissed' | null
      readonly note?: string | null
    }
  | { readonly kind: 'delete' | 'read' | 'fire'; readonly who: 0 | 1; readonly which: number }

const who = fc.constantFrom(0 as const, 1 as const)
const which = fc.nat({ max: 7 })
const note = fc.option(
  fc.string({ maxLength: 20 }).map(text => text.replaceAll('\0', '')),
  { nil: null },
)
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constant('make' as const), who, note, threshold: fc.constantFrom('1', '12.50', '0.0001') }),
  fc.record(
    { kind: fc.constant('patch' as const), who, which, status: fc.constantFrom('active' as const, 'dismissed' as const, null), note },
    { requiredKeys: ['kind', 'who', 'which'] },
  ),
  fc.record({ kind: fc.constantFrom('delete' as const, 'read' as const, 'fire' as const), who, which }),
)

describe('sequences of two users', () => {
  it('match the model; a request for another user’s alert, or a deleted one, finds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 25 }), async commands => {
        const users = [await signedInUser(db), await signedInUser(db)] as const
        const models = [new Map<string, Known>(), new Map<string, Known>()] as const
        const all: string[] = []
        for (const each of commands) {
          const [user, model] = [users[each.who], models[each.who]]
          if (each.kind === 'make') {
            const id = await make(user, { note: each.note, terms: { ...terms, threshold: each.threshold } })
            model.set(id, { status: 'active', note: each.note, threshold: each.threshold, armed: 1, fired: 0 })
            all.push(id)
            continue
          }
          // Of both users' alerts, deleted ones among them.
          const id = all[each.which] ?? 'a_none'
          const known = model.get(id)
          if (each.kind === 'fire') {
            const written = await fire([aFiring(user, id, { armed: known?.armed ?? 1 })])
            // A firing that names another user than the alert's owner is ignored.
            if (known?.status === 'active') Object.assign(known, { status: 'triggered', fired: known.fired + 1 })
            else if (known) expect(written).toEqual([])
            else if (written.length > 0) throw new Error('an alert of another user fired')
          } else if (!known) {
            const attempt =
              each.kind === 'delete'
                ? own(user, (trx, me) => deleteAlert(trx, me, id))
                : each.kind === 'read'
                  ? own(user, (trx, me) => getAlert(trx, me, id))
                  : own(user, (trx, me) => changeAlert(trx, me, id, { status: 'dismissed', terms: null, picture, release: 7 }, now))
            await expect(attempt).rejects.toMatchObject({ status: 404 })
          } else if (each.kind === 'delete') {
            await own(user, (trx, me) => deleteAlert(trx, me, id))
            model.delete(id)
          } else if (each.kind === 'patch') {
            await own(user, (trx, me) => changeAlert(trx, me, id, { status: each.status, note: each.note, terms: null, picture, release: 7 }, now))
            if (each.status === 'active' && known.status !== 'active') known.armed += 1
            if (each.status) known.status = each.status
            if (each.note !== undefined) known.note = each.note
          } else expect((await own(user, (trx, me) => getAlert(trx, me, id))).printed).toMatchObject({ id, status: known.status, note: known.note })
        }
        for (const at of [0, 1] as const) {
          const { rows } = await own(users[at], (trx, me) => findAlerts(trx, me, { limit: 100, after: null }))
          const held = new Map(rows.map(row => [row.alert_id, row]))
          expect(new Set(held.keys())).toEqual(new Set(models[at].keys()))
          for (const [id, known] of models[at]) {
            expect(held.get(id)).toMatchObject({ status: known.status, note: known.note, threshold: known.threshold, armed: known.armed })
            expect(await count('alert_firing', 'alert_id', id)).toBe(known.fired)
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('alerts on offerings', () => {
  const filing = (accession: string, form: string, filed_date: string, low: string | null, high: string | null) => ({
    accession,
    cik: '0009900001',
    form,
    filed_date,
    price_low: low,
    price_high: high,
    price: null,
    shares: null,
    terms: 'preliminary',
    proposed_symbol: 'NEWC',
    known_from: `${filed_date}T20:00:00Z`,
  })
  const aRow = (given: object = {}): DealRow =>
    ({
      status: 'filed',
      date: '2026-10-01',
      priced_date: null,
      listed_date: null,
      lock_up_days: 180,
      lock_up_expiry: null,
      line: null,
      deal: {
        deal: '333-0000001',
        company: 'New Company, Inc.',
        cik: '0009900001',
        events: [],
        registration: {
          priced: null,
          filings: [
            filing('0009900001-26-000003', 'S-1/A', '2026-11-10', '16', '18'),
            filing('0009900001-26-000002', 'S-1/A', '2026-10-20', '14', '16'),
            filing('0009900001-26-000001', 'S-1', '2026-10-01', null, null),
          ],
        },
      },
      ...given,
    }) as unknown as DealRow

  it('name the four events, once each, and none of a day that has not come', () => {
    const keys = (row: DealRow, event: Parameters<typeof eventsOf>[1], lead = 7, today = '2026-11-20') =>
      eventsOf(row, event, lead, today).map(each => each.key)
    expect(keys(aRow(), 'range_amended')).toEqual([
      'range_amended 333-0000001 0009900001-26-000003',
      'range_amended 333-0000001 0009900001-26-000002',
    ])
    expect(keys(aRow(), 'range_amended', 7, '2026-11-09')).toHaveLength(1)
    expect([
      keys(aRow(), 'priced'),
      keys(aRow({ priced_date: '2026-11-20' }), 'priced'),
      keys(aRow({ priced_date: '2026-11-21' }), 'priced'),
    ]).toEqual([[], ['priced 333-0000001'], []])
    const line = { symbol: 'NEWC', valid_from: '2026-11-18' }
    expect([keys(aRow({ line }), 'listed'), keys(aRow({ line, status: 'listed' }), 'listed')]).toEqual([[], ['listed 333-0000001']])
    const ends = aRow({ lock_up_expiry: '2026-11-27' })
    expect(['2026-11-19', '2026-11-20', '2026-11-27', '2026-11-28'].map(today => keys(ends, 'lockup_soon', 7, today).length)).toEqual([0, 1, 1, 0])
    expect([isOf(aRow(), 'newc'), isOf(aRow(), 'NEWD'), isOf(aRow({ line: { symbol: 'NEWC.TO' } }), 'NEWC.TO')]).toEqual([true, false, true])
  })
  it('hold what had happened for no news, but a lock-up that ends soon', () => {
    expect(seenOf([aRow()], 'NEWC', 'range_amended', '2026-11-20')).toHaveLength(2)
    expect(seenOf([aRow({ lock_up_expiry: '2026-11-27' })], 'NEWC', 'lockup_soon', '2026-11-20')).toEqual([])
  })
  it('belong to their user, are bounded, and go', async () => {
    const [ada, bea] = [await signedInUser(db), await signedInUser(db)]
    const given = { ticker: 'NEWC', event: 'priced' as const, lead_days: 7, note: null }
    const tried = await Promise.allSettled(
      Array.from({ length: maxIpoAlerts + 10 }, () =>
        own(ada, (trx, me) => insertIpoAlert(trx, me, { ipo_alert_id: newId('i'), ...given }, [], now)),
      ),
    )
    expect(tried.filter(each => each.status === 'fulfilled')).toHaveLength(maxIpoAlerts)
    const { rows, printed } = await own(ada, (trx, me) => findIpoAlerts(trx, me, { limit: 500, after: null }))
    const id = rows[0]?.ipo_alert_id as string
    expect(printed).toHaveLength(maxIpoAlerts)
    for (const attempt of [
      () => own(bea, (trx, me) => getIpoAlert(trx, me, id)),
      () => own(bea, (trx, me) => changeIpoAlert(trx, me, id, 'dismissed', [], now)),
      () => own(bea, (trx, me) => deleteIpoAlert(trx, me, id)),
      () => own(ada, (trx, me) => getIpoAlert(trx, me, 'i_none')),
    ])
      await expect(attempt()).rejects.toMatchObject({ status: 404, message: 'there is no such alert on an offering' })
    expect(await own(ada, (trx, me) => changeIpoAlert(trx, me, id, 'dismissed', [], now))).toMatchObject({ status: 'dismissed' })
    await own(ada, (trx, me) => deleteIpoAlert(trx, me, id))
    await expect(own(ada, (trx, me) => getIpoAlert(trx, me, id))).rejects.toMatchObject({ status: 404 })
  })
})

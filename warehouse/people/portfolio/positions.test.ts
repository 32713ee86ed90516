// Positions against a model: two users, any order of writes and imports; nothing is merged, dropped or rounded.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listingsOf } from '#fixtures/listings.ts'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import { maxPositions, PositionIn } from '#schemas/portfolio.ts'
import { asUser, type Trx } from '../users/own-rows.ts'
import { addPosition, findPositions, type ImportRow, importPositions, removePosition, replacePosition } from './positions.ts'

const { db } = await testDatabase()
const tickers = ['AAA', 'BBB.TO', 'CCC.V', 'FUND1']
const index = listingsOf(tickers.slice(0, 3).map(symbol => ({ symbol })))
const now = new Date('2026-11-20T15:00:00Z')
const later = new Date('2026-11-20T16:00:00Z')
let serial = 0
const newId = (): string => `pos_${++serial}`

/** As it comes over the wire: `quantity` with its digits. */
const positionOf = (ticker: string, quantity: string, more: object = {}): PositionIn =>
  PositionIn.parse(parseExactly(JSON.stringify({ ticker, quantity: JSON.rawJSON(quantity), currency: 'CAD', ...more })))
const list = async (user: string) => (await asUser(db, user, trx => findPositions(trx, user, index))).positions
const add = (user: string, position: PositionIn) => asUser(db, user, trx => addPosition(trx, user, index, position, newId(), now))
const put = (user: string, id: string, position: PositionIn) => asUser(db, user, trx => replacePosition(trx, user, index, id, position, later))
const remove = (user: string, id: string) => asUser(db, user, trx => removePosition(trx, user, id))
const rowsOf = (positions: readonly PositionIn[]): ImportRow[] =>
  positions.map((position, at) => ({ loc: ['body', 'positions', at], name: `positions.${at}`, position }))
const load = (user: string, positions: readonly PositionIn[]) =>
  asUser(db, user, trx => importPositions(trx, user, index, rowsOf(positions), positions.map(newId), now))
const statusOf = (error: unknown): number => (error as { status: number }).status

const quantity = fc.constantFrom('10', '-10', '0', '1.50', '-0.000000000001', '12345678901234567890.5')
const position = fc
  .record({ ticker: fc.constantFrom(...tickers), quantity, account: fc.constantFrom('tfsa', 'margin'), currency: fc.constantFrom('CAD', 'USD') })
  .map(({ ticker, quantity: digits, account, currency }) => positionOf(ticker.toLowerCase(), digits, { account_type: account, currency }))
const placeOf = (each: Pick<PositionIn, 'ticker' | 'account_type' | 'currency'>): string =>
  [each.ticker.toUpperCase(), each.account_type, each.currency].join(' ')
const step = fc.oneof(
  fc.record({ act: fc.constant('add' as const), who: fc.nat(1), which: fc.nat(9), given: fc.array(position, { minLength: 1, maxLength: 1 }) }),
  fc.record({
    act: fc.constantFrom('put' as const, 'remove' as const, 'foreign' as const),
    who: fc.nat(1),
    which: fc.nat(9),
    given: fc.array(position, { minLength: 1, maxLength: 1 }),
  }),
  fc.record({ act: fc.constant('import' as const), who: fc.nat(1), which: fc.nat(9), given: fc.array(position, { minLength: 1, maxLength: 4 }) }),
)

it('any sequence of two users leaves what the model has, and no user reaches the other’s', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async sequence => {
      const users = [await signedInUser(db), await signedInUser(db)].map(user => user.user_id)
      const model: (PositionIn & { id: string })[][] = [[], []]
      for (const { act, who, which, given } of sequence) {
        const [user, own, others] = [users[who] as string, model[who] ?? [], model[1 - who] ?? []]
        const [first] = given as [PositionIn]
        const target = own[which % Math.max(1, own.length)]
        const held = own.find(each => placeOf(each) === placeOf(first))
        if (act === 'add') {
          if (held) await expect(add(user, first)).rejects.toMatchObject({ status: 409, message: expect.stringContaining(held.id) })
          else own.push({ ...first, id: (await add(user, first)).id })
        } else if (act === 'import') {
          const places = given.map(placeOf)
          const fits = new Set([...own.map(placeOf), ...places]).size === own.length + given.length
          if (!fits) await expect(load(user, given)).rejects.toMatchObject({ status: 422 })
          else {
            expect(await load(user, given)).toEqual({ imported: given.length, total: own.length + given.length })
            const made = (await list(user)).slice(own.length)
            own.push(...given.map((each, at) => ({ ...each, id: made[at]?.id ?? '' })))
          }
        } else if (act === 'foreign') {
          const foreign = others[which % Math.max(1, others.length)]?.id ?? 'pos_none'
          expect(await Promise.all([put(user, foreign, first), remove(user, foreign)].map(each => each.catch(statusOf)))).toEqual([404, 404])
        } else if (!target) continue
        else if (act === 'remove') {
          await remove(user, target.id)
          own.splice(own.indexOf(target), 1)
          await expect(put(user, target.id, first)).rejects.toMatchObject({ status: 404 })
        } else if (held && held !== target) await expect(put(user, target.id, first)).rejects.toMatchObject({ status: 409 })
        else {
          await put(user, target.id, first)
          Object.assign(target, first)
        }
      }
      for (const [who, user] of users.entries())
        expect((await list(user)).map(each => [each.id, placeOf(each), each.quantity])).toEqual(
          model[who]?.map(each => [each.id, placeOf(each), each.quantity]),
        )
    }),
    { numRuns: 60 },
  )
})

it('the same position stated by many at once is there once; imports at the same time are whole or not at all', async () => {
  const { user_id } = await signedInUser(db)
  const result = await Promise.all(Array.from({ length: 200 }, () => add(user_id, positionOf('AAA', '1')).then(() => 201, statusOf)))
  expect(result.toSorted()).toEqual([201, ...Array.from({ length: 199 }, () => 409)])
  const halves = Array.from({ length: 10 }, (_, at) => [positionOf('BBB.TO', '1'), positionOf('CCC.V', '1', { account_type: `a${at}` })])
  const loaded = await Promise.all(halves.map(half => load(user_id, half).then(() => 201, statusOf)))
  expect(loaded.toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 422)])
  expect(await list(user_id)).toHaveLength(3)
})

it('each fault of an import names its row, and what it doubles; nothing of it is made', async () => {
  const { user_id } = await signedInUser(db)
  const { id } = await add(user_id, positionOf('AAA', '5'))
  const rows = [
    positionOf('aaa', '-5'),
    positionOf('CCC.V', '1'),
    positionOf('ccc.v', '2'),
    positionOf('no symbol?', '3'),
    positionOf('AAA', '1', { currency: 'USD' }),
  ]
  await expect(load(user_id, rows)).rejects.toMatchObject({
    status: 422,
    code: 'validation_error',
    items: [
      { loc: ['body', 'positions', 0, 'ticker'], msg: expect.stringContaining(id) },
      { loc: ['body', 'positions', 2, 'ticker'], msg: expect.stringContaining('positions.1') },
      { loc: ['body', 'positions', 3, 'ticker'], msg: expect.stringContaining('expected a symbol') },
    ],
  })
  expect(await list(user_id)).toHaveLength(1)
})

it('an unknown symbol is held, and marked so; when it is entered again its time changes', async () => {
  const { user_id } = await signedInUser(db)
  const made = await add(user_id, positionOf('fund1', '3.10'))
  expect(made).toMatchObject({ ticker: 'FUND1', instrument_id: null, quantity: '3.10', created_at: made.stated_at })
  const replaced = await put(user_id, made.id, positionOf('FUND1', '4', { acb_per_share: 2, account_type: '  ' }))
  expect(replaced).toMatchObject({ quantity: '4', acb_per_share: '2', account_type: 'unspecified', created_at: made.created_at })
  expect(replaced.stated_at > made.stated_at).toBe(true)
})

it('pages are in order and whole; a full portfolio takes no more', async () => {
  const { user_id } = await signedInUser(db)
  const all = Array.from({ length: maxPositions }, (_, at) => positionOf('AAA', String(at - 2500), { account_type: `a${at}` }))
  expect(await load(user_id, all)).toEqual({ imported: maxPositions, total: maxPositions })
  const seen: string[] = []
  for (let after: number | null = -1; after !== null; ) {
    const { positions, next } = await asUser(db, user_id, trx => findPositions(trx, user_id, index, { after: after ?? -1, limit: 999 }))
    seen.push(...positions.map(each => each.quantity))
    after = next
  }
  expect(seen).toEqual(all.map(each => each.quantity))
  await expect(add(user_id, positionOf('BBB.TO', '1'))).rejects.toMatchObject({ status: 409, hint: expect.stringContaining('5000') })
})

it('each statement keeps to its user by itself, where Postgres does not do it (row-level security needs a role)', async () => {
  const [a, b] = [await signedInUser(db), await signedInUser(db)].map(user => user.user_id) as [string, string]
  const made = [await add(a, positionOf('AAA', '1')), await add(a, positionOf('BBB.TO', '2'))]
  const id = made[0]?.id ?? ''
  const without = <T>(work: (trx: Trx) => Promise<T>): Promise<T> => db.transaction().execute(work)
  await expect(without(trx => removePosition(trx, b, id))).rejects.toMatchObject({ status: 404 })
  await expect(without(trx => replacePosition(trx, b, index, id, positionOf('CCC.V', '9'), later))).rejects.toMatchObject({ status: 404 })
  expect(await without(trx => addPosition(trx, b, index, positionOf('AAA', '7'), newId(), now))).toMatchObject({ quantity: '7' })
  expect((await without(trx => findPositions(trx, b, index))).positions.map(each => each.quantity)).toEqual(['7'])
  expect(await list(a)).toEqual(made)
})

// The watchlist against a model: two users, any order of writes, and moves at the same time.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listingsOf } from '#fixtures/listings.ts'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { ItemAdd, type ItemPatch, maxItems } from '#schemas/watchlist.ts'
import { asUser, type Trx } from '../users/own-rows.ts'
import { addItem, changeItem, findItems, importItems, removeItem } from './watchlist.ts'

const { db } = await testDatabase()
const names = ['AAA', 'BBB', 'CCC.TO', 'DDD.V', 'EEE', 'FFF', 'GGG.TO', 'HHH']
const index = listingsOf(names.map(symbol => ({ symbol })))
const now = new Date('2026-11-20T15:00:00Z')
let serial = 0
const newId = (): string => `w_${++serial}`

const list = (user: string, symbols = index) => asUser(db, user, trx => findItems(trx, user, symbols))
const add = (user: string, ticker: string, symbols = index) =>
  asUser(db, user, trx => addItem(trx, user, { index: symbols, unlisted: null }, ItemAdd.parse({ ticker }), newId(), now))
const change = (user: string, id: string, patch: ItemPatch) => asUser(db, user, trx => changeItem(trx, user, index, id, patch))
const remove = (user: string, id: string) => asUser(db, user, trx => removeItem(trx, user, id))
const order = async (user: string): Promise<string[]> => {
  const items = await list(user)
  expect(items.map(item => item.position)).toEqual(items.map((_, at) => at))
  return items.map(item => item.ticker)
}
const statusOf = (error: unknown): number => (error as { status: number }).status

type Step = { readonly who: number; readonly act: 'add' | 'move' | 'note' | 'remove' | 'foreign'; readonly which: number; readonly to: number }
const steps = fc.array(
  fc.record<Step>({
    who: fc.nat(1),
    act: fc.constantFrom('add', 'add', 'move', 'move', 'note', 'remove', 'foreign'),
    which: fc.nat(7),
    to: fc.oneof(fc.nat(9), fc.constant(100_000)),
  }),
  { maxLength: 30 },
)

it('any sequence of two users leaves what the model has, and no user reaches the other’s', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async sequence => {
      const users = [await signedInUser(db), await signedInUser(db)].map(user => user.user_id)
      const model: { id: string; ticker: string; note: string | null }[][] = [[], []]
      for (const { who, act, which, to } of sequence) {
        const [user, own, others] = [users[who] as string, model[who] ?? [], model[1 - who] ?? []]
        const target = own[which % Math.max(1, own.length)]
        const ticker = names[which] as string
        if (act === 'add') {
          const held = own.find(item => item.ticker === ticker)
          if (held) await expect(add(user, ticker.toLowerCase())).rejects.toMatchObject({ status: 409, message: expect.stringContaining(held.id) })
          else own.push({ id: (await add(user, ticker.toLowerCase())).id, ticker, note: null })
        } else if (act === 'foreign') {
          const foreign = others[which % Math.max(1, others.length)]?.id ?? 'w_none'
          const result = await Promise.all([change(user, foreign, { position: to }), remove(user, foreign)].map(each => each.catch(statusOf)))
          expect(result).toEqual([404, 404])
        } else if (!target) continue
        else if (act === 'move') {
          expect((await change(user, target.id, { position: to })).position).toBe(Math.min(to, own.length - 1))
          own.splice(own.indexOf(target), 1)
          own.splice(Math.min(to, own.length), 0, target)
        } else if (act === 'note') {
          target.note = to % 2 ? null : `note ${to}`
          expect((await change(user, target.id, { note: target.note })).note).toBe(target.note)
        } else {
          await remove(user, target.id)
          own.splice(own.indexOf(target), 1)
          await expect(remove(user, target.id)).rejects.toMatchObject({ status: 404 })
        }
      }
      for (const [who, user] of users.entries()) {
        expect((await list(user)).map(({ id, ticker, note }) => ({ id, ticker, note }))).toEqual(model[who])
        await order(user)
      }
    }),
    { numRuns: 60 },
  )
})

it('moves, removals and additions of two clients at the same time leave a permutation without gaps or doubles', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(5), fc.nat(7)), { minLength: 2, maxLength: 12 }), async moves => {
      const { user_id } = await signedInUser(db)
      const ids: string[] = []
      for (const ticker of names.slice(0, 6)) ids.push((await add(user_id, ticker)).id)
      await Promise.all([
        ...moves.map(([which, position]) => change(user_id, ids[which] as string, { position })),
        add(user_id, 'GGG.TO'),
        add(user_id, 'HHH').then(item => remove(user_id, item.id)),
      ])
      expect((await order(user_id)).sort()).toEqual([...names.slice(0, 6), 'GGG.TO'])
    }),
    { numRuns: 25 },
  )
})

it('the same symbol asked for by many at once is there once', async () => {
  const { user_id } = await signedInUser(db)
  const result = await Promise.all(Array.from({ length: 200 }, () => add(user_id, 'AAA').then(() => 201, statusOf)))
  expect(result.filter(status => status === 201)).toHaveLength(1)
  expect(result.filter(status => status === 409)).toHaveLength(199)
  expect(await order(user_id)).toEqual(['AAA'])
})

it('an item is of its listing: a rename shows the new symbol, a reused symbol is another item', async () => {
  const { user_id } = await signedInUser(db)
  const { id } = await add(user_id, 'OLD', listingsOf([{ symbol: 'OLD', instrument: 'i_1' }]))
  const renamed = listingsOf([
    { symbol: 'OLD', instrument: 'i_1', to: '2026-11-20', successor: 'NEWER' },
    { symbol: 'NEWER', instrument: 'i_1', from: '2026-11-21' },
  ])
  expect(await list(user_id, renamed)).toMatchObject([{ id, ticker: 'NEWER' }])
  await expect(add(user_id, 'old', renamed)).rejects.toMatchObject({ status: 409, message: expect.stringContaining('NEWER') })
  await expect(add(user_id, 'NEWER', renamed)).rejects.toMatchObject({ status: 409 })
  const reused = listingsOf([
    { symbol: 'OLD', instrument: 'i_1', to: '2026-11-20', successor: 'NEWER' },
    { symbol: 'NEWER', instrument: 'i_1', from: '2026-11-21' },
    { symbol: 'OLD', instrument: 'i_2', from: '2027-01-04' },
  ])
  expect((await add(user_id, 'OLD', reused)).ticker).toBe('OLD')
  expect((await list(user_id, reused)).map(item => item.ticker)).toEqual(['NEWER', 'OLD'])
})

it('an unknown symbol is 404 with the nearest ones; a full list takes no more', async () => {
  const { user_id } = await signedInUser(db)
  await expect(add(user_id, 'AAAB')).rejects.toMatchObject({ status: 404, hint: expect.stringContaining('AAA') })
  const many = listingsOf(Array.from({ length: maxItems + 1 }, (_, at) => ({ symbol: `S${at}` })))
  const row = (at: number) => ({ item_id: newId(), user_id, instrument_id: `i_S${at}`, symbol: `S${at}`, tags: [], note: null, position: at })
  await db
    .insertInto('watchlist_item')
    .values(Array.from({ length: maxItems }, (_, at) => row(at)))
    .execute()
  await expect(add(user_id, `S${maxItems}`, many)).rejects.toMatchObject({ status: 409, message: expect.stringContaining('full') })
})

it('tags are trimmed, distinct and bounded', () => {
  expect(ItemAdd.parse({ ticker: 'AAA', tags: [' gold', 'gold ', 'TFSA'] }).tags).toEqual(['gold', 'TFSA'])
  for (const tags of [Array.from({ length: 21 }, (_, at) => `t${at}`), ['x'.repeat(33)], ['  '], ['a\u0000b']])
    expect(ItemAdd.safeParse({ ticker: 'AAA', tags }).success).toBe(false)
})

it('each statement keeps to its user by itself, where Postgres does not do it (row-level security needs a role)', async () => {
  const [a, b] = [await signedInUser(db), await signedInUser(db)].map(user => user.user_id) as [string, string]
  const items = [await add(a, 'AAA'), await add(a, 'BBB')]
  const id = items[0]?.id ?? ''
  await add(b, 'CCC.TO')
  const without = <T>(work: (trx: Trx) => Promise<T>): Promise<T> => db.transaction().execute(work)
  await expect(without(trx => removeItem(trx, b, id))).rejects.toMatchObject({ status: 404 })
  await expect(without(trx => changeItem(trx, b, index, id, { note: 'x', tags: ['x'], position: 1 }))).rejects.toMatchObject({ status: 404 })
  expect((await without(trx => findItems(trx, b, index))).map(item => item.ticker)).toEqual(['CCC.TO'])
  expect(await list(a)).toEqual(items)
})

it('a symbol that no directory lists is watched under its name, once, and is the listing when a directory lists it', async () => {
  const watcher = (await signedInUser(db)).user_id
  const unlisted = (symbol: string) =>
    asUser(db, watcher, trx => addItem(trx, watcher, { index, unlisted: symbol }, ItemAdd.parse({ ticker: symbol }), newId(), now))
  expect(await unlisted('XIU.TO')).toMatchObject({ ticker: 'XIU.TO', position: 0 })
  await expect(unlisted('XIU.TO')).rejects.toThrow('XIU.TO is on the watchlist')
  const later = listingsOf([...names, 'XIU.TO'].map(symbol => ({ symbol })))
  expect(await list(watcher, later)).toMatchObject([{ ticker: 'XIU.TO' }])
  await expect(add(watcher, 'XIU.TO', later)).rejects.toThrow('XIU.TO is on the watchlist')
})

it('an import of unknown symbols names each, and searches near ones for the first five only', async () => {
  const { user_id } = await signedInUser(db)
  let searches = 0
  const counted = new Proxy(index, {
    get: (target, name) => {
      if (name === 'nearest') searches += 1
      return Reflect.get(target, name) as unknown
    },
  })
  const wanted = Array.from({ length: 300 }, (_, at) => ({
    item: ItemAdd.parse({ ticker: at === 7 ? 'BBB' : `AAA${String.fromCharCode(65 + (at % 26))}` }),
    known: { index: counted, unlisted: null },
    id: newId(),
  }))
  const error = await asUser(db, user_id, trx => importItems(trx, user_id, wanted, now)).catch((each: unknown) => each)
  const { items } = error as { items: { loc: unknown[]; msg: string }[] }
  expect([statusOf(error), items.length, searches]).toEqual([422, 299, 5])
  expect(items[0]).toMatchObject({ loc: ['body', 'items', 0, 'ticker'], msg: expect.stringContaining('nearest symbols: AAA') })
  expect(items.at(-1)).toMatchObject({ loc: ['body', 'items', 299, 'ticker'], msg: expect.stringContaining('is known') })
  expect(await order(user_id)).toEqual([])
})

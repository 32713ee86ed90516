// Sequences of two users' actions on their keys, compared with a model: after any sequence, each user sees only their own keys.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { isAddressRange, KeyRequest, maxKeys } from '#schemas/keys.ts'
import { scopes } from '#schemas/operations.ts'
import { asUser, type Trx } from '../users/own-rows.ts'
import { keyDigest } from './key-text.ts'
import { type ApiKey, findByHash } from './keys.ts'
import { changeOwnKey, listOwnKeys, makeOwnKey, revokeOwnKey } from './own-keys.ts'

const { db } = await testDatabase()
const now = new Date('2026-11-20T21:05:00Z')

type Held = { readonly text: string; name: string; scopes: readonly string[]; revoked: boolean; readonly owner: number }
type Step =
  | { readonly kind: 'make'; readonly by: number; readonly name: string; readonly scopes: readonly (typeof scopes)[number][] }
  | {
      readonly kind: 'change'
      readonly by: number
      readonly which: number
      readonly name: string
      readonly scopes: readonly (typeof scopes)[number][]
    }
  | { readonly kind: 'revoke'; readonly by: number; readonly which: number }
const by = fc.nat(1)
const which = fc.nat(30)
const name = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter(text => KeyRequest.safeParse({ name: text }).success)
const someScopes = fc.subarray([...scopes], { minLength: 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('make' as const), by, name, scopes: someScopes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), by, which, name, scopes: someScopes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revoke' as const), by, which }) },
)
const statusOf = async (work: Promise<unknown>): Promise<number> =>
  await work.then(
    () => 200,
    (error: unknown) => {
      if (error instanceof CrossfileError) return error.status
      throw error
    },
  )

test('any sequence of two users’ acts on keys matches the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async steps => {
      const users = [await signedInUser(db), await signedInUser(db)].map(each => each.user_id)
      const model = new Map<string, Held>()
      const of = async <T>(user: number, work: (trx: Trx, id: string) => Promise<T>): Promise<T> =>
        await asUser(db, users[user] as string, trx => work(trx, users[user] as string))
      for (const each of steps) {
        const target = each.kind === 'make' ? undefined : [...model][each.which % Math.max(1, model.size)]
        const [id, held] = target ?? ['k_nobody', undefined]
        if (each.kind === 'make') {
          const live = [...model.values()].filter(key => key.owner === each.by && !key.revoked).length
          const request = KeyRequest.parse({ name: each.name, scopes: each.scopes })
          const made: { text: string; key: ApiKey }[] = []
          const status = await statusOf(
            of(each.by, async (trx, user) => void made.push(await makeOwnKey(trx, user, request, { now, page: 'http://api.test/developer' }))),
          )
          expect(status).toBe(live < maxKeys ? 200 : 409)
          for (const { text, key } of made)
            model.set(key.key_id, { text, name: request.name, scopes: request.scopes, revoked: false, owner: each.by })
        } else if (each.kind === 'change') {
          const patch = { name: each.name.trim(), scopes: scopes.filter(scope => each.scopes.includes(scope)) }
          const mine = held && held.owner === each.by && !held.revoked
          const narrower = mine && each.scopes.every(scope => held.scopes.includes(scope))
          expect(await statusOf(of(each.by, (trx, user) => changeOwnKey(trx, user, id, patch, now)))).toBe(!mine ? 404 : narrower ? 200 : 400)
          if (narrower) Object.assign(held, patch)
        } else {
          const mine = held && held.owner === each.by && !held.revoked
          expect(await statusOf(of(each.by, (trx, user) => revokeOwnKey(trx, user, id, now)))).toBe(mine ? 200 : 404)
          if (mine) held.revoked = true
        }
      }
      for (const user of [0, 1]) {
        const seen = await of(user, (trx, owner) => listOwnKeys(trx, owner, now))
        const expected = [...model].filter(([, key]) => key.owner === user && !key.revoked)
        expect(new Map(seen.map(key => [key.key_id, [key.name, key.scopes]]))).toEqual(
          new Map(expected.map(([id, key]) => [id, [key.name, key.scopes]])),
        )
      }
      for (const [id, { text, revoked, owner }] of model) {
        const found = await findByHash(db, keyDigest(text))
        expect([found?.key_id, found?.owner, found?.revoked_at !== null]).toEqual([id, users[owner], revoked])
      }
    }),
    { numRuns: 40 },
  )
})

test('an address or a range is taken where the whole service can read it', () => {
  for (const text of ['10.0.0.1', '192.0.2.0/24', '0.0.0.0/0', '2001:db8::/32', '::1', 'fe80::1'])
    expect([text, isAddressRange(text)]).toEqual([text, true])
  for (const text of ['', '1', '10.0.0', '010.0.0.1', '10.0.0.0/', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', 'fe80::1%eth0', '::ffff:10.0.0.1'])
    expect([text, isAddressRange(text)]).toEqual([text, false])
})

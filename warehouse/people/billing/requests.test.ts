// Requests of two users and administrators in any order, against a model: no request changes another user's, and each is fulfilled once.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { assignableTiers } from '#schemas/billing.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { asUser } from '../users/own-rows.ts'
import { askFor, findRequests, fulfil, openRequests } from './requests.ts'

const { db } = await testDatabase()
const start = Date.parse('2026-11-21T12:00:00Z')

type Step =
  | { readonly kind: 'change'; readonly who: 0 | 1; readonly target: (typeof assignableTiers)[number] }
  | { readonly kind: 'cancel'; readonly who: 0 | 1 }
  | { readonly kind: 'fulfil'; readonly which: number }
const who = fc.constantFrom(0 as const, 1 as const)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('change' as const), who, target: fc.constantFrom(...assignableTiers) }),
  fc.record({ kind: fc.constant('cancel' as const), who }),
  fc.record({ kind: fc.constant('fulfil' as const), which: fc.nat({ max: 20 }) }),
)
type Modelled = { id: number; who: 0 | 1; kind: 'change_tier' | 'cancel'; target: string | null; open: boolean }

const outcome = async <T>(work: Promise<T>): Promise<T | number> =>
  await work.catch((error: unknown) => {
    if (error instanceof CrossfileError) return error.status
    throw error
  })

it('what is asked for, shown and fulfilled matches the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async steps => {
      const users = [await signedInUser(db), await signedInUser(db)] as const
      const tiers = ['free', 'free']
      const held: Modelled[] = []
      for (const [at, each] of steps.entries()) {
        const now = new Date(start + at * 1000)
        if (each.kind === 'fulfil') {
          const request = held[each.which % Math.max(1, held.length)]
          if (!request) continue
          const done = await outcome(db.transaction().execute(trx => fulfil(trx, request.id, 'u_admin', now)))
          if (!request.open) {
            expect(done).toBe(409)
            continue
          }
          expect(done).toMatchObject({ id: request.id, fulfilled_by: 'u_admin', days_until_eligible: null })
          request.open = false
          tiers[request.who] = request.target ?? 'free'
          continue
        }
        const user = users[each.who]
        const target = each.kind === 'change' ? each.target : null
        const kind = each.kind === 'change' ? ('change_tier' as const) : ('cancel' as const)
        const requested = await outcome(
          asUser(db, user.user_id, trx =>
            askFor(trx, user, target === null ? { kind: 'cancel', target, note: null } : { kind: 'change_tier', target, note: `step ${at}` }, now),
          ),
        )
        if (tiers[each.who] === (target ?? 'free')) {
          expect(requested).toBe(409)
          continue
        }
        if (typeof requested === 'number') throw new TypeError(`a request was refused: ${requested}`)
        const open = held.find(request => request.open && request.who === each.who && request.kind === kind)
        expect([requested.user_id, requested.target_tier, requested.days_until_eligible]).toEqual([user.user_id, target, 0])
        if (open) {
          expect(requested.id).toBe(open.id)
          open.target = target
        } else held.push({ id: requested.id, who: each.who, kind, target, open: true })
      }
      const now = new Date(start + 60_000)
      for (const [at, user] of users.entries()) {
        const mine = held.filter(request => request.who === at && request.open).sort((a, b) => a.id - b.id)
        const own = await asUser(db, user.user_id, trx => openRequests(trx, user.user_id, now))
        expect(own.map(row => [row.id, row.target_tier])).toEqual(mine.map(row => [row.id, row.target]))
        // This user never sees the other's requests, for any parameters.
        const foreign = await asUser(db, user.user_id, trx => findRequests(trx, { state: 'all', before: null, limit: 100 }, now))
        expect(foreign.every(row => row.user_id === user.user_id)).toBe(true)
        const { tier } = await db.selectFrom('app_user').select('tier').where('user_id', '=', user.user_id).executeTakeFirstOrThrow()
        expect(tier).toBe(tiers[at])
      }
    }),
    { numRuns: 60 },
  )
})

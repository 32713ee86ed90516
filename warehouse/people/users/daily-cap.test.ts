// Daily caps: exact under concurrent use, separate by user and by UTC day.
import { describe, expect, it } from 'vitest'
import { dailyCaps } from '#fixtures/assistant/daily-caps.ts'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { Tier } from '#schemas/plans.ts'
import { assistantCap, queriesToday, sweepDailyUse, takeDaily } from './daily-cap.ts'
import { asUser } from './own-rows.ts'

const { db } = await testDatabase()
const evening = new Date('2026-11-21T23:59:59.500Z')

describe('the caps of the specification', () => {
  it('Free 10, Trader 50, Alpha 100, Apex 500, Prime 1000', () => {
    expect(Tier.options.map(tier => [tier, assistantCap(tier)])).toEqual([['anonymous', 0], ...dailyCaps])
  })
})

describe('a daily cap', () => {
  it.each(['free', 'trader', 'alpha', 'apex'] as const)('of tier %s lets exactly its number of 1,000 at once through', async tier => {
    const { user_id } = await signedInUser(db, { tier })
    const cap = assistantCap(tier)
    const taken = await Promise.all(Array.from({ length: 1000 }, () => takeDaily(db, user_id, 'assistant', cap, evening)))
    expect(taken.filter(each => each.allowed)).toHaveLength(cap)
    expect(
      taken
        .filter(each => each.allowed)
        .map(each => each.used)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: cap }, (_, at) => at + 1))
    expect(await queriesToday(db, user_id, '2026-11-21')).toBe(cap)
    expect(taken[0]?.resets_at).toBe('2026-11-22T00:00:00.000Z')
  })
  it('resets at midnight UTC, and a cap of nothing allows nothing', async () => {
    const { user_id } = await signedInUser(db)
    for (let at = 0; at < 3; at += 1) await takeDaily(db, user_id, 'assistant', 2, evening)
    expect((await takeDaily(db, user_id, 'assistant', 2, evening)).allowed).toBe(false)
    expect(await takeDaily(db, user_id, 'assistant', 2, new Date(evening.getTime() + 500))).toMatchObject({ allowed: true, used: 1 })
    expect(await takeDaily(db, user_id, 'assistant', 0, evening)).toMatchObject({ allowed: false, used: 2, cap: 0 })
  })
  it('is one user’s own, also under row-level security', async () => {
    const [one, other] = [await signedInUser(db), await signedInUser(db)]
    await asUser(db, one.user_id, trx => takeDaily(trx, one.user_id, 'assistant', 10, evening))
    await expect(asUser(db, other.user_id, trx => takeDaily(trx, one.user_id, 'assistant', 10, evening))).rejects.toThrow()
    expect([await queriesToday(db, one.user_id, '2026-11-21'), await queriesToday(db, other.user_id, '2026-11-21')]).toEqual([1, 0])
  })
  it('is forgotten after 400 days', async () => {
    const { user_id } = await signedInUser(db)
    await takeDaily(db, user_id, 'assistant', 10, evening)
    await sweepDailyUse(db, new Date(evening.getTime() + 399 * 86_400_000))
    expect(await queriesToday(db, user_id, '2026-11-21')).toBe(1)
    await sweepDailyUse(db, new Date(evening.getTime() + 402 * 86_400_000))
    expect(await queriesToday(db, user_id, '2026-11-21')).toBe(0)
  })
})

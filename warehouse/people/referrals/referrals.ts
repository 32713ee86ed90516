// Referrals: a code for each account, and at most one attribution and one conversion for each referred account.

import { randomInt } from 'node:crypto'
import { dayMs } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'
import { asService, type Trx } from '../users/own-rows.ts'

/** Without 0, 1, I, L and O, which are easily confused. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const codeShape = /^[A-Z2-9]{10}$/
/** The maximum age of an account that names its referrer. */
const attributionDays = 30

export type OwnCode = { readonly code: string; readonly referred: number; readonly converted: number }
export type Attribution = { readonly code: string; readonly attributed_at: string }
export type Conversion = { readonly converted_tier: string; readonly converted_at: string }

const mintCode = (pick: (below: number) => number): string => Array.from({ length: 10 }, () => alphabet[pick(alphabet.length)]).join('')

/** The user's code, created on first request, and the number of accounts referred by it. In a transaction of `asUser`. */
export async function ownCode(trx: Trx, userId: string, pick: (below: number) => number = below => randomInt(below)): Promise<OwnCode> {
  await trx
    .insertInto('referral_code')
    .values({ user_id: userId, code: mintCode(pick) })
    .onConflict(conflict => conflict.column('user_id').doNothing())
    .execute()
  const { code } = await trx.selectFrom('referral_code').select('code').where('user_id', '=', userId).executeTakeFirstOrThrow()
  const counted = await asService(trx, () =>
    trx
      .selectFrom('referral')
      .select(select => [select.fn.countAll<number>().as('referred'), select.fn.count<number>('converted_at').as('converted')])
      .where('referrer_id', '=', userId)
      .executeTakeFirstOrThrow(),
  )
  return { code, referred: Number(counted.referred), converted: Number(counted.converted) }
}

/**
 * Records the referrer of the user by its code; idempotent. In a transaction of `asUser`. Throws `NotFound` for an unknown code, 409 if
 * another was given before, 403 after the account's first weeks, 400 for the user's own code.
 */
export async function attribute(trx: Trx, userId: string, given: string, now: Date): Promise<Attribution> {
  const code = given.trim().toUpperCase()
  const owner = codeShape.test(code)
    ? await asService(trx, () => trx.selectFrom('referral_code').select('user_id').where('code', '=', code).executeTakeFirst())
    : undefined
  if (!owner) throw new NotFound('no account has this code', { hint: 'ask for the code of who brought you: GET /api/v1/referrals/code shows it' })
  if (owner.user_id === userId) throw new BadRequest('this is the code of the account itself', { hint: 'give the code of another account' })
  const { created_at } = await trx.selectFrom('app_user').select('created_at').where('user_id', '=', userId).executeTakeFirstOrThrow()
  const written =
    now.getTime() - Date.parse(created_at) <= attributionDays * dayMs
      ? await trx
          .insertInto('referral')
          .values({ user_id: userId, referrer_id: owner.user_id, code, attributed_at: now.toISOString() })
          .onConflict(conflict => conflict.column('user_id').doNothing())
          .returning(['code', 'attributed_at'])
          .executeTakeFirst()
      : undefined
  if (written) return written
  const held = await trx.selectFrom('referral').select(['code', 'attributed_at']).where('user_id', '=', userId).executeTakeFirst()
  if (held?.code === code) return held
  if (held) throw new BadRequest('this account was attributed to another code', { status: 409, code: 'conflict', hint: 'it can be attributed once' })
  throw new BadRequest(`this account is older than ${attributionDays} days`, {
    status: 409,
    code: 'conflict',
    hint: `a referral code must be given within ${attributionDays} days after registration`,
  })
}

/**
 * Records once that a referred account took a paid tier: only the first conversion counts. Called by billing, in the transaction of its
 * effect, and by administration; false if the account has no referrer.
 */
export async function convertReferral(trx: Db, userId: string, tier: string, now: Date): Promise<boolean> {
  return (await conversionOf(trx, userId, tier, now)) !== null
}

/** The conversion of an account, created if there was none; null if the account has no referrer. */
export async function conversionOf(trx: Db, userId: string, tier: string, now: Date): Promise<(Conversion & { readonly first: boolean }) | null> {
  return await asService(trx as Trx, async () => {
    const made = await trx
      .updateTable('referral')
      .set({ converted_at: now.toISOString(), converted_tier: tier })
      .where('user_id', '=', userId)
      .where('converted_at', 'is', null)
      .returning(['converted_at', 'converted_tier'])
      .executeTakeFirst()
    const row = made ?? (await trx.selectFrom('referral').select(['converted_at', 'converted_tier']).where('user_id', '=', userId).executeTakeFirst())
    if (!row || row.converted_at === null || row.converted_tier === null) return null
    return { converted_at: row.converted_at, converted_tier: row.converted_tier, first: made !== undefined }
  })
}

// Who was brought by whom: a code for each account, an attribution and a conversion once for each account that was brought.
import { randomInt } from 'node:crypto'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Db } from '../postgres.ts'
import { asService, type Trx } from '../users/own-rows.ts'

/** Without 0, 1, I, L and O, which are read for one another. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const codeShape = /^[A-Z2-9]{10}$/
/** How old an account may be to say who brought it. */
const attributionDays = 30

export type OwnCode = { readonly code: string; readonly referred: number; readonly converted: number }
export type Attribution = { readonly code: string; readonly attributed_at: string }
export type Conversion = { readonly converted_tier: string; readonly converted_at: string }

const mintCode = (pick: (below: number) => number): string => Array.from({ length: 10 }, () => alphabet[pick(alphabet.length)]).join('')

/** The user's code, made when it is first asked for, and how many accounts came by it. In a transaction of `asUser`. */
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
 * Says that the user was brought by whose code it is; the same again is the same. In a transaction of `asUser`. Throws `NotFound` for a
 * code of nobody, 409 where another was given before, 403 after the account's first weeks, 400 for one's own.
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
    now.getTime() - Date.parse(created_at) <= attributionDays * 86_400_000
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
    hint: `an account says within ${attributionDays} days who brought it`,
  })
}

/**
 * Notes that an account which was brought took a tier that is paid for, once: the first conversion stands. Called by billing, in the
 * transaction of its effect, and by administration; false where nobody brought the account.
 */
export async function convertReferral(trx: Db, userId: string, tier: string, now: Date): Promise<boolean> {
  return (await conversionOf(trx, userId, tier, now)) !== null
}

/** The conversion of an account, made where there was none; null where nobody brought it. */
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

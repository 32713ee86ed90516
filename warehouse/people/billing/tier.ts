// The tier of an account and of its keys: changed in one place, so that billing and permissions never differ.
import type { Tier } from '#schemas/plans.ts'
import type { Db } from '../../store/postgres.ts'
import { convertReferral } from '../referrals/referrals.ts'

/** Paid tiers (CheckoutIn): the referrer of the account is credited when the first of them begins. */
const paid: readonly Tier[] = ['trader', 'alpha', 'apex', 'prime']

/** Sets the tier of an account and of its API keys; false if there is no such account, or it has the tier already. */
export async function setTier(trx: Db, userId: string, tier: Tier, now: Date): Promise<boolean> {
  const row = await trx
    .updateTable('app_user')
    .set({ tier, tier_since: now.toISOString() })
    .where('user_id', '=', userId)
    .where('tier', '<>', tier)
    .returning('user_id')
    .executeTakeFirst()
  if (!row) return false
  if (paid.includes(tier)) await convertReferral(trx, userId, tier, now)
  await trx.updateTable('api_key').set({ tier }).where('owner', '=', userId).execute()
  return true
}

// The profile of whoever is signed in.

import type { Profile, ProfilePatch } from '#schemas/accounts.ts'
import { NotFound } from '#schemas/errors.ts'
import type { Trx } from './own-rows.ts'

/** `queries_today`: what the assistant's counter holds of the UTC day. */
export async function getProfile(trx: Trx, userId: string, queries_today: number): Promise<Profile> {
  const row = await trx
    .selectFrom('app_user')
    .select(['user_id as id', 'email', 'full_name', 'display_name', 'tier', 'billing_status', 'is_active', 'created_at', 'last_login_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw new NotFound('this account does not exist any more')
  const { id, email, full_name, display_name, tier, billing_status, is_active, created_at, last_login_at } = row
  return { id, email, full_name, display_name, tier, billing_status, is_active, queries_today, created_at, last_login_at }
}

/** Rectifies names; what is not named stays. */
export async function rectify(trx: Trx, userId: string, patch: ProfilePatch): Promise<void> {
  if (Object.keys(patch).length > 0) await trx.updateTable('app_user').set(patch).where('user_id', '=', userId).execute()
}

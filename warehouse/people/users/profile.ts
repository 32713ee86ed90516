// The profile of the signed-in user.

import type { Profile, ProfilePatch } from '#schemas/accounts.ts'
import { NotFound } from '#schemas/errors.ts'
import type { Trx } from './own-rows.ts'

/** `queries_today`: the assistant's counter for the UTC day. */
export async function getProfile(trx: Trx, userId: string, queries_today: number): Promise<Profile> {
  const row = await trx
    .selectFrom('app_user')
    .select(['user_id as id', 'email', 'full_name', 'display_name', 'tier', 'billing_status', 'is_active', 'created_at', 'last_login_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw new NotFound('this account no longer exists')
  const { id, email, full_name, display_name, tier, billing_status, is_active, created_at, last_login_at } = row
  return { id, email, full_name, display_name, tier, billing_status, is_active, queries_today, created_at, last_login_at }
}

/** Changes names; members that are not given are unchanged. */
export async function rectify(trx: Trx, userId: string, patch: ProfilePatch): Promise<void> {
  if (Object.keys(patch).length > 0) await trx.updateTable('app_user').set(patch).where('user_id', '=', userId).execute()
}

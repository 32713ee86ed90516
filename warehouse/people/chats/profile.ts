// The profile that a user gives to the assistant.
import { emptyProfile, type Profile } from '#schemas/assistant.ts'
import type { Trx } from '../users/own-rows.ts'

/** The profile and when it was set; empty and null if it never was. */
export async function findAssistantProfile(trx: Trx, userId: string): Promise<{ readonly profile: Profile; readonly updated_at: string | null }> {
  const row = await trx
    .selectFrom('assistant_profile')
    .select(['about_me', 'my_voice', 'my_rules', 'sharia_standard', 'jurisdiction', 'sectors', 'updated_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return { profile: emptyProfile, updated_at: null }
  const { updated_at, ...profile } = row
  return { profile, updated_at }
}

/** Sets the whole profile. */
export async function saveAssistantProfile(trx: Trx, userId: string, profile: Profile, now: Date): Promise<void> {
  const values = { ...profile, sectors: [...profile.sectors], updated_at: now.toISOString() }
  await trx
    .insertInto('assistant_profile')
    .values({ user_id: userId, ...values })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(values))
    .execute()
}

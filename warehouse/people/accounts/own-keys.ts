// A user's keys: created, listed, changed and revoked by their owner, in a transaction of `asUser`. A key's permissions can only be
// narrowed: programs and spreadsheets hold it under its original terms. More permissions require a new key.
import { daysBefore } from '#schemas/days.ts'
import { BadRequest, Forbidden, NotFound } from '#schemas/errors.ts'
import { expiredKeyDays, type KeyPatch, type KeyRecord, type KeyRequest, maxKeys } from '#schemas/keys.ts'
import { Tier } from '#schemas/plans.ts'
import { enqueueMail } from '../mail/enqueue.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { asService, type Trx } from '../users/own-rows.ts'
import { type ApiKey, insertKey, selectKeys, toKey } from './keys.ts'

/** A key as its owner sees it. */
export function keyRecord(key: ApiKey, now: Date): KeyRecord {
  return {
    id: key.key_id,
    name: key.name,
    last4: key.last4,
    state: isLive(key, now) ? 'live' : 'expired',
    scopes: [...key.scopes],
    tier: key.tier,
    allowed_addresses: [...key.allowed_addresses],
    created_at: key.created_at,
    expires_at: key.expires_at,
    last_used_at: key.last_used_at,
    last_used_as: key.last_used_as as KeyRecord['last_used_as'],
    last_in_query_at: key.last_in_query_at,
  }
}
const isLive = ({ expires_at }: ApiKey, now: Date): boolean => expires_at === null || Date.parse(expires_at) > now.getTime()

/** The unrevoked keys of a user, newest first. An expired key is listed for 30 more days, which keeps the list short. */
export async function listOwnKeys(trx: Trx, userId: string, now: Date): Promise<ApiKey[]> {
  const since = daysBefore(now, expiredKeyDays).toISOString()
  const rows = await selectKeys(trx)
    .where('k.owner', '=', userId)
    .where('k.revoked_at', 'is', null)
    .where(where => where.or([where('k.expires_at', 'is', null), where('k.expires_at', '>', since)]))
    .orderBy('k.created_at', 'desc')
    .orderBy('k.key_id')
    .execute()
  return rows.map(toKey)
}

/** One of the user's keys. Throws NotFound for an unknown key, a key of another user and a revoked one. */
async function getOwnKey(trx: Trx, userId: string, keyId: string): Promise<ApiKey> {
  const row = await selectKeys(trx).where('k.owner', '=', userId).where('k.key_id', '=', keyId).where('k.revoked_at', 'is', null).executeTakeFirst()
  if (!row) throw new NotFound('you have no such key', { hint: 'GET /api/v1/keys lists your keys with their ids' })
  return toKey(row)
}

/**
 * Creates a key for the user and returns its text, which cannot be read later; `page` is the page for revoking it, linked in the
 * notification mail. Throws Forbidden before the address is verified, 409 `conflict` for an eleventh live key.
 */
export async function makeOwnKey(
  trx: Trx,
  userId: string,
  { name, scopes, allowed_addresses, expires_in_days: days }: KeyRequest,
  { now, page }: { readonly now: Date; readonly page: string },
): Promise<{ readonly text: string; readonly key: ApiKey }> {
  const user = await lockUser(trx, userId)
  if (!user.is_active) throw new Forbidden('this account is not active', { hint: 'ask the operator of this service' })
  if (user.erasure_requested_at !== null)
    throw new Forbidden('the erasure of this account is queued', { hint: 'POST /api/v1/user/delete/cancel keeps the account' })
  if (user.email_verified_at === null)
    throw new Forbidden('an API key requires a verified address', { hint: 'open the link in the registration mail' })
  const live = (await listOwnKeys(trx, userId, now)).filter(key => isLive(key, now)).length
  if (live >= maxKeys)
    throw new BadRequest(`you have ${live} live keys, ${maxKeys} are allowed`, {
      status: 409,
      code: 'conflict',
      hint: 'revoke one that you no longer use',
    })
  const made = await insertKey(trx, { name, owner: userId, tier: Tier.parse(user.tier), scopes, allowed_addresses, days }, now)
  const { key_id, last4 } = made.key
  await asService(trx, async () => {
    await audit(trx, { actor: pseudonymOf(user), act: 'key.create', subject: pseudonymOf(user), details: { key_id } }, now)
    await enqueueMail(trx, {
      dedupe_key: `key_created ${key_id}`,
      user_id: userId,
      to_address: user.email,
      kind: 'key_created',
      subject: 'A new API key of your Crossfile account',
      body: `An API key was made with your account: "${name}", ending in ${last4}.\n\nIf that was not you, revoke it and change your password:\n${page}\n`,
    })
  })
  return made
}

/** Changes a key. Throws NotFound; BadRequest for a scope that it lacks, or for an expiry that is not earlier than the current one. */
export async function changeOwnKey(trx: Trx, userId: string, keyId: string, patch: KeyPatch, now: Date): Promise<ApiKey> {
  const user = await lockUser(trx, userId)
  const key = await getOwnKey(trx, userId, keyId)
  const { name, scopes, allowed_addresses, expires_at } = patch
  const wider = scopes?.find(scope => !key.scopes.includes(scope))
  if (wider !== undefined)
    throw new BadRequest(`this key lacks ${wider}; permissions of a key can only be reduced`, { hint: 'make a new key with the scopes you need' })
  const ends = expires_at === undefined ? null : Date.parse(expires_at)
  if (ends !== null && ends <= now.getTime())
    throw new BadRequest('expires_at has passed', { hint: 'send DELETE to revoke the key immediately, or give an instant in the future' })
  if (ends !== null && key.expires_at !== null && ends > Date.parse(key.expires_at))
    throw new BadRequest(`this key expires at ${key.expires_at}; expires_at can only be moved earlier`, {
      hint: 'create a new key with a later expiry',
    })
  await trx
    .updateTable('api_key')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(scopes === undefined ? {} : { scopes }),
      ...(allowed_addresses === undefined ? {} : { allowed_addresses }),
      ...(ends === null ? {} : { expires_at: new Date(ends).toISOString() }),
    })
    .where('owner', '=', userId)
    .where('key_id', '=', keyId)
    .execute()
  await asService(trx, () => audit(trx, { actor: pseudonymOf(user), act: 'key.change', subject: pseudonymOf(user), details: { key_id: keyId } }, now))
  return await getOwnKey(trx, userId, keyId)
}

/** Revokes a key: every process rejects it within 5 seconds, and it is no longer listed. Throws NotFound, also the second time. */
export async function revokeOwnKey(trx: Trx, userId: string, keyId: string, now: Date): Promise<ApiKey> {
  const user = await lockUser(trx, userId)
  const key = await getOwnKey(trx, userId, keyId)
  await trx
    .updateTable('api_key')
    .set({ revoked_at: now.toISOString() })
    .where('owner', '=', userId)
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .execute()
  await asService(trx, () => audit(trx, { actor: pseudonymOf(user), act: 'key.revoke', subject: pseudonymOf(user), details: { key_id: keyId } }, now))
  return key
}

/** The account, locked until the transaction ends, so that the count of its keys stays correct. */
async function lockUser(trx: Trx, userId: string) {
  return await trx
    .selectFrom('app_user')
    .select(['user_id', 'subject_key', 'email', 'tier', 'is_active', 'email_verified_at', 'erasure_requested_at'])
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

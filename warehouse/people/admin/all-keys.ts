// API keys of all accounts and of the operator, as administrators see them: never the text of a key.
import { NotFound } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'
import { type ApiKey, selectKeys, toKey } from '../accounts/keys.ts'
import { isBehind } from '../users/newest-first.ts'

export type AnyKey = Pick<
  ApiKey,
  'key_id' | 'name' | 'owner' | 'last4' | 'tier' | 'scopes' | 'created_at' | 'expires_at' | 'revoked_at' | 'last_used_at'
> & { readonly owner_email: string | null; readonly state: 'live' | 'expired' | 'revoked' | 'halted' }

function stateOf({ revoked_at, expires_at, halted }: ApiKey, now: Date): AnyKey['state'] {
  if (revoked_at !== null) return 'revoked'
  if (expires_at !== null && new Date(expires_at) <= now) return 'expired'
  return halted === null ? 'live' : 'halted'
}

/** `key` for administrators. */
export function anyKey(key: ApiKey, owner_email: string | null, now: Date): AnyKey {
  const { key_id, name, owner, last4, tier, scopes, created_at, expires_at, revoked_at, last_used_at } = key
  return { key_id, name, owner, owner_email, last4, tier, scopes, state: stateOf(key, now), created_at, expires_at, revoked_at, last_used_at }
}

export type KeysQuery = {
  readonly state: 'live' | 'expired' | 'revoked' | 'all'
  /** An account, `operator` for keys without one, or null for all. */
  readonly owner: string | null
  /** The last key that was read. */
  readonly after: { readonly created_at: string; readonly key_id: string } | null
  readonly limit: number
}

/** Keys, newest first, then by id. A live key may be halted with its account. */
export async function findAllKeys(db: Db, { state, owner, after, limit }: KeysQuery, now: Date): Promise<AnyKey[]> {
  const at = now.toISOString()
  const rows = await selectKeys(db)
    .select('u.email')
    .$if(state === 'revoked', query => query.where('k.revoked_at', 'is not', null))
    .$if(state === 'expired', query => query.where('k.revoked_at', 'is', null).where('k.expires_at', '<=', at))
    .$if(state === 'live', query =>
      query.where('k.revoked_at', 'is', null).where(where => where.or([where('k.expires_at', 'is', null), where('k.expires_at', '>', at)])),
    )
    .$if(owner === 'operator', query => query.where('k.owner', 'is', null))
    .$if(owner !== null && owner !== 'operator', query => query.where('k.owner', '=', owner ?? ''))
    .where(isBehind('k.created_at', 'k.key_id', after && { created_at: after.created_at, id: after.key_id }))
    .orderBy('k.created_at', 'desc')
    .orderBy('k.key_id')
    .limit(limit)
    .execute()
  return rows.map(({ email, ...row }) => anyKey(toKey(row), email, now))
}

/** A key in any state. Throws `NotFound`. */
export async function getAnyKey(db: Db, keyId: string, now: Date): Promise<AnyKey> {
  const row = await selectKeys(db).select('u.email').where('k.key_id', '=', keyId).executeTakeFirst()
  if (!row) throw new NotFound(`there is no key ${keyId}`, { hint: 'GET /api/v1/admin/api-keys lists them' })
  const { email, ...key } = row
  return anyKey(toKey(key), email, now)
}

// API keys: create, list, revoke, find. The text of a key is returned only by the call that creates it.

import { randomBytes } from 'node:crypto'
import { dayMs } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { type Scope, scopes } from '#schemas/operations/operation.ts'
import { Tier } from '#schemas/plans.ts'
import type { Db } from '../../store/postgres.ts'
import { keyDigest, mintKeyText } from './key-text.ts'
import { addUsage, type UsageCount } from './key-usage.ts'

export type ApiKey = {
  readonly key_id: string
  readonly name: string
  /** A user; null: the operator. */
  readonly owner: string | null
  readonly last4: string
  /** The owner's current tier; the tier at creation if there is no owner. */
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  readonly allowed_addresses: readonly string[]
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly last_used_as: string | null
  readonly last_in_query_at: string | null
  /** Why an unexpired key does not work: its owner's account is closed, or its erasure is queued. */
  readonly halted: 'inactive' | 'leaving' | null
}
export type KeyUse = {
  readonly at: Date
  readonly as: 'bearer' | 'x-api-key' | 'query'
  /** The key was sent in a URL since the last update, however it was sent afterwards. */
  readonly in_query: boolean
}
/** The API's interface to keys; `find` must be cheap because it is called often. */
export type KeyStore = {
  readonly find: (sha256: Buffer) => Promise<ApiKey | null>
  readonly noteUses: (uses: ReadonlyMap<string, KeyUse>) => Promise<void>
  /** Adds counts of requests to the stored ones. */
  readonly addUsage: (counts: readonly UsageCount[]) => Promise<void>
}
type Wanted = {
  readonly name: string
  readonly tier?: Tier
  readonly scopes?: readonly Scope[]
  /** Days until it expires; null: never. Default 365. */
  readonly days?: number | null
  readonly allowed_addresses?: readonly string[]
  /** A user for whom the operator creates it. */
  readonly owner?: string | null
}

/** Creates a key for the operator and returns its text, which cannot be read later. Throws BadRequest for a bad name or scope. */
export async function createKey(db: Db, wanted: Wanted, now: Date): Promise<{ readonly text: string; readonly key: ApiKey }> {
  const name = wanted.name.trim()
  if (name === '' || name.length > 100) throw new BadRequest(`key name has ${name.length} characters, 1 to 100 are allowed`)
  const requested = wanted.scopes ?? (['data:read', 'market:read'] as const)
  const unknown = requested.find(scope => !scopes.includes(scope))
  if (unknown !== undefined) throw new BadRequest(`unknown scope "${unknown}"`, { hint: `scopes are ${scopes.join(', ')}` })
  const { allowed_addresses = [], days = 365, tier = 'core', owner = null } = wanted
  return await insertKey(db, { name, owner, tier, scopes: requested, allowed_addresses, days }, now)
}

type New = { readonly owner: string | null; readonly days: number | null } & Pick<ApiKey, 'name' | 'tier' | 'scopes' | 'allowed_addresses'>

/** Inserts a validated key. */
export async function insertKey(db: Db, { days, ...wanted }: New, now: Date): Promise<{ readonly text: string; readonly key: ApiKey }> {
  const text = mintKeyText()
  const key_id = `k_${randomBytes(9).toString('base64url')}`
  await db
    .insertInto('api_key')
    .values({
      ...wanted,
      key_id,
      sha256: keyDigest(text),
      last4: text.slice(-4),
      tier: Tier.parse(wanted.tier),
      scopes: [...wanted.scopes],
      allowed_addresses: [...wanted.allowed_addresses],
      created_at: now.toISOString(),
      expires_at: days === null ? null : new Date(now.getTime() + days * dayMs).toISOString(),
    })
    .execute()
  return { text, key: toKey(await selectKeys(db).where('k.key_id', '=', key_id).executeTakeFirstOrThrow()) }
}

/** Every key, newest first, revoked and expired ones included. */
export async function listKeys(db: Db): Promise<ApiKey[]> {
  const rows = await selectKeys(db).orderBy('k.created_at', 'desc').orderBy('k.key_id').execute()
  return rows.map(toKey)
}

/** Revokes a key by its id; every process rejects it within 5 seconds. Revoking it again changes nothing. Throws NotFound. */
export async function revokeKey(db: Db, keyId: string, now: Date): Promise<ApiKey> {
  await db
    .updateTable('api_key')
    .set(set => ({ revoked_at: set.fn.coalesce('revoked_at', set.val(now.toISOString())) }))
    .where('key_id', '=', keyId)
    .execute()
  const row = await selectKeys(db).where('k.key_id', '=', keyId).executeTakeFirst()
  if (!row) throw new NotFound(`no key ${keyId}`, { hint: 'crossfile keys list shows the ids' })
  return toKey(row)
}

/** The key of a digest in any state; null if there is none. One indexed read. */
export async function findByHash(db: Db, sha256: Buffer): Promise<ApiKey | null> {
  const row = await selectKeys(db).where('k.sha256', '=', sha256).executeTakeFirst()
  return row ? toKey(row) : null
}

/** Records when and how keys were last used: one statement per key, called every half minute, never per request. */
async function noteKeyUses(db: Db, uses: ReadonlyMap<string, KeyUse>): Promise<void> {
  for (const [keyId, { at, as, in_query }] of uses) {
    const last_used_at = at.toISOString()
    await db
      .updateTable('api_key')
      .set({ last_used_at, last_used_as: as, ...(in_query ? { last_in_query_at: last_used_at } : {}) })
      .where('key_id', '=', keyId)
      .execute()
  }
}

export function keyStore(db: Db): KeyStore {
  return { find: sha256 => findByHash(db, sha256), noteUses: uses => noteKeyUses(db, uses), addUsage: counts => addUsage(db, counts) }
}

/** Keys with the state of their owner's account. */
export function selectKeys(db: Db) {
  return db
    .selectFrom('api_key as k')
    .leftJoin('app_user as u', 'u.user_id', 'k.owner')
    .select(['k.key_id', 'k.name', 'k.owner', 'k.last4', 'k.scopes', 'k.allowed_addresses', 'k.created_at', 'k.expires_at', 'k.revoked_at'])
    .select(['k.last_used_at', 'k.last_used_as', 'k.last_in_query_at', 'u.is_active', 'u.erasure_requested_at'])
    .select(select => select.fn.coalesce('u.tier', 'k.tier').as('tier'))
}
type Row = Awaited<ReturnType<ReturnType<typeof selectKeys>['executeTakeFirstOrThrow']>>

export function toKey({ is_active, erasure_requested_at, ...row }: Row): ApiKey {
  return {
    ...row,
    tier: Tier.parse(row.tier),
    scopes: scopesOf(row.scopes),
    created_at: instant(row.created_at),
    expires_at: row.expires_at && instant(row.expires_at),
    revoked_at: row.revoked_at && instant(row.revoked_at),
    last_used_at: row.last_used_at && instant(row.last_used_at),
    last_in_query_at: row.last_in_query_at && instant(row.last_in_query_at),
    halted: is_active === false ? 'inactive' : erasure_requested_at === null ? null : 'leaving',
  }
}
/** The scopes of a stored key. `mcp` named both agent scopes before they were separated. */
function scopesOf(stored: readonly string[]): Scope[] {
  const held = new Set(stored.flatMap(scope => (scope === 'mcp' ? ['mcp:research', 'mcp:mineral'] : [scope])))
  return scopes.filter(scope => held.has(scope))
}
const instant = (at: string): string => new Date(at).toISOString()

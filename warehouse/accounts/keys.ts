// API keys: made, listed, revoked, found. The text of a key exists only in the answer of createKey.
import { randomBytes } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { type Scope, scopes } from '#schemas/operations.ts'
import { Tier } from '#schemas/plans.ts'
import { keyDigest, mintKeyText } from './key-text.ts'
import type { AccountTables } from './tables.ts'

export type ApiKey = {
  readonly key_id: string
  readonly name: string
  readonly owner: string | null
  readonly last4: string
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  readonly allowed_addresses: readonly string[]
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly last_used_as: string | null
}
export type KeyUse = { readonly at: Date; readonly as: 'bearer' | 'x-api-key' | 'query' }
/** What the API needs of the keys; `find` must be cheap and may be asked often. */
export type KeyStore = {
  readonly find: (sha256: Buffer) => Promise<ApiKey | null>
  readonly noteUses: (uses: ReadonlyMap<string, KeyUse>) => Promise<void>
}
type Wanted = {
  readonly name: string
  readonly tier?: Tier
  readonly scopes?: readonly Scope[]
  /** Days until it expires; null: never. Default 365. */
  readonly days?: number | null
  readonly owner?: string | null
  readonly allowed_addresses?: readonly string[]
}
const keysPerOwner = 10

/** Makes a key and returns its text, this once. Throws BadRequest for a bad name or scope, or for an owner's eleventh live key. */
export async function createKey(db: Kysely<AccountTables>, wanted: Wanted, now: Date): Promise<{ readonly text: string; readonly key: ApiKey }> {
  const name = wanted.name.trim()
  if (name === '' || name.length > 100) throw new BadRequest(`key name has ${name.length} characters, 1 to 100 are allowed`)
  const asked = wanted.scopes ?? (['data:read', 'market:read'] as const)
  const unknown = asked.find(scope => !scopes.includes(scope))
  if (unknown !== undefined) throw new BadRequest(`unknown scope "${unknown}"`, { hint: `scopes are ${scopes.join(', ')}` })
  const days = wanted.days === undefined ? 365 : wanted.days
  const text = mintKeyText()
  const row = await db.transaction().execute(async transaction => {
    if (wanted.owner != null) {
      const live = await transaction
        .selectFrom('api_key')
        .select('key_id')
        .where('owner', '=', wanted.owner)
        .where('revoked_at', 'is', null)
        .where(where => where.or([where('expires_at', 'is', null), where('expires_at', '>', now.toISOString())]))
        .execute()
      if (live.length >= keysPerOwner) throw new BadRequest(`${live.length} keys are live, ${keysPerOwner} are allowed`, { hint: 'revoke one first' })
    }
    return transaction
      .insertInto('api_key')
      .values({
        key_id: `k_${randomBytes(9).toString('base64url')}`,
        name,
        owner: wanted.owner ?? null,
        sha256: keyDigest(text),
        last4: text.slice(-4),
        tier: Tier.parse(wanted.tier ?? 'core'),
        scopes: [...asked],
        allowed_addresses: [...(wanted.allowed_addresses ?? [])],
        created_at: now.toISOString(),
        expires_at: days === null ? null : new Date(now.getTime() + days * 86_400_000).toISOString(),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { text, key: toKey(row) }
}

/** Every key, newest first, revoked and expired ones included. */
export async function listKeys(db: Kysely<AccountTables>, owner?: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_key')
    .selectAll()
    .$if(owner !== undefined, query => query.where('owner', '=', owner ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('key_id')
    .execute()
  return rows.map(toKey)
}

/** Revokes a key by its id; every process refuses it within 5 seconds. A second time changes nothing. Throws NotFound. */
export async function revokeKey(db: Kysely<AccountTables>, keyId: string, now: Date): Promise<ApiKey> {
  const row = await db
    .updateTable('api_key')
    .set(set => ({ revoked_at: set.fn.coalesce('revoked_at', set.val(now.toISOString())) }))
    .where('key_id', '=', keyId)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new NotFound(`no key ${keyId}`, { hint: 'crossfile keys list shows the ids' })
  return toKey(row)
}

/** The key of a digest, whatever its state; null where there is none. One indexed read. */
export async function findByHash(db: Kysely<AccountTables>, sha256: Buffer): Promise<ApiKey | null> {
  const row = await db.selectFrom('api_key').selectAll().where('sha256', '=', sha256).executeTakeFirst()
  return row ? toKey(row) : null
}

/** Writes when and how keys were last used: one statement per key, called every half minute, never per request. */
export async function noteKeyUses(db: Kysely<AccountTables>, uses: ReadonlyMap<string, KeyUse>): Promise<void> {
  for (const [keyId, { at, as }] of uses) {
    await db.updateTable('api_key').set({ last_used_at: at.toISOString(), last_used_as: as }).where('key_id', '=', keyId).execute()
  }
}

export function keyStore(db: Kysely<AccountTables>): KeyStore {
  return { find: sha256 => findByHash(db, sha256), noteUses: uses => noteKeyUses(db, uses) }
}

function toKey(row: Selectable<AccountTables['api_key']>): ApiKey {
  const { sha256: _secret, ...rest } = row
  return {
    ...rest,
    tier: Tier.parse(rest.tier),
    scopes: rest.scopes.filter((scope): scope is Scope => (scopes as readonly string[]).includes(scope)),
    created_at: instant(rest.created_at),
    expires_at: rest.expires_at && instant(rest.expires_at),
    revoked_at: rest.revoked_at && instant(rest.revoked_at),
    last_used_at: rest.last_used_at && instant(rest.last_used_at),
  }
}
const instant = (at: string): string => new Date(at).toISOString()

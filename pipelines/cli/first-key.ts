// The API key that `crossfile start` makes for the operator: once per database, in the file `api-key` of the data folder.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { keyDigest } from '#warehouse/people/accounts/key-text.ts'
import { createKey, findByHash, listKeys } from '#warehouse/people/accounts/keys.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { replaceFile, syncFolder } from '#warehouse/store/sync-folder.ts'

export type FirstKey =
  /** The text of the key, which the file of this data folder has. */
  | { readonly text: string }
  /** The key is in force, and this data folder lacks its text: another host made it, or the file was deleted. */
  | { readonly text: null; readonly keyId: string; readonly last4: string }

const keyName = 'npm start'

export const firstKeyFile = (dataFolder: string): string => join(dataFolder, 'api-key')

/**
 * The first API key of a database: created once, stored in a file with mode 0600, and the same at the next start; created again if it was
 * revoked or has expired. Of starts at the same time, on one data folder or on several hosts, one creates it and the others wait.
 */
export async function readyKey(db: Db, dataFolder: string, now: Date): Promise<FirstKey> {
  const path = firstKeyFile(dataFolder)
  return await db.transaction().execute(async trx => {
    await sql`select pg_advisory_xact_lock(hashtext('crossfile first key'))`.execute(trx)
    const inForce = (key: { readonly revoked_at: string | null; readonly expires_at: string | null }): boolean =>
      key.revoked_at === null && (key.expires_at === null || Date.parse(key.expires_at) > now.getTime())
    const text = existsSync(path) ? (await readFile(path, 'utf8')).trim() : null
    const held = text === null ? null : await findByHash(trx, keyDigest(text))
    if (text !== null && held !== null && inForce(held)) return { text }
    const made = (await listKeys(trx)).find(key => key.name === keyName && key.owner === null && inForce(key))
    if (made !== undefined) return { text: null, keyId: made.key_id, last4: made.last4 }
    const created = await createKey(trx, { name: keyName, tier: 'prime', days: null }, now)
    // Before the commit: after a crash in between, no key is in force whose text is lost, and the next start creates another.
    await replaceFile(path, `${path}.${process.pid}-${randomUUID()}`, `${created.text}\n`, 0o600)
    await syncFolder(dataFolder)
    return { text: created.text }
  })
}

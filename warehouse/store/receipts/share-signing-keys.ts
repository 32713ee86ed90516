// Signing keys of several hosts: with a lake in a bucket, each private half is stored sealed in the database (shared-keys.ts), and a worker
// whose folder lacks a key writes it there. A rotation on one host so applies to all.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { Broken } from '#schemas/errors.ts'
import type { Db } from '../postgres.ts'
import { findSharedKey, removeSharedKey, signingKeyName, storeSharedKey } from '../shared-keys.ts'
import { placeKey } from './import-key.ts'
import { inspectKeyFiles, readPrivateKeyFile, signerOf } from './signer.ts'

/** Stores a key of the folder for other hosts, if keys are shared and the folder has it. Throws `Broken` without the key file that seals it. */
export async function storeSigningKey(trx: Db, folder: string, kid: string): Promise<void> {
  const path = inspectKeyFiles(folder).find(file => file.signer?.kid === kid)?.path
  if (path !== undefined) await storeSharedKey(trx, folder, signingKeyName(kid), () => readPrivateKeyFile(path))
}

/** The private half that another host stored; null if none did. Throws `Broken` if it cannot be opened, or is another key. */
export async function findSharedSigningKey(db: Db, folder: string, kid: string): Promise<KeyObject | null> {
  const pem = await findSharedKey(db, folder, signingKeyName(kid))
  if (pem === null) return null
  const key = createPrivateKey(pem)
  if (signerOf(key).kid !== kid)
    throw new Broken(`the shared signing key ${kid} is another key`, { hint: 'rotate to a new key (crossfile signing-keys rotate)' })
  return key
}

/**
 * Writes a key that another host stored into the folder, as its next file. False if the folder has it, if none stored it, or if the folder has
 * a file that cannot be used: the operator decides about that first. Throws `Broken` if it cannot be opened or written.
 */
export async function takeSigningKey(db: Db, folder: string, kid: string): Promise<boolean> {
  const files = inspectKeyFiles(folder)
  if (files.some(file => file.fault !== null || file.signer.kid === kid)) return false
  const key = await findSharedSigningKey(db, folder, kid)
  if (key === null) return false
  return placeKey(folder, key).added
}

/** At the start of a program that writes: stores the keys of the folder, and deletes stored ones that never sign again. */
export async function shareSigningKeys(db: Db, folder: string): Promise<void> {
  const { rows } = await sql<{ kid: string; signs: boolean }>`
    select kid, status in ('active', 'pending') or (status = 'retired' and coalesce(retired_at > clock_timestamp() - interval '1 day', false)) as signs
    from signing_key`.execute(db)
  for (const { kid, signs } of rows) {
    if (signs) await storeSigningKey(db, folder, kid)
    else await removeSharedKey(db, signingKeyName(kid))
  }
}

// Private keys that the workers of several hosts need: sealed with the key file `shared-<n>.key`, in the database. Only with a lake in a
// bucket; other installations keep private keys out of the database (migrations/0039-keys-of-hosts.sql).
import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { Broken } from '#schemas/errors.ts'
import { readKeyFiles } from './key-files.ts'
import type { Db } from './postgres.ts'
import { derivedKey, openSealed, sealBytes, sealNumber } from './seal-bytes.ts'

type SharedKeyTable = { shared_key: { name: string; sealed: Buffer; stored_at: Generated<string> } }
declare module './database.ts' {
  interface Database extends SharedKeyTable {}
}

/** The name of the key files that seal. */
export const sharedKeyName = 'shared'
/** The name under which the private half of a signing key is stored. */
export const signingKeyName = (kid: string): string => `signing ${kid}`

const use = 'shared private keys'
const missing = (folder: string, number: number | null): Broken =>
  new Broken(`${folder} lacks ${sharedKeyName}-${number ?? 1}.key, which seals private keys for other hosts`, {
    hint: 'copy it from a host that has it, or from a backup',
  })

/** Whether private keys are shared: the lake is in a bucket, so that several hosts can have workers. */
async function isShared(db: Db): Promise<boolean> {
  return (await sql`select 1 from lake_place`.execute(db)).rows.length > 0
}

/** Stores a private key for the other hosts, if keys are shared. Throws `Broken` without the key file that seals it. */
export async function storeSharedKey(trx: Db, folder: string, name: string, secret: () => Uint8Array): Promise<void> {
  if (!(await isShared(trx))) return
  const keys = readKeyFiles(folder, sharedKeyName)
  const number = Math.max(...keys.keys())
  const key = keys.get(number)
  if (key === undefined) throw missing(folder, null)
  const sealed = sealBytes(derivedKey(key, use), number, secret(), name)
  await trx
    .insertInto('shared_key')
    .values({ name, sealed })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** A private key that another host stored; null if none did. Throws `Broken` if it does not open with the key files of the folder. */
export async function findSharedKey(db: Db, folder: string, name: string): Promise<Buffer | null> {
  const row = await db.selectFrom('shared_key').select('sealed').where('name', '=', name).executeTakeFirst()
  if (row === undefined) return null
  const key = readKeyFiles(folder, sharedKeyName).get(sealNumber(row.sealed))
  if (key === undefined) throw missing(folder, sealNumber(row.sealed))
  try {
    return openSealed(derivedKey(key, use), row.sealed, name)
  } catch (cause) {
    throw new Broken(`the shared private key "${name}" does not open with ${folder}/${sharedKeyName}-${sealNumber(row.sealed)}.key`, {
      cause,
      hint: `copy the folder keys of a host whose worker signs to ${folder}`,
    })
  }
}

/** Deletes a stored private key, so that no further host gets it. */
export async function removeSharedKey(trx: Db, name: string): Promise<void> {
  await trx.deleteFrom('shared_key').where('name', '=', name).execute()
}

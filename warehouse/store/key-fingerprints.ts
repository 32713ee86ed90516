// Which secret keys belong to a database. Two hosts with different peppers would refuse each other's passwords, and a host that lost its
// folder would make a new one: both are refused at the start. The database has a fingerprint of each key (migrations/0039-keys-of-hosts.sql).
import { createHmac } from 'node:crypto'
import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { BadRequest } from '#schemas/errors.ts'
import { ensureKeyFiles, readKeyFiles } from './key-files.ts'
import type { Db } from './postgres.ts'
import { sharedKeyName } from './shared-keys.ts'

type KeyFingerprintTable = { key_fingerprint: { name: string; number: number; fingerprint: Buffer; recorded_at: Generated<string> } }
declare module './database.ts' {
  interface Database extends KeyFingerprintTable {}
}

/** Why the keys of a folder do not fit the database. */
type KeyFault = { readonly message: string; readonly hint: string }

/** 32 bytes that reveal nothing about a random key. */
const fingerprintOf = (name: string, number: number, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`crossfile key ${name} ${number}`).digest()

const hintFor = (folder: string): string =>
  `copy the folder keys of the host that has it to ${folder}, or restore it from a backup; if no copy is left, crossfile admin replace-keys makes new ones`

type Compared = {
  readonly faults: readonly KeyFault[]
  /** Keys of the folder that the database does not know yet. */
  readonly unrecorded: readonly { readonly number: number; readonly fingerprint: Buffer }[]
  /** Neither the folder nor the database has a key of this name. */
  readonly isUnmade: boolean
}

async function compare(db: Db, folder: string, name: string): Promise<Compared> {
  const recorded = await db.selectFrom('key_fingerprint').select(['number', 'fingerprint']).where('name', '=', name).orderBy('number').execute()
  const held = [...readKeyFiles(folder, name)].map(([number, key]) => ({ number, fingerprint: fingerprintOf(name, number, key) }))
  const faults = recorded.flatMap(({ number, fingerprint }): KeyFault[] => {
    const own = held.find(each => each.number === number)
    if (own === undefined) return [{ message: `${folder} lacks ${name}-${number}.key, which this database was used with`, hint: hintFor(folder) }]
    if (own.fingerprint.equals(fingerprint)) return []
    return [{ message: `${folder}/${name}-${number}.key is not the key that this database was used with`, hint: hintFor(folder) }]
  })
  const unrecorded = held.filter(({ number }) => !recorded.some(each => each.number === number))
  return { faults, unrecorded, isUnmade: recorded.length === 0 && held.length === 0 }
}

/** The keys of a folder that are missing or are not those of the database. Records nothing. Throws `Broken` for a file that cannot be used. */
export async function findKeyFaults(db: Db, folder: string, names: readonly string[]): Promise<KeyFault[]> {
  // A command that only reads may run before the migration that makes the table.
  const { rows } = await sql<{ there: boolean }>`select to_regclass('key_fingerprint') is not null as there`.execute(db)
  if (!rows[0]?.there) return []
  const compared = await Promise.all(names.map(name => compare(db, folder, name)))
  return compared.flatMap(({ faults }) => faults)
}

/**
 * Compares the keys of a folder with the database, and records those that it does not know. With `makes`, makes a key that neither has; of two
 * hosts that start at the same time, one makes it. Throws `BadRequest` (exit code 2) if the database knows another key, or one that the folder
 * lacks, and `Broken` for a file that cannot be used.
 */
export async function checkKeyFiles(db: Db, folder: string, names: readonly string[], { makes }: { readonly makes: boolean }): Promise<void> {
  for (const name of names) {
    const before = await compare(db, folder, name)
    refuse(before.faults)
    if (before.unrecorded.length > 0 || (makes && before.isUnmade)) await db.transaction().execute(trx => record(trx, folder, name, makes))
  }
}

async function record(trx: Db, folder: string, name: string, makes: boolean): Promise<void> {
  await sql`lock table key_fingerprint in share row exclusive mode`.execute(trx)
  const before = await compare(trx, folder, name)
  refuse(before.faults)
  // The file is made first: after a kill in between, the next start records it.
  if (before.isUnmade && makes) ensureKeyFiles(folder, name)
  const { faults, unrecorded } = await compare(trx, folder, name)
  refuse(faults)
  if (unrecorded.length === 0) return
  await trx
    .insertInto('key_fingerprint')
    .values(unrecorded.map(each => ({ name, ...each })))
    .execute()
}

/**
 * Makes new keys for those that the database knows and the folder lacks, or has with another content, and returns their names. A file that exists
 * is kept, and is the key from then on. What other hosts stored sealed is deleted with the key that opens it.
 */
export async function replaceKeyFiles(trx: Db, folder: string, names: readonly string[]): Promise<string[]> {
  await sql`lock table key_fingerprint in share row exclusive mode`.execute(trx)
  const replaced: string[] = []
  for (const name of names) {
    if ((await compare(trx, folder, name)).faults.length === 0) continue
    await trx.deleteFrom('key_fingerprint').where('name', '=', name).execute()
    if (name === sharedKeyName) await trx.deleteFrom('shared_key').execute()
    await record(trx, folder, name, true)
    replaced.push(name)
  }
  return replaced
}

function refuse([first]: readonly KeyFault[]): void {
  if (first !== undefined) throw new BadRequest(first.message, { hint: first.hint })
}

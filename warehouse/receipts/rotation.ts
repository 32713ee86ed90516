// Which key signs: decided by the table `signing_key`, whose unique index lets one be active, never by a clock. The worker
// asks within the transaction that commits its receipts, so that a rotation waits for it and nothing is signed afterwards.

import { sql } from 'kysely'
import { Broken, NotFound } from '#schemas/errors.ts'
import type { Db } from '../postgres.ts'
import { createNextSigner, ensureSigners, readSigners, type Signer } from './signer.ts'

/**
 * The signer whose key is active, locked against rotation until `transaction` ends. At the very first start it makes the key
 * and registers it. `Broken` where the active key's file is not in `folder`: a further machine needs a copy of it.
 */
export async function activeSigner(transaction: Db, folder: string): Promise<Signer> {
  const kid = (await activeKid(transaction)) ?? (await registerFirst(transaction, folder))
  const signer = readSigners(folder).find(s => s.kid === kid)
  if (signer) return signer
  throw new Broken(`signing key ${kid} is active, but ${folder} does not hold it`, {
    hint: `copy its signing-<n>.pem here from the machine that holds it (owner only, mode 0600), or rotate to a new key`,
  })
}

/** Makes a new key (or takes one of the folder that never signed), retires the active one at the head release, and returns the new signer. */
export async function rotateKey(db: Db, folder: string): Promise<Signer> {
  return await db.transaction().execute(async transaction => {
    await lockKeys(transaction)
    // Waits for every commit that signs with this key (`activeKid` holds it for share), so the head read below counts them.
    await transaction.selectFrom('signing_key').select('kid').where('status', '=', 'active').forUpdate().execute()
    const known = new Set((await transaction.selectFrom('signing_key').select('kid').execute()).map(row => row.kid))
    // A rotation that failed after making its file leaves an unused key: it is taken first.
    const signer = readSigners(folder).find(s => !known.has(s.kid)) ?? createNextSigner(folder)
    const release = await headRelease(transaction)
    await transaction.updateTable('signing_key').set({ status: 'retired', valid_to: release }).where('status', '=', 'active').execute()
    await transaction.insertInto('signing_key').values(activeRow(signer, release)).execute()
    return signer
  })
}

/** Marks a key as stolen or lost. Its receipts fail from now on; where it was the active one, nothing is signed until `rotateKey`. */
export async function markCompromised(db: Db, kid: string): Promise<void> {
  const result = await db.updateTable('signing_key').set({ status: 'compromised' }).where('kid', '=', kid).executeTakeFirst()
  if (Number(result.numUpdatedRows) === 0) throw new NotFound(`signing key ${kid}: not one of ours`)
}

/** `for share`: a rotation's update of the row waits for us, and we see its outcome if it came first. */
async function activeKid(transaction: Db): Promise<string | undefined> {
  const row = await transaction.selectFrom('signing_key').select('kid').where('status', '=', 'active').forShare().executeTakeFirst()
  return row?.kid
}

async function registerFirst(transaction: Db, folder: string): Promise<string> {
  await lockKeys(transaction)
  const rows = await transaction.selectFrom('signing_key').select(['kid', 'status']).execute()
  const active = rows.find(row => row.status === 'active')
  if (active) return active.kid
  if (rows.length > 0) throw new Broken('no signing key is active', { hint: 'rotate to a new key' })
  const signer = ensureSigners(folder).at(-1)
  if (signer === undefined) throw new Broken(`signing keys: ${folder} holds none after one was made`)
  await transaction
    .insertInto('signing_key')
    .values(activeRow(signer, await headRelease(transaction)))
    .execute()
  return signer.kid
}

/** One change of the keys at a time. Readers `for share` are let in: the exclusive mode would let two first starts wait for each other. */
async function lockKeys(transaction: Db): Promise<void> {
  await sql`lock table signing_key in share row exclusive mode`.execute(transaction)
}

async function headRelease(transaction: Db): Promise<number> {
  const row = await transaction.selectFrom('head').select('release').executeTakeFirst()
  if (row === undefined) throw new Broken('the catalogue has no head: its migration did not run')
  return row.release
}

function activeRow(signer: Signer, release: number) {
  return { kid: signer.kid, x: signer.x, status: 'active' as const, valid_from: release, valid_to: null, from_index: null, to_index: null }
}

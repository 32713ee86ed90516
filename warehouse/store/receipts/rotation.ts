// Decides which key signs, by the table `signing_key`, whose unique index allows one active key. The worker reads it within the transaction
// that commits its receipts, so that a rotation waits for it and the old key signs nothing afterwards. A key that cannot be used is a
// result, not an error: the answers are then stored unsigned.

import { sql } from 'kysely'
import { BadRequest, Broken, NotFound } from '#schemas/errors.ts'
import type { Db } from '../postgres.ts'
import { removeSharedKey, signingKeyName } from '../shared-keys.ts'
import { findSharedSigningKey, storeSigningKey, takeSigningKey } from './share-signing-keys.ts'
import { createNextSigner, ensureSigners, findSigner, inspectKeyFiles, type Signer } from './signer.ts'

/** Why nothing is signed. The message may name files: it is for the operator. */
export type SigningFault = { readonly kid: string | null; readonly message: string; readonly hint: string }
/** The signer whose key is active, or why there is none. */
export type Signing = { readonly signer: Signer; readonly fault: null } | { readonly signer: null; readonly fault: SigningFault }

/**
 * The signer whose key is active, locked against rotation until `transaction` ends. The very first start creates and registers the
 * key. A key that another host made is taken from the database, if keys are shared. A key that is lost, unreadable or revoked is returned as a fault; the transaction can continue.
 */
export async function findSigning(transaction: Db, folder: string): Promise<Signing> {
  const kid = await activeKid(transaction)
  if (kid !== undefined) return await signingOf(transaction, folder, kid)
  // A rotation that committed while the statement above waited for its row is seen by this one.
  const rows = await transaction.selectFrom('signing_key').select('status').execute()
  if (rows.some(row => row.status === 'active')) return await findSigning(transaction, folder)
  return rows.length > 0 ? noActiveKey : await registerFirst(transaction, folder)
}

/** As `findSigning`, and `Broken` if nothing can be signed. */
export async function activeSigner(transaction: Db, folder: string): Promise<Signer> {
  const { signer, fault } = await findSigning(transaction, folder)
  if (signer) return signer
  throw new Broken(fault.message, { hint: fault.hint })
}

/**
 * The signers of a checkpoint besides the active one: for a day after its rotation, a retired key signs too, so that a client that knows only
 * the old key follows the log to the new one. A key whose file is gone, and a revoked key, do not sign. `now`: null is the database's clock.
 */
export async function findRetiredSigners(transaction: Db, folder: string, now: Date | null = null): Promise<Signer[]> {
  const rows = await transaction
    .selectFrom('signing_key')
    .select('kid')
    .where('status', '=', 'retired')
    .where('retired_at', '>', sql<string>`coalesce(${now?.toISOString() ?? null}::timestamptz, clock_timestamp()) - interval '1 day'`)
    .orderBy('retired_at', 'desc')
    .execute()
  if (rows.length === 0) return []
  for (const { kid } of rows) await takeSigningKey(transaction, folder, kid).catch(unlessBroken)
  const held = inspectKeyFiles(folder).flatMap(file => file.signer ?? [])
  return rows.flatMap(({ kid }) => held.find(signer => signer.kid === kid) ?? [])
}

/** Whether the key that is active can sign, without registering or locking anything; `kid` null: no key was registered yet. */
export async function checkSigning(db: Db, folder: string): Promise<{ readonly kid: string | null; readonly fault: SigningFault | null }> {
  const rows = await db.selectFrom('signing_key').select(['kid', 'status']).execute()
  const kid = rows.find(row => row.status === 'active')?.kid
  if (kid === undefined) return { kid: null, fault: rows.length === 0 ? null : noActiveKey.fault }
  const { fault } = signingWith(kid, () => findSigner(folder, kid))
  if (fault === null) return { kid, fault }
  // The next signature takes it from the database.
  const shared = await signingAfter(kid, () => findSharedSigningKey(db, folder, kid))
  return { kid, fault: shared.found ? null : (shared.fault ?? fault) }
}

/** The id of the active key, even if its file is missing; null if none is active. */
export async function findActiveKid(db: Db): Promise<string | null> {
  return (await db.selectFrom('signing_key').select('kid').where('status', '=', 'active').executeTakeFirst())?.kid ?? null
}

const noActiveKey = {
  signer: null,
  fault: { kid: null, message: 'no signing key is active', hint: 'crossfile signing-keys rotate makes a new key and signs with it' },
} as const

const faultOf = (kid: string | null, error: Broken): SigningFault => ({
  kid,
  message: error.message,
  hint: error.hint ?? 'crossfile doctor checks the key files',
})

function signingWith(kid: string | null, find: () => Signer): Signing {
  try {
    return { signer: find(), fault: null }
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    return { signer: null, fault: faultOf(kid, error) }
  }
}

/** The result of a search for a key; a key that cannot be used is a fault. */
async function signingAfter<T>(kid: string, find: () => Promise<T>): Promise<{ readonly found: T | null; readonly fault: SigningFault | null }> {
  try {
    return { found: await find(), fault: null }
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    return { found: null, fault: faultOf(kid, error) }
  }
}

/** The key of the folder, or the one that another host stored, which is written into the folder. */
async function signingOf(transaction: Db, folder: string, kid: string): Promise<Signing> {
  const own = signingWith(kid, () => findSigner(folder, kid))
  if (own.signer) return own
  const { found, fault } = await signingAfter(kid, () => takeSigningKey(transaction, folder, kid))
  if (fault !== null) return { signer: null, fault }
  return found ? signingWith(kid, () => findSigner(folder, kid)) : own
}

function unlessBroken(error: unknown): void {
  if (!(error instanceof Broken)) throw error
}

export type Rotation = {
  readonly signer: Signer
  /** The key that signed before; null if none was active. */
  readonly retired: string | null
  /** `new`, or the earlier state of the key: announced as pending, or a file that had never signed. */
  readonly origin: 'new' | 'pending' | 'unused'
  readonly release: number
}

/** Runs in the transaction of a change, for example to record who made it. */
export type Along<T> = (transaction: Db, done: T) => Promise<void>

/**
 * Retires the active key at the head release and activates another one: a pending key whose file is in the folder, else a file that never
 * signed, else a new key (`fresh`: always a new key). Waits for commits that sign with the old key.
 */
export async function rotateKey(
  db: Db,
  folder: string,
  { fresh = false, along }: { readonly fresh?: boolean; readonly along?: Along<Rotation> } = {},
): Promise<Rotation> {
  return await db.transaction().execute(async transaction => {
    await lockKeys(transaction)
    // Waits for every commit that signs with this key (`activeKid` locks it for share), so that the head read below includes them.
    const old = await transaction.selectFrom('signing_key').select('kid').where('status', '=', 'active').forUpdate().executeTakeFirst()
    const rows = await transaction.selectFrom('signing_key').select(['kid', 'status']).execute()
    for (const { kid } of fresh ? [] : rows.filter(row => row.status === 'pending')) await takeSigningKey(transaction, folder, kid)
    const held = fresh ? [] : inspectKeyFiles(folder).flatMap(file => file.signer ?? [])
    const pending = held.find(signer => rows.some(row => row.kid === signer.kid && row.status === 'pending'))
    // A rotation that failed after creating its file leaves an unused key.
    const unused = held.find(signer => !rows.some(row => row.kid === signer.kid))
    const signer = pending ?? unused ?? createNextSigner(folder, rows.length)
    await storeSigningKey(transaction, folder, signer.kid)
    const release = await headRelease(transaction)
    if (old)
      await transaction
        .updateTable('signing_key')
        .set({ status: 'retired', valid_to: release, retired_at: sql<string>`clock_timestamp()` })
        .where('kid', '=', old.kid)
        .execute()
    await transaction
      .insertInto('signing_key')
      .values(activeRow(signer, release))
      .onConflict(conflict => conflict.column('kid').doUpdateSet({ status: 'active', valid_from: release }))
      .execute()
    const origin = pending ? 'pending' : unused ? 'unused' : 'new'
    const done = { signer, retired: old?.kid ?? null, origin, release } as const
    await along?.(transaction, done)
    return done
  })
}

/** Publishes a key that does not sign yet; the very first one signs immediately. `BadRequest` for one that signed before: it is retired, or revoked. */
export async function announceKey(db: Db, signer: Signer, along?: Along<string>): Promise<'active' | 'pending'> {
  return await db.transaction().execute(async transaction => {
    await lockKeys(transaction)
    const rows = await transaction.selectFrom('signing_key').select(['kid', 'status']).execute()
    const row = rows.find(each => each.kid === signer.kid)
    if (row?.status === 'active' || row?.status === 'pending') return row.status
    if (row)
      throw new BadRequest(`signing key ${signer.kid} is ${row.status}: it never signs again`, {
        code: 'conflict',
        status: 409,
        hint: 'its public half stays published, so its file is not needed to verify; crossfile signing-keys rotate makes a new key',
      })
    const status = rows.length === 0 ? 'active' : 'pending'
    const release = status === 'active' ? await headRelease(transaction) : null
    await transaction
      .insertInto('signing_key')
      .values({ ...activeRow(signer, release), status })
      .execute()
    await along?.(transaction, signer.kid)
    return status
  })
}

export type Revocation = {
  readonly kid: string
  readonly was: 'pending' | 'active' | 'retired' | 'compromised'
  /** The instant since which its signatures do not count. */
  readonly from: string
  /** Receipts that were stored before: they stay valid, signed again by another key. */
  readonly standing: number
  /** Receipts that were stored since: they fail until their answers are rebuilt. */
  readonly failing: number
  /** The last index of the log that was signed before: earlier receipts of the key stay valid offline. Null: there is none. */
  readonly to_index: number | null
  /** Stored answers that are rebuilt and signed again on request. */
  readonly pages: number
}

/** What the audit chain keeps of a revocation. */
export const auditOf = ({ was, from, standing, failing }: Revocation) => ({ was, from, valid_before: standing, failing })

/**
 * Marks a key as compromised from an instant on (`now`: the database's clock). If it was active, nothing is signed until `rotateKey`.
 * Answers that it signed since are rebuilt from the lake on request.
 */
export async function revokeKey(db: Db, kid: string, from: string, along?: Along<Revocation>): Promise<Revocation> {
  return await db.transaction().execute(async transaction => {
    await lockKeys(transaction)
    const row = await transaction.selectFrom('signing_key').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()
    if (row === undefined)
      throw new NotFound(`signing key ${kid}: this installation has no such key`, { hint: 'crossfile signing-keys list shows them' })
    const { rows } = await sql<{ at: string; ahead: boolean; later: boolean }>`
      select t.at, t.at > clock_timestamp() as ahead, t.at > ${row.compromised_from}::timestamptz as later
      from (select ${from === 'now' ? sql`clock_timestamp()` : from}::timestamptz as at) as t`.execute(transaction)
    const { at, ahead, later } = rows[0] as (typeof rows)[number]
    if (ahead) throw new BadRequest(`--from ${from} is in the future`, { hint: 'give the instant since which the key may have been stolen, or now' })
    if (later)
      throw new BadRequest(`signing key ${kid} is revoked from ${row.compromised_from} already; ${at} is later and would make receipts valid again`, {
        code: 'conflict',
        status: 409,
        hint: 'only an earlier instant can take its place',
      })
    const release = await headRelease(transaction)
    await transaction
      .updateTable('signing_key')
      .set({
        status: 'compromised',
        compromised_from: at,
        valid_from: row.valid_from ?? release,
        valid_to: row.valid_to ?? release,
        // What a checkpoint from before the theft covers was in the log before it: no statement of the thief is.
        to_index: sql<number | null>`(select max(size) - 1 from log_checkpoint where signed_at < ${at})`,
      })
      .where('kid', '=', kid)
      .execute()
    await removeSharedKey(transaction, signingKeyName(kid))
    const { to_index } = await transaction.selectFrom('signing_key').select('to_index').where('kid', '=', kid).executeTakeFirstOrThrow()
    const counted = await sql<{ standing: number; failing: number }>`
      select count(*) filter (where created_at < ${at})::int as standing, count(*) filter (where created_at >= ${at})::int as failing
      from receipt where kid = ${kid}`.execute(transaction)
    const unmade = await sql`
      update page set payload = null, receipt_id = null
      where receipt_id in (select receipt_id from receipt where kid = ${kid} and created_at >= ${at})`.execute(transaction)
    const { standing, failing } = counted.rows[0] as (typeof counted.rows)[number]
    const done = { kid, was: row.status, from: at, standing, failing, to_index, pages: Number(unmade.numAffectedRows ?? 0) }
    await along?.(transaction, done)
    return done
  })
}

/** `for share`: a rotation's update of the row waits for this transaction, and its outcome is visible here if it came first. */
async function activeKid(transaction: Db): Promise<string | undefined> {
  const row = await transaction.selectFrom('signing_key').select('kid').where('status', '=', 'active').forShare().executeTakeFirst()
  return row?.kid
}

async function registerFirst(transaction: Db, folder: string): Promise<Signing> {
  await lockKeys(transaction)
  const rows = await transaction.selectFrom('signing_key').select(['kid', 'status']).execute()
  const active = rows.find(row => row.status === 'active')
  if (active) return await signingOf(transaction, folder, active.kid)
  if (rows.length > 0) return noActiveKey
  const made = signingWith(null, () => {
    const signer = ensureSigners(folder).at(-1)
    if (signer === undefined) throw new Broken(`signing keys: ${folder} holds none after one was made`)
    return signer
  })
  if (made.signer) {
    const { kid } = made.signer
    const { fault } = await signingAfter(kid, () => storeSigningKey(transaction, folder, kid))
    if (fault !== null) return { signer: null, fault }
    const row = activeRow(made.signer, await headRelease(transaction))
    await transaction.insertInto('signing_key').values(row).execute()
  }
  return made
}

/** One change of the keys at a time. Readers `for share` are admitted: the exclusive mode would let two first starts wait for each other. */
async function lockKeys(transaction: Db): Promise<void> {
  await sql`lock table signing_key in share row exclusive mode`.execute(transaction)
}

async function headRelease(transaction: Db): Promise<number> {
  const row = await transaction.selectFrom('head').select('release').executeTakeFirst()
  if (row === undefined) throw new Broken('the catalogue has no head: its migration did not run')
  return row.release
}

function activeRow(signer: Signer, release: number | null) {
  return { kid: signer.kid, x: signer.x, status: 'active' as const, valid_from: release, valid_to: null, from_index: null, to_index: null }
}

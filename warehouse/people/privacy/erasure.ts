// Erasure: requested by the user, cancelled by signing in, carried out after thirty days in one transaction, proven by a row without names.

import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { dayMs, daysBefore } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { inventory } from '../users/inventory.ts'
import { endSessions } from '../users/sessions.ts'

export const graceDays = 30
/** What the request ends immediately and what cancelling restores: the same text in the API, the page and the mail. */
export const erasureEnds = ['all sessions', 'all API keys', 'devices and push subscriptions', 'a paid subscription'] as const
export const cancelBringsBack =
  'Cancelling brings back signing in, alerts, watchlist, positions and everything else that is stored; not API keys, devices, push subscriptions and the paid subscription.'
export type Queued = { readonly requested_at: string; readonly erase_after: string }
const queuedAt = (requested: string): Queued => ({
  // Postgres prints an instant without the zeros at its end, and the first answer comes before it is stored.
  requested_at: new Date(Date.parse(requested)).toISOString(),
  erase_after: new Date(Date.parse(requested) + graceDays * dayMs).toISOString(),
})

/** Removed on the day of the request: everything that opens the account or contacts the person. */
const atOnce = inventory.filter(held => held.at_request === 'delete')

/**
 * Queues the erasure of an account: sessions, keys and pushes end immediately, and a later request changes nothing. Runs in the given
 * transaction; `along` writes the notification mail.
 */
export async function queueErasure(trx: Db, userId: string, now: Date, along: (queued: Queued) => Promise<void>): Promise<Queued> {
  const user = await trx
    .selectFrom('app_user')
    .select(['user_id', 'subject_key', 'erasure_requested_at'])
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (user.erasure_requested_at !== null) return queuedAt(user.erasure_requested_at)
  const queued = queuedAt(now.toISOString())
  await trx.updateTable('app_user').set({ erasure_requested_at: queued.requested_at }).where('user_id', '=', userId).execute()
  await endSessions(trx, userId)
  await trx.updateTable('api_key').set({ revoked_at: queued.requested_at }).where('owner', '=', userId).where('revoked_at', 'is', null).execute()
  for (const { table, user: column } of atOnce) await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(trx)
  const pseudonym = pseudonymOf(user)
  await audit(trx, { actor: pseudonym, act: 'user.erasure_queued', subject: pseudonym, details: { erase_after: queued.erase_after } }, now)
  await along(queued)
  return queued
}

/** When a queued erasure is done; null if none is queued. */
export async function findErasure(trx: Db, userId: string): Promise<Queued | null> {
  const user = await trx.selectFrom('app_user').select('erasure_requested_at').where('user_id', '=', userId).executeTakeFirst()
  return user?.erasure_requested_at ? queuedAt(user.erasure_requested_at) : null
}

/** Keeps the account. Throws 409 if no erasure is queued. Revoked keys stay revoked. */
export async function cancelErasure(trx: Db, userId: string, now: Date): Promise<void> {
  const user = await trx
    .updateTable('app_user')
    .set({ erasure_requested_at: null })
    .where('user_id', '=', userId)
    .where('erasure_requested_at', 'is not', null)
    .returning(['user_id', 'subject_key'])
    .executeTakeFirst()
  if (!user) throw new BadRequest('no erasure of this account is queued', { status: 409, code: 'conflict', hint: 'nothing has to be cancelled' })
  const pseudonym = pseudonymOf(user)
  await audit(trx, { actor: pseudonym, act: 'user.erasure_cancelled', subject: pseudonym, details: {} }, now)
}

export type Erased = { readonly subject_sha256: string; readonly requested_at: string; readonly erased_at: string }
const digestOf = (userId: string): Buffer => hash('sha256', userId, 'buffer')
/** Erases an account: if its thirty days were over at `due`, or because `proof` shows that it was erased before. */
type Cause = { readonly due: string } | { readonly proof: Erased }

/** Deletes one account with every row of the inventory, and writes the proof; null if the account is gone or was kept. */
async function eraseOne(db: Db, userId: string, cause: Cause, now: Date): Promise<Erased | null> {
  return await db.transaction().execute(async trx => {
    const user = await trx
      .selectFrom('app_user')
      .select(['user_id', 'email', 'email_key', 'subject_key', 'erasure_requested_at'])
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirst()
    if (!user) return null
    const { erasure_requested_at: requested } = user
    if ('due' in cause && (requested === null || Date.parse(requested) > Date.parse(cause.due))) return null
    const pseudonym = pseudonymOf(user)
    const counts: Record<string, number> = {}
    const rows = (table: string, { numAffectedRows }: { readonly numAffectedRows?: bigint | undefined }): void => {
      counts[table] = (counts[table] ?? 0) + Number(numAffectedRows ?? 0)
    }
    // Mail to the address, or captures of it, from before it belonged to the account.
    rows('mail_outbox', await sql`delete from mail_outbox where lower(to_address) in (lower(${user.email}), ${user.email_key})`.execute(trx))
    rows('email_capture', await sql`delete from email_capture where email_key = ${user.email_key}`.execute(trx))
    // An administrator's name on acts for other users.
    await trx.updateTable('account_request').set({ fulfilled_by: 'erased' }).where('fulfilled_by', '=', userId).execute()
    // Budgets are named `reads:<user or key>`.
    const callers = sql`select ${userId} union all select key_id from api_key where owner = ${userId}`
    await sql`delete from rate_budget where split_part(partition, ':', 2) in (${callers})`.execute(trx)
    // The account itself last: the other tables point to it.
    for (const { table, user: column, erase } of inventory.toSorted((a, b) => Number(a.table === 'app_user') - Number(b.table === 'app_user'))) {
      if (erase === 'delete') rows(table, await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(trx))
    }
    const before = 'proof' in cause ? cause.proof : null
    const erased = { requested_at: before?.requested_at ?? requested ?? now.toISOString(), erased_at: now.toISOString() }
    await trx
      .insertInto('erasure')
      .values({ subject_sha256: digestOf(userId), ...erased, counts: JSON.stringify(counts) })
      .onConflict(conflict => conflict.column('subject_sha256').doUpdateSet({ erased_at: erased.erased_at }))
      .execute()
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const act = before === null ? 'user.erased' : 'user.erased_again'
    await audit(trx, { actor: 'system', act, subject: pseudonym, details: { rows: total } }, now)
    return { subject_sha256: digestOf(userId).toString('hex'), ...erased }
  })
}

/** Erases every account whose thirty days are over. Idempotent. */
export async function eraseDue(db: Db, now: Date): Promise<Erased[]> {
  const due = daysBefore(now, graceDays).toISOString()
  const users = await db
    .selectFrom('app_user')
    .select('user_id')
    .where('erasure_requested_at', '<=', due)
    .orderBy('erasure_requested_at')
    .orderBy('user_id')
    .execute()
  const done: Erased[] = []
  for (const { user_id } of users) {
    const erased = await eraseOne(db, user_id, { due }, now)
    if (erased) done.push(erased)
  }
  return done
}

/** How many hashes one statement compares with the accounts. */
const replayStep = 1000

/**
 * After a restore: erases accounts that had been erased before, by a list stored outside the database, and adds the proofs that the
 * restored database lacks. Idempotent.
 */
export async function replayErasures(db: Db, list: readonly Erased[], now: Date): Promise<Erased[]> {
  const done: Erased[] = []
  for (let from = 0; from < list.length; from += replayStep) {
    const step = new Map(list.slice(from, from + replayStep).map(each => [each.subject_sha256, each]))
    const hashes = [...step.keys()].map(each => Buffer.from(each, 'hex'))
    const { rows } = await sql<{ user_id: string; digest: Buffer }>`
      select user_id, digest from app_user, sha256(convert_to(user_id, 'UTF8')) as digest
      where digest = any(${hashes}::bytea[]) order by user_id`.execute(db)
    for (const { user_id, digest } of rows) {
      const proof = step.get(digest.toString('hex'))
      const erased = proof === undefined ? null : await eraseOne(db, user_id, { proof }, now)
      if (erased) done.push(erased)
    }
    await db
      .insertInto('erasure')
      .values([...step.values()].map(each => ({ ...each, subject_sha256: Buffer.from(each.subject_sha256, 'hex'), counts: '{}' })))
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  return done
}

/** Every proof, oldest first: the content of the list outside the database. */
export async function findErasures(db: Db): Promise<Erased[]> {
  const rows = await db
    .selectFrom('erasure')
    .select(['subject_sha256', 'requested_at', 'erased_at'])
    .orderBy('erased_at')
    .orderBy('subject_sha256')
    .execute()
  return rows.map(({ subject_sha256, ...rest }) => ({ subject_sha256: subject_sha256.toString('hex'), ...rest }))
}

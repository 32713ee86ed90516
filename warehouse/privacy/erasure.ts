// Erasure: queued by the person, cancelled by signing in, done after thirty days in one transaction, proven by a row that names nobody.
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { BadRequest } from '#schemas/errors.ts'
import type { Db } from '../postgres.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { inventory } from '../users/inventory.ts'
import { endSessions } from '../users/sessions.ts'

export const graceDays = 30
const dayMs = 86_400_000
export type Queued = { readonly requested_at: string; readonly erase_after: string }
const queuedAt = (requested: string): Queued => ({
  requested_at: requested,
  erase_after: new Date(Date.parse(requested) + graceDays * dayMs).toISOString(),
})

/** What goes on the day of the request already: whatever opens the account or reaches the person. */
const atOnce = inventory.filter(held => held.at_request === 'delete')

/**
 * Queues the erasure of an account: sessions, keys and pushes end at once, and a later request changes nothing. `along` runs in the
 * same transaction (the mail that tells it).
 */
export async function queueErasure(db: Db, userId: string, now: Date, along: (trx: Db, queued: Queued) => Promise<void>): Promise<Queued> {
  return await db.transaction().execute(async trx => {
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
    await along(trx, queued)
    return queued
  })
}

/** Keeps the account. Throws 409 where no erasure is queued. Keys that were revoked stay so. */
export async function cancelErasure(db: Db, userId: string, now: Date): Promise<void> {
  await db.transaction().execute(async trx => {
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
  })
}

export type Erased = { readonly subject_sha256: string; readonly requested_at: string; readonly erased_at: string }
const digestOf = (userId: string): Buffer => hash('sha256', userId, 'buffer')

/** Deletes one account with every row of the inventory, and writes the proof; null where the account is gone or was kept after all. */
async function eraseOne(db: Db, userId: string, due: string | null, now: Date): Promise<Erased | null> {
  return await db.transaction().execute(async trx => {
    const user = await trx
      .selectFrom('app_user')
      .select(['user_id', 'subject_key', 'erasure_requested_at', 'created_at'])
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirst()
    if (!user || (due !== null && (user.erasure_requested_at === null || user.erasure_requested_at > due))) return null
    const pseudonym = pseudonymOf(user)
    const counts: Record<string, number> = {}
    // The account itself last: the other tables point to it.
    for (const { table, user: column, erase } of inventory.toSorted((a, b) => Number(a.table === 'app_user') - Number(b.table === 'app_user'))) {
      if (erase !== 'delete') continue
      const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(trx)
      counts[table] = Number(numAffectedRows ?? 0)
    }
    const erased = {
      requested_at: user.erasure_requested_at ?? now.toISOString(),
      erased_at: now.toISOString(),
    }
    await trx
      .insertInto('erasure')
      .values({ subject_sha256: digestOf(userId), ...erased, counts: JSON.stringify(counts) })
      .onConflict(conflict => conflict.column('subject_sha256').doUpdateSet({ erased_at: erased.erased_at }))
      .execute()
    await audit(
      trx,
      { actor: 'system', act: 'user.erased', subject: pseudonym, details: { rows: Object.values(counts).reduce((a, b) => a + b, 0) } },
      now,
    )
    return { subject_sha256: digestOf(userId).toString('hex'), ...erased }
  })
}

/** Erases every account whose thirty days are over. Run again, it does nothing twice. */
export async function eraseDue(db: Db, now: Date): Promise<Erased[]> {
  const due = new Date(now.getTime() - graceDays * dayMs).toISOString()
  const users = await db
    .selectFrom('app_user')
    .select('user_id')
    .where('erasure_requested_at', '<=', due)
    .orderBy('erasure_requested_at')
    .orderBy('user_id')
    .execute()
  const done: Erased[] = []
  for (const { user_id } of users) {
    const erased = await eraseOne(db, user_id, due, now)
    if (erased) done.push(erased)
  }
  return done
}

/** After a restore: erases again whoever had been erased, by the hashes of a list that was kept outside of the database. */
export async function replayErasures(db: Db, list: readonly Pick<Erased, 'subject_sha256'>[], now: Date): Promise<Erased[]> {
  const wanted = new Set(list.map(each => each.subject_sha256))
  const users = await db.selectFrom('app_user').select('user_id').orderBy('user_id').execute()
  const done: Erased[] = []
  for (const { user_id } of users) {
    if (!wanted.has(digestOf(user_id).toString('hex'))) continue
    const erased = await eraseOne(db, user_id, null, now)
    if (erased) done.push(erased)
  }
  return done
}

/** Every proof, oldest first: what the list outside of the database has to hold. */
export async function findErasures(db: Db): Promise<Erased[]> {
  const rows = await db
    .selectFrom('erasure')
    .select(['subject_sha256', 'requested_at', 'erased_at'])
    .orderBy('erased_at')
    .orderBy('subject_sha256')
    .execute()
  return rows.map(({ subject_sha256, ...rest }) => ({ subject_sha256: subject_sha256.toString('hex'), ...rest }))
}

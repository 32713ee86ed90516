// The second factor of a user, required of administrators: enrolled, confirmed by a first code, requested at every sign-in. Each code works once.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../store/postgres.ts'
import { type Attempt, charge, forgive } from '../users/throttle.ts'
import type { SealKey } from './secret-key.ts'
import { base32, findStep, otpauthUri, readRecovery, recoveryBytes, recoveryCodes, recoveryText, secretBytes } from './totp.ts'

const triesAllowed = 5
const triesMs = 15 * 60_000
/** How long an enrolment may wait for its first code. */
const pendingMs = 15 * 60_000

export type Enrolment = { readonly secret: string; readonly otpauth_uri: string; readonly expires_at: string }
export type FactorState = { readonly enrolled: boolean; readonly recovery_codes_left: number }

/** Whether a user's second factor is confirmed, and how many recovery codes are left. */
export async function factorOf(db: Db, userId: string): Promise<FactorState> {
  const row = await db
    .selectFrom('admin_totp as t')
    .select('t.confirmed_at')
    .select(query =>
      query
        .selectFrom('admin_recovery_code as c')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('c.user_id', '=', 't.user_id')
        .where('c.used_at', 'is', null)
        .as('left'),
    )
    .where('t.user_id', '=', userId)
    .executeTakeFirst()
  return { enrolled: row !== undefined && row.confirmed_at !== null, recovery_codes_left: Number(row?.left ?? 0) }
}

/** Begins an enrolment; the current factor is valid until the new one is confirmed. */
export async function beginEnrolment(
  db: Db,
  key: SealKey,
  user: { readonly user_id: string; readonly email: string },
  now: Date,
): Promise<Enrolment> {
  const secret = randomBytes(secretBytes)
  const pending = { pending: key.seal(secret, user.user_id), pending_at: now.toISOString() }
  await db
    .insertInto('admin_totp')
    .values({ user_id: user.user_id, secret: null, ...pending })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(pending))
    .execute()
  return {
    secret: base32(secret),
    otpauth_uri: otpauthUri(secret, user.email),
    expires_at: new Date(now.getTime() + pendingMs).toISOString(),
  }
}

/** Whether an enrolment is waiting for its first code. */
export async function isEnrolling(db: Db, userId: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('admin_totp')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('pending', 'is not', null)
    .where('pending_at', '>', new Date(now.getTime() - pendingMs).toISOString())
    .executeTakeFirst()
  return row !== undefined
}

/** Confirms the pending enrolment by its first code; null if the code is wrong. Returns the recovery codes, which cannot be read later. */
export async function confirmEnrolment(trx: Db, key: SealKey, userId: string, code: string, now: Date): Promise<readonly string[] | null> {
  const row = await trx
    .selectFrom('admin_totp')
    .select('pending')
    .where('user_id', '=', userId)
    .where('pending_at', '>', new Date(now.getTime() - pendingMs).toISOString())
    .forUpdate()
    .executeTakeFirst()
  if (!row?.pending) return null
  const step = findStep(key.open(row.pending, userId), code, now)
  if (step === null) return null
  return await setFactor(trx, key, userId, { sealed: row.pending, step }, now)
}

/** Gives a user a confirmed factor immediately, as the operator does on the terminal. */
export async function enrolNow(
  trx: Db,
  key: SealKey,
  user: { readonly user_id: string; readonly email: string },
  now: Date,
): Promise<Omit<Enrolment, 'expires_at'> & { readonly recovery_codes: readonly string[] }> {
  const secret = randomBytes(secretBytes)
  const recovery = await setFactor(trx, key, user.user_id, { sealed: key.seal(secret, user.user_id), step: 0 }, now)
  return { secret: base32(secret), otpauth_uri: otpauthUri(secret, user.email), recovery_codes: recovery }
}

async function setFactor(
  trx: Db,
  key: SealKey,
  userId: string,
  { sealed, step }: { readonly sealed: Buffer; readonly step: number },
  now: Date,
): Promise<readonly string[]> {
  const at = now.toISOString()
  const held = { secret: sealed, confirmed_at: at, pending: null, pending_at: null, last_step: step, tries: 0, tries_since: at }
  await trx
    .insertInto('admin_totp')
    .values({ user_id: userId, ...held })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(held))
    .execute()
  const codes = Array.from({ length: recoveryCodes }, () => randomBytes(recoveryBytes))
  await trx.deleteFrom('admin_recovery_code').where('user_id', '=', userId).execute()
  await trx
    .insertInto('admin_recovery_code')
    .values(codes.map(bytes => ({ user_id: userId, hmac: key.hmacs(base32(bytes), userId)[0] as Buffer })))
    .execute()
  return codes.map(recoveryText)
}

/** Removes a user's factor and its recovery codes. */
export async function removeFactor(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('admin_recovery_code').where('user_id', '=', userId).execute()
  await trx.deleteFrom('admin_totp').where('user_id', '=', userId).execute()
}

/** Takes one of five attempts per quarter of an hour; false if they are used up. Not in a transaction that a failure rolls back. */
export async function chargeTry(db: Db, userId: string, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - triesMs).toISOString()
  const over = sql<boolean>`tries_since <= ${since}::timestamptz`
  const row = await db
    .updateTable('admin_totp')
    .set({
      tries: sql<number>`case when ${over} then 1 else tries + 1 end`,
      tries_since: sql<string>`case when ${over} then ${now.toISOString()}::timestamptz else tries_since end`,
    })
    .where('user_id', '=', userId)
    .where(where => where.or([over, where('tries', '<', triesAllowed)]))
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Accepts a code or a recovery code of the user's confirmed factor. Each code works once: its step must be later than the last accepted
 * one, checked in the statement that stores it. The same work is done for a user without a factor. `own`: the budget of a device or
 * address that the account knows; without it, the five attempts that all strangers share. A stranger who has the password and uses those
 * up delays neither the owner's devices nor a recovery code, which has 80 random bits and cannot be guessed. Throws `TooMany` while
 * `own` pauses.
 */
export async function takeCode(db: Db, key: SealKey, userId: string, typed: string, now: Date, own: Attempt | null = null): Promise<boolean> {
  const charged = own === null ? await chargeTry(db, userId, now) : await charge(db, own, now).then(() => true)
  const row = await db
    .selectFrom('admin_totp')
    .select('secret')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  const secret = row?.secret ? key.open(row.secret, userId) : randomBytes(secretBytes)
  const code = typed.replaceAll(' ', '')
  const step = findStep(secret, code, now)
  const recovery = readRecovery(typed)
  const taken =
    recovery === null
      ? await takeStep(db, userId, charged && row !== undefined ? step : null)
      : await takeRecovery(db, userId, row !== undefined, key.hmacs(recovery, userId), now)
  if (taken && own !== null) await forgive(db, own)
  else if (taken) await db.updateTable('admin_totp').set({ tries: 0 }).where('user_id', '=', userId).execute()
  return taken
}

async function takeStep(db: Db, userId: string, step: number | null): Promise<boolean> {
  const row = await db
    .updateTable('admin_totp')
    .set({ last_step: step ?? 0 })
    .where('user_id', '=', userId)
    .where('last_step', '<', step ?? -1)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined && step !== null
}

async function takeRecovery(db: Db, userId: string, usable: boolean, hmacs: readonly Buffer[], now: Date): Promise<boolean> {
  const row = await db
    .updateTable('admin_recovery_code')
    .set({ used_at: now.toISOString() })
    .where('user_id', '=', usable ? userId : '')
    .where('hmac', 'in', hmacs)
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

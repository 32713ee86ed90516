// Devices and addresses from which an account signed in before (OWASP "device cookies"). A known one has a separate budget of failed
// attempts, so failures from elsewhere cannot delay the account's owner.

import { createHmac, hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { daysBefore } from '#schemas/days.ts'
import type { Db } from '../../store/postgres.ts'
import type { Trx } from './own-rows.ts'

/** The origin of an attempt. */
export type Origin = {
  /** IPv4 address or IPv6 /64, as limits are counted. */
  readonly address: string
  /** Tokens of the device cookie; empty without one. */
  readonly devices: readonly string[]
}
/** The client of a request: its origin, and a signal that is aborted when it disconnects. */
export type Client = { readonly origin: Origin; readonly gone: AbortSignal }
export type KnownOrigin = { readonly kind: 'device' | 'address'; readonly id: string }
type Owner = { readonly user_id: string; readonly subject_key: Buffer }

export const deviceDays = 180
const addressDays = 30
/** Origins of one kind that an account keeps; the one used longest ago is dropped. */
const mostOfAKind = 10

const shape = /^[A-Za-z0-9_-]{43}$/
export const isDeviceToken = (text: string): boolean => text.length === 43 && shape.test(text)

const ofDevice = (token: string): Buffer => hash('sha256', token, 'buffer')
const ofAddress = (owner: Owner, address: string): Buffer => createHmac('sha256', owner.subject_key).update(`address ${address}`).digest()
/** Used for an account that does not exist, so that both cases run the same statement. */
const noOwner: Owner = { user_id: '', subject_key: randomBytes(32) }
const since = (now: Date, days: number): string => daysBefore(now, days).toISOString()

/** The known origin of an attempt, a device before an address; null for a stranger or an unknown account. */
export async function findOrigin(db: Db, account: Owner | null, { address, devices }: Origin, now: Date): Promise<KnownOrigin | null> {
  const owner = account ?? noOwner
  const rows = await db
    .selectFrom('sign_in_origin')
    .select(['kind', 'sha256'])
    .where('user_id', '=', owner.user_id)
    .where('sha256', 'in', [ofAddress(owner, address), ...devices.filter(isDeviceToken).map(ofDevice)])
    .where(where =>
      where.or([
        where.and([where('kind', '=', 'device'), where('seen_at', '>', since(now, deviceDays))]),
        where.and([where('kind', '=', 'address'), where('seen_at', '>', since(now, addressDays))]),
      ]),
    )
    .orderBy('kind', 'desc')
    .limit(1)
    .execute()
  const row = rows[0]
  return row === undefined ? null : { kind: row.kind, id: row.sha256.toString('base64url').slice(0, 27) }
}

/**
 * Records that the account signed in from here. Returns the token of a new device, to be set as its cookie; null if the device is known
 * already. A token that another account created is never adopted, because an attacker could have planted it.
 */
export async function rememberOrigin(trx: Trx, owner: Owner, { address, devices }: Origin, now: Date): Promise<string | null> {
  const held = devices.filter(isDeviceToken).map(ofDevice)
  const seen_at = now.toISOString()
  const known =
    held.length === 0
      ? []
      : await trx
          .updateTable('sign_in_origin')
          .set({ seen_at })
          .where('user_id', '=', owner.user_id)
          .where('kind', '=', 'device')
          .where('sha256', 'in', held)
          .where('seen_at', '>', since(now, deviceDays))
          .returning('sha256')
          .execute()
  const token = known.length > 0 ? null : randomBytes(32).toString('base64url')
  const rows = [
    { user_id: owner.user_id, kind: 'address' as const, sha256: ofAddress(owner, address), created_at: seen_at, seen_at },
    ...(token === null ? [] : [{ user_id: owner.user_id, kind: 'device' as const, sha256: ofDevice(token), created_at: seen_at, seen_at }]),
  ]
  await trx
    .insertInto('sign_in_origin')
    .values(rows)
    .onConflict(conflict => conflict.columns(['user_id', 'kind', 'sha256']).doUpdateSet({ seen_at }))
    .execute()
  await sql`delete from sign_in_origin where user_id = ${owner.user_id} and (kind, sha256) in (
    select kind, sha256 from (
      select kind, sha256, row_number() over (partition by kind order by seen_at desc, created_at desc, sha256) as place
      from sign_in_origin where user_id = ${owner.user_id}
    ) as placed where place > ${mostOfAKind})`.execute(trx)
  return token
}

/** Deletes every origin of an account: after a reset, only the one that made it counts as known. */
export async function forgetOrigins(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('sign_in_origin').where('user_id', '=', userId).execute()
}

/** Deletes origins that no longer count. */
export async function sweepOrigins(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('sign_in_origin')
    .where(where =>
      where.or([
        where('seen_at', '<', since(now, deviceDays)),
        where.and([where('kind', '=', 'address'), where('seen_at', '<', since(now, addressDays))]),
      ]),
    )
    .execute()
}

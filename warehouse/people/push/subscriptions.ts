// Browsers that receive a user's notices, and registered devices. Written in a transaction of `asUser`.
import { hash, randomBytes } from 'node:crypto'
import { pushRules } from '../../rulesets/push/rules.ts'
import type { Db } from '../../store/postgres.ts'
import { asService, deleteOwn, keepNewest, type Trx } from '../users/own-rows.ts'

export type Subscribing = {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  /** Canonical symbols; null: all. */
  readonly tickers: readonly string[] | null
}
export type SubscriptionRow = {
  readonly subscription_id: string
  readonly endpoint: string
  readonly tickers: readonly string[] | null
  readonly created_at: string
  readonly seen_at: string
}
export type DeviceRow = {
  readonly device_id: string
  readonly platform: string
  readonly token: string
  readonly created_at: string
  readonly seen_at: string
}
const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
const subscriptionColumns = ['subscription_id', 'endpoint', 'tickers', 'created_at', 'seen_at'] as const
const deviceColumns = ['device_id', 'platform', 'token', 'created_at', 'seen_at'] as const

/** One write of a user's devices and browsers at a time, so that their number is bounded. */
const oneAtATime = async (trx: Trx, userId: string): Promise<void> =>
  void (await trx.selectFrom('app_user').select('user_id').where('user_id', '=', userId).forUpdate().execute())

/**
 * Stores a browser's subscription; the same address again updates its keys and symbols. The same keys mean the same browser, so the
 * subscription of the user who was signed in there before ends. Above sixteen, the one renewed longest ago is deleted.
 */
export async function saveSubscription(trx: Trx, userId: string, given: Subscribing, now: Date): Promise<SubscriptionRow> {
  const { endpoint, p256dh, auth, tickers } = given
  const endpoint_sha256 = digest(endpoint)
  const [at, list] = [now.toISOString(), tickers === null ? null : [...tickers]]
  await oneAtATime(trx, userId)
  await asService(trx, () =>
    trx
      .deleteFrom('push_subscription')
      .where('endpoint_sha256', '=', endpoint_sha256)
      .where('p256dh', '=', p256dh)
      .where('auth', '=', auth)
      .where('user_id', '<>', userId)
      .execute(),
  )
  const row = await trx
    .insertInto('push_subscription')
    .values({
      subscription_id: `p_${randomBytes(9).toString('base64url')}`,
      user_id: userId,
      endpoint,
      endpoint_sha256,
      p256dh,
      auth,
      tickers: list,
      created_at: at,
      seen_at: at,
    })
    .onConflict(conflict => conflict.columns(['user_id', 'endpoint_sha256']).doUpdateSet({ p256dh, auth, tickers: list, seen_at: at }))
    .returning(subscriptionColumns)
    .executeTakeFirstOrThrow()
  const bound = { id: 'subscription_id', by: 'seen_at', most: pushRules.subscriptions_per_user, kept: row.subscription_id } as const
  await keepNewest(trx, 'push_subscription', userId, bound)
  return row
}

/** Ends a browser's subscription; false if the user has none of this address. */
export const removeSubscription = (trx: Trx, userId: string, endpoint: string): Promise<boolean> =>
  deleteOwn(trx, 'push_subscription', 'endpoint_sha256', userId, digest(endpoint))

/** A user's subscriptions, oldest first. */
export async function findSubscriptions(trx: Db, userId: string): Promise<SubscriptionRow[]> {
  return await trx
    .selectFrom('push_subscription')
    .select(subscriptionColumns)
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('subscription_id')
    .execute()
}

/** Stores a device's token; a token that another user registered before moves over, because one person has the device. */
export async function saveDevice(trx: Trx, userId: string, given: { platform: string; token: string }, now: Date): Promise<DeviceRow> {
  const { platform, token } = given
  const [at, token_sha256] = [now.toISOString(), digest(token)]
  await oneAtATime(trx, userId)
  await asService(trx, () => trx.deleteFrom('device').where('token_sha256', '=', token_sha256).where('user_id', '<>', userId).execute())
  const row = await trx
    .insertInto('device')
    .values({ device_id: `d_${randomBytes(9).toString('base64url')}`, user_id: userId, platform, token, token_sha256, created_at: at, seen_at: at })
    .onConflict(conflict => conflict.column('token_sha256').doUpdateSet({ platform, seen_at: at }))
    .returning(deviceColumns)
    .executeTakeFirstOrThrow()
  await keepNewest(trx, 'device', userId, { id: 'device_id', by: 'seen_at', most: pushRules.devices_per_user, kept: row.device_id })
  return row
}

/** Removes a device; false if the user has none of this token. */
export const removeDevice = (trx: Trx, userId: string, token: string): Promise<boolean> =>
  deleteOwn(trx, 'device', 'token_sha256', userId, digest(token))

/** A user's devices, oldest first. */
export async function findDevices(trx: Db, userId: string): Promise<DeviceRow[]> {
  return await trx.selectFrom('device').select(deviceColumns).where('user_id', '=', userId).orderBy('created_at').orderBy('device_id').execute()
}

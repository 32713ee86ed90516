// Browsers that receive a user's notices, and registered devices. Written in a transaction of `asUser`.
import { hash, randomBytes } from 'node:crypto'
import { pushRules } from '../../rulesets/push/rules.ts'
import type { Db } from '../../store/postgres.ts'
import { asService, type Trx } from '../users/own-rows.ts'

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
  await trx
    .deleteFrom('push_subscription')
    .where('user_id', '=', userId)
    .where('subscription_id', 'not in', query =>
      query
        .selectFrom('push_subscription')
        .select('subscription_id')
        .where('user_id', '=', userId)
        .orderBy('seen_at', 'desc')
        .orderBy('subscription_id')
        .limit(pushRules.subscriptions_per_user),
    )
    .where('subscription_id', '<>', row.subscription_id)
    .execute()
  return row
}

/** Ends a browser's subscription; false if the user has none of this address. */
export async function removeSubscription(trx: Trx, userId: string, endpoint: string): Promise<boolean> {
  const gone = await trx
    .deleteFrom('push_subscription')
    .where('user_id', '=', userId)
    .where('endpoint_sha256', '=', digest(endpoint))
    .returning('subscription_id')
    .executeTakeFirst()
  return gone !== undefined
}

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
  await trx
    .deleteFrom('device')
    .where('user_id', '=', userId)
    .where('device_id', 'not in', query =>
      query
        .selectFrom('device')
        .select('device_id')
        .where('user_id', '=', userId)
        .orderBy('seen_at', 'desc')
        .orderBy('device_id')
        .limit(pushRules.devices_per_user),
    )
    .where('device_id', '<>', row.device_id)
    .execute()
  return row
}

/** Removes a device; false if the user has none of this token. */
export async function removeDevice(trx: Trx, userId: string, token: string): Promise<boolean> {
  const gone = await trx
    .deleteFrom('device')
    .where('user_id', '=', userId)
    .where('token_sha256', '=', digest(token))
    .returning('device_id')
    .executeTakeFirst()
  return gone !== undefined
}

/** A user's devices, oldest first. */
export async function findDevices(trx: Db, userId: string): Promise<DeviceRow[]> {
  return await trx.selectFrom('device').select(deviceColumns).where('user_id', '=', userId).orderBy('created_at').orderBy('device_id').execute()
}

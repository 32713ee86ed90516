// Signing in is slowed down where it fails: by account and address together, by account, and by address (/64). An attempt is counted
// before the password is looked at and given back when it was right, so that a thousand at once count as a thousand.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { TooMany } from '#schemas/errors.ts'
import type { Db } from '../postgres.ts'

/** Failures within a window after which each further one is followed by a pause of 2^n seconds; nothing is locked for good. */
export const signInLimits = { pair: 5, account: 20, address: 50 } as const
export const windowMs = 15 * 60_000
const longestPauseSeconds = 300
export type Attempt = { readonly buckets: readonly { readonly name: string; readonly limit: number }[] }

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 27)

/** What an attempt is counted for; accounts are named by a hash, whether they exist or not. */
export function bucketsOf(account: string, address: string): Attempt {
  return {
    buckets: [
      { name: `pair ${hashed(account)} ${address}`, limit: signInLimits.pair },
      { name: `account ${hashed(account)}`, limit: signInLimits.account },
      { name: `address ${address}`, limit: signInLimits.address },
    ],
  }
}

/** Seconds of pause after the n-th failure. */
export const pauseSeconds = (failures: number, limit: number): number =>
  failures < limit ? 0 : Math.min(2 ** Math.min(failures - limit, 20), longestPauseSeconds)

/** Counts an attempt as failed until `forgive` says otherwise. Throws `TooMany` while a pause lasts, and counts nothing then. */
export async function charge(db: Db, attempt: Attempt, now: Date): Promise<void> {
  const refusal = await db.transaction().execute(async trx => {
    let until = 0
    // Always in the same order, so that two attempts never wait for each other.
    for (const { name } of attempt.buckets) {
      const row = await trx
        .insertInto('sign_in_failure')
        .values({ bucket: name, failures: 0, since: now.toISOString() })
        .onConflict(conflict => conflict.column('bucket').doUpdateSet({ bucket: name }))
        .returning(['failures', 'since', 'blocked_until'])
        .executeTakeFirstOrThrow()
      until = Math.max(until, row.blocked_until === null ? 0 : Date.parse(row.blocked_until))
    }
    if (until > now.getTime()) return until
    for (const { name, limit } of attempt.buckets) {
      const fresh = sql<boolean>`since <= ${new Date(now.getTime() - windowMs).toISOString()}::timestamptz`
      const failures = sql<number>`case when ${fresh} then 1 else failures + 1 end`
      const { failures: counted } = await trx
        .updateTable('sign_in_failure')
        .set({ failures, since: sql<string>`case when ${fresh} then ${now.toISOString()}::timestamptz else since end` })
        .where('bucket', '=', name)
        .returning('failures')
        .executeTakeFirstOrThrow()
      const pause = pauseSeconds(counted, limit)
      const blocked_until = pause === 0 ? null : new Date(now.getTime() + pause * 1000).toISOString()
      await trx.updateTable('sign_in_failure').set({ blocked_until }).where('bucket', '=', name).execute()
    }
    return null
  })
  if (refusal === null) return
  const retryAfterSeconds = Math.max(1, Math.ceil((refusal - now.getTime()) / 1000))
  throw new TooMany('too many attempts to sign in have failed', {
    retryAfterSeconds,
    hint: `wait ${retryAfterSeconds} seconds; POST /api/v1/auth/password-reset sets a new password`,
  })
}

/** Takes an attempt back that was right: its account and address start anew together, elsewhere it alone is not counted. */
export async function forgive(db: Db, attempt: Attempt): Promise<void> {
  const [pair, ...others] = attempt.buckets
  await db.transaction().execute(async trx => {
    if (pair) await trx.updateTable('sign_in_failure').set({ failures: 0, blocked_until: null }).where('bucket', '=', pair.name).execute()
    for (const { name, limit } of others)
      await trx
        .updateTable('sign_in_failure')
        .set({
          failures: sql<number>`greatest(failures - 1, 0)`,
          blocked_until: sql<string | null>`case when failures - 1 < ${limit} then null else blocked_until end`,
        })
        .where('bucket', '=', name)
        .execute()
  })
}

/** Forgets counts whose window and longest pause are over. */
export async function sweepFailures(db: Db, now: Date): Promise<void> {
  const old = new Date(now.getTime() - windowMs - longestPauseSeconds * 1000).toISOString()
  await db.deleteFrom('sign_in_failure').where('since', '<', old).execute()
}

// Pauses after failed sign-ins, counted for account and address together, for the account, and for the address (/64). An attempt is counted
// before the password is checked and refunded if it was right, so a thousand concurrent attempts count as a thousand. A device or address
// from which the account signed in before, and a live session, have separate budgets.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { TooMany } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'
import type { KnownOrigin } from './origins.ts'

/** Failures after which each further one is followed by a pause of 2^n seconds; nothing is locked permanently. */
const signInLimits = { pair: 5, account: 20, address: 50, device: 5, session: 5, code: 5 } as const
type Kind = keyof typeof signInLimits
export const windowMs = 15 * 60_000
const longestPauseSeconds = 300
/**
 * One failure is forgotten per this many milliseconds. For an account it is the longest pause: however an attacker spaces the
 * attempts, strangers together get at most 29 and one per five minutes. An address forgets its 50 failures within 15 minutes.
 */
const leakMs: Readonly<Record<Kind, number>> = {
  pair: longestPauseSeconds * 1000,
  account: longestPauseSeconds * 1000,
  device: longestPauseSeconds * 1000,
  session: longestPauseSeconds * 1000,
  code: longestPauseSeconds * 1000,
  address: windowMs / signInLimits.address,
}
/** Failures of an account that remain after a reset: five attempts from any address pass without a pause. */
const afterReset = signInLimits.account - 5

type Bucket = { readonly name: string; readonly limit: number; readonly leakMs: number }
export type Attempt = { readonly buckets: readonly Bucket[] }

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 27)
const bucket = (kind: Kind, of: string): Bucket => ({ name: `${kind} ${of}`, limit: signInLimits[kind], leakMs: leakMs[kind] })

/**
 * The keys of an attempt's counters; accounts are named by a hash, whether they exist or not. A known device counts for itself only, a
 * known address with the account and for the address: failures of strangers delay neither.
 */
export function bucketsOf(account: string, address: string, known: KnownOrigin | null = null): Attempt {
  if (known?.kind === 'device') return { buckets: [bucket('device', `${hashed(account)} ${known.id}`)] }
  const [pair, whole, anyone] = [bucket('pair', `${hashed(account)} ${address}`), bucket('account', hashed(account)), bucket('address', address)]
  return { buckets: known === null ? [pair, whole, anyone] : [pair, anyone] }
}

/** The keys under which a password given within a live session is counted: failures elsewhere do not delay its owner. */
export const bucketsOfSession = (sessionId: string): Attempt => ({ buckets: [bucket('session', sessionId)] })

/** The key under which a code of the second factor counts if its account signed in from there before: codes tried elsewhere do not use it up. */
export const bucketOfCode = (userId: string, known: KnownOrigin): Attempt => ({ buckets: [bucket('code', `${hashed(userId)} ${known.id}`)] })

/** Seconds of pause after the n-th failure. */
export const pauseSeconds = (failures: number, limit: number): number =>
  failures < limit ? 0 : Math.min(2 ** Math.min(failures - limit, 20), longestPauseSeconds)

/** Counts an attempt as failed until `forgive` takes it back. Throws `TooMany` during a pause, and counts nothing then. */
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
    for (const each of attempt.buckets) await countFailure(trx, each, now)
    return null
  })
  if (refusal === null) return
  const retryAfterSeconds = Math.max(1, Math.ceil((refusal - now.getTime()) / 1000))
  throw new TooMany('too many attempts to sign in have failed', {
    retryAfterSeconds,
    hint: `wait ${retryAfterSeconds} seconds; POST /api/v1/auth/password-reset sets a new password, and the browser that sets it signs in without waiting`,
  })
}

/** One failure more, after those that the time since has made forgotten. */
async function countFailure(trx: Db, { name, limit, leakMs: leak }: Bucket, now: Date): Promise<void> {
  const { failures, since } = await trx
    .selectFrom('sign_in_failure')
    .select(['failures', 'since'])
    .where('bucket', '=', name)
    .executeTakeFirstOrThrow()
  const forgotten = Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / leak))
  const counted = Math.max(0, failures - forgotten) + 1
  const from = counted === 1 ? now.getTime() : Date.parse(since) + forgotten * leak
  const pause = pauseSeconds(counted, limit)
  const blocked_until = pause === 0 ? null : new Date(now.getTime() + pause * 1000).toISOString()
  await trx
    .updateTable('sign_in_failure')
    .set({ failures: counted, since: new Date(from).toISOString(), blocked_until })
    .where('bucket', '=', name)
    .execute()
}

/** Takes a correct attempt back: its first bucket starts again at zero, in the others this attempt is not counted. */
export async function forgive(db: Db, attempt: Attempt): Promise<void> {
  const [first, ...others] = attempt.buckets
  await db.transaction().execute(async trx => {
    if (first) await trx.updateTable('sign_in_failure').set({ failures: 0, blocked_until: null }).where('bucket', '=', first.name).execute()
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

/** After a reset by mail, the account's pause ends and five attempts from any address pass; the reset needs the owner's mailbox. */
export async function forgiveReset(db: Db, account: string, now: Date): Promise<void> {
  await db
    .updateTable('sign_in_failure')
    .set({ failures: sql<number>`least(failures, ${afterReset})`, since: now.toISOString(), blocked_until: null })
    .where('bucket', '=', bucket('account', hashed(account)).name)
    .execute()
}

/** Deletes counts that have been forgotten entirely. */
export async function sweepFailures(db: Db, now: Date): Promise<void> {
  const slowest = Math.max(...Object.values(leakMs)) / 1000
  await db
    .deleteFrom('sign_in_failure')
    .where(
      sql<boolean>`since + failures * ${slowest} * interval '1 second' < ${new Date(now.getTime() - longestPauseSeconds * 1000).toISOString()}::timestamptz`,
    )
    .execute()
}

// Accounts as administrators see them, and the administrator right.
import { BadRequest, Forbidden } from '#schemas/errors.ts'
import type { Tier } from '#schemas/plans.ts'
import type { Db } from '../../store/postgres.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { emailKey } from '../users/email.ts'
import { lockUser, noSuchAccount } from '../users/locked-user.ts'
import { isBehind } from '../users/newest-first.ts'

export type AdminUserRow = {
  readonly id: string
  readonly email: string
  readonly full_name: string | null
  readonly display_name: string | null
  readonly tier: Tier
  readonly billing_status: string
  readonly is_active: boolean
  readonly is_admin: boolean
  readonly is_reviewer: boolean
  readonly email_verified: boolean
  readonly totp_enrolled: boolean
  readonly created_at: string
  readonly last_login_at: string | null
  readonly erasure_requested_at: string | null
}

const rowsOf = (db: Db) =>
  db
    .selectFrom('app_user as u')
    .leftJoin('admin_totp as t', 't.user_id', 'u.user_id')
    .select(['u.user_id', 'u.email', 'u.full_name', 'u.display_name', 'u.tier', 'u.billing_status', 'u.is_active', 'u.is_admin', 'u.is_reviewer'])
    .select(['u.email_verified_at', 't.confirmed_at', 'u.created_at', 'u.last_login_at', 'u.erasure_requested_at'])

type Row = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>
const shown = ({ user_id, email_verified_at, confirmed_at, tier, ...row }: Row): AdminUserRow => ({
  id: user_id,
  email: row.email,
  full_name: row.full_name,
  display_name: row.display_name,
  tier: tier as Tier,
  billing_status: row.billing_status,
  is_active: row.is_active,
  is_admin: row.is_admin,
  is_reviewer: row.is_reviewer,
  email_verified: email_verified_at !== null,
  totp_enrolled: confirmed_at !== null,
  created_at: row.created_at,
  last_login_at: row.last_login_at,
  erasure_requested_at: row.erasure_requested_at,
})

export type UsersQuery = {
  /** Prefix of an address, normalized as addresses are compared. */
  readonly beginning: string | null
  /** The last account that was read. */
  readonly after: { readonly created_at: string; readonly id: string } | null
  readonly limit: number
}
/** Accounts, newest first. */
export async function findUsers(db: Db, { beginning, after, limit }: UsersQuery): Promise<AdminUserRow[]> {
  const pattern = `${emailKey(beginning ?? '').replaceAll(/[\\%_]/g, found => `\\${found}`)}%`
  const rows = await rowsOf(db)
    .$if(beginning !== null, query => query.where('u.email_key', 'like', pattern))
    .where(isBehind('u.created_at', 'u.user_id', after))
    .orderBy('u.created_at', 'desc')
    .orderBy('u.user_id')
    .limit(limit)
    .execute()
  return rows.map(shown)
}

/** One account. Throws `NotFound`. */
export async function getUser(db: Db, userId: string): Promise<AdminUserRow> {
  const row = await rowsOf(db).where('u.user_id', '=', userId).executeTakeFirst()
  if (!row) throw noSuchAccount()
  return shown(row)
}

/** Every administrator, ordered by address. */
export async function findAdmins(db: Db): Promise<AdminUserRow[]> {
  return (await rowsOf(db).where('u.is_admin', '=', true).orderBy('u.email_key').execute()).map(shown)
}

/** The actor: an administrator by id, or the operator on the terminal. */
export type Actor = { readonly admin: string } | 'operator'

/**
 * Grants or revokes the administrator right in this transaction. An administrator cannot change their own state and must still be one;
 * the last administrator cannot be removed. Throws `NotFound`, `Forbidden`, 409 `conflict`.
 */
export async function setAdmin(trx: Db, actor: Actor, userId: string, isAdmin: boolean, now: Date): Promise<AdminUserRow> {
  // Locks all administrators in one order. If two revoke each other, the second one is no longer an administrator when its turn comes.
  const admins = await trx
    .selectFrom('app_user')
    .select(['user_id', 'subject_key'])
    .where('is_admin', '=', true)
    .orderBy('user_id')
    .forUpdate()
    .execute()
  const acting = actor === 'operator' ? null : admins.find(each => each.user_id === actor.admin)
  if (acting === undefined) throw new Forbidden('this request requires an administrator session', { hint: 'sign in at POST /api/v1/admin/login' })
  if (actor !== 'operator' && actor.admin === userId)
    throw new BadRequest('administrators cannot change their own administrator state', {
      status: 409,
      code: 'conflict',
      hint: 'ask another administrator, or run crossfile admin revoke',
    })
  const user = await lockUser(trx, userId, ['is_admin'])
  if (user.is_admin && !isAdmin && admins.length === 1)
    throw new BadRequest('this is the last administrator', { status: 409, code: 'conflict', hint: 'make another one first' })
  if (user.is_admin !== isAdmin) {
    await trx.updateTable('app_user').set({ is_admin: isAdmin }).where('user_id', '=', userId).execute()
    // The second factor is kept: it still protects the account without the right.
    if (!isAdmin) await trx.deleteFrom('user_session').where('user_id', '=', userId).where('kind', '=', 'admin').execute()
    const by = acting === null ? 'operator' : pseudonymOf(acting)
    await audit(trx, { actor: by, act: 'admin.toggle', subject: pseudonymOf(user), details: { is_admin: isAdmin } }, now)
  }
  return shown(await rowsOf(trx).where('u.user_id', '=', userId).executeTakeFirstOrThrow())
}

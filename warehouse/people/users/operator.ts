// Accounts as the operator's commands see them: never a hash or a session's text.
import type { Db } from '../../store/postgres.ts'
import { emailKey } from './email.ts'

export type Account = {
  readonly user_id: string
  readonly email: string
  readonly tier: string
  readonly state: 'active' | 'unconfirmed' | 'disabled' | 'leaving'
  readonly is_admin: boolean
  readonly created_at: string
  readonly last_login_at: string | null
}
const columns = [
  'user_id',
  'email',
  'tier',
  'is_admin',
  'is_active',
  'created_at',
  'last_login_at',
  'email_verified_at',
  'erasure_requested_at',
] as const
type Row = Omit<Account, 'state'> & { is_active: boolean; email_verified_at: string | null; erasure_requested_at: string | null }

function accountOf({ is_active, email_verified_at, erasure_requested_at, ...row }: Row): Account {
  const state = !is_active ? 'disabled' : erasure_requested_at !== null ? 'leaving' : email_verified_at === null ? 'unconfirmed' : 'active'
  return { ...row, state }
}

/** The newest accounts, or those whose address has the prefix. */
export async function listAccounts(db: Db, { beginning, limit }: { readonly beginning: string | null; readonly limit: number }): Promise<Account[]> {
  const rows = await db
    .selectFrom('app_user')
    .select(columns)
    .$if(beginning !== null, query => query.where('email_key', 'like', `${(beginning ?? '').toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`))
    .orderBy('created_at', 'desc')
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map(accountOf)
}

/** An account by its address or id, with its sessions. */
export async function findAccount(db: Db, requested: string) {
  const row = await db
    .selectFrom('app_user')
    .select(columns)
    .select(['full_name', 'display_name', 'billing_status'])
    .where(where => where.or([where('user_id', '=', requested), where('email_key', '=', emailKey(requested))]))
    .executeTakeFirst()
  if (!row) return null
  const sessions = await db
    .selectFrom('user_session')
    .select(['session_id', 'kind', 'created_at', 'seen_at', 'address_prefix', 'agent'])
    .where('user_id', '=', row.user_id)
    .orderBy('seen_at', 'desc')
    .orderBy('session_id')
    .limit(20)
    .execute()
  const keys = await db
    .selectFrom('api_key')
    .select(select => select.fn.countAll<number>().as('live'))
    .where('owner', '=', row.user_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  const { full_name, display_name, billing_status, ...rest } = row
  return { ...accountOf(rest), full_name, display_name, billing_status, live_keys: Number(keys.live), sessions }
}

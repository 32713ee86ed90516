// Lists the audit chain, newest first, and resolves the pseudonyms of current administrators.
import { sql } from 'kysely'
import type { Db } from '../../store/postgres.ts'
import { pseudonymOf } from '../users/audit.ts'

export type AuditQuery = {
  /** Rows about or by this account. */
  readonly userId: string | null
  /** The last row that was read. */
  readonly before: number | null
  readonly limit: number
}
export type AuditLine = {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly actor_user_id: string | null
  readonly act: string
  readonly subject: string
  readonly details: Readonly<Record<string, string | number | boolean | null>>
  readonly hash: string
}

/** Rows of the chain; none for an account that does not exist. */
export async function findAudit(db: Db, { userId, before, limit }: AuditQuery): Promise<AuditLine[]> {
  const admins = await db.selectFrom('app_user').select(['user_id', 'subject_key']).where('is_admin', '=', true).execute()
  const behind = new Map(admins.map(admin => [pseudonymOf(admin), admin.user_id]))
  const of =
    userId === null ? null : await db.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', '=', userId).executeTakeFirst()
  if (of === undefined) return []
  const name = of === null ? null : pseudonymOf(of)
  const rows = await db
    .selectFrom('audit_entry')
    .select(['seq', 'at', 'actor', 'act', 'subject', 'details', sql<string>`encode(hash, 'hex')`.as('hash')])
    .$if(name !== null, query => query.where(where => where.or([where('actor', '=', name ?? ''), where('subject', '=', name ?? '')])))
    .$if(before !== null, query => query.where('seq', '<', before ?? 0))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ seq, at, actor, act, subject, details, hash }) => ({
    seq,
    at,
    actor,
    actor_user_id: behind.get(actor) ?? null,
    act,
    subject,
    details: details as AuditLine['details'],
    hash,
  }))
}

// Pages of lists that are ordered by creation, newest first, then by id.
import { type RawBuilder, sql } from 'kysely'

/** The condition for the rows behind one, given the columns of the instant and of the id; all rows if it is null. */
export function isBehind(createdAt: string, id: string, after: { readonly created_at: string; readonly id: string } | null): RawBuilder<boolean> {
  if (after === null) return sql<boolean>`true`
  const [at, key] = [sql.ref(createdAt), sql.ref(id)]
  return sql<boolean>`(${at} < ${after.created_at} or (${at} = ${after.created_at} and ${key} > ${after.id}))`
}

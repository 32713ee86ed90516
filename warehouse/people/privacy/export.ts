// Everything stored about a person, table by table as the inventory lists them: one JSON document, streamed as it is read.
import { sql } from 'kysely'
import type { Db } from '../../store/postgres.ts'
import { pseudonymOf } from '../users/audit.ts'
import { type Held, inventory } from '../users/inventory.ts'
import { asService, asUser } from '../users/own-rows.ts'
import { findConsent } from './consent.ts'

const pageRows = 500

/** Rows of a table as JSON from Postgres (numbers keep their digits), without withheld columns. */
async function rowsOf(db: Db, held: Held, userId: string, from: number): Promise<string[]> {
  return await asUser(db, userId, async trx => {
    const read = async (): Promise<string[]> => {
      const order = sql.join(held.order.map(column => sql.ref(column)))
      const { rows } = await sql<{ row: string }>`
        select (to_jsonb(t) - ${sql.val([...(held.withheld ?? [])])}::text[])::text as row
        from ${sql.table(held.table)} as t where t.${sql.ref(held.user)} = ${userId}
        order by ${order} limit ${pageRows} offset ${from}`.execute(trx)
      return rows.map(({ row }) => row)
    }
    // The user role has no access to tables that users never read.
    return await asService(trx, read)
  })
}

/** The export in pieces: one JSON object, a list per table, and the person's entries in the two chains. */
export async function* exportOf(db: Db, userId: string, now: Date): AsyncGenerator<string> {
  const user = await db.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', '=', userId).executeTakeFirstOrThrow()
  const pseudonym = pseudonymOf(user)
  yield `{"format":"crossfile-export@1","exported_at":${JSON.stringify(now.toISOString())},"user_id":${JSON.stringify(userId)},"tables":{`
  let first = true
  for (const held of inventory) {
    if (held.withheld === null) continue
    yield `${first ? '' : ','}\n${JSON.stringify(held.table)}:{"about":${JSON.stringify(held.about)},"rows":[`
    first = false
    for (let from = 0; ; from += pageRows) {
      const rows = await rowsOf(db, held, userId, from)
      if (rows.length > 0) yield `${from === 0 ? '' : ','}\n${rows.join(',\n')}`
      if (rows.length < pageRows) break
    }
    yield ']}'
  }
  yield '},\n"consent":['
  let before: number | null = null
  do {
    const page: Awaited<ReturnType<typeof findConsent>> = await findConsent(db, pseudonym, { before, limit: pageRows })
    if (page.entries.length > 0) yield `${before === null ? '' : ','}\n${page.entries.map(entry => JSON.stringify(entry)).join(',\n')}`
    before = page.next
  } while (before !== null)
  const acts = await db
    .selectFrom('audit_entry')
    .select(['at', 'act', 'details'])
    .where(where => where.or([where('subject', '=', pseudonym), where('actor', '=', pseudonym)]))
    .orderBy('seq')
    .execute()
  yield `],\n"acts":[${acts.map(act => JSON.stringify(act)).join(',\n')}]}\n`
}

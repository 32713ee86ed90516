// Access to a user's rows: one transaction in which Postgres shows no other user's rows (row-level security).
import { sql, type Transaction } from 'kysely'
import { type Database, type Db, transaction } from '../../store/postgres.ts'

export type Trx = Transaction<Database>
const roleOf = new WeakMap<Db, Promise<boolean>>()

/** Whether the installation has the role of user rows; it lacks it if its database's owner may not create roles. */
function hasRole(db: Db): Promise<boolean> {
  let known = roleOf.get(db)
  if (!known) {
    known = sql<{ member: boolean }>`select pg_has_role(current_user, oid, 'member') and has_table_privilege(oid, 'app_user', 'select') as member
      from pg_roles where rolname = 'crossfile_user'`
      .execute(db)
      .then(({ rows }) => rows[0]?.member === true)
    roleOf.set(db, known)
    known.catch(() => roleOf.delete(db))
  }
  return known
}

/**
 * Runs `work` in a transaction that can read and write only the user's rows, and only in tables of users. Postgres may require a retry,
 * so `work` must have no effects outside its transaction.
 */
export async function asUser<T>(db: Db, userId: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  const limited = await hasRole(db)
  return await transaction(db, async trx => {
    await sql`select set_config('app.uid', ${userId}, true)`.execute(trx)
    if (limited) await sql`set local role crossfile_user`.execute(trx)
    return await work(trx)
  })
}

/** A step of `asUser` on data that belongs to no user: the outbox, the queue, the audit chain. */
export async function asService<T>(trx: Trx, work: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ role: string }>`select current_setting('role') as role`.execute(trx)
  const limited = rows[0]?.role === 'crossfile_user'
  if (!limited) return await work()
  await sql`reset role`.execute(trx)
  const done = await work()
  await sql`set local role crossfile_user`.execute(trx)
  return done
}

/** Deletes a row of a user by one column; false if the user has none. */
export async function deleteOwn<T extends keyof Database>(
  trx: Trx,
  table: T,
  column: keyof Database[T] & string,
  userId: string,
  value: string | Buffer,
): Promise<boolean> {
  const { rows } = await sql`delete from ${sql.table(table)} where user_id = ${userId} and ${sql.ref(column)} = ${value} returning 1`.execute(trx)
  return rows.length > 0
}

/** Which rows of a user stay: the `most` newest by the time `by`, then by `id`, and the row `kept`, if it is given. */
type Bound<T extends keyof Database> = {
  readonly id: keyof Database[T] & string
  readonly by: keyof Database[T] & string
  readonly most: number
  readonly kept?: string
}
/** Deletes a user's rows above a number. */
export async function keepNewest<T extends keyof Database>(db: Db, table: T, userId: string, { id, by, most, kept }: Bound<T>): Promise<void> {
  const [rows, key, time] = [sql.table(table), sql.ref(id), sql.ref(by)]
  await sql`delete from ${rows} where user_id = ${userId} and ${key} is distinct from ${kept ?? null}
    and ${key} not in (select ${key} from ${rows} where user_id = ${userId} order by ${time} desc, ${key} limit ${most})`.execute(db)
}

import type { Db } from '../../store/postgres.ts'

/** When the database of this installation was created. */
export async function findInstalledAt(db: Db): Promise<string | null> {
  const { at } = await db
    .selectFrom('schema_migrations')
    .select(({ fn }) => fn.min('applied_at').as('at'))
    .executeTakeFirstOrThrow()
  return at
}

// One account, locked for a change by an administrator or by the operator.
import type { Selectable } from 'kysely'
import { NotFound } from '#schemas/errors.ts'
import type { Database } from '../../store/database.ts'
import type { Db } from '../../store/postgres.ts'

type Account = Selectable<Database['app_user']>
type Column = keyof Account & string

/** Some columns of an account, whose row stays locked until the transaction ends. Throws `NotFound`. */
export async function lockUser<const C extends Column>(
  trx: Db,
  userId: string,
  columns: readonly C[],
): Promise<Pick<Account, C | 'user_id' | 'subject_key'>> {
  const user = await trx
    .selectFrom('app_user')
    .select(['user_id', 'subject_key', ...(columns as readonly Column[])])
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!user) throw noSuchAccount()
  return user as Pick<Account, C | 'user_id' | 'subject_key'>
}
export const noSuchAccount = (): NotFound => new NotFound('there is no such account', { hint: 'GET /api/v1/admin/users lists them' })

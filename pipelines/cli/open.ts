// `crossfile open`: the address of the running service's page. It starts no browser: a service often runs on another machine.
import { sql } from 'kysely'
import { NotFound } from '#schemas/errors.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'

export async function openCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('open', commands.open.options, argv)
  const served = await withDatabase(io, { write: false }, async ({ db }) => {
    const { rows } = await sql<{ address: string }>`
      select address from reader_lease where address is not null and expires_at > clock_timestamp() order by expires_at desc limit 1`.execute(db)
    return rows[0]?.address ?? null
  })
  if (served === null) throw new NotFound('no API is running', { hint: 'crossfile start, or crossfile api' })
  const page = `${io.config().publicUrl ?? served.replace(/\/+$/, '')}/`
  if (values.json) printJson(io, { page, api: served })
  else io.out(page)
  return 0
}

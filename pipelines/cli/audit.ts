// `crossfile audit verify`: hashes the audit chain anew, from its first row to its last.
import { brokenAudit } from '#warehouse/users/audit.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { moment, printJson, some } from './output.ts'

export async function auditVerify(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('audit verify', commands['audit verify'].options, argv)
  const { broken, last } = await withDatabase(io, { write: false }, async ({ db }) => ({
    broken: await brokenAudit(db),
    last: await db.selectFrom('audit_entry').select(['seq', 'at', 'hash']).orderBy('seq', 'desc').limit(1).executeTakeFirst(),
  }))
  const head = last ? { seq: last.seq, at: last.at, hash: last.hash.toString('hex') } : null
  if (values.json) printJson(io, { holds: broken === null, broken_at: broken, entries: head?.seq ?? 0, head })
  else if (broken !== null) io.out(`the chain is broken at entry ${broken}: it, or one before it, is not what was written`)
  else if (head === null) io.out('the chain is empty')
  else {
    io.out(`${some(head.seq, 'entry', 'entries')} hold; the newest is of ${moment(head.at)}`)
    io.out(`head ${head.hash}`)
    io.err('Entries cut off at the end leave a shorter chain that holds: keep the head, and look whether it is still in.')
  }
  return broken === null ? 0 : 1
}

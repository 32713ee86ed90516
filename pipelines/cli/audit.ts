// `crossfile audit verify`: recomputes the hashes of the audit chain, from its first row to its last.
import { brokenAudit } from '#warehouse/people/users/audit.ts'
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
  else if (broken !== null) io.out(`the chain is broken at entry ${broken}: this entry or an earlier one was changed`)
  else if (head === null) io.out('the chain is empty')
  else {
    io.out(`${some(head.seq, 'entry', 'entries')} verified; the newest is from ${moment(head.at)}`)
    io.out(`head ${head.hash}`)
    io.err('Removing entries at the end leaves a shorter valid chain: note the head, and check later that the chain still contains it.')
  }
  return broken === null ? 0 : 1
}

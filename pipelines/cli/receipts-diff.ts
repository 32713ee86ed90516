// `crossfile receipts diff A B`: what changed between two answers to one question, and why.
import { causeText } from '#warehouse/answers/receipt-diff/cause-text.ts'
import { diffReceipts } from '#warehouse/answers/receipt-diff/receipt-diff.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { printJson, some } from './output.ts'
import { withReleases } from './with-releases.ts'

/** Exit code 0: compared; 1: the answers differ, and their values cannot be compared. */
export async function receiptsDiff(argv: readonly string[], io: Io): Promise<number> {
  const about = { least: 2, most: 2, what: 'two receipt ids' }
  const { values, rest } = readArguments('receipts diff', commands['receipts diff'].options, argv, about)
  const [a = '', b = ''] = rest.map(id => id.trim().toLowerCase())
  const found = await withDatabase(io, { write: false }, async ({ db }) => withReleases(io, db, contextOf => diffReceipts({ db, contextOf }, a, b)))
  if (values.json) printJson(io, found)
  else {
    io.out(found.question)
    io.out(`  release ${found.before.release}, as of ${found.before.as_of} -> release ${found.after.release}, as of ${found.after.as_of}`)
    if (found.equal) io.out('  the answers are equal, byte for byte')
    else if (found.reason !== null) io.out(`  not compared: ${found.reason}`)
    else io.out(`  ${some(found.count, 'difference')}${found.count > found.changes.length ? `; the first ${found.changes.length} follow` : ''}`)
    for (const { path, before, after, causes } of found.changes) {
      io.out(`  ${path}: ${shown(before)} -> ${shown(after)}`)
      for (const cause of causes.flatMap(at => found.causes[at] ?? [])) io.out(`      ${causeText(cause)}`)
    }
  }
  return found.reason === null ? 0 : 1
}

/** A row is shown by its beginning. */
const shown = (value: string | null): string => (value === null ? '(absent)' : value.length > 120 ? `${value.slice(0, 120)}…` : value)

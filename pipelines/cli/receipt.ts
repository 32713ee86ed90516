// `crossfile receipt ID`: the bundle of a receipt, as the API serves it.
import { findBundle } from '#warehouse/store/receipts/find-bundle.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { printFacts, printJson, size } from './output.ts'
import { writeNewFile } from './write-new-file.ts'

/** Exit code 0: the receipt is valid today; 1: it is not. */
export async function receipt(argv: readonly string[], io: Io): Promise<number> {
  const about = { least: 1, most: 1, what: 'the receipt id' }
  const { values, rest } = readArguments('receipt', commands.receipt.options, argv, about)
  const { bytes, verification } = await withDatabase(io, { write: false }, ({ db }) =>
    findBundle(db, io.config().dataFolder, (rest[0] ?? '').trim().toLowerCase()),
  )
  const { valid, reason, kid, statement, log } = verification
  if (values.out !== undefined) writeNewFile(values.out, bytes)
  if (values.json)
    printJson(io, { receipt_id: verification.receipt_id, valid, reason, key_id: kid, out: values.out ?? null, bytes: bytes.length, statement })
  else if (values.out === undefined) io.out(bytes.toString('utf8'))
  else {
    printFacts(io, [
      [
        'file',
        `${values.out}, ${size(bytes.length)}${verification.checks.payload_available ? ', with the answer' : '; the answer is not stored here: give it with --payload'}`,
      ],
      ['valid', valid ? 'yes' : `NO: ${reason}`],
      ['question', statement?.subject[0]?.name ?? '-'],
      ['release', statement ? `${statement.predicate.release}, as of ${statement.predicate.as_of}` : '-'],
      ['log', log === null ? 'waits for its place' : `entry ${log.index} of ${log.origin}`],
      ['signed by', kid],
      ['verify', `node warehouse/store/receipts/verify-offline.mjs ${values.out}`],
    ])
  }
  if (!valid && values.out === undefined && !values.json) io.err(`this receipt is not valid: ${reason}`)
  return valid ? 0 : 1
}

// `crossfile receipt ID`: the bundle of a receipt, as the API serves it, or the receipt as JWS.
import { BadRequest, Broken } from '#schemas/errors.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { findBundle } from '#warehouse/store/receipts/find-bundle.ts'
import { detachedJws } from '#warehouse/store/receipts/jws.ts'
import { signJws } from '#warehouse/store/receipts/sign-jws.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { openReceiptLog } from './open-receipt-log.ts'
import { printFacts, printJson, size } from './output.ts'
import { writeNewFile } from './write-new-file.ts'

/** Exit code 0: the receipt is valid today; 1: it is not. */
export async function receipt(argv: readonly string[], io: Io): Promise<number> {
  const about = { least: 1, most: 1, what: 'the receipt id' }
  const { values, rest } = readArguments('receipt', commands.receipt.options, argv, about)
  if (values.jws || values.detached) return await printJws(io, (rest[0] ?? '').trim().toLowerCase(), values)
  const { bytes, verification } = await withDatabase(io, { write: false }, async ({ db }) =>
    findBundle(db, await openReceiptLog(io, db), (rest[0] ?? '').trim().toLowerCase()),
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

type JwsValues = {
  readonly jws?: boolean | undefined
  readonly detached?: boolean | undefined
  readonly out?: string | undefined
  readonly json?: boolean | undefined
}
/** Signs with the active key of the keys folder. Exit code 1: the receipt is not valid, so nothing is signed. */
async function printJws(io: Io, id: string, { jws, detached, out, json }: JwsValues): Promise<number> {
  if (!jws) throw new BadRequest('--detached is an option of --jws', { hint: `crossfile receipt ${id} --jws --detached` })
  const { dataFolder } = io.config()
  const signed = await withDatabase(io, { write: false }, async ({ db }) => {
    const log = await openReceiptLog(io, db)
    return await db.transaction().execute(trx => signJws(trx, { log, keys: keysFolderOf(dataFolder) }, id))
  })
  if (signed.refused !== null) {
    io.err(`receipt ${id} is not valid (${signed.refused}), so it is not signed as JWS`)
    return 1
  }
  if (signed.jws === null) throw new Broken('no signing key can be used', { hint: 'crossfile signing-keys list shows why' })
  const text = detached ? detachedJws(signed.jws) : signed.jws
  if (out !== undefined) writeNewFile(out, Buffer.from(text))
  if (json) printJson(io, { receipt_id: id, detached: detached === true, out: out ?? null, jws: text })
  else if (out === undefined) io.out(text)
  return 0
}

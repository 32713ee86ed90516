// `crossfile receipt-log`: the state of the public log of receipts, and the way on after a restored backup.
import { requestRound } from '#warehouse/people/status/checks.ts'
import { audit } from '#warehouse/people/users/audit.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { continueLog, readLogState } from '#warehouse/store/receipts/log/state.ts'
import { uploadLog } from '#warehouse/store/receipts/log/upload-log.ts'
import type { WitnessRow } from '#warehouse/store/receipts/log/witnesses.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { openReceiptLog } from './open-receipt-log.ts'
import { count, moment, printFacts, printJson, some } from './output.ts'

/** Exit code 0: the log is signed; 1: it is not. */
export async function receiptLog(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('receipt-log', commands['receipt-log'].options, argv)
  const state = await withDatabase(io, { write: false }, async ({ db }) => readLogState(db, await openReceiptLog(io, db)))
  if (values.json) printJson(io, state)
  else
    printFacts(io, [
      ['log', state.origin ?? 'not begun: a worker begins it with the first receipt'],
      ['entries', count(state.size)],
      ['waiting', some(state.waiting, 'receipt')],
      ['signed', state.fault === null ? 'yes' : `NO: ${state.fault.message}`],
      ...(state.fault === null ? [] : [['next', state.fault.hint] as [string, string]]),
      ...state.keys.map((key): [string, string] => ['key', key]),
      ...state.witnesses.map((witness): [string, string] => ['witness', witnessLine(witness)]),
    ])
  return state.fault === null ? 0 : 1
}

/** The state of a witness in one line. */
export function witnessLine({ name, url, state, detail, state_since, size, succeeded_at }: WitnessRow): string {
  const last = succeeded_at === null ? 'it has not cosigned yet' : `it cosigned ${some(size, 'entry', 'entries')} on ${moment(succeeded_at)}`
  if (state === 'ok' || state === 'waiting') return `${name}: ${last} (${url})`
  return `${name}: ${state.toUpperCase()} since ${moment(state_since)}: ${detail}; ${last} (${url})`
}

/** Continues the log after a fault; the audit chain records what was done. */
export async function receiptLogContinue(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('receipt-log continue', commands['receipt-log continue'].options, argv)
  const done = await withDatabase(io, { write: true }, async ({ db }) => {
    const folder = await openReceiptLog(io, db)
    // A restored data folder may have the newest log, which the bucket lacks.
    const config = io.config()
    const remote = await openRemote(config, io.log)
    if (remote !== null) await uploadLog(db, config.dataFolder, remote)
    const result = await continueLog(db, folder, (trx, { did, size }) =>
      audit(trx, { actor: 'operator', act: `receipt_log.${did}`, subject: 'receipt log', details: { size } }, io.now()),
    )
    if (result.did !== 'nothing') await requestRound(db)
    return result
  })
  if (values.json) printJson(io, done)
  else if (done.did === 'nothing') io.out(`The log of receipts has ${some(done.size, 'entry', 'entries')} and is signed. Nothing was changed.`)
  else if (done.did === 'accepted')
    io.out(`The checkpoint of size ${count(done.size)} of the database is published. A running worker continues from it.`)
  else
    io.out(
      `${some(done.entries, 'published entry', 'published entries')} were added to the database. A running worker continues from size ${count(done.size)}.`,
    )
  return 0
}

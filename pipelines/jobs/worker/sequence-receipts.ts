// Gives new receipts and releases their place in the receipt log, and publishes its checkpoints. A fault is logged once when it begins and
// once when it ends: ingestion and answers continue without the log.
import type { Config } from '#schemas/config.ts'
import { requestRound } from '#warehouse/people/status/checks.ts'
import { turnMs, untilBeat } from '#warehouse/store/beat.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Wakeup } from '#warehouse/store/notifications.ts'
import { watchPending } from '#warehouse/store/receipts/log/entries.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { type SequenceTools, sequence } from '#warehouse/store/receipts/log/sequence.ts'
import { findDamagedFile } from '#warehouse/store/receipts/log/state.ts'
import { repairLogFiles } from '#warehouse/store/receipts/log/write-files.ts'
import type { Runtime } from '../../ingest/runtime.ts'

/** After a fault, which ends only when the operator acts. */
const faultMs = 15_000
/** The first start of an older installation adds many receipts: each such number is logged. */
const reportEvery = 100_000

/** The host in the name of the log: that of the public address, else one that no other service has. */
const logHost = (config: Pick<Config, 'publicUrl'>): string => (config.publicUrl === null ? 'crossfile.localhost' : new URL(config.publicUrl).host)

/** Adds what is waiting, in bounded batches, until `stop`; `changed` wakes it when there may be more, and when it has to stop. */
export async function sequenceReceipts(
  { postgres, tools, config, log }: Pick<Runtime, 'postgres' | 'tools' | 'config' | 'log'>,
  changed: Wakeup,
  stop: AbortSignal,
  crashPoint: (name: string) => void = () => {},
): Promise<void> {
  const { db } = postgres
  const folder = openLogFolder(config.dataFolder, tools.writer.remote ?? null)
  const sequencer: SequenceTools = { db, folder, keysFolder: tools.keysFolder, host: logHost(config), crashPoint }
  const repaired = repairFiles(sequencer, log, stop)
  const isPending = watchPending(db)
  let reported = 0
  let last: string | null = null
  const noteFault = (fault: string | null): void => {
    if (fault === last) return
    if (fault === null) log('info', 'the receipt log is signed again')
    else log('error', `the receipt log is not signed: ${fault}`)
    last = fault
    requestRound(db).catch(error =>
      log('warn', `the status of the receipt log is shown late: ${error instanceof Error ? error.message : String(error)}`),
    )
  }
  // The first run publishes what a killed worker had committed and not published.
  for (let first = true; !stop.aborted; first = false) {
    let wait: number | null = null
    try {
      if (first || last !== null || (await isPending())) {
        const { added, size, fault } = await sequence(sequencer)
        noteFault(fault === null ? null : `${fault.message}; ${fault.hint}`)
        if (fault !== null) wait = faultMs
        else if (added > 0) wait = 0
        if (size - reported >= reportEvery) {
          log('info', `the receipt log has ${size} entries`)
          reported = size
        }
      }
    } catch (error) {
      // The database may be down, or the disk full: everything that waits remains in the database.
      if (!stop.aborted) noteFault(error instanceof Error ? error.message : String(error))
      wait = faultMs
    }
    if (!stop.aborted && wait !== 0) await changed.wait(wait ?? untilBeat(changed.pauseMs, turnMs.second))
  }
  await repaired
}

/** Compares the published files with their root once, at the start, and writes them again if one is damaged or missing. */
async function repairFiles({ db, folder }: SequenceTools, log: Log, stop: AbortSignal): Promise<void> {
  try {
    const damaged = await findDamagedFile(db, folder, stop)
    if (damaged === null) return
    const isRepaired = await repairLogFiles(db, folder)
    if (isRepaired) log('warn', `the files of the receipt log were written again from the database: ${damaged}`)
    else log('error', `the files of the receipt log are damaged and not written again, because the log is not signed: ${damaged}`)
  } catch (error) {
    if (!stop.aborted) log('warn', `the files of the receipt log were not compared: ${error instanceof Error ? error.message : String(error)}`)
  }
}

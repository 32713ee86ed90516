// A revocation signs its earlier receipts again. If it was killed or had no key, a worker finishes the rest.
import { setTimeout } from 'node:timers/promises'
import { turnMs, untilBeat } from '#warehouse/store/beat.ts'
import { countersign } from '#warehouse/store/receipts/countersign.ts'
import type { Runtime } from '../../ingest/runtime.ts'

const lookMs = 30_000

/** Looks for receipts that still need a second signature, until `stop`. */
export async function finishRevocations({ postgres, tools, log }: Pick<Runtime, 'postgres' | 'tools' | 'log'>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      const { signed } = await countersign(postgres.db, tools.keysFolder, stop)
      if (signed > 0) log('info', `${signed} receipts of a revoked key were signed again`)
    } catch (error) {
      // The database may be down: the receipts remain in it.
      if (!stop.aborted) log('warn', `receipts of a revoked key were not signed again: ${error instanceof Error ? error.message : String(error)}`)
    }
    await setTimeout(untilBeat(lookMs, turnMs.fourth), undefined, { signal: stop }).catch(() => undefined)
  }
}

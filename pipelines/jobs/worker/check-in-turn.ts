// The worker's part of the service's status: workers take turns with the checks, and write the page for times without the API. While the
// database cannot be reached or written, the page shows this worker's findings.
import { setTimeout } from 'node:timers/promises'
import type { JobDefinition } from '#schemas/jobs.ts'
import type { ComponentStatus } from '#schemas/status.ts'
import { findDamagedBuilds } from '#warehouse/models/check.ts'
import { findModelDamage } from '#warehouse/models/damage.ts'
import { modelDataset } from '#warehouse/models/folder.ts'
import { type Check, recordChecks, takeRound } from '#warehouse/people/status/checks.ts'
import { checkStorage, shown, withinMs, withoutDatabase } from '#warehouse/people/status/live.ts'
import { findComponents } from '#warehouse/people/status/status.ts'
import { turnMs, untilBeat } from '#warehouse/store/beat.ts'
import { diskErrorOf } from '#warehouse/store/disk-faults.ts'
import { recheckDamage, recordDamage } from '#warehouse/store/lake/damage.ts'
import { pollMs, type Wakeup } from '#warehouse/store/notifications.ts'
import { recheckRawDamage } from '#warehouse/store/raw/damage.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import type { Runtime } from '../../ingest/runtime.ts'
import { type ProbeTools, probeAll } from './probe.ts'
import { writeComponentsPage, writeStatusPage } from './status-page.ts'

/** Milliseconds between two looks whether a round is due, while requests for one are notified and while they are not. */
const lookMs = { notified: 30_000, unnotified: 10_000 } as const
/** Rounds that are requested follow each other no faster. */
const leastMs = 5_000
/** Of each minute's round that another worker made, the result is read once. */
const knownMs = 60_000
/** A longer round counts as failed: the database is frozen, or its network connection is cut. */
const roundMs = 20_000

/** `beforeRound` runs before the checks of a round, e.g. to recheck damaged files. */
export type CheckTools = ProbeTools & { readonly roundMs?: number; readonly beforeRound?: () => Promise<unknown> }

/** The state between two rounds of one worker. */
export type Rounds = {
  /** The result of the newest round of any worker, as it was at most a minute ago. */
  known: readonly ComponentStatus[]
  /** When `known` was read, in milliseconds of the monotonic clock; null: never. */
  readAtMs: number | null
  /** A round that has not ended: no other one starts. */
  running: Promise<unknown> | null
}

/** What the worker has in addition to its runtime: the fault of warehouse.duckdb, and a request for the job that builds models. */
export type Parts = { readonly analystFileFault: () => string | null; readonly rebuildModels: () => void }

/** Hashes the known damaged files again. A damaged build of a model is recorded, and its job rebuilds it, as it does a damaged copy. */
async function recheckAll({ postgres: { db }, raw, tools, config, log }: Runtime, rebuildModels: () => void): Promise<void> {
  const { remote, verifier } = tools.writer
  // Attempts at a bucket that is away take longer than a round, which would then be taken for a database that does not answer.
  if (remote && (await remote.availability.probe()) !== null) return
  await recheckDamage(db, verifier)
  await recheckRawDamage(db, raw.place)
  const known = new Set((await findModelDamage(db)).map(each => each.sha256))
  // Of a bucket, the job reads what was found damaged: gigabytes take longer than a round.
  const { damaged } = await findDamagedBuilds(db, config.dataFolder, { hashCopies: false, remote: remote ?? null, objects: 'none' })
  for (const { model, sha256, path, reason } of damaged) {
    if (known.has(sha256)) continue
    log('error', `${path}: ${reason}; it is built again`)
    await recordDamage(db, { dataset: modelDataset(model), sha256 }, reason, 'worker')
  }
  if (damaged.length > 0 || (remote && known.size > 0)) rebuildModels()
}

/**
 * Twice a minute, and at each notification of `requested`, each worker checks by the shared clock whether a round is due; one of them runs it.
 * What aborts `stop` notifies `requested` too.
 */
export async function checkInTurn(
  runtime: Runtime,
  on: readonly JobDefinition[],
  clock: () => Date,
  stop: AbortSignal,
  requested: Wakeup,
  parts: Parts,
): Promise<void> {
  const { postgres, config, log, tools } = runtime
  const checked = {
    db: postgres.db,
    dataFolder: config.dataFolder,
    on,
    now: clock,
    monotonic: () => performance.now(),
    analystFileFault: parts.analystFileFault,
    bucket: tools.writer.remote?.availability ?? null,
    receiptLog: openLogFolder(config.dataFolder, tools.writer.remote ?? null),
    beforeRound: () => recheckAll(runtime, parts.rebuildModels),
  }
  const rounds: Rounds = { known: [], readAtMs: null, running: null }
  let failing = false
  while (!stop.aborted) {
    const failure = await checkOnce(checked, rounds).catch(error => `the status page was not written to ${config.dataFolder}: ${messageOf(error)}`)
    // An ongoing failure is logged once, when it begins.
    if (failure !== null && !failing) log('warn', `checks: ${failure}`)
    if (failure === null && failing) log('info', 'checks: they run and are recorded again')
    failing = failure !== null
    const checkedAt = performance.now()
    if (stop.aborted) return
    await requested.wait(untilBeat(requested.pauseMs > pollMs ? lookMs.notified : lookMs.unnotified, turnMs.third))
    const early = leastMs - (performance.now() - checkedAt)
    if (early > 0) await setTimeout(early, undefined, { signal: stop }).catch(() => undefined)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Runs the round if it is due. Returns why it failed, after the page was written without the database; null if it did not fail. */
export async function checkOnce(tools: CheckTools, rounds: Rounds): Promise<string | null> {
  let found: readonly Check[] | null = null
  try {
    if (rounds.running !== null) throw new Error('the round before has not ended')
    const round = makeRound(tools, rounds, checks => {
      found = checks
    })
    const ended = (): void => {
      rounds.running = null
    }
    rounds.running = round
    round.then(ended, ended)
    await withinMs(tools.roundMs ?? roundMs, round)
    return null
  } catch (error) {
    const at = tools.now()
    const live: Check[] = [
      await checkStorage(tools.dataFolder),
      { component: 'worker', status: 'degraded', latency_ms: null, detail: 'it waits for the database' },
    ]
    await writeComponentsPage(tools.dataFolder, found === null ? withoutDatabase(rounds.known, live, at) : withoutRecord(found, error, at), at)
    return messageOf(error)
  }
}

/** The checks ran, and then the page could not be written (the disk is full) or the database, which can be read. */
function withoutRecord(checks: readonly Check[], error: unknown, at: Date): ComponentStatus[] {
  if (diskErrorOf(error)?.from === 'files') return checks.map(check => shown(check, at))
  const database: Check = { component: 'database', status: 'down', latency_ms: null, detail: 'the database cannot be written' }
  return checks.map(check => shown(check.component === 'database' ? database : check, at))
}

async function makeRound(tools: CheckTools, rounds: Rounds, onFound: (checks: readonly Check[]) => void): Promise<void> {
  const now = tools.now()
  const taken = await takeRound(tools.db, now)
  if (taken) {
    await tools.beforeRound?.()
    const checks = await probeAll(tools)
    onFound(checks)
    await recordChecks(tools.db, checks, now)
    await writeStatusPage(tools.dataFolder, tools.db, now)
  }
  const at = tools.monotonic()
  if (!taken && rounds.readAtMs !== null && at - rounds.readAtMs < knownMs) return
  rounds.known = await findComponents(tools.db, now)
  rounds.readAtMs = at
}

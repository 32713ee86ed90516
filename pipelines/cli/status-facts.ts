// The facts of `crossfile status`: read from the catalogue, the queue and the disk, then evaluated.
import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Config } from '#schemas/config.ts'
import { BadRequest, StoreUnavailable } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import type { ReproductionStatus } from '#schemas/status.ts'
import { countQueue, type QueueCounts } from '#warehouse/people/admin/overview.ts'
import { findKnownDamage } from '#warehouse/people/status/damage.ts'
import { type DatasetStatus, readFreshness } from '#warehouse/people/status/freshness.ts'
import { findReproduction, reproductionSentence } from '#warehouse/people/status/reproductions.ts'
import { findDataClock } from '#warehouse/store/data-clock.ts'
import { findLastRuns, type LastRun } from '#warehouse/store/jobs/runs.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkLakePlace } from '#warehouse/store/lake/place.ts'
import { inspectWarehouseFile, type WarehouseFileState } from '#warehouse/store/lake/views.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { findProcesses } from '#warehouse/store/processes.ts'
import { readLogState, silentWitnesses } from '#warehouse/store/receipts/log/state.ts'
import type { WitnessRow } from '#warehouse/store/receipts/log/witnesses.ts'
import { checkSigning } from '#warehouse/store/receipts/rotation.ts'
import { countUnread, isReadingNow } from '../ingest/read-held.ts'
import { version } from '../jobs/jobs-file.ts'
import { readCurrentJobs } from './current-jobs.ts'
import type { OpenDatabase } from './database.ts'
import type { Io } from './io.ts'
import { openReceiptLog } from './open-receipt-log.ts'
import { duration, unreadSentence } from './output.ts'

export type Status = {
  readonly version: string
  /** `not_running`: neither worker nor API; `failing`: see `problems`. */
  readonly state: 'ok' | 'failing' | 'not_running'
  readonly problems: readonly string[]
  readonly data: string
  readonly disk: { readonly free_bytes: number; readonly total_bytes: number }
  readonly postgres: { readonly version: string; readonly kind: 'embedded' | 'given'; readonly place: string; readonly alone: boolean }
  readonly workers: number
  readonly apis: number
  readonly release: { readonly release: number; readonly committed_at: string; readonly job: string; readonly partition: string } | null
  /** The present instant for market data in an installation of the bundled universe; null: the machine's clock. */
  readonly data_clock: string | null
  /** `unread`: stored, but no reading was committed; running jobs may be about to read them. */
  readonly raw: { readonly documents: number; readonly bytes: number; readonly unread: number }
  readonly queue: QueueCounts
  readonly quarantine: { readonly held: number; readonly by_dataset: readonly { readonly dataset: string; readonly count: number }[] }
  readonly datasets: readonly DatasetStatus[]
  /** Whether answers are signed, by which key (null: none yet), or why not. */
  readonly signing: { readonly on: boolean; readonly kid: string | null; readonly reason: string | null; readonly hint: string | null }
  /** The receipt log: its name (null: it has not begun), its entries, receipts that wait for theirs, and why it is not signed. */
  readonly receipt_log: {
    readonly origin: string | null
    readonly size: number
    readonly waiting: number
    readonly reason: string | null
    readonly hint: string | null
    /** The keys of the log as text (C2SP verifier keys). */
    readonly keys: readonly string[]
    readonly witnesses: readonly WitnessRow[]
  }
  /** The bucket of the lake, and why it cannot be used now; null: the lake is on the disk. */
  readonly bucket: { readonly address: string; readonly fault: string | null } | null
  /** The newest nightly re-execution of a sample of the receipts; null before the first. */
  readonly reproduction: ReproductionStatus | null
  /** Files whose content differs from their SHA-256, or that are missing: of datasets, of models (`model NAME`) and raw documents (`raw`). */
  readonly damaged: readonly { readonly dataset: string; readonly sha256: string; readonly reason: string; readonly found_at: string }[]
}

const bucketHint = 'check that it runs, CROSSFILE_S3_ENDPOINT and the credentials (crossfile doctor)'

/** Below this share of free space and this many bytes, ingestion may fill the disk. */
const lowDisk = { share: 0.05, bytes: 5e9 }

export async function readStatus(io: Io, { db, kind, alone, place }: OpenDatabase): Promise<Status> {
  const config = io.config()
  const on = (await readCurrentJobs(db, config)).jobs.flatMap(({ job, why_off }) => (why_off === null ? [job] : []))
  const lastRuns = await findLastRuns(db)
  const { workers, apis } = await findProcesses(db)
  const disk = await statfs(config.dataFolder).then(
    found => ({ free_bytes: found.bavail * found.bsize, total_bytes: found.blocks * found.bsize }),
    () => ({ free_bytes: 0, total_bytes: 0 }),
  )
  const datasets = await readFreshness(db, on, io.now())
  const queue = await countQueue(db)
  const damage = await findKnownDamage(db)
  const analystFile = await inspectWarehouseFile(config.dataFolder)
  const signing = await readSigning(db, keysFolderOf(config.dataFolder))
  const bucket = await readBucket(db, config)
  const receiptLog = await readReceiptLog(db, io, bucket)
  const raw = await readRaw(db)
  const reproduction = await findReproduction(db)
  const problems = findProblems({
    damage: damage.byComponent,
    analystFile,
    signing,
    bucket,
    receiptLog,
    reproduction,
    unread: raw.unread > 0 && !(await isReadingNow(db, on)) ? raw.unread : 0,
    workers,
    apis,
    datasets,
    on,
    lastRuns,
    dead: queue.dead,
    disk,
    now: io.now(),
  })
  return {
    version,
    state: workers === 0 && apis === 0 ? 'not_running' : problems.length > 0 ? 'failing' : 'ok',
    problems,
    data: config.dataFolder,
    disk,
    postgres: { version: await serverVersion(db), kind, place, alone },
    workers,
    apis,
    release:
      (await db
        .selectFrom('release')
        .select(['release', 'committed_at', 'job', 'partition'])
        .orderBy('release', 'desc')
        .limit(1)
        .executeTakeFirst()) ?? null,
    data_clock: (await findDataClock(db)).frozen_at,
    raw,
    queue,
    quarantine: await readQuarantine(db),
    datasets,
    signing,
    receipt_log: receiptLog,
    bucket,
    reproduction,
    damaged: damage.files,
  }
}

async function readSigning(db: Db, folder: string): Promise<Status['signing']> {
  const { kid, fault } = await checkSigning(db, folder)
  return { on: fault === null, kid, reason: fault?.message ?? null, hint: fault?.hint ?? null }
}

/** Whether the bucket answers: one request, before anything else is read from it. */
async function readBucket(db: Db, config: Config): Promise<Status['bucket']> {
  if (config.lake === null) return null
  const found = { address: config.lake }
  try {
    await checkLakePlace(db, config.lake)
    const remote = await openRemote(config)
    return { ...found, fault: (await remote?.availability.probe()) ?? null }
  } catch (error) {
    // The settings name another bucket than that of the database, or no credentials.
    if (!(error instanceof BadRequest)) throw error
    return { ...found, fault: error.message }
  }
}

async function readReceiptLog(db: Db, io: Io, bucket: Status['bucket']): Promise<Status['receipt_log']> {
  const { lake, dataFolder } = io.config()
  const readCheckpoint = async () => {
    if (bucket !== null && bucket.fault !== null) throw new StoreUnavailable(bucket.fault, { hint: bucketHint })
    return await (await openReceiptLog(io, db)).readCheckpoint()
  }
  const { fault, ...state } = await readLogState(db, { path: `${lake ?? dataFolder}/receipt-log`, readCheckpoint })
  return { ...state, reason: fault?.message ?? null, hint: fault?.hint ?? null }
}

async function readRaw(db: Db): Promise<Status['raw']> {
  const { rows } = await sql<{ bytes: number }>`select coalesce(sum(bytes) filter (where holds_body), 0)::bigint as bytes from raw_document`.execute(
    db,
  )
  const { documents, unread } = await countUnread(db)
  return { documents, unread, bytes: rows[0]?.bytes ?? 0 }
}

async function readQuarantine(db: Db): Promise<Status['quarantine']> {
  const { rows } = await sql<{
    dataset: string
    count: number
  }>`select dataset, count(*)::int as count from quarantine where state = 'held' group by dataset order by 2 desc, 1`.execute(db)
  return { held: rows.reduce((sum, row) => sum + row.count, 0), by_dataset: rows }
}

async function serverVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db)
  return rows[0]?.version.split(' ')[0] ?? 'unknown'
}

type Facts = Pick<Status, 'workers' | 'apis' | 'datasets' | 'disk'> & {
  readonly on: readonly JobDefinition[]
  readonly lastRuns: ReadonlyMap<string, LastRun>
  readonly dead: number
  /** What is damaged, by component of the status. */
  readonly damage?: ReadonlyMap<string, string>
  readonly analystFile?: WarehouseFileState
  readonly signing?: Status['signing']
  readonly bucket?: Status['bucket']
  readonly receiptLog?: Status['receipt_log']
  readonly reproduction?: Status['reproduction']
  /** Stored documents that no process is about to read. */
  readonly unread?: number
  readonly now: Date
}

/** Everything that needs an operator's attention, one sentence each. */
export function findProblems({
  workers,
  apis,
  datasets,
  on,
  lastRuns,
  dead,
  disk,
  now,
  damage = new Map(),
  analystFile,
  signing,
  bucket,
  receiptLog,
  reproduction,
  unread = 0,
}: Facts): string[] {
  const problems: string[] = []
  if (workers === 0 && apis === 0) problems.push('nothing runs: crossfile start, or crossfile worker and crossfile api')
  else if (workers === 0) problems.push('no worker runs: nothing is fetched (crossfile worker)')
  else if (apis === 0) problems.push('no API runs: nothing is served (crossfile api)')
  for (const { dataset, state, loaded_at, limit_minutes } of datasets) {
    if (state === 'never') problems.push(`${dataset}: no data loaded yet`)
    if (state === 'stale')
      problems.push(
        `${dataset}: loaded ${duration(now.getTime() - Date.parse(loaded_at ?? ''))} ago, the limit is ${duration((limit_minutes ?? 0) * 60_000)}`,
      )
  }
  if (signing?.on === false) problems.push(`answers are not signed: ${signing.reason}; ${signing.hint}`)
  if (reproduction && reproduction.different > 0)
    problems.push(`${reproductionSentence(reproduction)}: crossfile reproduce ${reproduction.different_receipts[0]} shows a difference`)
  const isBucketAway = bucket != null && bucket.fault !== null
  if (isBucketAway) problems.push(`the bucket of the lake cannot be used: ${bucket.fault}; ${bucketHint}`)
  // While the bucket is away, the log cannot be read, which is no other problem.
  if (receiptLog && receiptLog.reason !== null && !isBucketAway)
    problems.push(`the receipt log is not signed: ${receiptLog.reason}; ${receiptLog.hint}`)
  problems.push(...silentWitnesses(receiptLog?.witnesses ?? []))
  for (const [component, what] of damage) problems.push(`${component.replace(/^dataset:/, '').replace(':', ' ')}: ${what}`)
  if (analystFile?.state === 'damaged')
    problems.push(`warehouse.duckdb: it is damaged (${analystFile.reason}); a worker writes it again within 30 s, crossfile repair does it now`)
  for (const job of on) {
    const last = lastRuns.get(job.name)
    if (last?.state === 'failed') problems.push(`job ${job.name}: the last run failed: ${last.error ?? 'no reason was recorded'}`)
  }
  if (unread > 0) problems.push(`${unreadSentence(unread)}: crossfile read-held reads ${unread === 1 ? 'it' : 'them'}`)
  if (dead > 0)
    problems.push(`${dead} dead letter${dead === 1 ? '' : 's'}: crossfile runs dead lists the reasons, crossfile runs redrive puts them back`)
  if (disk.total_bytes > 0 && disk.free_bytes < lowDisk.bytes && disk.free_bytes < disk.total_bytes * lowDisk.share)
    problems.push('the disk of the data folder is nearly full')
  return problems
}

// Keeps data/warehouse.duckdb current and whole: it follows each release within a second, and a damaged or missing file is written again
// from the catalogue.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { StoreUnavailable } from '#schemas/errors.ts'
import { diskErrorOf } from '#warehouse/store/disk-faults.ts'
import { inspectWarehouseFile, warehouseFile, warehouseLog } from '#warehouse/store/lake/views.ts'
import type { Runtime } from '../../ingest/runtime.ts'
import { writeAnalystFile } from '../models/models.ts'

export type AnalystFile = {
  /** Requests a rewrite soon: many releases in a row cause one rewrite. */
  announce(): void
  /** Writes the file again if it is damaged or missing, and logs that once. Returns true if it did. */
  check(): Promise<boolean>
  /** What is wrong with the file and was not fixed yet; null if nothing is. */
  fault(): string | null
  /** Ends the checks; a requested rewrite is done first. */
  close(): Promise<void>
}

const announceMs = 500
/** The content is hashed at least at this interval, because a disk can damage a file without a change of its times. */
const hashMs = 3_600_000

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Size and times of the file, and whether a log is next to it; null if the file is missing. */
async function identityOf(path: string, log: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found === null ? null : [found.ino, found.size, found.mtimeNs, found.ctimeNs, existsSync(log)].join()
}
const hashOf = async (path: string): Promise<string | null> =>
  await readFile(path).then(
    bytes => createHash('sha256').update(bytes).digest('hex'),
    () => null,
  )

/** The status is public: the message of a bucket names its address, and that of a disk a path. */
function publicReason(error: unknown): string {
  if (error instanceof StoreUnavailable) return 'the bucket of the lake does not answer'
  const disk = diskErrorOf(error)
  if (disk === null) return messageOf(error)
  return disk.state === 'read-only' ? 'the file system of the data folder is read-only' : 'the disk of the data folder is full'
}

const notWritten = 'it cannot be written'
const notPublished = 'Delta logs and manifests of the lake cannot be published'

type Reasons = {
  /** In the log. */
  readonly logged: string
  /** On the status page. */
  readonly shown: string
  /** Equal for the same reason at each attempt. */
  readonly key: string
  readonly isFileWritten: boolean
}

/** On a full disk the message names another draft of the file each time, and that of a bucket another object, request and time. */
function reasonsOf(error: unknown, dataFolder: string, isFileWritten: boolean): Reasons {
  const what = isFileWritten ? notPublished : notWritten
  const shown = `${what}: ${publicReason(error)}`
  const reason = diskErrorOf(error) === null ? `${what}: ${messageOf(error)}` : `${shown} (${dataFolder})`
  const key = error instanceof StoreUnavailable ? reason.replaceAll(/\b(?:GET|HEAD|PUT|DELETE) |\S*\/\S*| \d+ times| in [\d.]+ s\b/g, '') : reason
  return { logged: isFileWritten ? reason : `warehouse.duckdb: ${reason}`, shown, key, isFileWritten }
}

/** The reason why the newest attempt failed. It is logged when it begins, changes and ends, not at every attempt. */
function recordFailures({ log, config }: Pick<Runtime, 'log' | 'config'>) {
  let failure: Reasons | null = null
  return {
    current: (): Reasons | null => failure,
    failed(error: unknown, isFileWritten: boolean): void {
      const reasons = reasonsOf(error, config.dataFolder, isFileWritten)
      if (failure?.key !== reasons.key) log('warn', reasons.logged)
      failure = reasons
    },
    ended(): void {
      if (failure !== null)
        log(
          'info',
          failure.isFileWritten
            ? 'Delta logs and manifests of the lake are published again'
            : 'warehouse.duckdb was written again from the catalogue',
        )
      failure = null
    },
  }
}

type Write = (runtime: Runtime, options: { readonly check: boolean; readonly onFile: () => void }) => Promise<unknown>

export function createAnalystFile(runtime: Runtime, write: Write = writeAnalystFile): AnalystFile {
  const { log, config } = runtime
  const path = warehouseFile(config.dataFolder)
  let due: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()
  const failures = recordFailures(runtime)
  /** When it was last known to be whole. */
  let whole: { readonly identity: string | null; readonly sha256: string | null; readonly at: number } | null = null

  const note = async (): Promise<void> => {
    const identity = await identityOf(path, warehouseLog(config.dataFolder))
    whole = { identity, sha256: await hashOf(path), at: performance.now() }
  }
  /** One at a time; a failure is logged and the next release or check tries again. The first write also checks the logs of the lake. */
  const rewrite = (): Promise<boolean> => {
    let isFileWritten = false
    const onFile = (): void => {
      isFileWritten = true
    }
    const done = writing.then(async () => {
      await write(runtime, { check: whole === null, onFile })
      await note()
    })
    writing = done.catch(() => undefined)
    return done.then(
      () => {
        failures.ended()
        return true
      },
      error => {
        failures.failed(error, isFileWritten)
        return false
      },
    )
  }

  return {
    announce() {
      due ??= setTimeout(() => {
        due = null
        void rewrite()
      }, announceMs)
    },
    fault: () => failures.current()?.shown ?? null,
    async check() {
      await writing
      // A requested rewrite follows in a moment.
      if (due !== null) return false
      if (failures.current() !== null) return await rewrite()
      // Before the first write there is nothing to compare with.
      if (whole === null) return false
      const identity = await identityOf(path, warehouseLog(config.dataFolder))
      if (identity === whole.identity && performance.now() - whole.at < hashMs) return false
      if (identity === whole.identity && (await hashOf(path)) === whole.sha256) {
        whole = { ...whole, at: performance.now() }
        return false
      }
      const found = await inspectWarehouseFile(config.dataFolder)
      // A command or another worker has written it.
      if (found.state === 'whole') {
        await note()
        return false
      }
      if (found.state === 'in use') return false
      if (!(await rewrite())) return false
      const why = found.state === 'damaged' ? `was damaged (${found.reason})` : 'was missing'
      log('warn', `warehouse.duckdb ${why} and was written again from the catalogue`)
      return true
    },
    async close() {
      if (due === null) return void (await writing)
      clearTimeout(due)
      due = null
      await rewrite()
    },
  }
}

// The part of `crossfile start` that needs much memory for a short time: checks, migrations, the first key, and the bundled universe if it
// is not loaded yet. It is a separate process, so that its memory is released when it ends and the supervisor stays small. DuckDB and the
// readers (load-universe.ts) are loaded only if there is something to load.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Config, loadConfig } from '#schemas/config.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { type DataClock, findDataClock, freezeDataClock } from '#warehouse/store/data-clock.ts'
import { exitCodeOf } from '#warehouse/store/exit-code.ts'
import { createLog, type Log } from '#warehouse/store/log.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { explainFullDisk } from '#warehouse/store/start-check/full-disk.ts'
import { type OpenDatabase, openDatabase } from '../ingest/open-database.ts'
import { checkStart } from '../jobs/start-check.ts'
import { type BundledPackage, readBundledPackage } from './bundled-package.ts'
import { claimFolder } from './claim-folder.ts'
import { type FirstKey, readyKey } from './first-key.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { outlast } from './outlast.ts'
import { findRememberedClock } from './remembered-universe.ts'

/** The messages of this program to the supervisor, in this order; `failed` in place of any of them. */
export type Prepared =
  /** The settings are valid. The supervisor starts Postgres and answers with any message. */
  | { readonly stage: 'checked' }
  /** The database is migrated. `own`: the folder has other data, and the universe is neither loaded nor served. */
  | { readonly stage: 'migrated'; readonly key: FirstKey; readonly own: boolean }
  | { readonly stage: 'loaded'; readonly clock: DataClock }
  | { readonly stage: 'failed'; readonly message: string; readonly hint: string | null; readonly code: 1 | 2 | 3; readonly stack: string | null }

/** The argument of a start after a crash: the settings were checked before, and the ports may be in use by this service. */
const checkedBefore = 'checked'

/** True if the folder already has data that is not the bundled universe, e.g. from `crossfile ingest`: the two are not mixed. */
async function holdsOwnData(db: Db): Promise<boolean> {
  const { rows } = await sql<{ own: boolean }>`
    select exists (select from raw_document) and not exists (select from raw_document where url like 'https://www.sec.gov/Archives/edgar/data/99%') as own`.execute(
    db,
  )
  return rows[0]?.own === true
}

/** The package of the universe, which another process writes meanwhile. */
type Packaged = {
  /** The package; written again if the first attempt failed. */
  get(): Promise<BundledPackage>
  /** Ends the process if it still runs, and waits until its folder is deleted. */
  abandon(): Promise<void>
}

/** `begin`: the package will be needed, so it is written from now on. */
function packageOf(begin: boolean, stop: AbortSignal): Packaged {
  const abandoned = new AbortController()
  let written: Promise<BundledPackage> | null = null
  const get = (): Promise<BundledPackage> => {
    if (written === null) {
      const mine = readBundledPackage(AbortSignal.any([stop, abandoned.signal]))
      written = mine
      mine.catch(() => {
        written = null
      })
    }
    return written
  }
  if (begin) get().catch(() => undefined)
  return {
    get,
    async abandon() {
      abandoned.abort()
      await written?.catch(() => undefined)
    },
  }
}

/** Loads the bundled universe, unless a start remembers that this version of it is loaded and the database confirms it. */
async function readyUniverse(database: OpenDatabase, config: Config, packaged: Packaged, log: Log, stop: AbortSignal): Promise<void> {
  const { db } = database.postgres
  const clock = await findRememberedClock(db, config.dataFolder)
  if (clock !== null) return await freezeDataClock(db, clock)
  const { loadUniverse, withRuntime } = await import('./load-universe.ts')
  // A second start at the same time would read every document again, and both would commit models of the same release.
  await oneAtATime(db, 'loading the bundled universe', log, stop, async () => {
    const loaded = await findRememberedClock(db, config.dataFolder)
    if (loaded !== null) return await freezeDataClock(db, loaded)
    await withRuntime(database, config, log, async runtime => await loadUniverse(runtime, await packaged.get(), stop))
  })
}

const sendToParent = (message: Prepared): Promise<void> =>
  new Promise(resolve => {
    if (process.send) process.send(message, () => resolve())
    else resolve()
  })

async function prepare(config: Config, log: Log, stop: AbortSignal): Promise<void> {
  const isNew = config.mode === 'bundled' && !existsSync(join(config.dataFolder, 'mode'))
  const packaged = packageOf(isNew, stop)
  try {
    if (process.argv[2] !== checkedBefore) {
      await checkStart(config)
      await claimFolder(config)
    }
    // A signal that was aborted meanwhile fires no event.
    stop.throwIfAborted()
    const answered = new Promise<void>((resolve, reject) => {
      process.once('message', () => resolve())
      stop.addEventListener('abort', () => reject(stop.reason), { once: true })
    })
    await sendToParent({ stage: 'checked' })
    // While Postgres starts; an error comes again where the module is used.
    if (isNew) import('./load-universe.ts').catch(() => undefined)
    await answered
    const database = await outlast(() => openDatabase(config, log, 'crossfile start'), config, log, stop)
    try {
      await serveAndLoad(database, config, packaged, log, stop)
    } finally {
      await database.close()
    }
  } finally {
    await packaged.abandon()
  }
}

async function serveAndLoad(database: OpenDatabase, config: Config, packaged: Packaged, log: Log, stop: AbortSignal): Promise<void> {
  const { db } = database.postgres
  // A bucket gets what it lacks before anything is served from it.
  if (config.lake !== null) {
    const { withRuntime } = await import('./load-universe.ts')
    await outlast(() => withRuntime(database, config, log, () => Promise.resolve()), config, log, stop)
  }
  const key = await outlast(() => readyKey(db, config.dataFolder, new Date()), config, log, stop)
  const own = config.mode === 'bundled' && (await outlast(() => holdsOwnData(db), config, log, stop))
  await sendToParent({ stage: 'migrated', key, own })
  if (config.mode === 'bundled' && !own) await outlast(() => readyUniverse(database, config, packaged, log, stop), config, log, stop)
  await sendToParent({ stage: 'loaded', clock: await outlast(() => findDataClock(db), config, log, stop) })
}

/** The exit code of a program that was asked to stop before its work was done: the supervisor starts it again unless it stops itself. */
const stoppedCode = 130

const stop = new AbortController()
let code = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal as 'SIGINT', () => stop.abort(new Error('stopping')))
try {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel, line => process.stderr.write(line), undefined, config.logFormat)
  await prepare(config, log, stop.signal).catch(async (error: unknown) => {
    throw stop.signal.aborted ? error : await explainFullDisk(error, config)
  })
} catch (error) {
  if (stop.signal.aborted) code = stoppedCode
  else {
    const known = error instanceof CrossfileError
    await sendToParent({
      stage: 'failed',
      message: error instanceof Error ? error.message || error.name : String(error),
      hint: (known ? error.hint : null) ?? null,
      code: exitCodeOf(error),
      stack: known || !(error instanceof Error) ? null : (error.stack ?? null),
    })
  }
}
process.exit(code)

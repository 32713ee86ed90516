// The part of the preparation of a start that needs the database: migrations, the first key, and the bundled universe. Separate from
// start-prepare.ts, so that it is loaded while Postgres starts.
import { sql } from 'kysely'
import type { Config } from '#schemas/config.ts'
import { type DataClock, findDataClock, freezeDataClock } from '#warehouse/store/data-clock.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { type OpenDatabase, openDatabase } from '../ingest/open-database.ts'
import type { BundledPackage } from './bundled-package.ts'
import { type FirstKey, readyKey } from './first-key.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { outlast } from './outlast.ts'
import type { ReadAhead } from './read-ahead.ts'
import { findRememberedClock } from './remembered-universe.ts'

/** The messages of the preparation to the supervisor, in this order; `failed` in place of any of them. */
export type Prepared =
  /** The settings are valid. The supervisor starts Postgres and answers with any message. */
  | { readonly stage: 'checked' }
  /** The database is migrated. `own`: the folder has other data, and the universe is neither loaded nor served. */
  | { readonly stage: 'migrated'; readonly key: FirstKey; readonly own: boolean }
  | { readonly stage: 'loaded'; readonly clock: DataClock }
  | { readonly stage: 'failed'; readonly message: string; readonly hint: string | null; readonly code: 1 | 2 | 3; readonly stack: string | null }

/** The package of the universe, which another process writes meanwhile. */
export type Packaged = {
  /** The package; written again if the first attempt failed. */
  get(): Promise<BundledPackage>
  /** Ends the process if it still runs, and waits until its folder is deleted. */
  abandon(): Promise<void>
}

/** True if the folder already has data that is not the bundled universe, e.g. from `crossfile ingest`: the two are not mixed. */
async function holdsOwnData(db: Db): Promise<boolean> {
  const { rows } = await sql<{ own: boolean }>`
    select exists (select from raw_document) and not exists (select from raw_document where url like 'https://www.sec.gov/Archives/edgar/data/99%') as own`.execute(
    db,
  )
  return rows[0]?.own === true
}

/** Loads the bundled universe, unless a start remembers that this version of it is loaded and the database confirms it. */
async function readyUniverse(database: OpenDatabase, { config, packaged, ahead, log, stop }: Preparation): Promise<void> {
  const { db } = database.postgres
  const clock = await findRememberedClock(db, config.dataFolder)
  if (clock !== null) return await freezeDataClock(db, clock)
  const { loadUniverse, withRuntime } = await import('./load-universe.ts')
  // A second start at the same time would read every document again, and both would commit models of the same release.
  await oneAtATime(db, 'loading the bundled universe', log, stop, async () => {
    const loaded = await findRememberedClock(db, config.dataFolder)
    if (loaded !== null) return await freezeDataClock(db, loaded)
    await withRuntime(database, config, log, async runtime => {
      const universe = await packaged.get()
      await loadUniverse(runtime, universe, await ahead, stop)
    })
  })
}

type Preparation = {
  readonly config: Config
  readonly packaged: Packaged
  /** The readings of the package's documents; null: each is read when it is stored. */
  readonly ahead: Promise<ReadAhead | null> | null
  readonly log: Log
  readonly stop: AbortSignal
  readonly send: (message: Prepared) => Promise<void>
}

/** Migrates the database, makes the first key and loads the universe, and sends `migrated` and `loaded`. Throws the reason of `stop`. */
export async function prepareDatabase(preparation: Preparation): Promise<void> {
  const { config, log, stop } = preparation
  const database = await outlast(() => openDatabase(config, log, 'crossfile start'), config, log, stop)
  try {
    await serveAndLoad(database, preparation)
  } finally {
    await database.close()
  }
}

async function serveAndLoad(database: OpenDatabase, preparation: Preparation): Promise<void> {
  const { config, log, stop, send } = preparation
  const { db } = database.postgres
  // A bucket gets what it lacks before anything is served from it.
  if (config.lake !== null) {
    const { withRuntime } = await import('./load-universe.ts')
    await outlast(() => withRuntime(database, config, log, () => Promise.resolve()), config, log, stop)
  }
  const key = await outlast(() => readyKey(db, config.dataFolder, new Date()), config, log, stop)
  const own = config.mode === 'bundled' && (await outlast(() => holdsOwnData(db), config, log, stop))
  await send({ stage: 'migrated', key, own })
  if (config.mode === 'bundled' && !own) await outlast(() => readyUniverse(database, preparation), config, log, stop)
  await send({ stage: 'loaded', clock: await outlast(() => findDataClock(db), config, log, stop) })
}

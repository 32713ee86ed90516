// The part of `crossfile start` that needs much memory for a short time: checks, migrations, the first key, and the bundled universe if it
// is not loaded yet. It is a separate process, so that its memory is released when it ends and the supervisor stays small.
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Config, loadConfig } from '#schemas/config.ts'
import { addDays } from '#schemas/days.ts'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { keyDigest } from '#warehouse/people/accounts/key-text.ts'
import { createKey, findByHash } from '#warehouse/people/accounts/keys.ts'
import { type DataClock, findDataClock, freezeDataClock } from '#warehouse/store/data-clock.ts'
import { exitCodeOf } from '#warehouse/store/exit-code.ts'
import { createLog, type Log } from '#warehouse/store/log.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import { makeFolder } from '#warehouse/store/start-check/start-check.ts'
import { newestUpdateDay } from '#warehouse/updates/store.ts'
import { loadDecisions } from '../ingest/decisions.ts'
import { headBytes, ingest } from '../ingest/ingest.ts'
import { openRuntime, type Runtime } from '../ingest/runtime.ts'
import { findUnread, keepUnread } from '../ingest/was-read.ts'
import { defineQueue, readJobs } from '../jobs/jobs-file.ts'
import { refreshModels } from '../jobs/models/models.ts'
import { checkStart } from '../jobs/start-check.ts'
import type { RawDocument } from '../read/parsed.ts'
import type { Universe } from './bundled-package.ts'
import { outlast } from './outlast.ts'
import { writeNewFile } from './write-new-file.ts'

/** The messages of this program to the supervisor, in this order; `failed` in place of any of them. */
export type Prepared =
  /** The settings are valid. The supervisor starts Postgres and answers with any message. */
  | { readonly stage: 'checked' }
  /** The database is migrated. `own`: the folder has other data, and the universe is neither loaded nor served. */
  | { readonly stage: 'migrated'; readonly key: string; readonly own: boolean }
  | { readonly stage: 'loaded'; readonly clock: DataClock }
  | { readonly stage: 'failed'; readonly message: string; readonly hint: string | null; readonly code: 1 | 2 | 3; readonly stack: string | null }

/** The argument of a start after a crash: the settings were checked before, and the ports may be in use by this service. */
const checkedBefore = 'checked'

const batchDocuments = 1000
/** The job of jobs.yaml that writes daily updates. */
const updatesJob = 'updates'
/** Days of updates in the universe: the quarter before its last day. */
const updateDays = 92

async function claimFolder({ dataFolder: data, mode }: Config): Promise<void> {
  await mkdir(data, { recursive: true })
  const path = join(data, 'mode')
  const held = existsSync(path) ? (await readFile(path, 'utf8')).trim() : null
  if (held === null) await writeFile(path, `${mode}\n`)
  else if (held !== mode) {
    throw new BadRequest(`the data folder holds the ${held === 'bundled' ? 'bundled fictional universe' : 'live data'}, and this start is ${mode}`, {
      hint:
        mode === 'live'
          ? 'give live data a separate folder, e.g. CROSSFILE_DATA=./data-live'
          : 'set CROSSFILE_CONTACT again, or give the bundled universe a separate folder with CROSSFILE_DATA',
    })
  }
}

/** The first API key: created once, stored in a 0600 file, and the same at the next start; created again if it was revoked. */
async function readyKey(runtime: Runtime): Promise<string> {
  const path = join(runtime.config.dataFolder, 'api-key')
  if (existsSync(path)) {
    const text = (await readFile(path, 'utf8')).trim()
    const known = await findByHash(runtime.postgres.db, keyDigest(text))
    if (known && known.revoked_at === null && (known.expires_at === null || Date.parse(String(known.expires_at)) > Date.now())) return text
  }
  const { text } = await createKey(runtime.postgres.db, { name: 'npm start', tier: 'prime', days: null }, new Date())
  const file = await open(path, 'w', 0o600)
  try {
    await file.chmod(0o600)
    await file.write(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return text
}

/** True if the folder already has data that is not the bundled universe, e.g. from `crossfile ingest`: the two are not mixed. */
async function holdsOwnData(runtime: Runtime): Promise<boolean> {
  const { rows } = await sql<{ own: boolean }>`
    select exists (select from raw_document) and not exists (select from raw_document where url like 'https://www.sec.gov/Archives/edgar/data/99%') as own`.execute(
    runtime.postgres.db,
  )
  return rows[0]?.own === true
}

/** What a start stores about the universe, so that the next start can see that all of it was read without creating it again. */
type Remembered = {
  readonly fingerprint: string
  readonly clock: string
  readonly documents: readonly (Omit<RawDocument, 'body'> & { head: string })[]
}
const rememberedPath = (config: Config): string => join(config.dataFolder, 'bundled.json')

async function recall(config: Config, fingerprint: string): Promise<Universe | null> {
  try {
    const held = JSON.parse(await readFile(rememberedPath(config), 'utf8')) as Remembered
    if (held.fingerprint !== fingerprint) return null
    return { clock: held.clock, documents: held.documents.map(({ head, ...rest }) => ({ ...rest, body: Buffer.from(head) })) }
  } catch {
    // Absent or truncated: the universe is created again.
    return null
  }
}

async function remember(config: Config, fingerprint: string, { clock, documents }: Universe): Promise<void> {
  // Readers of files are found by the beginning of the file, all others by the address.
  const headOf = ({ url, body }: RawDocument): string => (url.startsWith('file:') ? Buffer.from(body.subarray(0, headBytes)).toString('utf8') : '')
  const held: Remembered = { fingerprint, clock, documents: documents.map(document => ({ ...document, body: undefined, head: headOf(document) })) }
  await writeFile(rememberedPath(config), JSON.stringify(held))
}

/** Loads the bundled universe as recorded documents, in the order of their retrieval; documents that were read before are skipped. */
async function loadUniverse(runtime: Runtime, log: Log, signal: AbortSignal): Promise<void> {
  const { readBundledPackage, universeFingerprint } = await import('./bundled-package.ts')
  const { config } = runtime
  const fingerprint = universeFingerprint()
  const known = await recall(config, fingerprint)
  if (known !== null && (await findUnread(runtime.tools, known.documents, 'any')).length === 0) {
    await freezeDataClock(runtime.postgres.db, known.clock)
    return
  }
  const universe = await readBundledPackage(signal)
  await freezeDataClock(runtime.postgres.db, universe.clock)
  await readDocuments(runtime, universe.documents, log, signal)
  await refreshModels(runtime, Date.now())
  await makeFolder(config.inboxFolder, 'CROSSFILE_INBOX')
  const path = join(config.inboxFolder, universe.report.name)
  // An existing file is kept.
  if (!existsSync(path)) writeNewFile(path, universe.report.bytes)
  await askForUpdates(runtime, universe.clock)
  await remember(config, fingerprint, universe)
}

async function readDocuments(runtime: Runtime, documents: readonly RawDocument[], log: Log, signal: AbortSignal): Promise<void> {
  // Documents that a killed start wrote and did not index are not stored twice.
  await runtime.raw.recover()
  const missing = await findUnread(runtime.tools, documents, 'any')
  if (missing.length === 0) return
  log('info', `loading the bundled fictional universe: ${missing.length} documents`)
  const decisions = await loadDecisions(runtime.postgres.db)
  for (let from = 0; from < missing.length; from += batchDocuments) {
    signal.throwIfAborted()
    const batch = missing.slice(from, from + batchDocuments)
    const held = await keepUnread(runtime.postgres.db, runtime.raw, batch)
    const outcome = await ingest(runtime.tools, {
      job: 'bundled',
      partition: `documents ${from + 1} to ${from + batch.length}`,
      documents: held,
      decisions,
      fence: null,
    })
    log('info', `bundled universe: ${from + batch.length} of ${missing.length} documents, release ${outcome.release ?? '-'}`)
  }
}

/** Sends the job that writes the updates of the universe's last quarter, if there are none yet: the worker runs it when it has started. */
async function askForUpdates({ postgres: { db }, config, log }: Runtime, clock: string): Promise<void> {
  const jobs = readJobs(config)
  if (!jobs.has(updatesJob) || (await newestUpdateDay(db)) !== null) return
  const queue = await openQueue(db, false, message => log('warn', message))
  try {
    await defineQueue(queue, jobs, updatesJob)
    const last = clock.slice(0, 10)
    const window = { from: addDays(last, -updateDays), to: addDays(last, -1) }
    await queue.send(updatesJob, { partition: 'the bundled universe', ...window, symbols: null, backfill_id: null }, { key: updatesJob })
  } finally {
    await queue.close()
  }
}

const sendToParent = (message: Prepared): Promise<void> =>
  new Promise(resolve => {
    if (process.send) process.send(message, () => resolve())
    else resolve()
  })

async function prepare(config: Config, log: Log, stop: AbortSignal): Promise<void> {
  if (process.argv[2] !== checkedBefore) {
    await checkStart(config)
    await claimFolder(config)
  }
  const answered = new Promise<void>((resolve, reject) => {
    process.once('message', () => resolve())
    stop.addEventListener('abort', () => reject(stop.reason), { once: true })
  })
  await sendToParent({ stage: 'checked' })
  await answered
  const runtime = await outlast(() => openRuntime(config, log, 'crossfile start'), log, stop)
  const { db } = runtime.postgres
  try {
    const key = await outlast(() => readyKey(runtime), log, stop)
    const own = config.mode === 'bundled' && (await outlast(() => holdsOwnData(runtime), log, stop))
    await sendToParent({ stage: 'migrated', key, own })
    if (config.mode === 'bundled' && !own) await outlast(() => loadUniverse(runtime, log, stop), log, stop)
    await sendToParent({ stage: 'loaded', clock: await outlast(() => findDataClock(db), log, stop) })
  } finally {
    await runtime.close()
  }
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal as 'SIGINT', () => stop.abort(new Error('stopping')))
try {
  const config = loadConfig(process.env)
  await prepare(
    config,
    createLog(config.logLevel, line => process.stderr.write(line), undefined, config.logFormat),
    stop.signal,
  )
} catch (error) {
  if (!stop.signal.aborted) {
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
process.exit(0)

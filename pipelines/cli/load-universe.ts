// Loads the bundled universe into a new data folder: its documents, models and first updates.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#schemas/config.ts'
import { addDays } from '#schemas/days.ts'
import { freezeDataClock } from '#warehouse/store/data-clock.ts'
import type { Log } from '#warehouse/store/log.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import { loadDecisions } from '#warehouse/store/raw/decisions.ts'
import { makeFolder } from '#warehouse/store/start-check/start-check.ts'
import { newestUpdateDay } from '#warehouse/updates/store.ts'
import { ingest } from '../ingest/ingest.ts'
import type { OpenDatabase } from '../ingest/open-database.ts'
import { readerOf } from '../ingest/reader-of.ts'
import { type Runtime, runtimeOn } from '../ingest/runtime.ts'
import { findUnread, keepUnread } from '../ingest/was-read.ts'
import { defineQueue, readJobs } from '../jobs/jobs-file.ts'
import { refreshModels } from '../jobs/models/models.ts'
import type { RawDocument } from '../read/parsed.ts'
import type { BundledPackage } from './bundled-package.ts'
import { count, some } from './output.ts'
import type { ReadAhead } from './read-ahead.ts'
import { remember } from './remembered-universe.ts'
import { writeNewFile } from './write-new-file.ts'

const batchDocuments = 1000
/** The job of jobs.yaml that writes daily updates. */
const updatesJob = 'updates'
/** Days of updates in the universe: the quarter before its last day. */
const updateDays = 92

/** Runs `work` with what reads and commits documents, on an open database, which stays open. */
export async function withRuntime(database: OpenDatabase, config: Config, log: Log, work: (runtime: Runtime) => Promise<void>): Promise<void> {
  const runtime = await runtimeOn({ ...database, close: () => Promise.resolve() }, config, log, 'crossfile start')
  try {
    await work(runtime)
  } finally {
    await runtime.close()
  }
}

/**
 * Loads the bundled universe as recorded documents, in the order of their retrieval; documents that were read before are skipped. `ahead`: the
 * readings of its documents, if they are made already.
 */
export async function loadUniverse(runtime: Runtime, universe: BundledPackage, ahead: ReadAhead | null, signal: AbortSignal): Promise<void> {
  const { config, tools } = runtime
  await freezeDataClock(runtime.postgres.db, universe.clock)
  await readDocuments(runtime, universe.documents, ahead, signal)
  // The next start continues here: it finds each document read, and the universe is not remembered yet.
  signal.throwIfAborted()
  await refreshModels(runtime, Date.now(), { together: true })
  await makeFolder(config.inboxFolder, 'CROSSFILE_INBOX')
  const path = join(config.inboxFolder, universe.report.name)
  // An existing file is kept.
  if (!existsSync(path)) writeNewFile(path, universe.report.bytes)
  await askForUpdates(runtime, universe.clock)
  await remember(config.dataFolder, universe, document => readerOf(tools.readers, document)?.name ?? null)
}

async function readDocuments(runtime: Runtime, documents: readonly RawDocument[], ahead: ReadAhead | null, signal: AbortSignal): Promise<void> {
  const { log } = runtime
  // Documents that a killed start wrote and did not index are not stored twice.
  await runtime.raw.recover()
  const missing = await findUnread(runtime.tools, documents, 'any')
  if (missing.length === 0) return
  log('info', `loading the bundled fictional universe: ${some(missing.length, 'document')}`)
  const decisions = await loadDecisions(runtime.postgres.db)
  for (let from = 0; from < missing.length; from += batchDocuments) {
    signal.throwIfAborted()
    const batch = missing.slice(from, from + batchDocuments)
    const held = await keepUnread(runtime.postgres.db, runtime.raw, batch)
    await ahead?.finish()
    const outcome = await ingest(runtime.tools, {
      job: 'bundled',
      partition: `documents ${from + 1} to ${from + batch.length}`,
      documents: ahead === null ? held : held.map(each => ahead.withReading(each)),
      decisions,
      fence: null,
      signal,
    })
    log('info', `bundled universe: ${count(from + batch.length)} of ${some(missing.length, 'document')}, release ${outcome.release ?? '-'}`)
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

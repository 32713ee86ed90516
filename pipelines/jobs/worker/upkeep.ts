// What a worker does next to its jobs: it finds damage, deletes what is superseded, and completes what an older version or a crash left.

import { some } from '#schemas/counts.ts'
import { fillFilingIndex } from '#warehouse/datasets/filings/search-index.ts'
import { fillTranscriptIndex } from '#warehouse/datasets/transcripts/search-index.ts'
import { findBuildFiles } from '#warehouse/models/check.ts'
import { sweepHourly } from '#warehouse/models/collect.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { lakeFilesOf, scrub, scrubOnce } from '#warehouse/store/lake/scrub.ts'
import { scrubRawOnce } from '#warehouse/store/raw/damage.ts'
import { countUnread, isReadingNow } from '../../ingest/read-held.ts'
import type { Runtime } from '../../ingest/runtime.ts'
import type { WorkerParts } from './parts.ts'
import { readHeldJob } from './tasks.ts'

/** With a lake in a bucket, each host deletes what it downloaded and needs no longer, and what killed processes left in its folders. */
export function sweepFolders({ postgres: { db }, tools, log }: Runtime): NodeJS.Timeout | undefined {
  const { remote, data, stageFolder } = tools.writer
  const failed = (error: unknown): void => log('warn', `files were not deleted: ${error instanceof Error ? error.message : String(error)}`)
  return remote ? sweepHourly({ db, data, stageFolder, remote }, failed) : undefined
}

/** Reads lake, models and raw documents again and again, to find damage that changes no time of a file. */
export async function scrubAll({ postgres: { db }, raw, tools, reportRawDamage, config, log }: Runtime, stop: AbortSignal): Promise<void> {
  const { verifier } = tools.writer
  // While Postgres is down there is no catalogue to read: the next pass tries again.
  const failed = (error: unknown): void => log('debug', `scrub: ${error instanceof Error ? error.message : String(error)}`)
  const files = async (): Promise<void> => {
    const lake = lakeFilesOf(await loadCatalogue(db), verifier)
    await scrubOnce([...lake, ...(await findBuildFiles(db, config.dataFolder))], verifier, stop)
  }
  await Promise.all([scrub(files, stop, failed), scrub(() => scrubRawOnce(db, raw.place, stop, reportRawDamage), stop, failed)])
}

/**
 * Starts a separate job for documents that a process stored but did not commit before it ended, unless a job that may have stored them
 * is running or will retry: that one reads them.
 */
export async function askForUnread({ postgres: { db }, log }: Runtime, { jobs, ask }: Pick<WorkerParts, 'jobs' | 'ask'>): Promise<void> {
  const { unread, example } = await countUnread(db)
  if (unread === 0) return
  const found = `${some(unread, 'document is', 'documents are')} kept and not read yet, such as ${example}`
  if (await isReadingNow(db, jobs.values()))
    return log('info', `${found}: jobs that read documents are running; crossfile status shows their results`)
  log('warn', `${found}: ${jobs.has(readHeldJob) ? `the job ${readHeldJob} reads them` : 'crossfile read-held reads them'}`)
  // After a failed attempt it may wait for a quarter of an hour.
  ask(readHeldJob, 'found at the start', true)
}

/** A database filled by an older version has filings that its search index lacks. */
export async function fillSearchIndex({ postgres, tools, log }: Runtime, signal: AbortSignal): Promise<void> {
  const { connections, verifier } = tools.writer
  try {
    const filled = await fillFilingIndex(
      postgres.db,
      async release => openLake(await loadCatalogue(postgres.db), connections, verifier, release),
      signal,
    )
    if (filled > 0) log('info', `filings: the search index was filled from ${filled} releases`)
    const calls = await fillTranscriptIndex(
      postgres.db,
      async release => openLake(await loadCatalogue(postgres.db), connections, verifier, release),
      signal,
    )
    if (calls > 0) log('info', `transcripts: the search index was filled from ${calls} releases`)
  } catch (error) {
    if (!signal.aborted) log('warn', `a search index was not filled: ${error instanceof Error ? error.message : String(error)}`)
  }
}

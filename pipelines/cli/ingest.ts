// `crossfile ingest --recorded FOLDER`: a folder of upstream documents replaces the network. A report lists the outcome
// of every file.
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { BadRequest } from '#schemas/errors.ts'
import { releaseDataClock } from '#warehouse/store/data-clock.ts'
import { loadDecisions } from '#warehouse/store/raw/decisions.ts'
import { countUnread } from '../ingest/read-held.ts'
import { ingestRecorded, type RecordedReport } from '../ingest/recorded.ts'
import type { Runtime } from '../ingest/runtime.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import { renderSummary, summarize } from './ingest-report.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'
import { createProgress } from './progress.ts'
import { rewriteWarehouseFile } from './warehouse-file.ts'

export async function ingestFolder(argv: readonly string[], io: Io, crashPoint?: (name: string) => void): Promise<number> {
  const { values } = readArguments('ingest', commands.ingest.options, argv)
  if (values.recorded === undefined) throw new BadRequest('ingest: --recorded is missing', { hint: 'crossfile ingest --recorded FOLDER' })
  const folder = resolve(values.recorded)
  if (!(await stat(folder).catch(() => null))?.isDirectory())
    throw new BadRequest(`ingest: ${folder} is not a folder`, { hint: 'give the folder that holds the documents' })
  const started = io.now().getTime()
  const work = async (runtime: Runtime): Promise<{ report: RecordedReport; unread: number } | null> => {
    // Do not store again what a killed run wrote but did not index.
    await runtime.raw.recover()
    const progress = createProgress(io, 'reading', 'files')
    const signal = io.interrupted()
    try {
      if (await releaseDataClock(runtime.postgres.db, io.now()))
        io.err('this data folder had only the bundled fictional universe; with your own data it uses the clock of the machine')
      const done = await ingestRecorded(runtime.tools, runtime.raw, {
        folder,
        now: io.now().toISOString(),
        decisions: await loadDecisions(runtime.postgres.db),
        onProgress: (files, path) => progress.update({ done: files, total: null, note: path }),
        signal,
      })
      if (done.releases.length > 0) await rewriteWarehouseFile(runtime)
      return { report: done, unread: (await countUnread(runtime.postgres.db)).unread }
    } catch (error) {
      if (!signal.aborted) throw error
      return null
    } finally {
      progress.end()
    }
  }
  const found = await withRuntime(io, work, { make: true, crashPoint })
  if (found === null) {
    io.err('stopped: committed data is kept; the same command resumes the rest')
    return 130
  }
  const { report, unread } = found
  const summary = summarize(report, unread, folder, io.now().getTime() - started)
  if (values.json) printJson(io, summary)
  else for (const line of renderSummary(summary, io, values.all)) io.out(line)
  return exitCode(report)
}

/** 1 if no reader recognises anything in the folder. */
const exitCode = (report: RecordedReport): number => (Object.keys(report.read).length === 0 && report.alreadyHeld === 0 ? 1 : 0)

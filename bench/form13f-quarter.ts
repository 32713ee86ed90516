// A quarter of 13F filings, from the stored submissions to committed releases: 8,000 filings and 3.3 million rows at scale 1.
import { join } from 'node:path'
import type { ReleaseContexts } from './contexts.ts'
import { figure, type Report } from './measure.ts'
import { cpuSeconds, residentMemory, startProgram } from './processes.ts'

const filingsOfAQuarter = 8000

export async function form13fQuarter(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const filings = Math.max(50, Math.round(filingsOfAQuarter * Math.min(1, contexts.options.scale)))
  const folder = await contexts.folder('form13f-quarter')
  const worker = await startProgram('bench/form13f-quarter-process.ts', { CROSSFILE_DATA: join(folder, 'data'), CROSSFILE_LOG: 'warn', PORT: '0' })
  try {
    contexts.say(`storing ${filings} filings …`)
    const { bytes } = await worker.ask<{ bytes: number }>({ store: filings })
    const used = cpuSeconds(worker.pid)
    const done = await worker.ask<{ ms: number; documents: number; rows: number; releases: number }>({})
    if (done.documents !== filings) throw new Error(`${done.documents} filings were read of ${filings}`)
    const processor = cpuSeconds(worker.pid) - used
    const quarter = filingsOfAQuarter / filings
    return {
      figures: [
        figure('stored to committed, for 8,000 filings', 's', [(done.ms / 1000) * quarter], { of: 'value', most: 60 }),
        figure("the same, processor time of the worker's process", 's', [processor * quarter]),
        figure('rows', 'rows/s', [done.rows / (done.ms / 1000)]),
        figure('the most memory it ever held', 'MB', [residentMemory(worker.pid).peak ?? Number.NaN]),
      ],
      notes: [
        `${filings.toLocaleString('en-US')} filings (${(bytes / 1e6).toFixed(0)} MB), ${done.rows.toLocaleString('en-US')} rows with those of reports and filings, in ${done.releases} releases; the time is that of these filings times ${quarter.toFixed(1)}`,
        'read from the raw store with its hashes checked, parsed, checked, compared with the lake, written, checked and sealed; the worker and its Postgres share all cores',
      ],
    }
  } finally {
    await worker.stop()
  }
}

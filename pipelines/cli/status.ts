// `crossfile status`: processes, stored data and stale datasets on one screen; the exit code reports whether attention is needed.

import { reproductionSentence } from '#warehouse/people/status/reproductions.ts'
import { findProcesses } from '#warehouse/store/processes.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, count, duration, facts, heading, moment, paintState, printJson, relative, size, some, table } from './output.ts'
import { witnessLine } from './receipt-log.ts'
import { readStatus, type Status } from './status-facts.ts'

export async function status(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('status', commands.status.options, argv)
  return await withDatabase(io, { write: false }, async database => {
    if (values.alive) {
      const { workers } = await findProcesses(database.db)
      if (values.json) printJson(io, { workers })
      else io.out(workers === 0 ? 'no worker runs' : `${some(workers, 'worker')}`)
      return workers === 0 ? 3 : 0
    }
    const found = await readStatus(io, database)
    if (values.json) printJson(io, found)
    else for (const line of render(found, io)) io.out(line)
    return found.state === 'ok' ? 0 : found.state === 'not_running' ? 3 : 1
  })
}

function render(found: Status, io: Io): string[] {
  const now = io.now()
  const paint = paintState(io)
  // Releases of the bundled universe are dated by the universe's clock.
  const dated = found.data_clock === null ? now : new Date(found.data_clock)
  const ago = (at: string | null): string => (at === null ? '-' : relative(new Date(at), Date.parse(at) > dated.getTime() ? now : dated))
  const { postgres, release, raw, queue, quarantine, disk } = found
  const held = quarantine.by_dataset.map(each => `${each.dataset} ${count(each.count)}`).join(', ')
  const lines: [string, string][] = [
    ['data', `${found.data} (${size(disk.free_bytes)} free of ${size(disk.total_bytes)})`],
    [
      'postgres',
      `${postgres.version}, ${postgres.kind === 'given' ? `at ${postgres.place} (DATABASE_URL)` : `embedded, ${postgres.alone ? 'started only for this command' : `at ${postgres.place}`}`}`,
    ],
    ['worker', found.workers === 0 ? paint('off') : `${paint('running')}${found.workers > 1 ? ` (${found.workers})` : ''}`],
    ['api', found.apis === 0 ? paint('off') : `${paint('running')}${found.apis > 1 ? ` (${found.apis})` : ''}`],
    [
      'release',
      release === null
        ? 'none yet'
        : `${release.release}, ${ago(release.committed_at)} (${moment(release.committed_at)}), by ${release.job} ${release.partition}`,
    ],
    ...(found.data_clock === null
      ? []
      : [['data clock', `${moment(found.data_clock)}: the bundled universe, whose clock is frozen`] as [string, string]]),
    [
      'raw',
      `${some(raw.documents, 'document')}, ${size(raw.bytes)}${raw.unread === 0 ? '' : `; ${count(raw.unread)} not read (crossfile read-held)`}`,
    ],
    [
      'queue',
      `${count(queue.waiting)} waiting, ${count(queue.running)} running, ${count(queue.retrying)} to be retried, ${some(queue.dead, 'dead letter')}${queue.dead > 0 ? ' (crossfile runs dead)' : ''}`,
    ],
    ...(found.bucket === null
      ? []
      : [['bucket', found.bucket.fault === null ? found.bucket.address : `${paint('off')}: ${found.bucket.fault}`] as [string, string]]),
    [
      'signing',
      found.signing.on ? (found.signing.kid === null ? 'on; no key yet' : `on, by ${found.signing.kid}`) : `${paint('off')}: ${found.signing.reason}`,
    ],
    [
      'log',
      found.receipt_log.reason === null
        ? `${some(found.receipt_log.size, 'entry', 'entries')}${found.receipt_log.waiting === 0 ? '' : `; ${count(found.receipt_log.waiting)} waiting`}`
        : `${paint('off')}: ${found.receipt_log.reason}`,
    ],
    ...found.receipt_log.witnesses.map((witness): [string, string] => ['witness', witnessLine(witness)]),
    ['reproduced', found.reproduction === null ? 'no sample yet' : reproductionSentence(found.reproduction)],
    ['quarantine', quarantine.held === 0 ? 'nothing held' : `${count(quarantine.held)} held: ${held}`],
  ]
  const columns = columnsOf('dataset', { head: 'state', paint }, '>rows', '>files', '>size', 'newest', 'changed', 'loaded', '>limit', '*jobs')
  const rows = found.datasets.map(each => [
    each.dataset,
    each.state === 'no_limit' ? '-' : each.state,
    each.rows,
    each.files,
    size(each.bytes),
    each.newest?.slice(0, 10) ?? '-',
    ago(each.changed_at),
    ago(each.loaded_at),
    each.limit_minutes === null ? '-' : duration(each.limit_minutes * 60_000),
    each.jobs.join(', ') || '-',
  ])
  return [
    heading(io, `Crossfile ${found.version}`),
    '',
    ...facts(io, lines),
    '',
    ...table(io, columns, rows),
    ...(found.problems.length === 0 ? [] : ['', ...found.problems.map(each => `! ${each}`)]),
  ]
}

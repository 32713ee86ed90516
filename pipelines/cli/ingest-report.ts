// The report of an ingest as data and as text: what was read, held back or skipped, and why.
import { basename, dirname } from 'node:path'
import { oneLine } from '#warehouse/store/log.ts'
import type { RecordedReport } from '../ingest/recorded.ts'
import type { Io } from './io.ts'
import { columnsOf, count, duration, heading, some, table, unreadSentence } from './output.ts'

type Group = { readonly dataset: string; readonly reason: string; readonly count: number; readonly example: string }
type NotRead = { readonly folder: string; readonly reason: string; readonly count: number; readonly example: string }
export type IngestSummary = {
  readonly folder: string
  readonly files: number
  readonly took_ms: number
  /** Documents by reader. */
  readonly read: Readonly<Record<string, number>>
  /** Files whose bytes were already read, from the same address. */
  readonly already_held: number
  /** Stored documents of other runs and jobs that were not read yet. */
  readonly kept_unread: number
  readonly rows: Readonly<Record<string, number>>
  readonly counts: Readonly<Record<string, number>>
  readonly releases: readonly number[]
  readonly quarantined: readonly Group[]
  readonly unreadable: readonly { readonly path: string; readonly reader: string; readonly detail: string }[]
  /** Stored raw, but no reader recognises it. */
  readonly not_read: readonly NotRead[]
  /** Not stored: not a document, or a file that could not be opened. */
  readonly left_out: readonly NotRead[]
  readonly files_not_read: readonly { readonly path: string; readonly reason: string }[]
}

const sorted = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))

export function summarize(report: RecordedReport, unread: number, folder: string, tookMs: number): IngestSummary {
  const quarantined = [...Map.groupBy(report.refused, each => `${each.dataset} ${each.reason}`).values()]
    .map(group => ({ dataset: group[0]?.dataset ?? '', reason: group[0]?.reason ?? '', count: group.length, example: group[0]?.detail ?? '' }))
    .sort((a, b) => b.count - a.count || (a.dataset + a.reason < b.dataset + b.reason ? -1 : 1))
  return {
    folder,
    files: report.files,
    took_ms: tookMs,
    read: sorted(report.read),
    already_held: report.alreadyHeld,
    kept_unread: unread,
    rows: sorted(report.rows),
    counts: sorted(report.counts),
    releases: report.releases,
    quarantined,
    unreadable: report.unreadable,
    not_read: byFolder(report.unread),
    left_out: byFolder(report.leftOut),
    files_not_read: [...report.unread, ...report.leftOut.map(({ path, reason, detail }) => ({ path, reason: `${reason}: ${detail}` }))],
  }
}

function byFolder(files: readonly { readonly path: string; readonly reason: string }[]): NotRead[] {
  const groups = Map.groupBy(files, file => `${dirname(file.path)}\0${file.reason}`)
  return [...groups.values()].map(group => ({
    folder: dirname(group[0]?.path ?? ''),
    reason: group[0]?.reason ?? '',
    count: group.length,
    example: basename(group[0]?.path ?? ''),
  }))
}

const total = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, each) => sum + each, 0)
const listed = (counts: Readonly<Record<string, number>>, io: Pick<Io, 'width' | 'colour'>, head: string, unit: string): string[] =>
  table(
    io,
    [{ head }, { head: unit, right: true }],
    Object.entries(counts).map(([name, number]) => [name, number]),
  )

/** The report as text; `all` lists every file that was not read. */
export function renderSummary(summary: IngestSummary, io: Pick<Io, 'width' | 'colour'>, all: boolean): string[] {
  const { read, rows, quarantined, unreadable, not_read, left_out, releases } = summary
  const notRead = not_read.reduce((sum, each) => sum + each.count, 0)
  const block = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', ...lines])
  const folders = (groups: readonly NotRead[]): string[] =>
    table(
      io,
      columnsOf('folder', '>files', '*why', 'such as'),
      groups.map(each => [each.folder, each.count, each.reason, each.example]),
    )
  return [
    `${some(summary.files, 'file')} in ${summary.folder}: ${count(total(read))} read, ${count(unreadable.length)} unreadable, ${count(notRead)} stored without a reader, ${count(summary.already_held)} already read (${duration(summary.took_ms)})`,
    ...block(Object.keys(read).length === 0 ? [] : listed(read, io, 'reader', 'documents')),
    ...block(Object.keys(rows).length === 0 ? ['no new rows'] : listed(rows, io, 'dataset', 'new rows')),
    ...block(releases.length === 0 ? [] : [releases.length === 1 ? `release ${releases[0]}` : `releases ${releases[0]} to ${releases.at(-1)}`]),
    ...block(Object.keys(summary.counts).length === 0 ? [] : listed(summary.counts, io, 'also counted', 'rows')),
    ...block(
      quarantined.length === 0
        ? []
        : [
            heading(
              io,
              `Held back: ${some(
                quarantined.reduce((sum, each) => sum + each.count, 0),
                'finding',
              )} (crossfile quarantine)`,
            ),
            ...quarantined.flatMap(each => [
              `  ${each.dataset} ${each.reason}: ${count(each.count)}`,
              `    such as ${oneLine(each.example).slice(0, 300)}`,
            ]),
          ],
    ),
    ...block(
      unreadable.length === 0
        ? []
        : [heading(io, 'Unreadable, kept raw'), ...unreadable.map(each => `  ${oneLine(each.path)} (${each.reader}): ${oneLine(each.detail)}`)],
    ),
    ...block(not_read.length === 0 ? [] : [heading(io, 'Stored raw; no reader recognises them'), ...folders(not_read)]),
    ...block(left_out.length === 0 ? [] : [heading(io, 'Not taken'), ...folders(left_out)]),
    ...block(summary.kept_unread === 0 ? [] : [`Also in the raw store: ${unreadSentence(summary.kept_unread)} (crossfile read-held)`]),
    ...block(all ? summary.files_not_read.map(each => `${oneLine(each.path)}: ${oneLine(each.reason)}`) : []),
  ]
}

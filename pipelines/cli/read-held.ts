// `crossfile read-held [--dry-run]`: lists by source, or reads, documents that were stored and never read.

import { oneLine } from '#warehouse/store/log.ts'
import { type Held, listUnread, type ReadHeld, readHeld } from '../ingest/read-held.ts'
import type { Runtime } from '../ingest/runtime.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, count, duration, heading, printJson, size, some, table, unreadSentence } from './output.ts'
import { createProgress } from './progress.ts'
import { rewriteWarehouseFile } from './warehouse-file.ts'

type Source = { readonly source: string; readonly documents: number; readonly bytes: number; readonly example: string }
type Found = { readonly sources: readonly Source[]; readonly unread: number; readonly done: ReadHeld | null; readonly stopped: boolean }

const nothing: ReadHeld = { documents: 0, rows: 0, refused: 0, releases: [], failed: [] }

/** `crashPoint`: named moments at which a test ends the process. */
export async function readHeldCommand(argv: readonly string[], io: Io, crashPoint?: (name: string) => void): Promise<number> {
  const { values } = readArguments('read-held', commands['read-held'].options, argv)
  const started = io.now().getTime()
  const found = await withRuntime(io, runtime => findAndRead(runtime, io, values['dry-run']), { crashPoint })
  const { sources, unread, done, stopped } = found
  if (values.json) printJson(io, { unread, sources, dry_run: values['dry-run'], read: done, took_ms: io.now().getTime() - started })
  else for (const line of render(found, io, io.now().getTime() - started)) io.out(line)
  if (stopped) {
    io.err('stopped: committed data is kept; the same command resumes the rest')
    return 130
  }
  return unread === 0 || (done !== null && done.failed.length === 0) ? 0 : 1
}

async function findAndRead(runtime: Runtime, io: Io, dryRun: boolean): Promise<Found> {
  // A document that a killed process wrote and did not index counts too.
  await runtime.raw.recover()
  const held = await listUnread(runtime.postgres.db)
  const found = { sources: bySource(held), unread: held.length }
  if (dryRun || held.length === 0) return { ...found, done: null, stopped: false }
  const progress = createProgress(io, 'reading', 'documents')
  const signal = io.interrupted()
  let done = nothing
  let stopped = false
  progress.update({ done: 0, total: held.length })
  try {
    done = await readHeld(runtime, {
      signal,
      onProgress: (so, total) => {
        done = { ...so }
        progress.update({ done: so.documents, total, note: some(so.rows, 'row') })
      },
    })
  } catch (error) {
    if (!signal.aborted) throw error
    stopped = true
  } finally {
    progress.end()
  }
  if (done.releases.length > 0) await rewriteWarehouseFile(runtime)
  return { ...found, done, stopped }
}

function bySource(held: readonly Held[]): Source[] {
  return [...Map.groupBy(held, each => each.source)]
    .map(([source, each]) => ({
      source,
      documents: each.length,
      bytes: each.reduce((sum, document) => sum + document.bytes, 0),
      example: each[0]?.url ?? '',
    }))
    .sort((a, b) => b.documents - a.documents || (a.source < b.source ? -1 : 1))
}

function render({ sources, unread, done }: Found, io: Io, tookMs: number): string[] {
  if (unread === 0) return ['every stored document was read']
  if (done === null)
    return [
      unreadSentence(unread),
      '',
      ...table(
        io,
        columnsOf('source', '>documents', '>size', '*such as'),
        sources.map(each => [each.source, each.documents, size(each.bytes), each.example]),
      ),
    ]
  const { documents, rows, refused, releases, failed } = done
  const made =
    releases.length === 0 ? 'no release' : releases.length === 1 ? `release ${releases[0]}` : `releases ${releases[0]} to ${releases.at(-1)}`
  return [
    `${some(documents, 'document')} read: ${some(rows, 'new row')}, ${count(refused)} held back, ${made} (${duration(tookMs)})`,
    ...(failed.length === 0
      ? []
      : [
          '',
          heading(io, `Not read: ${some(failed.length, 'document')}`),
          ...failed.map(({ url, reason }) => `  ${oneLine(url)}: ${oneLine(reason)}`),
        ]),
  ]
}

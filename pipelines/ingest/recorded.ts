// Source mode `recorded`: a folder of upstream documents instead of the network. Every file is stored raw first. Files that a reader
// recognises are ingested; the rest is listed with the reason.
import { stat } from 'node:fs/promises'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import { capsFor, type LeftOut, type RecordedFile, walkRecorded } from '../fetch/sources/recorded.ts'
import type { RawDocument, Refused } from '../read/parsed.ts'
import { type IngestTools, ingest, type Outcome } from './ingest.ts'
import type { Decisions } from './types.ts'
import { findUnread, keepUnread, recordedHeader } from './was-read.ts'

export type RecordedReport = {
  files: number
  read: Record<string, number> // documents by reader
  unread: { path: string; reason: string }[]
  unreadable: { path: string; reader: string; detail: string }[]
  leftOut: LeftOut[]
  rows: Record<string, number>
  counts: Record<string, number>
  refused: Refused[]
  alreadyHeld: number
  releases: number[]
}
export type RecordedOptions = {
  readonly folder: string
  /** Dates every document, because a file does not state when it was requested. */
  readonly now: string
  readonly decisions: Decisions
  readonly onProgress?: (files: number, path: string) => void
  readonly signal?: AbortSignal
}

/** Documents and bytes of one commit. */
const batchDocuments = 200
const batchBytes = 48 * 1024 * 1024

/** The address that a file answers for, and the source that its reader belongs to. */
function addressOf(tools: IngestTools, file: RecordedFile): { url: string; source: string } | null {
  if (file.url) {
    const byUrl = tools.readers.find(reader => reader.reads(file.url as string))
    if (byUrl) return { url: file.url, source: byUrl.source }
  }
  const head = Buffer.from(file.bytes.subarray(0, 65_536)).toString('utf8')
  for (const reader of tools.readers) {
    const url = reader.recognise(file.path, head)
    if (url !== null) return { url, source: reader.source }
  }
  return null
}

export async function ingestRecorded(tools: IngestTools, raw: RawStore, options: RecordedOptions): Promise<RecordedReport> {
  const report: RecordedReport = {
    files: 0,
    read: {},
    unread: [],
    unreadable: [],
    leftOut: [],
    rows: {},
    counts: {},
    refused: [],
    alreadyHeld: 0,
    releases: [],
  }
  const info = await stat(options.folder).catch(() => null)
  let batch: { file: string; document: RawDocument }[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return
    const documents = batch
    batch = []
    bytes = 0
    await ingestBatch(tools, raw, documents, options, report)
  }
  if (!info?.isDirectory()) throw new TypeError(`${options.folder} is not a folder`)
  for await (const file of walkRecorded(options.folder, { leftOut: left => report.leftOut.push(left), caps: capsFor })) {
    options.signal?.throwIfAborted()
    report.files += 1
    options.onProgress?.(report.files, file.path)
    const address = addressOf(tools, file)
    if (!address) report.unread.push({ path: file.path, reason: 'no reader recognises it' })
    batch.push({
      file: file.path,
      document: {
        sha256: sha256Hex(file.bytes),
        source: address?.source ?? 'unknown',
        url: address?.url ?? `recorded:${file.path}`,
        retrieved_at: options.now,
        status: 200,
        headers: { [recordedHeader]: file.path },
        body: file.bytes,
      },
    })
    bytes += file.bytes.byteLength
    if (batch.length >= batchDocuments || bytes >= batchBytes) await flush()
  }
  await flush()
  return report
}

async function ingestBatch(
  tools: IngestTools,
  raw: RawStore,
  files: readonly { file: string; document: RawDocument }[],
  options: RecordedOptions,
  report: RecordedReport,
): Promise<void> {
  const unread = await findUnread(
    tools,
    files.map(({ document }) => document),
    'newest',
  )
  report.alreadyHeld += files.length - unread.length
  if (unread.length === 0) return
  const documents = await keepUnread(tools.db, raw, unread)
  tools.writer.crashPoint?.('after-fetch')
  const paths = documents.map(({ document }) => document.headers[recordedHeader] ?? document.url)
  const outcome = await ingest(tools, { job: 'recorded', partition: paths[0] ?? '', documents, decisions: options.decisions, fence: null })
  tools.writer.crashPoint?.('after-commit')
  add(report, outcome, paths)
}

function add(report: RecordedReport, outcome: Outcome, paths: readonly string[]): void {
  outcome.readings.forEach((reading, at) => {
    if (reading.parsed && reading.reader) report.read[reading.reader] = (report.read[reading.reader] ?? 0) + 1
    else if (reading.reader) report.unreadable.push({ path: paths[at] ?? '', reader: reading.reader, detail: reading.detail ?? '' })
  })
  for (const [name, count] of Object.entries(outcome.rows)) report.rows[name] = (report.rows[name] ?? 0) + count
  for (const [name, count] of Object.entries(outcome.counts)) report.counts[name] = (report.counts[name] ?? 0) + count
  report.refused.push(...outcome.refused)
  if (outcome.release !== null) report.releases.push(outcome.release)
}

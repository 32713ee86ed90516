// The drop-in folder: an operator's CSV files for bars and actions, read as documents of the source `csv`. No network.
import { createHash } from 'node:crypto'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RawDocument } from '#schemas/raw.ts'
import { type Upstream, upstream } from './upstream.ts'

export const csv = upstream('csv', 'CSV drop-in folder', {
  hosts: [],
  licence: 'the operator’s own files',
  limits: { perSecond: 1000, burst: 1000 },
  expects: () => 'csv',
})

/** The transcripts folder: the operator's caption files (pipelines/read/transcripts/drop-in.ts). */
export const transcripts: Upstream = {
  ...csv,
  name: 'transcripts',
  title: 'Transcripts folder',
  limits: { ...csv.limits, group: 'transcripts' },
  expects: () => 'any',
}

const fileBytes = 268_435_456 // 256 MiB: a decade of a whole exchange
const depth = 8

/** A file of the folder that was not read, and why: `still_written` files are read at the next run. */
export type SkippedFile = { readonly path: string; readonly reason: 'still_written' | 'too_large' | 'too_deep' | 'not_a_file' | 'not_csv' }

/**
 * Every CSV file below `folder` as a document with address `file:<path below the folder>`, in the order of the paths.
 * Hidden files and names that end in `.part`, `.tmp` or `~` are incomplete copies; a file that changes while it is read is
 * left for the next run. Names of this machine's folders never enter a document.
 */
export async function* readDropIn(folder: string, now: () => number, skipped: (file: SkippedFile) => void = () => {}): AsyncGenerator<RawDocument> {
  for await (const path of csvFiles(folder, '', skipped)) {
    const read = await readSteadily(join(folder, path), fileBytes)
    if (typeof read === 'string') {
      skipped({ path, reason: read })
      continue
    }
    yield {
      sha256: createHash('sha256').update(read.body).digest('hex'),
      source: csv.name,
      url: `file:${path.split('/').map(encodeURIComponent).join('/')}`,
      retrieved_at: new Date(now()).toISOString(),
      status: 200,
      headers: { 'content-type': 'text/csv', 'last-modified': read.modified.toUTCString() },
      body: read.body,
    }
  }
}

async function* csvFiles(folder: string, below: string, skipped: (file: SkippedFile) => void): AsyncGenerator<string> {
  const entries = await readdir(join(folder, below), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.name.startsWith('.') || /(?:\.part|\.tmp|~)$/i.test(entry.name)) skipped({ path, reason: 'still_written' })
    else if (entry.isDirectory() && path.split('/').length > depth) skipped({ path, reason: 'too_deep' })
    else if (entry.isDirectory()) yield* csvFiles(folder, path, skipped)
    else if (!entry.isFile()) skipped({ path, reason: 'not_a_file' })
    else if (!/\.csv$/i.test(entry.name)) skipped({ path, reason: 'not_csv' })
    else yield path
  }
}

/** A file's bytes if it did not change while it was read; at most `most` of them. */
export async function readSteadily(
  path: string,
  most: number,
): Promise<{ body: Uint8Array; modified: Date } | 'too_large' | 'still_written' | 'not_a_file'> {
  const before = await lstat(path)
  if (!before.isFile()) return 'not_a_file'
  if (before.size > most) return 'too_large'
  const file = await open(path, 'r')
  try {
    const body = await file.readFile()
    const after = await file.stat()
    const steady = after.size === before.size && after.mtimeMs === before.mtimeMs && body.length === before.size && after.ino === before.ino
    return steady ? { body, modified: before.mtime } : 'still_written'
  } finally {
    await file.close()
  }
}

// The transcripts folder: caption files and their manifests. No network.
import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CrossfileError } from '#schemas/errors.ts'
import { readSteadily } from '../../fetch/sources/csv.ts'
import type { RawDocument } from '../parsed.ts'
import { bundleOf } from './bundle.ts'
import { manifestNames, readManifest } from './manifest.ts'
import { transcriptScheme } from './readers.ts'

const captionBytes = 16 * 1024 * 1024 // ten hours of captions take about 2 MiB
const depth = 8
const captionNames = /\.(?:vtt|srt|json|txt)$/i

/** A file that was not read, and why: for the note of the run. */
export type LeftFile = {
  readonly path: string
  readonly reason: 'no_manifest_line' | 'not_there' | 'still_written' | 'too_large' | 'too_deep' | 'not_a_file' | 'not_in_folder'
}

/**
 * Every manifest below `folder`, each followed by the caption files that it names, as documents with addresses `transcripts:<path below the
 * folder>`, in the order of the paths. A file that changes while it is read is skipped until the next run; a broken manifest is a document
 * that its reader refuses, and its files are skipped.
 */
export async function* readTranscriptFolder(
  folder: string,
  now: () => number,
  left: (file: LeftFile) => void = () => {},
): AsyncGenerator<RawDocument> {
  for await (const { below, names } of folders(folder, '', left)) {
    const taken = new Set<string>()
    const pathOf = (name: string): string => (below === '' ? name : `${below}/${name}`)
    const manifests = names.filter(name => (manifestNames as readonly string[]).includes(name.toLowerCase()))
    for (const name of manifests) {
      const read = await readSteadily(join(folder, pathOf(name)), captionBytes)
      if (typeof read === 'string') {
        left({ path: pathOf(name), reason: read })
        continue
      }
      const manifest = documentOf(pathOf(name), read.body, now)
      yield manifest
      for (const entry of entriesOf(manifest)) {
        taken.add(entry.file)
        const path = pathOf(entry.file)
        const captions = await readWithin(folder, path)
        if (typeof captions === 'string') left({ path, reason: captions })
        else yield documentOf(path, bundleOf(entry, captions), now)
      }
    }
    const others = names.filter(name => captionNames.test(name) && !manifests.includes(name) && !taken.has(name))
    // Files of a folder without a manifest may be named by that of a folder above it.
    if (manifests.length > 0 || below === '') for (const name of others) left({ path: pathOf(name), reason: 'no_manifest_line' })
  }
}

function documentOf(path: string, body: Uint8Array, now: () => number): RawDocument {
  return {
    sha256: createHash('sha256').update(body).digest('hex'),
    source: 'transcripts',
    url: `${transcriptScheme}${path.split('/').map(encodeURIComponent).join('/')}`,
    retrieved_at: new Date(now()).toISOString(),
    status: 200,
    headers: {},
    body,
  }
}

function entriesOf(manifest: RawDocument): ReturnType<typeof readManifest>['entries'] {
  try {
    return readManifest(manifest).entries
  } catch (error) {
    // Its reader refuses the document for the same reason, and quarantine shows it.
    if (error instanceof CrossfileError) return []
    throw error
  }
}

/** A file that a manifest names. No part of its path may be a link: the target must be in the folder. */
async function readWithin(folder: string, path: string): Promise<Uint8Array | LeftFile['reason']> {
  const parts = path.split(/[\\/]/)
  for (let count = 1; count < parts.length; count += 1) {
    const info = await lstat(join(folder, ...parts.slice(0, count))).catch(() => null)
    if (info === null) return 'not_there'
    if (!info.isDirectory()) return 'not_in_folder'
  }
  const file = join(folder, ...parts)
  if ((await lstat(file).catch(() => null)) === null) return 'not_there'
  const read = await readSteadily(file, captionBytes)
  return typeof read === 'string' ? read : read.body
}

async function* folders(
  folder: string,
  below: string,
  left: (file: LeftFile) => void,
): AsyncGenerator<{ readonly below: string; readonly names: readonly string[] }> {
  const entries = await readdir(join(folder, below), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  const names: string[] = []
  const inner: string[] = []
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.name.startsWith('.') || /(?:\.part|\.tmp|~)$/i.test(entry.name)) continue // a copy under way
    if (entry.isDirectory() && path.split('/').length > depth) left({ path, reason: 'too_deep' })
    else if (entry.isDirectory()) inner.push(path)
    else if (entry.isFile()) names.push(entry.name)
  }
  yield { below, names }
  for (const path of inner) yield* folders(folder, path, left)
}

/** The note of a run about skipped files, at most ten of them by name; empty if there are none. */
export function noteOf(left: readonly LeftFile[]): string {
  const words: Readonly<Record<LeftFile['reason'], string>> = {
    no_manifest_line: 'has no line in manifest.csv or manifest.json',
    not_there: 'is named by a manifest and is not there',
    still_written: 'is still being written',
    too_large: 'is larger than 16 MiB',
    too_deep: 'lies deeper than 8 folders',
    not_a_file: 'is a link or no file',
    not_in_folder: 'lies behind a link',
  }
  const shown = left.slice(0, 10).map(({ path, reason }) => `${path} ${words[reason]}`)
  return [...shown, ...(left.length > shown.length ? [`${left.length - shown.length} more`] : [])].join('; ')
}

// Source mode `recorded`: a folder of upstream documents instead of the network. The readers recognise which upstream a file
// came from. This module only finds the files, unpacks them within caps, and returns them in a fixed order.
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { BadRequest } from '#schemas/errors.ts'
import { gunzipped } from './gunzip.ts'
import { readTar } from './untar.ts'
import { type ArchiveCaps, ArchiveFault, type RefusedMember, readZip, zipFile } from './unzip.ts'

export type RecordedFile = {
  /** Below the folder, with `/`; an archive's member is `<archive>/<name in it>`. A label, never opened as a path again. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly retrieved_at: null // a file does not state when it was requested
  /** The address that a `REQUESTS.json` next to the file gives for it, else null. */
  readonly url: string | null
}
/** A file or member that was skipped: `note` files describe the folder, all others could not be read. */
export type LeftOut = { readonly path: string; readonly reason: string; readonly detail: string }
export type RecordedOptions = {
  readonly leftOut?: (file: LeftOut) => void
  readonly caps?: (archive: string) => ArchiveCaps
}

export const archiveCaps: ArchiveCaps = { members: 10_000, memberBytes: 67_108_864, totalBytes: 536_870_912, ratio: 100 }
/** The SEC's nightly archives hold every filer: about a million members, tens of GB unpacked. */
export const nightlyCaps: ArchiveCaps = { members: 3_000_000, memberBytes: 268_435_456, totalBytes: 274_877_906_944, ratio: 100 }
const nightly = /^(?:submissions|companyfacts)(?:[-_.].*)?\.zip$|^\d{8}\.nc\.tar\.gz$/i
/** The SEC's data sets: one document each, since a filing's rows are spread over several members. */
const dataSet = /_form(?:345|13f)\.zip$/i
/** The caps that go with an archive's file name. */
export const capsFor = (archive: string): ArchiveCaps => (nightly.test(archive) ? nightlyCaps : archiveCaps)

const plainBytes = 536_870_912
const deepest = 16

/** Every document below `folder`, ordered by path (by UTF-16 code units, folder by folder). Throws `BadRequest` if the folder does not exist. */
export async function* walkRecorded(folder: string, options: RecordedOptions = {}): AsyncGenerator<RecordedFile> {
  const found = await stat(folder).catch(() => null)
  if (!found?.isDirectory())
    throw new BadRequest(`recorded: "${basename(folder)}" is not a folder`, { hint: 'give the folder that holds the documents' })
  yield* walk(folder, '', { leftOut: () => {}, caps: capsFor, ...options })
}

async function* walk(root: string, below: string, options: Required<RecordedOptions>): AsyncGenerator<RecordedFile> {
  const entries = await readdir(join(root, below), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  const names = new Set(entries.map(entry => entry.name))
  const addresses = names.has('REQUESTS.json') ? await readAddresses(join(root, below, 'REQUESTS.json')) : new Map<string, string>()
  for (const { name, ...kind } of entries.map(entry => ({ name: entry.name, folder: entry.isDirectory(), file: entry.isFile() }))) {
    const path = below === '' ? name : `${below}/${name}`
    const leave = (reason: string, detail: string): void => options.leftOut({ path, reason, detail })
    if (name.startsWith('.')) leave('hidden', 'hidden files are not documents')
    else if (kind.folder && path.split('/').length > deepest) leave('too_deep', `more than ${deepest} folders deep`)
    else if (kind.folder) yield* walk(root, path, options)
    else if (!kind.file) leave('not_a_file', 'links and devices are not followed')
    else if (await isNote(join(root, below), name, names)) leave('note', 'about the folder, not from an upstream')
    else yield* readFileAt(root, path, addresses.get(name) ?? addresses.get(name.replace(/\.[^.]*$/, '')) ?? null, options)
  }
}

/** Notes are Markdown, the list of requests, and a `facts` file: JSON whose keys are names of files in the same folder or below. */
async function isNote(folder: string, name: string, names: ReadonlySet<string>): Promise<boolean> {
  if (/\.(?:md|markdown)$/i.test(name) || name === 'REQUESTS.json' || /^(?:readme|licen[cs]e|index)(?:\.txt)?$/i.test(name)) return true
  if (!/^facts\b.*\.json$/i.test(name)) return false
  const key = /^\s*\{\s*"([^"\\]{1,300})"/.exec((await readFile(join(folder, name))).subarray(0, 4096).toString('utf8'))?.[1]
  return key !== undefined && names.has(key.split('/', 1)[0] ?? '')
}

/** `REQUESTS.json`: file name, with or without its ending, to the request that it answers. */
async function readAddresses(path: string): Promise<Map<string, string>> {
  const addresses = new Map<string, string>()
  let listed: unknown
  try {
    listed = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw new BadRequest('recorded: a REQUESTS.json is not JSON', {
      cause: error,
      hint: 'correct it or remove it: documents are recognised without it too',
    })
  }
  if (typeof listed !== 'object' || listed === null) return addresses
  for (const [name, request] of Object.entries(listed)) {
    const url: unknown = typeof request === 'object' && request !== null ? (request as Record<string, unknown>)['url'] : null
    if (typeof url === 'string') addresses.set(name, url)
  }
  return addresses
}

async function* readFileAt(root: string, path: string, url: string | null, options: Required<RecordedOptions>): AsyncGenerator<RecordedFile> {
  const full = join(root, path)
  const name = basename(path)
  const leave = (reason: string, detail: string): void => options.leftOut({ path, reason, detail })
  const refused = (member: RefusedMember): void =>
    options.leftOut({ path: memberPath(path, member.name), reason: member.reason, detail: member.detail })
  const caps = options.caps(name)
  try {
    if (/\.zip$/i.test(name) && !dataSet.test(name))
      yield* members(
        path,
        withFile(full, async function* (file) {
          yield* readZip(await zipFile(file), caps, refused)
        }),
      )
    else if (/\.(?:tar\.gz|tgz)$/i.test(name)) yield* members(path, readTar(gunzipped(full, caps), caps, refused))
    else if (/\.tar$/i.test(name)) yield* members(path, readTar(createReadStream(full), caps, refused))
    else {
      const { size } = await stat(full)
      if (size > plainBytes) return leave('too_large', `${size} bytes, over the limit of ${plainBytes}`)
      const bytes = await readFile(full)
      yield { path, bytes: /\.gz$/i.test(name) ? gunzip(bytes) : bytes, retrieved_at: null, url }
    }
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error
    leave(error.reason, error.message)
  }
}

const memberPath = (archive: string, name: string): string =>
  `${archive}/${name
    .replace(/[^\x20-\x7e]/g, '_')
    .split(/[\\/]+/)
    .filter(part => part !== '' && part !== '.' && part !== '..')
    .join('/')
    .slice(0, 300)}`

async function* members(archive: string, source: AsyncIterable<{ name: string; bytes: Uint8Array }>): AsyncGenerator<RecordedFile> {
  for await (const { name, bytes } of source) yield { path: memberPath(archive, name), bytes, retrieved_at: null, url: null }
}

async function* withFile<T>(path: string, read: (file: FileHandle) => AsyncIterable<T>): AsyncGenerator<T> {
  const file = await open(path, 'r')
  try {
    yield* read(file)
  } finally {
    await file.close()
  }
}

function gunzip(bytes: Buffer): Buffer {
  try {
    // The cap is on the output: at most `ratio` times the input, and never more than a plain file may have.
    return gunzipSync(bytes, { maxOutputLength: Math.min(plainBytes, Math.max(1_048_576, bytes.length * archiveCaps.ratio)) })
  } catch (error) {
    const bomb = error instanceof RangeError
    throw new ArchiveFault(
      bomb ? 'bomb' : 'broken_gzip',
      bomb ? `unpacks to more than ${archiveCaps.ratio} times its size` : `cannot be unpacked: ${String(error)}`,
    )
  }
}

// The manifest of one backup: every file and table by digest and size, and what the service was at that instant. Its last line is
// the SHA-256 of the line before, so that a damaged manifest is found as well.
import { z } from 'zod'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { sha256Hex } from '../store/raw/pack.ts'
import type { BackupTarget } from './target.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Part = z.strictObject({ sha256: Sha256, bytes: z.int().min(0) })
export type Part = z.infer<typeof Part>

/** Where a file belongs in the data folder; never outside of it. */
const DataPath = z
  .string()
  .regex(/^[\w.-]+(\/[\w.-]+)*$/)
  .refine(path => !path.split('/').some(name => /^\.+$/.test(name)), 'leads out of the data folder')

const FileEntry = z.strictObject({
  path: DataPath,
  bytes: z.int().min(0),
  sha256: Sha256,
  parts: z.array(Part),
  /** True if `--since` left it out: an earlier backup holds it. */
  base: z.boolean(),
})
export type FileEntry = z.infer<typeof FileEntry>

const Name = z.string().regex(/^[a-z_][a-z0-9_]*$/)
const TableEntry = z.strictObject({
  schema: z.enum(['public', 'pgboss']),
  name: Name,
  /** Columns with their types, in the order of the values of each row. */
  columns: z.array(z.strictObject({ name: Name, type: z.string() })),
  rows: z.int().min(0),
  /** Each: zstd of lines, a line a JSON array with the text of each value, or null. */
  parts: z.array(Part),
})
export type TableEntry = z.infer<typeof TableEntry>

export const Manifest = z.strictObject({
  format: z.literal('crossfile-backup'),
  version: z.literal(1),
  id: z.string().regex(/^\d{8}T\d{9}Z-r\d+$/),
  /** The version of Crossfile that made it. */
  crossfile: z.string(),
  /** The instant of the database's snapshot, by the database's clock: the recovery point. */
  taken_at: z.string(),
  release: z.int().min(0),
  since: z.int().nullable(),
  migrations: z.array(z.strictObject({ name: z.string(), sha256: Sha256 })),
  queue_version: z.int(),
  tables: z.array(TableEntry),
  sequences: z.array(z.strictObject({ schema: z.enum(['public', 'pgboss']), name: Name, last_value: z.string().regex(/^\d+$/) })),
  files: z.array(FileEntry),
  /** The keys folder, encrypted; null if it was left out. */
  keys: FileEntry.nullable(),
})
export type Manifest = z.infer<typeof Manifest>

export const manifestPath = (id: string): string => `manifests/${id}.json`
export const blobPath = (sha256: string): string => `blobs/${sha256.slice(0, 2)}/${sha256}`

export function renderManifest(manifest: Manifest): Buffer {
  const line = JSON.stringify(manifest)
  return Buffer.from(`${line}\nsha256 ${sha256Hex(line)}\n`)
}

/** Throws `Broken` that names the manifest if a byte of it changed. */
function parseManifest(bytes: Buffer, path: string): Manifest {
  const [line = '', check = ''] = bytes.toString('utf8').split('\n')
  const damaged = (reason: string): Broken =>
    new Broken(`backup manifest ${path} is damaged: ${reason}`, { hint: 'restore an earlier backup of the same place (--at)' })
  if (check !== `sha256 ${sha256Hex(line)}`) throw damaged('its SHA-256 differs from the one in its last line')
  const read = Manifest.safeParse(JSON.parse(line))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw damaged(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it has another form'}`)
}

/** The ids of the backups of a target, oldest first. */
export async function listBackups(target: BackupTarget): Promise<string[]> {
  const paths = [...(await target.list('manifests')).keys()]
  return paths.flatMap(path => /^manifests\/(\d{8}T\d{9}Z-r\d+)\.json$/.exec(path)?.[1] ?? []).sort()
}

/** A backup of a target by its id, by default the newest. Throws `BadRequest` if there is none. */
export async function readBackup(target: BackupTarget, id: string | null): Promise<Manifest> {
  const ids = await listBackups(target)
  const wanted = id ?? ids.at(-1)
  if (wanted === undefined) throw new BadRequest(`${target.name} holds no backup`, { hint: 'crossfile backup makes one' })
  if (!ids.includes(wanted)) throw new BadRequest(`${target.name} holds no backup ${wanted}`, { hint: `it holds ${ids.join(', ') || 'none'}` })
  const path = manifestPath(wanted)
  const bytes = await target.read(path)
  if (bytes === null) throw new BadRequest(`${target.name}: ${path} was removed while it was read`)
  return parseManifest(bytes, path)
}

// Errors of a disk that does not take what is written to it: it is full, a quota is used up, or it is read-only. Recognised wherever they
// come from, and explained to the operator: which folder, how much is free, and what to do.
import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import type { Config } from '#schemas/config.ts'
import { size } from '#schemas/counts.ts'
import { BadRequest, Broken, CrossfileError } from '#schemas/errors.ts'
import { readPointer } from './embedded-postgres/owner.ts'

export type Folders = Pick<Config, 'dataFolder' | 'databaseUrl'>

/** Free bytes that the server of the data folder needs to start: a segment of its log has 16 MiB. A disk with less counts as full. */
const leastFreeForServer = 24 * 1024 * 1024
/** Free inodes below which a disk counts as full: a commit makes more files and folders. */
const leastFreeFiles = 16
/** `cause` chains are short; a longer one is a loop. */
const deepest = 8

/** A full disk whose folder the thrower knows. */
export class FullDisk extends Broken {
  readonly folder: string
  constructor(folder: string, cause: unknown) {
    super(`the disk of ${folder} is full`, { cause, hint: 'free space there, or name a folder on another disk; then run the command again' })
    this.folder = folder
  }
}

/** The server of the data folder did not start. On a full disk it cannot even write why. */
export class ServerNotStarted extends Broken {}

export type DiskError = {
  readonly state: 'full' | 'quota' | 'read-only'
  /** `spill`: temporary files of a DuckDB query. `memory`: shared memory of PostgreSQL, which is a file system too. */
  readonly from: 'files' | 'postgres' | 'spill' | 'memory'
  /** The file or folder that the error names; null if it names none. */
  readonly path: string | null
  readonly message: string
}

/** Node's codes, and SQLSTATE disk_full. */
const codes: Readonly<Record<string, DiskError['state']>> = { ENOSPC: 'full', EDQUOT: 'quota', EROFS: 'read-only', '53100': 'full' }
/** Texts of the C library and of Windows in messages of DuckDB, PostgreSQL and initdb. */
const texts: readonly (readonly [RegExp, DiskError['state']])[] = [
  [/No space left on device|There is not enough space on the disk/, 'full'],
  [/Disk quota exceeded/, 'quota'],
  [/Read-only file system/, 'read-only'],
  // DuckDB limits temporary files to the space that is free when a query begins.
  [/max_temp_directory_size/, 'full'],
]
/** An absolute path in double quotes, as DuckDB prints it, also in JSON inside of a message. */
const quotedPath = /"((?:\/|[A-Za-z]:[\\/])[^"]*?)\\?": (?:No space left|There is not enough|Disk quota|Read-only file)/
/** PostgreSQL names its files relative to its folder. */
const postgresPath = /"(?:base|global|pg_\w+)\//

type NodeError = Error & { readonly code?: unknown; readonly syscall?: unknown; readonly path?: unknown; readonly dest?: unknown }

function inspect(error: NodeError): DiskError | null {
  const { message } = error
  if (error instanceof FullDisk) return { state: 'full', from: 'files', path: error.folder, message }
  const code = String(error.code)
  // Node's code for a limit of the kernel on watched files.
  if (code === 'ENOSPC' && error.syscall === 'watch') return null
  // Other errors that are thrown on purpose may quote the text of another machine.
  const isText = !(error instanceof CrossfileError) || error instanceof Broken
  const state = codes[code] ?? (isText ? texts.find(([text]) => text.test(message))?.[1] : undefined)
  if (state === undefined) return null
  if (message.includes('shared memory segment')) return { state, from: 'memory', path: null, message }
  if (code === '53100' || 'severity' in error || postgresPath.test(message)) return { state, from: 'postgres', path: null, message }
  if (message.includes('max_temp_directory_size')) return { state, from: 'spill', path: null, message }
  const named = error.dest ?? error.path ?? quotedPath.exec(message)?.[1]
  return { state, from: 'files', path: typeof named === 'string' ? resolve(named) : null, message }
}

function allOf(error: unknown, depth = 0): DiskError[] {
  if (!(error instanceof Error) || depth > deepest) return []
  const inner = error instanceof AggregateError ? [error.cause, ...error.errors] : [error.cause]
  return [inspect(error) ?? [], inner.flatMap(each => allOf(each, depth + 1))].flat()
}

/** What the error, its causes or its parts report about a disk; the one that names a path if there is one. Null: it is another error. */
export function diskErrorOf(error: unknown): DiskError | null {
  const found = allOf(error)
  return found.find(each => each.path !== null) ?? found[0] ?? null
}

type Disk = { readonly folder: string; readonly device: number; readonly free: number; readonly files: number | null }

/** The disk of a folder; null if it cannot be read. */
export async function diskOf(folder: string): Promise<Disk | null> {
  try {
    const [{ dev }, { bavail, bsize, files, ffree }] = await Promise.all([stat(folder), statfs(folder)])
    // Some file systems have no fixed number of inodes and report 0 of 0.
    return { folder, device: dev, free: bavail * bsize, files: files > 0 ? ffree : null }
  } catch {
    return null
  }
}

const lacksFiles = ({ files }: Disk): boolean => files !== null && files < leastFreeFiles
export const isLow = (disk: Disk): boolean => disk.free < leastFreeForServer || lacksFiles(disk)
const freeOn = (disk: Disk): string => (lacksFiles(disk) ? `${disk.files} inodes free: it has too many files` : `${size(disk.free)} free`)
const namesOf = (disks: readonly Disk[]): string => disks.map(disk => `${disk.folder} (${freeOn(disk)})`).join(' and ')

export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** The folder of the server that Crossfile runs; another than that in the data folder if its user cannot enter that one. */
function serverFolder(dataFolder: string): string {
  const folder = join(dataFolder, 'postgres')
  try {
    return readPointer(folder).cluster
  } catch {
    // Without a pointer, the server is in the data folder.
    return folder
  }
}

/** The disk of the path, with the topmost folder of it that is the data folder, below it or the temporary folder. */
async function diskOfPath(path: string, dataFolder: string): Promise<Disk | null> {
  let at = path
  let found = await diskOf(at)
  while (found === null && dirname(at) !== at) {
    at = dirname(at)
    found = await diskOf(at)
  }
  if (found !== null && at === path && !(await stat(path)).isDirectory()) {
    at = dirname(at)
    found = await diskOf(at)
  }
  const temporary = resolve(tmpdir())
  const isOurs = isWithin(at, dataFolder) || at === temporary || at.startsWith(join(temporary, 'crossfile-'))
  const top = isOurs ? [dataFolder, temporary].find(folder => isWithin(at, folder)) : undefined
  while (found !== null && top !== undefined && found.folder !== top) {
    const above = await diskOf(dirname(found.folder))
    if (above?.device !== found.device) break
    found = above
  }
  return found
}

/** The disk of the server that Crossfile runs. */
export async function diskOfServer(dataFolder: string): Promise<Disk | null> {
  const data = resolve(dataFolder)
  return await diskOfPath(serverFolder(data), data)
}

/** The disk that an error is about; null if it names none. */
export async function diskOfError({ from, path }: DiskError, dataFolder: string): Promise<Disk | null> {
  if (from === 'postgres') return await diskOfServer(dataFolder)
  return path === null ? null : await diskOfPath(path, resolve(dataFolder))
}

/** The disks of folders, each once. Those that do not exist are on the disk of the folder above. */
async function disksOf(folders: readonly string[], dataFolder: string): Promise<Disk[]> {
  const found = (await Promise.all(folders.map(folder => diskOfPath(folder, dataFolder)))).filter(disk => disk !== null)
  return found.filter((disk, at) => found.findIndex(other => other.device === disk.device) === at)
}

const partsOf = (data: string): string[] => ['', 'stage', 'lake', 'models', 'raw'].map(name => join(data, name))

/** `spare`: what may be deleted there; null if nothing is known to be unneeded. */
type Remedy = { readonly hint: string; readonly spare: string | null }

/** What to do about a full disk, by what is on it. */
async function remedyOf({ folder, device }: Disk, { dataFolder, databaseUrl }: Folders): Promise<Remedy> {
  const data = resolve(dataFolder)
  const free = 'free space on that disk'
  if (folder === data)
    return {
      hint: `${free}, or move the data folder to a larger one and set CROSSFILE_DATA`,
      spare: `the contents of ${join(data, 'stage')} and ${join(data, 'models')} may be deleted while no program of Crossfile runs: a start makes models again`,
    }
  if (isWithin(folder, data) && (await diskOf(data))?.device !== device) {
    const isSpare = [join(data, 'stage'), join(data, 'models')].includes(folder)
    return {
      hint: `${free}, or replace it by a larger one`,
      spare: isSpare ? `the contents of ${folder} may be deleted while no program of Crossfile runs` : null,
    }
  }
  if (folder === resolve(tmpdir()))
    return {
      hint: `${free}, or set TMPDIR to a folder on another one`,
      spare: 'folders crossfile-* there that no running program uses may be deleted',
    }
  if (databaseUrl === null && isWithin(serverFolder(data), folder)) return { hint: `${free}: the database of ${data} is there`, spare: null }
  return { hint: `${free}, or name a folder on another one`, spare: null }
}

const textOf = (parts: readonly (string | null)[]): string => [...new Set(parts.filter(part => part !== null))].join('; ')

async function remediesOf(disks: readonly Disk[], folders: Folders): Promise<Remedy> {
  const found = await Promise.all(disks.map(disk => remedyOf(disk, folders)))
  return { hint: textOf(found.map(each => each.hint)), spare: textOf(found.map(each => each.spare)) || null }
}

async function isReadOnly(folder: string): Promise<boolean> {
  return await access(folder, constants.W_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EROFS',
  )
}

export type DiskFault = Remedy & { readonly message: string }

async function explainReadOnly({ path }: DiskError, suspects: readonly string[], dataFolder: string): Promise<DiskFault> {
  const hint = 'mount it for writing, or check the log of the system: a disk with errors is made read-only'
  if (path !== null) return { message: `the file system of ${path} is read-only`, hint, spare: null }
  const found: string[] = []
  for (const disk of await disksOf(suspects, dataFolder)) if (await isReadOnly(disk.folder)) found.push(disk.folder)
  if (found.length === 0) return { message: `a file system is read-only, none of those of ${suspects.join(', ')}`, hint, spare: null }
  return { message: `the file system of ${found.join(' and of ')} is read-only`, hint, spare: null }
}

/** The folders of which one has the disk of an error without a path. */
function suspectsOf({ from }: DiskError, dataFolder: string): string[] {
  if (from === 'postgres') return [serverFolder(dataFolder)]
  if (from === 'spill') return [join(dataFolder, 'stage')]
  return [...partsOf(dataFolder), resolve(tmpdir())]
}

async function explainFull(error: DiskError, suspects: readonly string[], folders: Folders): Promise<DiskFault> {
  const isQuota = error.state === 'quota'
  const data = resolve(folders.dataFolder)
  const ofPath = error.path === null ? null : await diskOfPath(error.path, data)
  if (ofPath !== null) {
    const what = isQuota ? 'the disk quota is used up in' : 'no space is left on the disk of'
    return { message: `${what} ${namesOf([ofPath])}`, ...(await remedyOf(ofPath, folders)) }
  }
  const disks = await disksOf(suspects, data)
  if (error.from === 'spill') {
    const { hint, spare } = await remediesOf(disks, folders)
    const message = `the temporary files of a query do not fit on the disk of ${namesOf(disks)}`
    return { message, hint: `${hint}, or give DuckDB more memory (CROSSFILE_DUCKDB_MEMORY)`, spare }
  }
  const low = disks.filter(isLow)
  if (low.length > 0 && !isQuota) return { message: `no space is left on the disk of ${namesOf(low)}`, ...(await remediesOf(low, folders)) }
  const message = isQuota ? 'a disk quota is used up' : 'no space was left on a disk'
  const hint = isQuota ? 'raise the quota of this user, or delete files of it' : 'the write needed more than that, or a quota applies: free space'
  return { message: `${message}; free now: ${namesOf(disks)}`, hint, spare: null }
}

/**
 * The explanation of an error about a full or read-only disk, with the first line of its text. Null for any other error, and for one that
 * names its setting already.
 */
export async function findDiskFault(error: unknown, folders: Folders): Promise<DiskFault | null> {
  const found = error instanceof BadRequest ? null : diskErrorOf(error)
  if (found === null) return error instanceof ServerNotStarted ? await findServerFault(error, folders) : null
  const { message, hint, spare } = await explainDisk(found, folders)
  const [text = ''] = (error as Error).message.split('\n', 1)
  if (error instanceof FullDisk) return { message, hint: error.hint ?? hint, spare }
  return { message: text === '' ? message : `${message}: ${text}`, hint, spare }
}

async function explainDisk(found: DiskError, folders: Folders): Promise<DiskFault> {
  if (found.from === 'memory')
    return {
      message: 'the shared memory of the PostgreSQL server is full (/dev/shm)',
      hint: 'give /dev/shm more space; for a container, set shm_size to 256m or more',
      spare: null,
    }
  if (found.from === 'postgres' && folders.databaseUrl !== null) {
    const message = `the disk of the PostgreSQL server is ${found.state === 'read-only' ? 'read-only' : 'full'}`
    return { message, hint: 'free space on the disk of the server that DATABASE_URL names', spare: null }
  }
  const data = resolve(folders.dataFolder)
  const suspects = suspectsOf(found, data)
  return found.state === 'read-only' ? await explainReadOnly(found, suspects, data) : await explainFull(found, suspects, folders)
}

/** The same for a lost connection to the server of the data folder, which ends when its disk is full; null if that has space. */
export async function findServerFault(error: Error, { dataFolder, databaseUrl }: Folders): Promise<DiskFault | null> {
  if (databaseUrl !== null) return null
  const disk = await diskOfServer(dataFolder)
  if (disk === null || !isLow(disk)) return null
  const lost = error instanceof ServerNotStarted ? '' : 'the connection to the database was lost: '
  const message = `no space is left for the database on the disk of ${namesOf([disk])}: ${lost}${error.message}`
  return { message, ...(await remedyOf(disk, { dataFolder, databaseUrl })) }
}

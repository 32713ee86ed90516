// A disk that fills while a program starts: the setting of the folder on it, in place of the error of whatever wrote there.
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'

type Folders = Pick<Config, 'dataFolder' | 'databaseUrl'>

/** Free bytes that the server of the data folder needs to start: a segment of its log has 16 MiB. */
const leastFreeForServer = 24 * 1024 * 1024
/** SQLSTATE disk_full. */
const diskFull = '53100'
const deepest = 8

function findInCauses(error: unknown, isIt: (error: Error & { readonly code?: unknown }) => boolean, depth = 0): boolean {
  if (!(error instanceof Error) || depth > deepest) return false
  return isIt(error) || findInCauses(error.cause, isIt, depth + 1)
}

/** Node's codes and PostgreSQL's, and the texts of DuckDB and of programs such as initdb. */
const isOfFullDisk = (error: unknown): boolean =>
  findInCauses(
    error,
    ({ code, message }) => ['ENOSPC', 'EDQUOT', diskFull].includes(String(code)) || /No space left on device|Disk quota exceeded/.test(message),
  )

/** Free bytes of the disk of a folder; null if it cannot be read. */
const freeBytes = async (folder: string): Promise<number | null> =>
  await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )

const full = (setting: string, what: string, remedy: string, cause: unknown): BadRequest =>
  new BadRequest(`${setting}: ${what}`, { cause, hint: remedy })

/**
 * The error that a start ends with (exit code 2) if a full disk is the reason of `error`, and `error` itself otherwise. An error of the
 * connection counts too if the server is that of the data folder, whose disk has no room for it to start again.
 */
export async function explainFullDisk(error: unknown, { dataFolder, databaseUrl }: Folders, isOfConnection = false): Promise<unknown> {
  const free = await freeBytes(dataFolder)
  const isLow = free !== null && free < leastFreeForServer
  const dataDisk = (): BadRequest =>
    full('CROSSFILE_DATA', `the disk of ${dataFolder} is full`, 'free space on that disk, or set CROSSFILE_DATA to a folder on another one', error)
  if (isOfConnection && databaseUrl === null && isLow) return dataDisk()
  if (!isOfFullDisk(error)) return error
  if (databaseUrl !== null && findInCauses(error, ({ code }) => code === diskFull))
    return full('DATABASE_URL', 'the disk of the PostgreSQL server is full', 'free space on the disk of that server', error)
  const temporary = await freeBytes(tmpdir())
  if (!isLow && temporary !== null && temporary < leastFreeForServer)
    return full('TMPDIR', `the disk of ${tmpdir()} is full`, 'free space on that disk, or set TMPDIR to a folder on another one', error)
  return dataDisk()
}

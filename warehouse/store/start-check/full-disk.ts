// A disk that fills while a program starts: the setting of the folder on it, in place of the error of whatever wrote there.
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { BadRequest } from '#schemas/errors.ts'
import { diskErrorOf, diskOf, diskOfError, diskOfServer, type Folders, isLow, isWithin, ServerNotStarted } from '../disk-faults.ts'

/** Whether the disk of a folder is full; false if it cannot be read. */
async function isFull(folder: string): Promise<boolean> {
  const disk = await diskOf(folder)
  return disk !== null && isLow(disk)
}

const full = (setting: string, what: string, remedy: string, cause: unknown): BadRequest =>
  new BadRequest(`${setting}: ${what}`, { cause, hint: remedy })

const fullFolder = (setting: string, folder: string, cause: unknown): BadRequest =>
  full(setting, `the disk of ${folder} is full`, `free space on that disk, or set ${setting} to a folder on another one`, cause)

/**
 * The error that a start ends with (exit code 2) if a full disk is the reason of `error`, and `error` itself otherwise. An error of the
 * connection counts too if the server is that of the data folder, whose disk has no room for it to start again.
 */
export async function explainFullDisk(error: unknown, { dataFolder, databaseUrl }: Folders, isOfConnection = false): Promise<unknown> {
  const found = diskErrorOf(error)
  if (found === null || found.state === 'read-only') {
    const isOfServer = databaseUrl === null && (isOfConnection || error instanceof ServerNotStarted)
    const disk = isOfServer ? await diskOfServer(dataFolder) : null
    return disk !== null && isLow(disk) ? fullFolder('CROSSFILE_DATA', disk.folder, error) : error
  }
  if (databaseUrl !== null && found.from === 'postgres')
    return full('DATABASE_URL', 'the disk of the PostgreSQL server is full', 'free space on the disk of that server', error)
  const named = await diskOfError(found, dataFolder)
  if (named !== null && isWithin(named.folder, resolve(dataFolder))) return fullFolder('CROSSFILE_DATA', named.folder, error)
  if (!(await isFull(dataFolder)) && (await isFull(tmpdir()))) return fullFolder('TMPDIR', tmpdir(), error)
  return fullFolder('CROSSFILE_DATA', dataFolder, error)
}

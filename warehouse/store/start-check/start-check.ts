// Checks before a program starts: ports, folders, database, each reported with its setting. All run concurrently and end within a
// few seconds, so that a wrong setting gives one message and not a restart loop.
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readdir, rm, stat, statfs, unlink, writeFile } from 'node:fs/promises'
import { createServer, Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { Client } from 'pg'
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'

/** A setting with which the program cannot start. */
export type StartFault = { readonly setting: string; readonly found: string; readonly remedy: string }

/** Minimum free space for a program that writes: room for the logs, one raw pack record and a release. */
export const leastFreeBytes = 8 * 1024 * 1024
/** A machine that starts several containers together may take more than a second to connect, and Compose gives up a start that failed. */
const databaseMs = 5_000

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? '')
const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return [...new Set(error.errors.map(messageOf))].join('; ')
  return error instanceof Error ? error.message || error.name : String(error)
}

/** Throws `BadRequest` (exit code 2) that lists every fault with its remedy; returns if there is none. */
export function refuseFaults(faults: readonly StartFault[]): void {
  const [first] = faults
  if (first === undefined) return
  if (faults.length === 1) throw new BadRequest(`${first.setting}: ${first.found}`, { hint: first.remedy })
  const lines = faults.map(each => `  ${each.setting}: ${each.found.replaceAll('\n', '\n    ')} (${each.remedy})`)
  throw new BadRequest(`${faults.length} settings prevent the start:\n${lines.join('\n')}`, {
    hint: `change ${faults.map(each => each.setting).join(', ')}`,
  })
}

/** Listens on the address for a moment. Port 0 only checks whether the address belongs to this machine. */
async function checkPort(port: number, host: string, names: { readonly port: string; readonly host: string }): Promise<StartFault[]> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ port, host, exclusive: true }, resolve))
    await new Promise<void>(resolve => server.close(() => resolve()))
    return []
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE')
      return [
        {
          setting: names.port,
          found: `port ${port} of ${host} is in use by another program`,
          remedy: `set ${names.port} to a free port, or ${names.port}=0 to take any free one`,
        },
      ]
    if (code === 'EACCES')
      return [{ setting: names.port, found: `this user may not listen on port ${port}`, remedy: `set ${names.port} to a port from 1024 to 65535` }]
    return [
      {
        setting: names.host,
        found: `this machine cannot listen on ${host} (${code || messageOf(error)})`,
        remedy: `set ${names.host} to an address of this machine, such as 127.0.0.1 or 0.0.0.0`,
      },
    ]
  }
}

const fullDisk = (found: string, setting: string): StartFault[] => [
  { setting, found, remedy: `free space on that disk, or set ${setting} to a folder on another one` },
]

/** Why the folder cannot be created or written to. */
function folderFault(error: unknown, folder: string, setting: string): StartFault[] {
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return fullDisk(`the disk of ${folder} is full: nothing can be written there`, setting)
  const another = `set ${setting} to another folder`
  const fault = (reason: string, remedy = `let this user write to it, or ${another}`): StartFault[] => [
    { setting, found: `the folder ${folder} cannot be written: ${reason}`, remedy },
  ]
  if (code === 'EACCES' || code === 'EPERM') return fault('this user has no right to write there')
  if (code === 'EROFS') return fault('the file system is read-only')
  // /proc and similar file systems return this.
  if (code === 'ENOENT') return fault('its file system does not allow creating files or folders there', another)
  return fault(messageOf(error))
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'nothing'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file'
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return 'nothing'
    throw error
  }
}

/** Creates the folder and its missing parents, one by one: Node's recursive mkdir does not return below /proc. */
async function makeEach(folder: string, setting: string): Promise<StartFault[]> {
  const missing: string[] = []
  const remedy = `set ${setting} to another folder`
  for (let at = folder; ; at = dirname(at)) {
    const kind = await kindOf(at)
    if (kind === 'folder') break
    if (kind === 'file')
      return [
        { setting, found: at === folder ? `${folder} is a file, not a folder` : `the folder ${folder} cannot be written: ${at} is a file`, remedy },
      ]
    missing.unshift(at)
    // The root of a drive that does not exist.
    if (dirname(at) === at) break
  }
  for (const path of missing) {
    try {
      await mkdir(path)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      // Another process made it a moment ago, if it is a folder.
      if ((await kindOf(path)) !== 'folder') return [{ setting, found: `${path} is a symbolic link to nothing, or a file`, remedy }]
    }
  }
  return []
}

/** Creates the folder that `setting` names; throws `BadRequest` (exit code 2) with the reason if it cannot be created. */
export async function makeFolder(folder: string, setting: string): Promise<void> {
  refuseFaults(await makeEach(resolve(folder), setting).catch(error => folderFault(error, folder, setting)))
}

/** Writes, syncs and removes a small file in the folder, which is made if it is missing, and reads the free space. */
export async function checkWritable(folder: string, setting: string, least = leastFreeBytes): Promise<StartFault[]> {
  const probe = join(folder, `.write-check-${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    const notMade = await makeEach(resolve(folder), setting)
    if (notMade.length > 0) return notMade
    const file = await open(probe, 'wx', 0o600)
    try {
      await file.write(Buffer.alloc(4096))
      await file.sync()
    } finally {
      await file.close()
      await unlink(probe)
    }
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize >= least) return []
    const free = `${Math.floor((bavail * bsize) / 1024)} KB are free, at least ${Math.ceil(least / 1024 / 1024)} MB are needed`
    return fullDisk(`the disk of ${folder} is full: ${free}`, setting)
  } catch (error) {
    return folderFault(error, folder, setting)
  }
}

/** The data folder and those parts of it that exist already and may be other disks. */
export async function checkDataFolder(config: Pick<Config, 'dataFolder'>): Promise<StartFault[]> {
  const setting = 'CROSSFILE_DATA'
  const top = await checkWritable(config.dataFolder, setting)
  if (top.length > 0) return top
  const present = new Set(await readdir(config.dataFolder))
  if (present.has('restore-unfinished'))
    return [
      { setting, found: `${config.dataFolder} holds a restore that did not finish`, remedy: 'delete the folder, then run crossfile restore again' },
    ]
  const folderOf = (name: string): string => join(config.dataFolder, name)
  const parts = ['lake', 'raw', 'stage', 'models'].filter(name => present.has(name))
  const found = (await Promise.all(parts.map(name => checkWritable(folderOf(name), setting)))).flat()
  if (found.length > 0) return found.slice(0, 1)
  // Parts that do not exist will be made on the disk of the data folder.
  const placeOf = (name: string): string => (present.has(name) ? folderOf(name) : config.dataFolder)
  for (const name of ['lake', 'models']) {
    const fault = await checkLink(placeOf('stage'), placeOf(name))
    if (fault.length > 0) return fault
  }
  return []
}

/** Links a small file of a folder into another, as a commit does with a file of `stage` that it moves into the lake. */
async function checkLink(from: string, to: string): Promise<StartFault[]> {
  const name = `.link-check-${process.pid}-${randomBytes(4).toString('hex')}`
  const [source, target] = [join(from, name), join(to, `${name}-linked`)]
  const fault = (found: string, remedy: string): StartFault[] => [{ setting: 'CROSSFILE_DATA', found, remedy }]
  try {
    await writeFile(source, '', { flag: 'wx', mode: 0o600 })
    await link(source, target)
    return []
  } catch (error) {
    if (codeOf(error) === 'EXDEV')
      return fault(
        `${from} and ${to} are on different file systems, and files are linked from one into the other`,
        'keep stage, lake and models of the data folder on one file system; raw and postgres may be on others',
      )
    return fault(
      `no file of ${from} can be linked into ${to}: ${messageOf(error)}`,
      'set CROSSFILE_DATA to a folder on a file system with hard links, such as ext4, XFS, APFS or NTFS',
    )
  } finally {
    await rm(source, { force: true })
    await rm(target, { force: true })
  }
}

/** Codes of a server that will accept connections in a moment. */
const startingCodes = ['57P03', '57P01', '57P02', '53300']

/** Connects to the server of DATABASE_URL; a server that is starting counts as available. The message contains no password. */
export async function checkDatabase(config: Pick<Config, 'databaseUrl'>): Promise<StartFault[]> {
  if (config.databaseUrl === null) return []
  const url = config.databaseUrl.reveal()
  const { host, pathname, hostname, username } = new URL(url)
  const place = `${host}${pathname}`
  const socket = new Socket()
  const client = new Client({ connectionString: url, application_name: 'crossfile start check', stream: () => socket })
  client.on('error', () => undefined)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${databaseMs} ms`)), databaseMs)
  })
  try {
    const connecting = client.connect()
    // After the deadline, this promise is not awaited.
    connecting.catch(() => undefined)
    await Promise.race([connecting, late])
    return []
  } catch (error) {
    const code = codeOf(error instanceof AggregateError ? error.errors[0] : error)
    if (startingCodes.includes(code)) return []
    const fault = (found: string, remedy: string): StartFault[] => [{ setting: 'DATABASE_URL', found, remedy }]
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      return fault(
        `the host name ${hostname} cannot be resolved`,
        'correct the host name, or unset DATABASE_URL to use the database that comes with Crossfile',
      )
    if (code === 'ECONNREFUSED')
      return fault(
        `no PostgreSQL accepts connections at ${place}`,
        'start that server or correct host and port, or unset DATABASE_URL to use the database that comes with Crossfile',
      )
    if (code === '28P01' || code === '28000')
      return fault(
        `PostgreSQL at ${place} refuses the user ${JSON.stringify(decodeURIComponent(username))}: ${messageOf(error)}`,
        'correct user and password',
      )
    if (code === '3D000') return fault(`PostgreSQL at ${host} has no database ${JSON.stringify(pathname.slice(1))}`, 'create it, or correct the name')
    return fault(`PostgreSQL at ${place} cannot be reached: ${messageOf(error)}`, 'check host, port and network')
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/**
 * The requirements of the API: its ports and its database. Its data folder may be read-only, unless the lake is in a bucket. `bucket`: what
 * prevents the use of that bucket.
 */
export async function checkApiStart(config: Config, bucket: Promise<StartFault[]> = Promise.resolve([])): Promise<void> {
  refuseFaults((await Promise.all([checkPorts(config), checkDatabase(config), checkCache(config), bucket])).flat())
}

/** The folder into which a program downloads files of a lake in a bucket. */
async function checkCache({ lake, dataFolder }: Pick<Config, 'lake' | 'dataFolder'>): Promise<StartFault[]> {
  return lake === null ? [] : await checkWritable(join(dataFolder, 'lake'), 'CROSSFILE_DATA')
}

/** The port of the API and, if one is set, that of the metrics. */
export async function checkPorts(config: Pick<Config, 'host' | 'port' | 'metricsPort' | 'metricsHost'>): Promise<StartFault[]> {
  const { host, port, metricsPort, metricsHost } = config
  if (metricsPort !== null && metricsPort !== 0 && metricsPort === port && metricsHost === host)
    return [
      { setting: 'CROSSFILE_METRICS_PORT', found: `port ${port} is that of the API (PORT)`, remedy: 'set CROSSFILE_METRICS_PORT to another port' },
    ]
  const api = checkPort(port, host, { port: 'PORT', host: 'HOST' })
  const metrics = metricsPort === null ? [] : checkPort(metricsPort, metricsHost, { port: 'CROSSFILE_METRICS_PORT', host: 'CROSSFILE_METRICS_HOST' })
  return (await Promise.all([api, metrics])).flat()
}

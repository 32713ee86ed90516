// The local folder of the lake as a cache of the bucket: downloads under another name, then one rename; a limit of bytes; and no deletion
// of a file that the bucket does not have. Every use is verified as that of a local file (../verifier.ts). Files of models are downloaded in
// the same way, but are not part of the limit: the collector of models deletes them.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { Damaged, StoreUnavailable, Upstream } from '#schemas/errors.ts'
import type { Availability, Objects, Remote, RemoteFile } from '../remote.ts'
import { turns } from '../turns.ts'
import { incomingFolder, lakeFolder, sha256OfFile, tablesFolder } from '../verifier.ts'
import { askBucket, recordAvailability } from './availability.ts'
import { createEviction, type EvictionOptions } from './eviction.ts'
import { DownloadFailed } from './objects.ts'

const fetchedAtOnce = 8
const logMs = 10_000

/** The folder of models below the data folder, and of their objects (../../../models/). */
const models = 'models'
/** The name of a file's object: its path below the folder `lake`; for a model, below the data folder. */
const objectName = (data: string, path: string): string => relative(isModel(data, path) ? data : lakeFolder(data), path).replaceAll(sep, '/')
const isModel = (data: string, path: string): boolean => path.startsWith(join(data, models) + sep)
/** Where a download is written: on the file system of its file. The collector of models deletes what a killed process left there. */
const incomingPath = (data: string, path: string): string =>
  join(isModel(data, path) ? join(data, models, 'incoming') : incomingFolder(data), `${randomBytes(8).toString('hex')}.part`)

type Compared = 'whole' | 'missing' | 'differs'
/** Downloads an object to `target`, or only hashes it if that is null, and compares it with the file. */
async function compareObject(objects: Objects, name: string, { sha256, isWhole }: RemoteFile, target: string | null): Promise<Compared> {
  const { outcome } = await objects.download(name, sha256, target)
  return outcome === 'differs' && isWhole !== undefined && target !== null && (await isWhole(target)) ? 'whole' : outcome
}

async function inspectObject(data: string, objects: Objects, name: string, file: RemoteFile): Promise<Compared> {
  if (file.isWhole === undefined) return await compareObject(objects, name, file, null)
  const target = incomingPath(data, file.path)
  try {
    await mkdir(dirname(target), { recursive: true })
    return await compareObject(objects, name, file, target)
  } finally {
    await rm(target, { force: true })
  }
}

export type CacheOptions = EvictionOptions & {
  /** Whether the bucket answers; default: by its own probes alone. */
  readonly availability?: Availability
}

/** The lake of `data` with its files in the bucket of `objects`. */
export function openCache(data: string, objects: Objects, options: CacheOptions): Remote {
  const { log = () => {}, availability = recordAvailability(() => askBucket(objects)) } = options
  const tables = tablesFolder(data)
  const nameOf = (path: string): string => objectName(data, path)
  const eviction = createEviction(tables, async path => (await objects.facts(nameOf(path)))?.bytes ?? null, options)
  const fetching = new Map<string, Promise<void>>()
  const inTurn = turns(fetchedAtOnce)

  let loggedMs = Number.NEGATIVE_INFINITY
  /** Logs the object of an error, whose text goes to clients: at most once in ten seconds, because a bucket fails for all files. */
  function refuse<E extends Error>(error: E, name: string): E {
    if (performance.now() - loggedMs > logMs) {
      loggedMs = performance.now()
      log('warn', `${objects.address}/${name}: ${error.message}`)
    }
    return error
  }

  async function fetchNow(file: RemoteFile): Promise<void> {
    const { dataset, path } = file
    const name = nameOf(path)
    const target = incomingPath(data, path)
    try {
      await mkdir(dirname(target), { recursive: true })
      // Wrong bytes are requested again: the network may have changed them.
      let found = await compareObject(objects, name, file, target)
      if (found === 'differs') found = await compareObject(objects, name, file, target)
      if (found === 'missing') throw refuse(new Damaged(dataset, 'one of its files is missing from the bucket'), name)
      if (found === 'differs') throw refuse(new Damaged(dataset, 'the content of one of its files in the bucket differs from its SHA-256'), name)
      await chmod(target, 0o444)
      await mkdir(dirname(path), { recursive: true })
      await rename(target, path)
      eviction.schedule()
    } catch (cause) {
      if (!(cause instanceof DownloadFailed)) throw ofDisk(cause, dataset)
      void availability.probe()
      const message = `dataset ${dataset}: one of its files cannot be read from the bucket now (${cause.failure})`
      throw refuse(new StoreUnavailable(message, { cause, hint: 'repeat the request', retryAfterSeconds: 10 }), name)
    } finally {
      await rm(target, { force: true })
    }
  }

  return {
    objects,
    availability,
    covers: path => path.startsWith(tables + sep) || isModel(data, path),
    nameOf,
    async fetch(file) {
      let download = fetching.get(file.path)
      if (download === undefined) {
        download = inTurn(() => fetchNow(file)).finally(() => fetching.delete(file.path))
        fetching.set(file.path, download)
      }
      await download
    },
    async store({ sha256, path, isWhole }, bytes) {
      const name = nameOf(path)
      const { created } = await objects.upload(name, { path, sha256: isWhole === undefined ? sha256 : await sha256OfFile(path), bytes })
      eviction.schedule()
      if (created) return { confirmStored: null }
      const confirmStored = async (): Promise<void> => {
        if ((await objects.facts(name))?.bytes === bytes) return
        throw new Upstream(`${objects.address}: ${name} was deleted while it was committed`, { retryAfterSeconds: 5 })
      }
      return { confirmStored }
    },
    async inspect(file) {
      const found = await inspectObject(data, objects, nameOf(file.path), file)
      if (found === 'whole') return null
      return found === 'missing' ? `it is missing from ${objects.address}` : `its content in ${objects.address} differs from its SHA-256`
    },
    remove: path => objects.remove(nameOf(path)),
    use: eviction.use,
    release: eviction.release,
    evict: eviction.evict,
  }
}

/** A disk that cannot take the file is no damage: the request may be repeated after the operator has acted. */
function ofDisk(cause: unknown, dataset: string): unknown {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Upstream(`dataset ${dataset}: the disk of the lake's cache is full`, {
      cause,
      hint: 'free space there, or set CROSSFILE_LAKE_CACHE to less',
      retryAfterSeconds: 60,
    })
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    return new Upstream(`dataset ${dataset}: the lake's cache cannot be written (${code})`, {
      cause,
      hint: 'let this user write to the folders lake and models of CROSSFILE_DATA',
      retryAfterSeconds: 60,
    })
  return cause
}

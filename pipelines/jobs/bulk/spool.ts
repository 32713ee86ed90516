// Downloads an archive to a file of the data folder, where the attempt after a killed one finds it again.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileSystemNow } from '#warehouse/store/file-clock.ts'
import { sha256OfFile } from '#warehouse/store/lake/open.ts'
import { rawFolder } from '#warehouse/store/raw/place.ts'
import { syncFolder } from '#warehouse/store/sync-folder.ts'
import type { FileFacts, HttpClient } from '../../fetch/http.ts'
import type { Upstream } from '../../fetch/sources/upstream.ts'

export type Spooled = { readonly path: string; readonly facts: FileFacts }
/** Archives that could not be read to their end, below the data folder. */
const quarantineFolder = 'raw/quarantine'
/** A download ends within an hour; an older file belongs to a killed attempt. */
const staleMs = 2 * 3_600_000

const folderOf = (data: string): string => join(rawFolder(data), 'incoming')
const nameOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 32)

/** A complete file of an earlier attempt; null if there is none, or if its bytes do not match their hash. */
export async function findSpooled(data: string, url: string): Promise<Spooled | null> {
  const path = join(folderOf(data), nameOf(url))
  const noted = await readFile(`${path}.json`, 'utf8').catch(ifMissing)
  if (noted === null) return null
  const facts = JSON.parse(noted) as FileFacts
  const found = await stat(path).catch(ifMissing)
  if (facts.url === url && found?.size === facts.bytes && (await sha256OfFile(path)) === facts.sha256) return { path, facts }
  await dropSpooled({ path })
  return null
}

const ifMissing = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null
  throw error
}

/** Downloads; null if the upstream confirms that `held` is current. The file is complete and synced before it gets its name. */
export async function fetchSpooled(
  http: HttpClient,
  upstream: Upstream,
  data: string,
  url: string,
  held: { readonly headers: Readonly<Record<string, string>> } | null,
  signal: AbortSignal,
): Promise<Spooled | null> {
  const folder = folderOf(data)
  await mkdir(folder, { recursive: true })
  await dropStale(folder)
  const path = join(folder, nameOf(url))
  const part = `${path}.${randomBytes(6).toString('hex')}.part`
  const fetched = await http.fetchFile(upstream, { url }, part, held, signal)
  if (fetched.kind === 'unchanged') return null
  await rename(part, path)
  await writeFile(`${part}.json`, JSON.stringify(fetched.file), { flush: true })
  await rename(`${part}.json`, `${path}.json`)
  await syncFolder(folder)
  return { path, facts: fetched.file }
}

export async function dropSpooled({ path }: Pick<Spooled, 'path'>): Promise<void> {
  // The note is written first: without it the file has no owner.
  await rm(`${path}.json`, { force: true })
  await rm(path, { force: true })
}
/** Removes the files of an address whose archive is done. */
export const dropSpooledOf = (data: string, url: string): Promise<void> => dropSpooled({ path: join(folderOf(data), nameOf(url)) })

/** Moves the archive to where the operator finds it; returns its path below the data folder. */
export async function quarantineSpooled(data: string, { path, facts }: Spooled, ending: string): Promise<string> {
  const place = `${quarantineFolder}/${facts.sha256}.${ending}`
  await mkdir(join(data, quarantineFolder), { recursive: true })
  await rename(path, join(data, place))
  await syncFolder(join(data, quarantineFolder))
  await rm(`${path}.json`, { force: true })
  return place
}

async function dropStale(folder: string): Promise<void> {
  const before = (await fileSystemNow(folder)) - staleMs
  for (const name of await readdir(folder)) {
    if (!name.includes('.part')) continue
    const found = await stat(join(folder, name)).catch(ifMissing)
    if (found && found.mtimeMs < before) await rm(join(folder, name), { force: true })
  }
}

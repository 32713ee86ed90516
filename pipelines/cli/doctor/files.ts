// Files of the lake and of the raw store as recorded in the catalogue.
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { lakeFolder, lakePath, leadsElsewhere, sha256OfFile } from '#warehouse/store/lake/open.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import type { Objects, Remote } from '#warehouse/store/lake/remote.ts'
import { describeDamage } from '#warehouse/store/raw/pack.ts'
import { damagedRecords, findObjectPack, isHere, rawPlace } from '#warehouse/store/raw/place.ts'
import { indexedRecords } from '#warehouse/store/raw/raw.ts'
import { some } from '../output.ts'
import { type Finding, ok, withBucket, wrong } from './check.ts'

const lakeRemedy = 'crossfile repair makes it again from raw, crossfile repair --from PLACE takes it from a backup'
const rawRemedy = 'crossfile repair --from PLACE takes its records from a backup'
const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? (error as Error).message)

/** The fault of a file that is named by its SHA-256; null if there is none. */
async function faultOf(data: string, path: string, sha256: string): Promise<string | null> {
  try {
    if (await leadsElsewhere(data, path)) return 'is a symbolic link to another folder'
    return (await sha256OfFile(path)) === sha256 ? null : 'is damaged: its SHA-256 is not its name'
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`
  }
}

/** The fault of a file that is not cached, without reading it: crossfile repair reads every object. */
async function faultInBucket({ objects }: Remote, name: string, bytes: number): Promise<string | null> {
  const facts = await objects.facts(name)
  if (facts === null) return `is missing from ${objects.address}`
  return facts.bytes === bytes ? null : `has ${facts.bytes} bytes in ${objects.address}, expected ${bytes}`
}

/** The fault of a pack that only the bucket has, without reading it. */
async function faultOfObjectPack(objects: Objects, pack: string, offsets: readonly number[]): Promise<string | null> {
  const bytes = await findObjectPack(objects, pack)
  if (bytes === null) return 'ENOENT'
  const last = offsets.at(-1) ?? 0
  return bytes > last ? null : `it has ${bytes} bytes in ${objects.address}, and its last record begins at ${last}`
}

export const filesCheck = withBucket('files', async (db, { config, signal }) => {
  const findings: Finding[] = []
  const remote = await openRemote(config)
  const files = [...(await loadCatalogue(db)).files.values()].flat()
  for (const file of files) {
    signal.throwIfAborted()
    const path = lakePath(config.dataFolder, file)
    const name = relative(config.dataFolder, path)
    // Other hosts have the bucket only, so its object is looked at also if this disk has the file.
    const inBucket = remote === null ? null : await faultInBucket(remote, relative(lakeFolder(config.dataFolder), path), file.bytes)
    const isCached = remote === null || existsSync(path)
    const fault = inBucket ?? (isCached ? await faultOf(config.dataFolder, path, file.sha256) : null)
    if (fault !== null) findings.push(wrong(`${name} ${fault}`, lakeRemedy))
  }
  const packs = await indexedRecords(db)
  const raws = rawPlace(config.dataFolder, remote)
  for (const [pack, records] of packs) {
    const offsets = records.map(record => record.offset)
    const inBucket = raws.objects === null ? null : await faultOfObjectPack(raws.objects, pack, offsets)
    const isOnDisk = raws.objects === null || isHere(raws, pack)
    const fault =
      inBucket ??
      (isOnDisk
        ? await damagedRecords(raws, pack, offsets, signal).then(describeDamage, (error: unknown) => {
            signal.throwIfAborted()
            return codeOf(error)
          })
        : null)
    if (fault !== null) findings.push(wrong(`raw/${pack} ${fault === 'ENOENT' ? 'is missing' : `is damaged: ${fault}`}`, rawRemedy))
  }
  if (findings.length > 0) return findings
  const where = remote === null ? '' : `, those that are not cached have their size in ${remote.objects.address}`
  const whole = some(files.length, 'file of the lake has its SHA-256', 'files of the lake have their SHA-256')
  const wholePacks = some(packs.size, 'raw pack has the SHA-256 of every record', 'raw packs have the SHA-256 of every record')
  return [ok(`${whole}${where}; ${wholePacks}`)]
})

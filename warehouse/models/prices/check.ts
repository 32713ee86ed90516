// Whether the files of a build of the model of prices are whole.
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Damaged } from '#schemas/errors.ts'
import type { Remote } from '../../store/lake/remote.ts'
import { checkSize, repairObject } from '../objects.ts'
import { isWholePart, type Part, pricesDataset } from './part.ts'
import { manifestFile, manifestPath, type PriceBuild, partFile, partPath, readManifest } from './store.ts'

type Named = Pick<PriceBuild, 'sha256'>

/**
 * Checks the files of a build: its manifest, and that each part has its size; `whole` also reads the index and every block. Throws `Damaged`
 * that names the file.
 */
export async function checkPriceBuild(data: string, build: Named, whole: boolean): Promise<void> {
  const { parts } = await readManifest(data, build.sha256)
  for (const part of parts) await checkPartHere(data, part, whole)
}

async function checkPartHere(data: string, part: Part, whole: boolean): Promise<void> {
  const path = partPath(data, part.sha256)
  const size = await stat(path).then(
    found => found.size,
    () => null,
  )
  const damaged = (what: string): Damaged => new Damaged(pricesDataset, `its file ${basename(path)} ${what}`)
  if (size === null) throw damaged('is missing')
  if (size !== part.bytes) throw damaged(`has ${size} bytes, expected ${part.bytes}`)
  if (whole && !(await isWholePart(path, part))) throw damaged('is damaged: its index or a block differs from its SHA-256')
}

/**
 * As `checkPriceBuild`, and compares the size of every object: other hosts have the bucket only. Objects are not read, and files that only
 * the bucket has are not downloaded.
 */
export async function comparePriceBuild(data: string, build: Named, remote: Remote, whole: boolean): Promise<void> {
  for (const part of (await readManifest(data, build.sha256, remote)).parts) {
    await checkSize(remote, { ...partFile(data, part), bytes: part.bytes })
    if (existsSync(partPath(data, part.sha256))) await checkPartHere(data, part, whole)
  }
  if ((await remote.objects.facts(remote.nameOf(manifestPath(data, build.sha256)))) === null)
    throw new Damaged(pricesDataset, 'its manifest is missing from the bucket')
}

/**
 * Reads every file of a build on this disk and in the bucket. One that is missing or damaged in one place is taken from the other. Throws
 * `Damaged` if one is in neither.
 */
export async function repairPriceBuild(data: string, build: Named, remote: Remote): Promise<void> {
  const { parts } = await readManifest(data, build.sha256, remote)
  await repairObject(remote, manifestFile(data, build.sha256))
  for (const part of parts) {
    const file = partFile(data, part)
    if (!(await isWholePart(file.path, part))) await remote.fetch(file)
    await repairObject(remote, file)
  }
}

// Whether the files of a build of the model of prices are whole.
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Damaged } from '#schemas/errors.ts'
import type { Remote } from '../../store/lake/remote.ts'
import { checkSize, repairObject } from '../objects.ts'
import { isWholePart, type Part, pricesDataset } from './part.ts'
import { closeParts, manifestFile, openParts, type PriceBuild, partFile, partPath, readManifest } from './store.ts'

type Named = Pick<PriceBuild, 'sha256'>

/**
 * Checks the files of a build: its manifest, and that each part has its size; `whole` also reads the index and every block. Throws `Damaged`
 * with the reason.
 */
export async function checkPriceBuild(data: string, build: Named, whole: boolean): Promise<void> {
  const { parts } = await readManifest(data, build.sha256)
  for (const part of parts) await checkSizeHere(data, part)
  if (!whole) return
  const open = await openParts(data, parts)
  try {
    for (const part of open) for await (const _entry of part.entries());
  } finally {
    await closeParts(open)
  }
}

async function checkSizeHere(data: string, part: Part): Promise<void> {
  const size = await stat(partPath(data, part.sha256)).then(
    found => found.size,
    () => null,
  )
  if (size !== part.bytes)
    throw new Damaged(pricesDataset, `one of its files is ${size === null ? 'missing' : 'shorter or longer than it was written'}`)
}

/** As `checkPriceBuild`. Files that only the bucket has are not read; the sizes of their objects are compared. */
export async function comparePriceBuild(data: string, build: Named, remote: Remote, whole: boolean): Promise<void> {
  for (const part of (await readManifest(data, build.sha256, remote)).parts) {
    const { path } = partFile(data, part)
    if (!existsSync(path)) await checkSize(remote, { ...partFile(data, part), bytes: part.bytes })
    else if (!whole) await checkSizeHere(data, part)
    else if (!(await isWholePart(path, part))) throw new Damaged(pricesDataset, 'the content of one of its files differs from its SHA-256')
  }
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

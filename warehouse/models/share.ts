// The first upload of models that a data folder has, when the hosts of a lake in a bucket begin to share them.
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Damaged } from '#schemas/errors.ts'
import type { Remote } from '../store/lake/remote.ts'
import { sha256OfFile } from '../store/lake/verifier.ts'
import type { Db } from '../store/postgres.ts'
import { findBuildFiles } from './check.ts'
import { hasSize, type SizedFile } from './objects.ts'
import { pricesModel } from './prices/part.ts'
import { manifestFile, partFile, readManifest } from './prices/store.ts'

/**
 * Uploads the files of all builds and copies that the bucket lacks, and returns their number. A build or copy with a file that neither the
 * bucket nor this disk has is forgotten: it is made again.
 */
export async function uploadModels(db: Db, data: string, remote: Remote): Promise<number> {
  let uploaded = 0
  for (const file of await findBuildFiles(db, data)) {
    const added = await upload(remote, file)
    uploaded += added ?? 0
    if (added === null) await forget(db, file.model, file.sha256)
  }
  for (const { sha256 } of await db.selectFrom('model_build').select('sha256').where('model', '=', pricesModel).execute()) {
    const added = await uploadPrices(data, sha256, remote)
    uploaded += added ?? 0
    if (added === null) await forget(db, pricesModel, sha256)
  }
  return uploaded
}

/** 1 if the file was uploaded, 0 if the bucket has it; null if it is in neither place. */
async function upload(remote: Remote, file: SizedFile): Promise<number | null> {
  if (await hasSize(remote, file)) return 0
  if (!(await isWholeHere(file))) return null
  await remote.store(file, file.bytes)
  return 1
}

async function isWholeHere({ path, sha256, bytes, isWhole }: SizedFile): Promise<boolean> {
  if (!existsSync(path) || (await stat(path)).size !== bytes) return false
  return isWhole === undefined ? (await sha256OfFile(path)) === sha256 : await isWhole(path)
}

async function uploadPrices(data: string, sha256: string, remote: Remote): Promise<number | null> {
  try {
    const { parts } = await readManifest(data, sha256, remote)
    const manifest = manifestFile(data, sha256)
    const files = [{ ...manifest, bytes: (await stat(manifest.path)).size }, ...parts.map(part => ({ ...partFile(data, part), bytes: part.bytes }))]
    let uploaded = 0
    for (const file of files) {
      const added = await upload(remote, file)
      if (added === null) return null
      uploaded += added
    }
    return uploaded
  } catch (error) {
    if (error instanceof Damaged) return null
    throw error
  }
}

async function forget(db: Db, model: string, sha256: string): Promise<void> {
  await db
    .deleteFrom('model_build')
    .where('model', '=', model)
    .where(eb => eb.or([eb('sha256', '=', sha256), eb('origins_sha256', '=', sha256)]))
    .execute()
  await db.deleteFrom('sorted_copy').where('copy', '=', model).where('sha256', '=', sha256).execute()
}

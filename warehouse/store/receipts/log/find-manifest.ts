// What the log names as the list of files of a release, compared with what this service has.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { NamedManifest } from '#schemas/receipts.ts'
import { manifestPath } from '../../lake/publication/steps.ts'
import type { Db } from '../../postgres.ts'

/**
 * The manifest that the log's entry of a release names, and whether the recorded one and the file `manifests/<release>.json`, if it exists,
 * have that SHA-256. Null if the log has no such entry (yet), or one from before entries named manifests. `data`: the data folder.
 */
export async function findNamedManifest(db: Db, data: string, release: number): Promise<NamedManifest | null> {
  const row = await db
    .selectFrom('log_entry')
    .select(['index', 'entry'])
    .where('kind', '=', 'release')
    .where('name', '=', String(release))
    .orderBy('index', 'desc')
    .limit(1)
    .executeTakeFirst()
  const named = row?.entry ? (JSON.parse(row.entry.toString('utf8')) as { readonly lake_manifest?: { sha256: string; bytes: number } }) : {}
  if (row === undefined || named.lake_manifest === undefined) return null
  const { sha256, bytes } = named.lake_manifest
  const recorded = await db.selectFrom('release_manifest').select('sha256').where('release', '=', release).executeTakeFirst()
  const file = await readFile(manifestPath(data, release)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  const isFile = file === null || createHash('sha256').update(file).digest('hex') === sha256
  return { sha256, bytes, log_index: row.index, holds: recorded?.sha256 === sha256 && isFile }
}

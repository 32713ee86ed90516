// Moves a lake of before into its present folders. Until November 2026 the table of a dataset was `lake/<dataset>`; that name now leads to
// the live files of the newest release (publication/snapshots.ts), and the table is `lake/delta/<dataset>`.
import { mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { datasetNames } from '#schemas/index.ts'
import { syncFolder } from '../sync-folder.ts'
import { lakeFolder, tablesFolder } from './verifier.ts'

/**
 * Moves each table, with one rename per table, and returns their number. A later start continues after a crash. Call it before anything
 * reads the lake. Throws `Broken` if a table is in both places.
 */
export async function moveTables(data: string): Promise<number> {
  const lake = lakeFolder(data)
  const entries = await readdir(lake, { withFileTypes: true })
  const old = entries.filter(entry => entry.isDirectory() && (datasetNames as readonly string[]).includes(entry.name))
  if (old.length === 0) return 0
  await mkdir(tablesFolder(data), { recursive: true })
  let moved = 0
  for (const { name } of old) moved += (await moveTable(join(lake, name), join(tablesFolder(data), name))) ? 1 : 0
  await syncFolder(tablesFolder(data))
  await syncFolder(lake)
  return moved
}

async function moveTable(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // Another process moved it in the meantime, and may have made the link.
    if (code === 'ENOENT' || code === 'EISDIR') return false
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw cause
    throw new Broken(`${from} is a folder, and the table is in ${to}`, {
      cause,
      hint: `move files that only ${from} has to the same place in ${to}, delete ${from}, and start again`,
    })
  }
}

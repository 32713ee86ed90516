// Moves the published files of a log from a data folder to the bucket of the lake.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import type { Remote } from '../../lake/remote.ts'
import type { Db } from '../../postgres.ts'
import { readCheckpoint } from '../../transparency/checkpoint.ts'
import { parseTilePath } from '../../transparency/tiles.ts'
import { confirmation, lockLog } from './head.ts'
import { logFolderPath, openLogFolder } from './open-folder.ts'

type UploadedLog = {
  readonly objects: number
  /** Whether the bucket has a checkpoint now. */
  readonly isPublished: boolean
}

/**
 * Uploads the log of the data folder, its checkpoint last, if the bucket has none or an older checkpoint of the same log. Files that the bucket
 * has with the same bytes are not written. No sequencer runs meanwhile. Throws `Broken` if both have logs of different names.
 */
export async function uploadLog(db: Db, data: string, remote: Remote): Promise<UploadedLog> {
  return await db.transaction().execute(async trx => {
    await lockLog(trx)
    const [local, bucket] = [openLogFolder(data, null), openLogFolder(data, remote)]
    const [here, there] = [await local.readCheckpoint(), await bucket.readCheckpoint()]
    if (here === null || here === there) return { objects: 0, isPublished: there !== null }
    if (there !== null && !isNewer(here, there, `${local.path} and ${bucket.path}`)) return { objects: 0, isPublished: true }
    const folder = logFolderPath(data)
    const names = existsSync(join(folder, 'tile')) ? await readdir(join(folder, 'tile'), { recursive: true }) : []
    let objects = 0
    for (const name of names) {
      const tile = parseTilePath(`tile/${name}`)
      if (tile === null) continue
      await bucket.writeTile(tile, await readFile(join(folder, 'tile', name)), confirmation(trx))
      objects += 1
    }
    await bucket.writeCheckpoint(here)
    return { objects: objects + 1, isPublished: true }
  })
}

function isNewer(here: string, there: string, both: string): boolean {
  const [own, other] = [readCheckpoint(here), readCheckpoint(there)]
  if (own.origin !== other.origin)
    throw new Broken(`${both} have different receipt logs, ${own.origin} and ${other.origin}`, {
      hint: 'move away the one that does not belong to this database',
    })
  return own.size > other.size
}

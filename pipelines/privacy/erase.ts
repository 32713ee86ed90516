// The daily erasure: accounts whose thirty days are over go, and the list outside of the database says so.
import type { Db } from '#warehouse/postgres.ts'
import { eraseDue, replayErasures } from '#warehouse/privacy/erasure.ts'
import { erasureListOf, readErasureList, writeErasureList } from '#warehouse/privacy/erasure-list.ts'
import { sweepPrivacy } from '#warehouse/privacy/retention.ts'

/**
 * Erases what is due. First the list of the data folder is replayed: a database that was restored from before an erasure must not
 * bring anybody back, and must not make the list shorter.
 */
export async function eraseDaily(db: Db, dataFolder: string, now: Date): Promise<string> {
  const path = erasureListOf(dataFolder)
  const again = await replayErasures(db, await readErasureList(path), now)
  const done = await eraseDue(db, now)
  const forgotten = await sweepPrivacy(db, now)
  await writeErasureList(db, path)
  const said = [
    [done.length, 'erased'],
    [again.length, 'erased again after a restore'],
    [forgotten, 'rows forgotten'],
  ] as const
  return said
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ')
}

// The daily erasure: deletes accounts whose thirty days are over, and records it in the list outside the database.

import { eraseDue, replayErasures } from '#warehouse/people/privacy/erasure.ts'
import { type ErasureList, writeErasureList } from '#warehouse/people/privacy/erasure-list.ts'
import { sweepPrivacy } from '#warehouse/people/privacy/retention.ts'
import type { Db } from '#warehouse/store/postgres.ts'

/**
 * Erases what is due. First the list outside the database is replayed: a database restored from before an erasure must not
 * restore the account, and must not shorten the list. Damaged lines do not end the job, because the list is written again from the database.
 */
export async function eraseDaily(db: Db, list: ErasureList, now: Date): Promise<string> {
  const { erased, damaged } = await list.read()
  const again = await replayErasures(db, erased, now)
  const done = await eraseDue(db, now)
  const forgotten = await sweepPrivacy(db, now)
  await writeErasureList(db, list)
  const notes = [
    [done.length, 'erased'],
    [again.length, 'erased again after a restore'],
    [forgotten, 'rows forgotten'],
    [damaged.length, `damaged lines of the list passed over (${damaged[0]})`],
  ] as const
  return notes
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ')
}

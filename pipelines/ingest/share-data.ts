// What several hosts need of each other besides the lake. With a lake in a bucket it is in the bucket too. The first worker uploads what
// its data folder has of it, once.
import { BadRequest } from '#schemas/errors.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import type { Remote } from '#warehouse/store/lake/remote.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { findLogHead } from '#warehouse/store/receipts/log/head.ts'
import { uploadLog } from '#warehouse/store/receipts/log/upload-log.ts'

type SharedPart = {
  /** For the log: `raw packs`. */
  readonly name: string
  /**
   * Uploads what the bucket lacks, and returns the number of objects. Throws `BadRequest` if the database names something that neither the
   * bucket nor this data folder has: it is on another host, which must be started first.
   */
  upload(db: Db, data: string, remote: Remote): Promise<number>
}
const receiptLog: SharedPart = {
  name: 'files of the receipt log',
  async upload(db, data, remote) {
    const { objects, isPublished } = await uploadLog(db, data, remote)
    if (!isPublished && (await findLogHead(db)) !== null)
      throw new BadRequest(`the database has a receipt log, but neither ${remote.objects.address} nor ${data} has its folder receipt-log`, {
        hint: 'start first the host whose data folder has receipt-log; if it is lost, run crossfile receipt-log continue',
      })
    return objects
  },
}

const parts: readonly SharedPart[] = [receiptLog]

/** Uploads the shared parts of this data folder, if no host has done it. Does nothing for a lake on this disk. */
export async function shareData(db: Db, { data, remote }: LakeWriter, log: Log): Promise<void> {
  if (!remote) return
  const place = await db.selectFrom('lake_place').select(['address', 'shared']).executeTakeFirst()
  if (place === undefined) throw new BadRequest('no bucket is recorded for the lake', { hint: 'start a worker with CROSSFILE_LAKE' })
  if (place.shared) return
  for (const { name, upload } of parts) {
    const uploaded = await upload(db, data, remote)
    if (uploaded > 0) log('info', `${place.address}: uploaded ${uploaded} ${name}`)
  }
  await db.updateTable('lake_place').set({ shared: true }).execute()
}

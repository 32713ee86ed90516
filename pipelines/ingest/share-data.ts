// What several hosts need of each other besides the lake. With a lake in a bucket it is in the bucket too. The first worker uploads what
// its data folder has of it, once.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BadRequest } from '#schemas/errors.ts'
import { uploadModels } from '#warehouse/models/share.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import type { Remote } from '#warehouse/store/lake/remote.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { uploadJournal } from '#warehouse/store/raw/decisions.ts'
import { journalName, readJournalText } from '#warehouse/store/raw/journal.ts'
import { listPacks } from '#warehouse/store/raw/pack.ts'
import { fetchPacks, listObjectPacks, type RawPlace, rawFolder, uploadPack } from '#warehouse/store/raw/place.ts'
import { findLogHead } from '#warehouse/store/receipts/log/head.ts'
import { uploadLog } from '#warehouse/store/receipts/log/upload-log.ts'
import { replaceFile } from '#warehouse/store/sync-folder.ts'

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

const parts: readonly SharedPart[] = [
  { name: 'raw packs', upload: uploadRaw },
  { name: 'files of models', upload: uploadModels },
  receiptLog,
  { name: 'decisions on quarantine', upload: async (_db, data, { objects }) => await uploadJournal(objects, rawFolder(data)) },
]

async function uploadRaw(db: Db, data: string, { objects }: Remote): Promise<number> {
  const folder = rawFolder(data)
  const held = await listObjectPacks(objects)
  const here = await listPacks(folder)
  const named = await db.selectFrom('raw_document').select('pack').distinct().execute()
  const elsewhere = named.filter(({ pack }) => !held.has(pack) && !here.includes(pack))
  const [first] = elsewhere
  if (first)
    throw new BadRequest(`${objects.address} and ${folder} lack ${elsewhere.length} packs of raw documents, such as ${first.pack}`, {
      hint: 'first start the worker on the host whose data folder has them: it uploads them',
    })
  let uploaded = 0
  for (const pack of here) {
    if (held.get(pack) === (await stat(join(folder, pack))).size) continue
    await uploadPack(objects, pack, folder)
    uploaded += 1
  }
  return uploaded
}

/** Downloads what the folder of raw documents lacks, with the journal of decisions. Does nothing if all of it is on this disk. */
export async function downloadRaw(place: RawPlace): Promise<void> {
  const { folder, objects } = place
  if (objects === null) return
  await fetchPacks(objects, (await listObjectPacks(objects)).keys(), folder)
  const journal = join(folder, journalName)
  await replaceFile(journal, `${journal}.draft`, await readJournalText(place), 0o644)
}

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

// Where the lake of a database is. It is recorded, so that a program without CROSSFILE_LAKE, or with another bucket, does not commit files
// that the others cannot read.
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { BadRequest, Broken } from '#schemas/errors.ts'
import type { Db } from '../postgres.ts'
import { loadCatalogue } from './catalogue.ts'
import type { LakeWriter } from './compact.ts'
import { lakePath, sha256OfFile } from './verifier.ts'

type LakePlaceTable = { lake_place: { only_one: boolean; address: string; since: string; shared: boolean } }
declare module '../database.ts' {
  interface Database extends LakePlaceTable {}
}

/** The recorded bucket; null: the lake is in the data folder. */
async function findLakePlace(db: Db): Promise<string | null> {
  // A command that only reads may run before the migration that makes the table.
  const { rows } = await sql<{ there: boolean }>`select to_regclass('lake_place') is not null as there`.execute(db)
  if (!rows[0]?.there) return null
  return (await db.selectFrom('lake_place').select('address').executeTakeFirst())?.address ?? null
}

/** Throws `BadRequest` if the lake of the database is in another place than the setting names. */
export async function checkLakePlace(db: Db, lake: string | null): Promise<void> {
  const recorded = await findLakePlace(db)
  if (recorded === null || recorded === lake) return
  throw new BadRequest(
    lake === null
      ? `CROSSFILE_LAKE is not set, and the lake of this database is in ${recorded}`
      : `CROSSFILE_LAKE is ${lake}, and the lake of this database is in ${recorded}`,
    { hint: `set CROSSFILE_LAKE=${recorded}; docs/how-to/s3-lake.md describes how a lake moves` },
  )
}

export type Settled = {
  readonly uploaded: number
  /** Files of the catalogue that neither the bucket nor this disk has. */
  readonly missing: number
}

/**
 * For a program that writes: uploads the files that the bucket lacks, then records the bucket. At later starts one list shows that nothing
 * is missing. `repairs`: the program compares every object itself, so a recorded bucket is not looked at. Throws `Broken` if the bucket is
 * to be recorded and a file is neither here nor there, or if a recorded bucket lacks most files: it was emptied or replaced.
 */
export async function settleLake(db: Db, writer: LakeWriter, repairs = false): Promise<Settled> {
  const { remote, data } = writer
  const nothing: Settled = { uploaded: 0, missing: 0 }
  if (!remote) return nothing
  const { address } = remote.objects
  const isFirst = (await findLakePlace(db)) === null
  if (repairs && !isFirst) return nothing
  // Before the list: another worker commits only files that the bucket has.
  const files = [...(await loadCatalogue(db)).files.values()].flat()
  const held = new Map<string, number>()
  for await (const { name, bytes } of remote.objects.list('delta/')) held.set(name, bytes)
  const lacking = files.filter(({ dataset, bucket, sha256, bytes }) => held.get(`delta/${dataset}/${bucket}/${sha256}.parquet`) !== bytes)
  // Nothing is uploaded: the operator may bring the objects back, and a start must not hide that they are gone.
  if (!isFirst && lacking.length * 2 > files.length)
    throw new Broken(`${address} lacks ${lacking.length} of ${files.length} files of the lake: it was emptied or replaced`, {
      hint: 'bring its objects back, or run crossfile repair, with --from and a backup: it uploads files of the cache and makes the others again',
    })
  let uploaded = 0
  let missing = 0
  for (const file of lacking) {
    const { dataset, sha256 } = file
    const path = lakePath(data, file)
    const isHere = existsSync(path) && (await stat(path)).size === file.bytes && (await sha256OfFile(path)) === sha256
    // Afterwards, a missing object is damage of one dataset, which a read reports and crossfile repair restores.
    if (!isHere && !isFirst) {
      missing += 1
      continue
    }
    if (!isHere)
      throw new Broken(`${address} cannot become the lake: ${path} is damaged or missing, and the bucket does not have it`, {
        hint: 'unset CROSSFILE_LAKE, run crossfile repair, then set it again',
      })
    await remote.store({ dataset, sha256, path }, file.bytes)
    uploaded += 1
  }
  await sql`insert into lake_place (address) values (${address}) on conflict do nothing`.execute(db)
  await checkLakePlace(db, address)
  return { uploaded, missing }
}

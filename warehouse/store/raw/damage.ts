// Known damaged raw documents: a reader or the background scrub records them, and the status reads them. They are rows of `damaged_file`
// with the dataset `raw` and the SHA-256 of the document's body.
import { sql } from 'kysely'
import { type FoundBy, recordDamage } from '../lake/damage.ts'
import { idleAfter } from '../lake/scrub.ts'
import { isMomentary } from '../lake/verifier.ts'
import type { Db } from '../postgres.ts'
import { describeDamage } from './pack.ts'
import { damagedRecords, isHere, type RawPlace } from './place.ts'

/** The component of the status. No dataset of the register has this name. */
export const rawComponent = 'raw'

export async function recordRawDamage(db: Db, sha256: string, reason: string, foundBy: FoundBy): Promise<void> {
  await recordDamage(db, { dataset: rawComponent, sha256 }, reason, foundBy)
}

export type RawDamage = { readonly sha256: string; readonly reason: string; readonly found_at: string }
/** Known damaged documents that are still in the index. */
export async function findRawDamage(db: Db): Promise<RawDamage[]> {
  const { rows } = await sql<RawDamage>`select d.sha256, d.reason, d.found_at from damaged_file d
    where d.dataset = ${rawComponent} and exists (select 1 from raw_document r where r.sha256 = d.sha256) order by d.found_at, d.sha256`.execute(db)
  return rows
}

type Place = { readonly pack: string; readonly offset: number; readonly sha256: string }
const placesOf = async (db: Db, column: 'pack' | 'sha256', value: string): Promise<Place[]> => {
  const { rows } = await sql<Place>`select pack, pack_offset::float8 as "offset", sha256 from raw_document
    where ${sql.ref(column)} = ${value} order by pack, pack_offset`.execute(db)
  return rows
}

/** Hashes the known damaged documents again and removes those that are whole, or that are no longer in the index. */
export async function recheckRawDamage(db: Db, at: RawPlace): Promise<void> {
  for (const { sha256 } of await findRawDamage(db)) {
    const damaged = await Promise.all((await placesOf(db, 'sha256', sha256)).map(place => faultOf(at, place.pack, [place.offset])))
    if (damaged.every(each => each === null)) await sql`delete from damaged_file where dataset = ${rawComponent} and sha256 = ${sha256}`.execute(db)
  }
  await sql`delete from damaged_file d where d.dataset = ${rawComponent} and not exists (select 1 from raw_document r where r.sha256 = d.sha256)`.execute(
    db,
  )
}

type Fault = { readonly offset: number; readonly reason: string }
/** The first fault among the records of a pack; null if all are whole. A pack that cannot be opened is a fault of its first record. */
async function faultOf(at: RawPlace, pack: string, offsets: readonly number[]): Promise<Fault | null> {
  const first = offsets[0] ?? 0
  try {
    const damaged = await damagedRecords(at, pack, offsets)
    const reason = describeDamage(damaged)
    return reason === null ? null : { offset: damaged[0] as number, reason: `${pack}: ${reason}` }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === undefined || isMomentary(error)) throw error
    return { offset: first, reason: code === 'ENOENT' ? `${pack} is missing` : `${pack} cannot be read (${code})` }
  }
}

/** Records that are hashed between two pauses. */
const recordsAtOnce = 64

/**
 * One pass over all raw packs of the folder at 1 % of a core; a damaged pack is reported once, with its first damaged document. Packs that
 * only the bucket has are not read: that costs their transfer. `factor`: the pause after a part, as a multiple of its time.
 */
export async function scrubRawOnce(
  db: Db,
  at: RawPlace,
  signal: AbortSignal,
  onDamage: (sha256: string, reason: string) => void,
  factor?: number,
): Promise<void> {
  const packs = await db.selectFrom('raw_document').select('pack').distinct().orderBy('pack').execute()
  for (const { pack } of packs) {
    if (at.objects !== null && !isHere(at, pack)) continue
    const places = await placesOf(db, 'pack', pack)
    for (let from = 0; from < places.length; from += recordsAtOnce) {
      if (signal.aborted) return
      const some = places.slice(from, from + recordsAtOnce)
      const begun = performance.now()
      const fault = await faultOf(
        at,
        pack,
        some.map(place => place.offset),
      )
      const document = fault === null ? undefined : some.find(place => place.offset === fault.offset)
      if (fault !== null && document !== undefined) {
        onDamage(document.sha256, fault.reason)
        break
      }
      await idleAfter(begun, signal, factor)
    }
  }
}

// A random sample of the receipts that anyone with the same log can draw again.
import { sql } from 'kysely'
import type { Db } from '../postgres.ts'

/** The rule in one sentence, for output and documentation. */
export const sampleRule =
  'receipts of GET requests among the first SIZE entries of the log, in the order of SHA-256(SEED, line feed, receipt id); the seed is DAY/SIZE, or any other text with /SIZE at its end'

export type Sample = { readonly seed: string; readonly population: number; readonly receipt_ids: readonly string[] }

/** The seed of a day and a size of the log. The log only grows, so the population of a seed never changes. */
export const seedOf = (day: string, size: number): string => `${day}/${size}`

/** The size of the log that a seed names; null if it names none. */
export function sizeOfSeed(seed: string): number | null {
  const match = /^[!-~]{1,64}\/(\d{1,15})$/.exec(seed)
  return match ? Number(match[1]) : null
}

/** Entries of the log now. */
export async function logSize(db: Db): Promise<number> {
  return (await db.selectFrom('log_head').select('size').executeTakeFirst())?.size ?? 0
}

/** Draws at most `size` receipts by the seed. */
export async function drawSample(db: Db, seed: string, size: number): Promise<Sample> {
  const entries = sizeOfSeed(seed) ?? 0
  const { rows } = await sql<{ receipt_id: string; population: number }>`
    select receipt_id, (count(*) over ())::float8 as population from receipt
    where log_index < ${entries} and operation like 'GET %'
    order by sha256(convert_to(${`${seed}\n`} || receipt_id, 'UTF8')), receipt_id limit ${size}`.execute(db)
  return { seed, population: rows[0]?.population ?? 0, receipt_ids: rows.map(each => each.receipt_id) }
}

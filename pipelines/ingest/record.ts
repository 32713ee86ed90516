// What a commit writes in addition to the files: which documents were read into which release, and what was held back.
import { sql } from 'kysely'
import type { Db } from '#warehouse/store/postgres.ts'
import { slicesOf } from '#warehouse/store/slices.ts'
import type { Parsed } from '../read/parsed.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { RefusedBy } from './types.ts'

/** The outcome of one document. */
export type ReadingOf = {
  readonly raw_id: number
  readonly reader: string | null
  readonly parsed: Parsed | null
  readonly detail: string | null
  /** Rows of parts of the document that were committed before. */
  readonly rowsBefore?: number
}

/** The row of a reading; `rows`: those that this commit adds. */
const readingRow = (reading: ReadingOf, release: number | null, rows: number) => ({
  raw_id: reading.raw_id,
  reader: reading.reader,
  state: reading.parsed ? ('read' as const) : reading.reader ? ('unreadable' as const) : ('unread' as const),
  release,
  first_release: null,
  rows: rows + (reading.rowsBefore ?? 0),
  refused: reading.parsed?.refused.length ?? (reading.reader ? 1 : 0),
  skipped: JSON.stringify(reading.parsed?.skipped ?? {}),
  detail: reading.detail,
})

export async function recordReadings(
  trx: Db,
  readings: readonly ReadingOf[],
  release: number | null,
  rowsOf: (reading: ReadingOf) => number,
): Promise<void> {
  for (const some of slicesOf(readings, 500)) {
    await trx
      .insertInto('reading')
      .values(some.map(reading => readingRow(reading, release, rowsOf(reading))))
      .onConflict(conflict =>
        conflict.column('raw_id').doUpdateSet({
          reader: sql`excluded.reader`,
          state: sql`excluded.state`,
          first_release: sql`case when reading.state = 'read' then coalesce(reading.first_release, reading.release) end`,
          release: sql`coalesce(excluded.release, reading.release)`,
          rows: sql`excluded.rows`,
          refused: sql`excluded.refused`,
          skipped: sql`excluded.skipped`,
          detail: sql`excluded.detail`,
        }),
      )
      .execute()
  }
}

/** Holds what was refused. An existing finding is not duplicated, and an operator's decision on it is kept. */
export async function recordQuarantine(trx: Db, refused: readonly RefusedBy[]): Promise<number> {
  const rows = new Map(
    refused.map(({ refused: finding, origin }) => {
      const fingerprint = fingerprintOf(finding, origin.sha256)
      return [
        fingerprint,
        {
          dataset: finding.dataset,
          reason: finding.reason,
          subject: finding.subject,
          detail: finding.detail,
          record: JSON.stringify(finding.record),
          source: origin.source,
          raw_sha256: origin.sha256,
          url: origin.url,
          decided_at: null,
          note: null,
          fingerprint,
        },
      ] as const
    }),
  )
  let held = 0
  const list = [...rows.values()]
  for (let from = 0; from < list.length; from += 500) {
    const inserted = await trx
      .insertInto('quarantine')
      .values(list.slice(from, from + 500))
      .onConflict(conflict => conflict.column('fingerprint').doNothing())
      .returning('quarantine_id')
      .execute()
    held += inserted.length
  }
  return held
}

/** A rule releases held actions that have been confirmed. */
export async function settleActions(trx: Db, subjects: readonly string[]): Promise<void> {
  for (let from = 0; from < subjects.length; from += 1000) {
    await trx
      .updateTable('quarantine')
      .set({ state: 'released', decided_at: sql`clock_timestamp()`, note: 'no longer held: another source or a later version settled it' })
      .where('dataset', '=', 'corporate_actions')
      .where('state', '=', 'held')
      .where('subject', 'in', subjects.slice(from, from + 1000))
      .execute()
  }
}

// Reads of the quarantine: data that was refused, kept with the reason, for the operator to decide.
import type { SelectQueryBuilder } from 'kysely'
import type { Database, Db } from './postgres.ts'

export const quarantineStates = ['held', 'released', 'rejected', 'all'] as const
export type QuarantineFilter = {
  readonly dataset: string | null
  readonly reason: string | null
  /** A part of the subject. */
  readonly subject: string | null
  readonly state: (typeof quarantineStates)[number]
}

function filtered<O>(
  query: SelectQueryBuilder<Database, 'quarantine', O>,
  { dataset, reason, subject, state }: QuarantineFilter,
): SelectQueryBuilder<Database, 'quarantine', O> {
  return query
    .$if(dataset !== null, each => each.where('dataset', '=', dataset ?? ''))
    .$if(reason !== null, each => each.where('reason', '=', reason ?? ''))
    .$if(state !== 'all', each => each.where('state', '=', state === 'all' ? 'held' : state))
    .$if(subject !== null, each => each.where(({ fn, val }) => fn('strpos', ['subject', val(subject ?? '')]), '>', 0))
}

/** Findings counted by dataset, reason and state, the most frequent first. */
export async function countFindings(db: Db, filter: QuarantineFilter) {
  return await filtered(db.selectFrom('quarantine'), filter)
    .select(({ fn }) => ['dataset', 'reason', 'state', fn.countAll<number>().as('count'), fn.max('held_at').as('newest')])
    .groupBy(['dataset', 'reason', 'state'])
    .orderBy('count', 'desc')
    .orderBy('dataset')
    .orderBy('reason')
    .orderBy('state')
    .execute()
}

/** Findings, newest first; `before`: the last one that was read. */
export async function findFindings(db: Db, filter: QuarantineFilter, limit: number, before: number | null = null) {
  return await filtered(db.selectFrom('quarantine'), filter)
    .select(['quarantine_id', 'dataset', 'reason', 'subject', 'detail', 'source', 'raw_sha256', 'url', 'held_at', 'state', 'decided_at', 'note'])
    .$if(before !== null, query => query.where('quarantine_id', '<', before ?? 0))
    .orderBy('quarantine_id', 'desc')
    .limit(limit)
    .execute()
}

/** The raw document of a finding: from the address that the finding names, else the first with its bytes. */
export async function findFindingDocument(db: Db, { raw_sha256, url }: { readonly raw_sha256: string; readonly url: string }) {
  const rows = await db
    .selectFrom('raw_document as d')
    .leftJoin('reading as r', 'r.raw_id', 'd.raw_id')
    .select(['d.raw_id', 'd.url', 'd.source', 'd.retrieved_at', 'd.bytes', 'd.sha256', 'r.reader', 'r.release'])
    .where('d.sha256', '=', raw_sha256)
    .orderBy('d.raw_id')
    .execute()
  return rows.find(row => row.url === url) ?? rows[0] ?? null
}

// What becomes an entry of the receipt log: statements of receipts, releases, changes of the key set, and the heads of the audit and consent chains.
import { sql } from 'kysely'
import type { Db } from '../../postgres.ts'
import { leafHash } from '../../transparency/merkle.ts'
import { canonicalText } from '../canonical.ts'
import { sha256Hex } from '../statement.ts'
import { listKeys } from '../store.ts'
import { entryOfStatement } from './entry-of-statement.ts'
import type { LogEntryKind } from './tables.ts'

export type PendingEntry = {
  readonly kind: LogEntryKind
  readonly name: string
  readonly bytes: Buffer
  readonly leaf: Buffer
}

const typeOf = (name: string): string => `urn:crossfile:log:${name}:v1`
const canonicalBytes = (value: object): Buffer => Buffer.from(canonicalText(value, 'statement'), 'utf8')

const pending = (kind: LogEntryKind, name: string, bytes: Buffer): PendingEntry => ({ kind, name, bytes, leaf: leafHash(bytes) })

/** Up to `limit` entries that the log lacks: releases after `releasesTo` first, then receipts in the order in which they were stored. */
export async function findPending(db: Db, releasesTo: number, limit: number): Promise<PendingEntry[]> {
  const releases = await pendingReleases(db, releasesTo, limit)
  const chains = releases.length < limit ? await pendingChains(db) : []
  const keys = await pendingKeys(db)
  const left = Math.max(0, limit - releases.length - chains.length - keys.length)
  const receipts = await db
    .selectFrom('receipt')
    .select(['receipt_id', 'statement'])
    .where('log_index', 'is', null)
    .orderBy('created_at')
    .orderBy('receipt_id')
    .limit(left)
    .execute()
  return [...keys, ...releases, ...chains, ...receipts.map(row => pending('receipt', row.receipt_id, entryOfStatement(row.statement)))]
}

type ReleaseRow = {
  readonly release: number
  readonly parent: number
  readonly committed_at: string
  readonly job: string
  readonly partition: string
  readonly batch_key: string
  readonly lake_manifest: { readonly sha256: string; readonly bytes: number } | null
  readonly datasets: readonly { readonly dataset: string; readonly rows: number }[]
  readonly files: readonly { readonly dataset: string; readonly sha256: string; readonly rows: number }[]
}

async function pendingReleases(db: Db, after: number, limit: number): Promise<PendingEntry[]> {
  const { rows } = await sql<ReleaseRow>`
    select r.release, r.parent, r.committed_at, r.job, r.partition, r.batch_key,
      (select json_build_object('sha256', m.sha256, 'bytes', m.bytes) from release_manifest m where m.release = r.release) as lake_manifest,
      coalesce((select json_agg(json_build_object('dataset', d.dataset, 'rows', d.rows) order by d.dataset)
        from dataset_release d where d.release = r.release), '[]') as datasets,
      coalesce((select json_agg(json_build_object('dataset', f.dataset, 'sha256', f.sha256, 'rows', f.rows) order by f.dataset, f.sha256)
        from lake_file f where f.fresh_release = r.release), '[]') as files
    from release r where r.release > ${after} order by r.release limit ${limit}`.execute(db)
  return rows.map(({ release, parent, committed_at, lake_manifest, ...manifest }) =>
    pending(
      'release',
      String(release),
      canonicalBytes({
        // Version 2 names `manifests/<release>.json`. A release from before the commit recorded it may have none.
        _type: lake_manifest === null ? typeOf('release') : 'urn:crossfile:log:release:v2',
        ...(lake_manifest === null ? {} : { lake_manifest }),
        committed_at,
        files: manifest.files.length,
        // Names of jobs and windows stay in the database; the digest covers them.
        manifest_sha256: sha256Hex(canonicalBytes({ release, parent, committed_at, ...manifest })),
        parent,
        release,
      }),
    ),
  )
}

/**
 * The key set, if it is not the one that the log has: each rotation, announcement and revocation becomes an entry, which the new key signs.
 * The first key alone needs none, because every checkpoint names its key.
 */
async function pendingKeys(db: Db): Promise<PendingEntry[]> {
  const last = await db.selectFrom('log_entry').select('leaf').where('kind', '=', 'keys').orderBy('index', 'desc').limit(1).executeTakeFirst()
  const { keys } = await listKeys(db)
  if (last === undefined && keys.every(key => key.status === 'active')) return []
  const rows = keys.map(({ kid, x, status, ...life }) => ({
    kid,
    x,
    status,
    ...Object.fromEntries(ranges.flatMap(name => (life[name] === null ? [] : [[name, life[name]]]))),
  }))
  const bytes = canonicalBytes({ _type: typeOf('keys'), keys: rows })
  const entry = pending('keys', sha256Hex(bytes), bytes)
  return last?.leaf.equals(entry.leaf) ? [] : [entry]
}
const ranges = ['valid_from', 'valid_to', 'from_index', 'to_index'] as const

const chains = ['audit', 'consent'] as const

/** The heads of the chains, once per day in which they grew. The day is that of the database's clock, and orders nothing. */
async function pendingChains(db: Db): Promise<PendingEntry[]> {
  const found: PendingEntry[] = []
  for (const chain of chains) {
    const { rows } = await sql<{ seq: number; hash: Buffer }>`
      select seq, hash from ${sql.table(`${chain}_entry`)} head
      where seq = (select max(seq) from ${sql.table(`${chain}_entry`)})
        and not exists (select from log_entry e join log_checkpoint c on c.size = (select min(size) from log_checkpoint where size > e.index)
          where e.kind = 'chain' and e.name like ${`${chain} %`}
            and (e.name = ${chain} || ' ' || head.seq or c.signed_at > clock_timestamp() - interval '1 day'))`.execute(db)
    for (const { seq, hash } of rows)
      found.push(pending('chain', `${chain} ${seq}`, canonicalBytes({ _type: typeOf('chain'), chain, hash: hash.toString('hex'), seq })))
  }
  return found
}

/** Whether the log lacks anything, without reading it. */
export const isPending = async (db: Db): Promise<boolean> => await watchPending(db)()

/**
 * `isPending` for a caller that asks again and again: the keys are compared with the log only after they changed, so that most calls are one
 * query.
 */
export function watchPending(db: Db): () => Promise<boolean> {
  let compared: string | null = null
  return async () => {
    const { rows } = await sql<{ pending: boolean; keys: string }>`
      select exists (select from receipt where log_index is null)
        or exists (select from release where release > coalesce((select releases_to from log_head), 0)) as pending,
        (select coalesce(jsonb_agg(k order by k.kid), '[]')::text from signing_key k) as keys`.execute(db)
    const [{ pending, keys } = { pending: false, keys: null }] = rows
    if (pending) return true
    if (keys === compared) return false
    if ((await pendingKeys(db)).length > 0) return true
    compared = keys
    return false
  }
}

// The manifest of a release: recorded by the commit itself, so that the entry of the release in the receipt log can name its SHA-256; the
// file `manifests/<release>.json` follows with the publication and has these bytes.
import { createHash } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Database } from '../../postgres.ts'
import { type ListedFile, manifestText, type RowsUpTo } from './steps.ts'

/** Records the manifest of a release that this transaction commits, after its files and datasets are listed. */
export async function recordManifest(trx: Transaction<Database>, release: number): Promise<void> {
  const { rows: files } = await sql<ListedFile>`
    select dataset, bucket, sha256, bytes, rows, key_min, key_max, time_min, time_max, fresh_release, release_min, release_max,
      added_version, removed_version
    from lake_file where removed_version is null and dataset in (select dataset from dataset_release where release = ${release})
    order by file_id`.execute(trx)
  const { rows: totals } = await sql<{ dataset: string; rows: number }>`
    select dataset, sum(rows)::bigint as rows from dataset_release
    where dataset in (select dataset from dataset_release where release = ${release}) group by dataset`.execute(trx)
  const total = new Map(totals.map(row => [row.dataset, Number(row.rows)]))
  const grouped = Map.groupBy(files, file => file.dataset)
  const text = await manifestOf(trx, release, grouped, dataset => total.get(dataset) ?? -1)
  if (text !== null) await insertManifest(trx, release, text)
}

/** The text of the manifest of a release; null if its files are no longer all known. `files`: those of the datasets that it changed. */
export async function manifestOf(
  trx: Transaction<Database>,
  release: number,
  files: ReadonlyMap<string, readonly ListedFile[]>,
  rowsUpTo: RowsUpTo,
): Promise<string | null> {
  const { parent, committed_at } = await trx
    .selectFrom('release')
    .select(['parent', 'committed_at'])
    .where('release', '=', release)
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ dataset: string; release: number }>`
    select dataset, max(release) as release from dataset_release where release <= ${release} group by dataset order by dataset`.execute(trx)
  const changed = rows.filter(row => row.release === release).map(row => row.dataset)
  const unchanged = new Map(rows.filter(row => row.release < release).map(row => [row.dataset, row.release]))
  return manifestText({ release, parent, committed_at: new Date(committed_at).toISOString(), changed, unchanged }, files, rowsUpTo)
}

/** Records a manifest once: the first text stays. */
export async function insertManifest(trx: Transaction<Database>, release: number, text: string): Promise<void> {
  const sha256 = createHash('sha256').update(text).digest('hex')
  await trx
    .insertInto('release_manifest')
    .values({ release, sha256, bytes: Buffer.byteLength(text) })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

// Kysely's types of the catalogue's tables (migrations/0002-releases.sql, migrations/0031-lake-tables.sql).
import type { Generated, JSONColumnType } from 'kysely'

export type LakeTables = {
  head: { one: Generated<boolean>; release: number; catalogue_version: number }
  release: { release: number; parent: number; committed_at: string; job: string; partition: string; batch_key: string }
  dataset_release: { dataset: string; release: number; rows: number }
  lake_file: {
    file_id: Generated<number>
    dataset: string
    bucket: string
    sha256: string
    bytes: number
    rows: number
    tier: number
    key_min: string
    key_max: string
    time_min: string | null
    time_max: string | null
    fresh_release: number | null
    /** The oldest release in its rows; null: not known, or the rows do not contain it. */
    release_min: number | null
    release_max: number
    added_version: number
    removed_version: number | null
    removed_at: string | null
    /** Columns of the dataset that the file does not have. */
    lacks: Generated<string[]>
    /** Its rows contain their release. */
    release_in_rows: Generated<boolean>
  }
  release_manifest: { release: number; sha256: string; bytes: number }
  table_version: {
    dataset: string
    version: number
    release: number
    catalogue_version: number
    kind: 'commit' | 'compaction' | 'schema' | 'remade'
    schema_sha256: string
    log_sha256: string
  }
  raw_document: {
    raw_id: Generated<number>
    sha256: string
    source: string
    url: string
    retrieved_at: string
    status: number
    headers: JSONColumnType<Record<string, string>>
    bytes: number
    pack: string
    pack_offset: number
    holds_body: boolean
  }
  reading: {
    raw_id: number
    reader: string | null
    state: 'read' | 'unread' | 'unreadable'
    release: number | null
    first_release: number | null
    rows: number
    refused: number
    skipped: JSONColumnType<Record<string, number>>
    detail: string | null
  }
  quarantine: {
    quarantine_id: Generated<number>
    dataset: string
    reason: string
    subject: string
    detail: string
    record: JSONColumnType<Record<string, unknown> | null>
    source: string
    raw_sha256: string
    url: string
    held_at: Generated<string>
    state: Generated<'held' | 'released' | 'rejected'>
    decided_at: string | null
    note: string | null
    fingerprint: string
  }
  page: {
    operation: string
    question: string
    release_from: number
    payload: Buffer | null
    receipt_id: string | null
    as_of: string
    /** When an answer that was signed on request was last used; null: the page belongs to a release. */
    used_at: Generated<string | null>
  }
  job_run: {
    run_id: Generated<number>
    job: string
    queue_job: string | null
    attempt: number
    partition: string
    backfill_id: number | null
    worker: string
    state: 'running' | 'done' | 'failed' | 'lost'
    started_at: Generated<string>
    finished_at: string | null
    release: number | null
    documents: Generated<number>
    fetched: Generated<number>
    rows: Generated<number>
    refused: Generated<number>
    error: string | null
  }
  job_tick: { job: string; tick_at: string }
  backfill: {
    backfill_id: Generated<number>
    job: string
    from_date: string
    to_date: string
    symbols: string[] | null
    requested_at: Generated<string>
  }
  backfill_window: {
    backfill_id: number
    partition: string
    state: Generated<'waiting' | 'done' | 'failed'>
    finished_at: string | null
  }
  /** `address`: where the health of an API process can be checked; null for other readers. */
  reader_lease: { process: string; catalogue_version: number; expires_at: string; address: string | null }
}

declare module '../database.ts' {
  interface Database extends LakeTables {}
}

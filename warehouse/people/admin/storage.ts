// What is stored, for administrators: the database by table, raw documents by source, builds of models and sorted copies, damage.
import { sql } from 'kysely'
import type { Db } from '../../store/postgres.ts'
import { findKnownDamage } from '../status/damage.ts'

type Table = { readonly table: string; readonly bytes: number; readonly rows: number }
type Source = { readonly source: string; readonly documents: number; readonly bytes: number; readonly newest: string }
/** A build of a model, or all copies of one name together, with the longest time that one of them took. */
type Build = {
  readonly model: string
  readonly release: number
  /** The day or instant of the model; null: the present. */
  readonly as_of: string | null
  readonly rows: number
  readonly bytes: number
  readonly built_at: string
  readonly build_ms: number
}

/** Sizes in bytes, indexes included; rows as Postgres estimates them. */
export async function readStorage(db: Db) {
  const size = await sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`.execute(db)
  const tables = await sql<Table>`
    select relname as "table", pg_total_relation_size(relid)::float8 as bytes, n_live_tup::float8 as rows
    from pg_stat_user_tables where schemaname = 'public' order by 2 desc, 1 limit 20`.execute(db)
  const raw = await sql<Source>`
    select source, count(*)::int as documents, coalesce(sum(bytes) filter (where holds_body), 0)::float8 as bytes, max(retrieved_at) as newest
    from raw_document group by source order by 3 desc, 1`.execute(db)
  const models = await sql<Build>`
    select model, release, nullif(as_of, '') as as_of, rows::float8 as rows, (bytes + origins_bytes)::float8 as bytes, built_at, build_ms::float8 as build_ms
    from model_build
    union all select copy, coalesce(max(f.release_max), 0), null, sum(c.rows)::float8, sum(c.bytes)::float8, max(made_at), max(make_ms)::float8
    from sorted_copy c left join lake_file f on f.sha256 = c.source_sha256 group by copy
    order by built_at desc, model limit 50`.execute(db)
  return {
    database_bytes: size.rows[0]?.bytes ?? 0,
    tables: tables.rows,
    raw: raw.rows,
    models: models.rows,
    damaged: [...(await findKnownDamage(db)).files],
  }
}

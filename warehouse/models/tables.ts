// Kysely's types of the models' tables (migrations/0008-models.sql, migrations/0036-sorted-copies.sql).
import type { Generated, JSONColumnType } from 'kysely'

export type ModelTables = {
  model_build: {
    model: string
    definition: string
    release: number
    as_of: string
    sha256: string
    bytes: number
    rows: number
    origins_sha256: string
    origins_bytes: number
    sources: JSONColumnType<readonly { readonly source: string; readonly known_from: string }[]>
    built_at: Generated<string>
    build_ms: number
  }
  sorted_copy: {
    source_sha256: string
    copy: string
    definition: string
    sha256: string
    bytes: number
    rows: number
    made_at: Generated<string>
    make_ms: number
  }
}

declare module '../store/database.ts' {
  interface Database extends ModelTables {}
}

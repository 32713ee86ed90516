// Kysely's types of daily updates (migrations/0028).
import type { ColumnType } from 'kysely'
import type { UpdateStatement } from '#schemas/updates.ts'

export type UpdateTables = {
  daily_update: {
    slug: string
    revision: number
    release: number
    date: string
    ticker: string | null
    category: string
    title: string
    summary: string
    body: string
    llm_provider: string | null
    statements: ColumnType<UpdateStatement[], string, never>
    sha256: Buffer
    rules: string
  }
  daily_update_view: { slug: string; views: number }
}

declare module '../store/database.ts' {
  interface Database extends UpdateTables {}
}

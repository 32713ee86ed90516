// Kysely's types of what migrations/0013-watchlist-portfolio.sql makes for the watchlist.
import type { Generated } from 'kysely'

export type WatchlistTables = {
  watchlist_item: {
    item_id: string
    user_id: string
    instrument_id: string | null
    symbol: string
    tags: string[]
    note: string | null
    position: number
    created_at: Generated<string>
  }
}

declare module '../../store/database.ts' {
  interface Database extends WatchlistTables {}
}

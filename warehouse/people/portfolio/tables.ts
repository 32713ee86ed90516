// Kysely's types of what migrations/0013-watchlist-portfolio.sql makes for the portfolio.

/** A numeric as its digits (warehouse/store/postgres.ts). */
type Digits = string
export type PortfolioTables = {
  portfolio_position: {
    position_id: string
    user_id: string
    ordinal: number
    instrument_id: string | null
    symbol: string
    quantity: Digits
    acb_per_share: Digits | null
    currency: string
    account_type: string
    note: string | null
    created_at: string
    stated_at: string
  }
}

declare module '../../store/database.ts' {
  interface Database extends PortfolioTables {}
}

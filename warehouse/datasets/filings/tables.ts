// Kysely's types of the search index (migrations/0006-filing-index.sql). Its rows are written and read by SQL of search-index.ts.
export type FilingIndexTables = { filing_index_state: { one: boolean; complete: boolean; words_version: number } }

declare module '../../store/database.ts' {
  interface Database extends FilingIndexTables {}
}

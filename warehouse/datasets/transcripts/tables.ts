// Kysely's types of the search index of migrations/0028. Its rows are written and read by SQL of search-index.ts.
export type TranscriptIndexTables = { transcript_index_state: { one: boolean; complete: boolean; words_version: number } }

declare module '../../store/database.ts' {
  interface Database extends TranscriptIndexTables {}
}

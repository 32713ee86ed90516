// Kysely's types of migrations/0035-run-log-and-thresholds.sql.

export type RunLine = {
  /** From 1, without gaps. */
  readonly line: number
  /** An instant in UTC. */
  readonly at: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
}
export type RunLogTables = { job_run_line: RunLine & { readonly run_id: number } }

declare module '../database.ts' {
  interface Database extends RunLogTables {}
}

// What the requests of API processes and of operators need from the worker.
import type { Config } from '#schemas/config.ts'
import type { Jobs } from '../jobs-file.ts'
import type { JobTools } from './run-job.ts'

export type RequestTools = Pick<JobTools, 'ingest' | 'queue' | 'raw' | 'onRelease'> & {
  readonly jobs: Jobs
  readonly config: Config
  /** The data clock's instant. */
  readonly dataNow: () => Date
  /** The clock that all processes share. */
  readonly now: () => Date
  /** Aborted if the job was taken over, or the worker stops. */
  readonly signal: AbortSignal
}

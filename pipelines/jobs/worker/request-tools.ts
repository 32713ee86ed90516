// What the requests of API processes and of operators need from the worker.
import type { Config } from '#schemas/config.ts'
import type { Queue } from '#warehouse/store/queue.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import type { IngestTools } from '../../ingest/ingest.ts'
import type { Jobs } from '../jobs-file.ts'

export type RequestTools = {
  readonly ingest: IngestTools
  readonly queue: Queue
  readonly raw: RawStore
  readonly jobs: Jobs
  readonly config: Config
  /** The data clock's instant. */
  readonly dataNow: () => Date
  /** The clock that all processes share. */
  readonly now: () => Date
  /** Announces a release that a request committed. */
  readonly onRelease: (release: number) => void
  /** Aborted if the job was taken over, or the worker stops. */
  readonly signal: AbortSignal
}

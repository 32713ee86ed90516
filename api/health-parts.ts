// The components that GET /health reports: this process answers without them, and some requests fail.
import type { Config } from '#schemas/config.ts'
import { bucketAway, checkStorage } from '#warehouse/people/status/live.ts'
import { findComponent } from '#warehouse/people/status/status.ts'
import type { Postgres } from '#warehouse/store/postgres.ts'
import { PartFailed, type Probe } from './handler.ts'
import type { Serving } from './serving.ts'

/** Probes of database, bucket, files, disk and signatures. None of them sends a request over the network but to the database. */
export function healthParts({ db, pool }: Postgres, serving: Serving, config: Config, now: () => Date): Readonly<Record<string, Probe>> {
  return {
    postgres: async () => void (await pool.query('select 1')),
    bucket: async () => {
      if (serving.remote !== null && serving.remote.availability.fault() !== null) throw new PartFailed(bucketAway.detail ?? '')
    },
    files: async () => {
      const damaged = [...serving.damage().keys()]
      if (damaged.length > 0)
        throw new PartFailed(`damaged: ${damaged.join(', ')}; requests that need them fail or are slower until they are repaired`)
    },
    storage: async () => {
      const { status, detail } = await checkStorage(config.dataFolder)
      if (status === 'down') throw new PartFailed(detail ?? 'the data folder cannot be used')
    },
    signing: async () => {
      const found = await findComponent(db, 'signing', now())
      if (found?.status === 'degraded') throw new PartFailed(found.detail ?? 'answers are not signed')
    },
  }
}

/** Follows whether the bucket of the lake answers, and logs each change, until the returned function is called. */
export function watchBucket({ remote }: Serving, log: (message: string) => void): () => void {
  if (remote === null) return () => undefined
  return remote.availability.watch(fault => log(fault === null ? 'the bucket of the lake answers again' : `the bucket of the lake: ${fault}`))
}

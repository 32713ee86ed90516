// The lake of a configuration in its bucket.
import { createS3Client, s3Settings } from '../../object-store/client.ts'
import type { Remote, RemoteConfig } from '../remote.ts'
import { askBucket, recordAvailability } from './availability.ts'
import { openCache } from './cache.ts'
import { openObjects } from './objects.ts'

/** Attempts and milliseconds of one request: a commit waits for the upload of its files. */
const limits = { tries: 4, requestMs: 30_000 }
/** Those of a request that only finds out whether the bucket answers. */
const probeLimits = { tries: 1, requestMs: 5_000 }

export function openBucket(address: string, config: RemoteConfig, log?: (level: 'info' | 'warn', message: string) => void): Remote {
  const settings = s3Settings(config, `the lake in ${address}`)
  const availability = recordAvailability(() => askBucket(openObjects(createS3Client(address, settings, probeLimits))))
  const client = createS3Client(address, settings, { ...limits, observe: availability.note })
  return openCache(config.dataFolder, openObjects(client), { limitBytes: config.lakeCacheBytes, availability, ...(log && { log }) })
}

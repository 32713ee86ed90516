// Opens the bucket of the lake if CROSSFILE_LAKE names one. The client is loaded only then.
import type { StartFault } from '../start-check/start-check.ts'
import type { Remote, RemoteConfig } from './remote.ts'

/** The bucket of the lake; null if its files are on this disk only. Throws `BadRequest` if there are no credentials. */
export async function openRemote(config: RemoteConfig, log?: (level: 'info' | 'warn', message: string) => void): Promise<Remote | null> {
  if (config.lake === null) return null
  const { openBucket } = await import('./bucket/open-bucket.ts')
  return openBucket(config.lake, config, log)
}

/**
 * What prevents the use of the bucket: it cannot be reached, refuses the credentials, or ignores the conditions of writes. Empty without
 * CROSSFILE_LAKE. `writes` false: only that it can be read.
 */
export async function checkRemote(config: RemoteConfig, writes: boolean): Promise<StartFault[]> {
  if (config.lake === null) return []
  const { checkBucket } = await import('./bucket/check-bucket.ts')
  return await checkBucket(config.lake, config, writes)
}

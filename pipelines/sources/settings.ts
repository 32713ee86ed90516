// From the configuration and jobs.yaml to what the sources need to know: contact, keys, opt-ins and simulator addresses.
import type { Config } from '#schemas/config.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { upstreams } from './index.ts'
import type { SourceSettings } from './upstream.ts'

/**
 * A source without terms for automated use counts as switched on where one of its jobs says `enabled: on`; for Yahoo
 * `CROSSFILE_YAHOO=on` does the same.
 */
export function sourceSettings(
  config: Pick<Config, 'contact' | 'upstreamBase' | 'yahoo' | 'eodhdToken' | 'tiingoKey' | 'polygonKey'>,
  jobs: Iterable<Pick<JobDefinition, 'source' | 'enabled'>>,
  version: string,
): SourceSettings {
  const keys = { EODHD_API_TOKEN: config.eodhdToken, TIINGO_API_KEY: config.tiingoKey, POLYGON_API_KEY: config.polygonKey }
  const { upstreamBase } = config
  return {
    version,
    contact: config.contact,
    keys: Object.fromEntries(Object.entries(keys).flatMap(([name, secret]) => (secret === null ? [] : [[name, secret.reveal()]]))),
    optIn: [...new Set([...(config.yahoo ? ['yahoo'] : []), ...[...jobs].filter(job => job.enabled === 'on').map(job => job.source)])].sort(),
    base: typeof upstreamBase === 'string' ? Object.fromEntries([...upstreams.keys()].map(name => [name, upstreamBase])) : (upstreamBase ?? {}),
    simulatorPerSecond: null,
  }
}

// Derives from the configuration and jobs.yaml what the sources need: contact, keys, opt-ins and simulator addresses.
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { upstreams } from './index.ts'
import type { SourceSettings } from './upstream.ts'

/**
 * A source without terms for automated use is enabled if one of its jobs has `enabled: on` or
 * `CROSSFILE_OPT_IN` names it; for Yahoo `CROSSFILE_YAHOO=on` does the same.
 */
export function sourceSettings(
  config: Pick<Config, 'contact' | 'upstreamBase' | 'yahoo' | 'optIn' | 'eodhdToken' | 'tiingoKey' | 'polygonKey' | 'fredKey' | 'alphavantageKey'>,
  jobs: Iterable<Pick<JobDefinition, 'source' | 'enabled'>>,
  version: string,
): SourceSettings {
  const keys = {
    EODHD_API_TOKEN: config.eodhdToken,
    TIINGO_API_KEY: config.tiingoKey,
    POLYGON_API_KEY: config.polygonKey,
    FRED_API_KEY: config.fredKey,
    ALPHAVANTAGE_API_KEY: config.alphavantageKey,
  }
  const offered = [...upstreams.values()].filter(each => each.credential === 'opt_in').map(each => each.name)
  const unknown = config.optIn.find(name => !offered.includes(name))
  if (unknown !== undefined) {
    throw new BadRequest(`CROSSFILE_OPT_IN: there is no opt-in source "${unknown.slice(0, 40)}"`, { hint: `opt-in sources: ${offered.join(', ')}` })
  }
  const { upstreamBase } = config
  return {
    version,
    contact: config.contact,
    keys: Object.fromEntries(Object.entries(keys).flatMap(([name, secret]) => (secret === null ? [] : [[name, secret.reveal()]]))),
    optIn: [
      ...new Set([...(config.yahoo ? ['yahoo'] : []), ...config.optIn, ...[...jobs].filter(job => job.enabled === 'on').map(job => job.source)]),
    ].sort(),
    base: typeof upstreamBase === 'string' ? Object.fromEntries([...upstreams.keys()].map(name => [name, upstreamBase])) : (upstreamBase ?? {}),
    simulatorPerSecond: null,
  }
}

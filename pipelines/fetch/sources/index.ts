// The register of upstreams that jobs can request. Stooq is described too (stooq.ts) but has no reader and no setting for a key yet.
import { BadRequest } from '#schemas/errors.ts'
import { bea, bls } from './agency-calendars.ts'
import { alphavantage } from './alphavantage.ts'
import { bankOfCanada } from './bank-of-canada.ts'
import { csv, transcripts } from './csv.ts'
import { edgar } from './edgar/upstream.ts'
import { eodhd } from './eodhd.ts'
import { fred, fredCsv } from './fred.ts'
import { nasdaq } from './nasdaq.ts'
import { nasdaqtrader } from './nasdaqtrader.ts'
import { polygon } from './polygon.ts'
import { statcan } from './statcan.ts'
import { tiingo } from './tiingo.ts'
import { tmx, tsx } from './tmx.ts'
import type { Upstream } from './upstream.ts'
import { worldBank } from './worldbank.ts'
import { yahoo } from './yahoo.ts'

export const upstreams: ReadonlyMap<string, Upstream> = new Map(
  [
    edgar,
    nasdaqtrader,
    nasdaq,
    tsx,
    tmx,
    eodhd,
    tiingo,
    polygon,
    yahoo,
    bankOfCanada,
    alphavantage,
    csv,
    transcripts,
    fred,
    fredCsv,
    statcan,
    worldBank,
    bls,
    bea,
  ].map(upstream => [upstream.name, upstream]),
)

/** The upstream of that name; throws `BadRequest` listing the known ones. */
export function getUpstream(name: string): Upstream {
  const upstream = upstreams.get(name)
  if (upstream === undefined) {
    throw new BadRequest(`no source is called "${name.slice(0, 40)}"`, { hint: `known sources: ${[...upstreams.keys()].join(', ')}` })
  }
  return upstream
}

/** The upstream that serves an address, or null: for a recorded address or one that a document points to. */
export function upstreamOf(url: string): Upstream | null {
  const host = URL.parse(url)?.hostname
  return [...upstreams.values()].find(upstream => host !== undefined && upstream.hosts.includes(host)) ?? null
}

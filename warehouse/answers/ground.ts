// What builders stand on: a lake with its listings and issuers read once.
import { loadIssuerIndex } from '../filings/issuer-index.ts'
import type { Lake } from '../lake/lake.ts'
import { loadSymbolIndex } from '../symbols/symbol-index.ts'
import type { Ground } from './answer.ts'

/** Loads the listings and the issuer map of the lake's release, as known at `asOf` (null: all of the release). */
export async function groundOf(lake: Lake, asOf: string | null): Promise<Ground> {
  const [symbols, issuers] = await Promise.all([loadSymbolIndex(lake, asOf), loadIssuerIndex(lake, asOf)])
  return { lake, symbols, issuers }
}

/** What the listings and the issuer map are read from. */
const listingDatasets = ['symbols', 'issuer_tickers', 'insider_filings'] as const

/** Grounds that share their listings: releases that agree on them read them once. `kept` indexes stay in memory. */
export function createGrounds(kept: number): (lake: Lake, asOf: string | null) => Promise<Ground> {
  const listings = new Map<string, Promise<Ground>>()
  return async (lake, asOf) => {
    const key = `${lake.versionOf(listingDatasets).release} ${asOf ?? ''}`
    let held = listings.get(key)
    if (!held) {
      held = groundOf(lake, asOf)
      listings.set(key, held)
      held.catch(() => listings.delete(key))
      if (listings.size > kept) listings.delete(listings.keys().next().value as string)
    }
    return { ...(await held), lake }
  }
}

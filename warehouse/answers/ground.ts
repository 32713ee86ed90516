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

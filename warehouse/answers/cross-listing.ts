// The issuer of a line of another country: TSX directories name no CIK, so a Toronto line means the SEC filer of the same name.
import { issuerKey } from '#schemas/issuer-name.ts'
import type { IssuerIndex } from '../filings/issuer-index.ts'
import type { Lake } from '../lake/lake.ts'
import type { Ground } from './answer.ts'
import { issuerCik } from './issuer.ts'

/** `listing`: the listing itself or the SEC's map of tickers says it; `same_name`: one filer alone has the issuer's name. */
export type Issuer = { readonly cik: string; readonly basis: 'listing' | 'same_name' }

export const isCanadian = (symbol: string): boolean => /\.(TO|V)$/.test(symbol)

/**
 * The issuer of a symbol. A Canadian line without a CIK is its issuer's whose name, legal form aside, exactly one filer of the
 * SEC's map has (`issuerKey`); a name that two filers have decides nothing. Throws `NotFound` where nobody knows the symbol.
 */
export async function issuerOf(ground: Ground, symbol: string, asOf: string | null): Promise<Issuer | null> {
  const cik = issuerCik(ground, symbol)
  if (cik !== null) return { cik, basis: 'listing' }
  const listing = ground.symbols.find(symbol)
  if (!listing || !isCanadian(symbol)) return null
  const names = await namesOf(ground.issuers, ground.lake, asOf)
  const key = issuerKey(listing.issuer ?? listing.name)
  const same = key === '' ? undefined : names.get(key)
  const [only] = same ?? []
  return same?.size === 1 && only !== undefined ? { cik: only, basis: 'same_name' } : null
}

type Names = ReadonlyMap<string, ReadonlySet<string>>
/** Filers by name, read once for as long as the map of tickers is the same. */
const held = new WeakMap<IssuerIndex, Promise<Names>>()

function namesOf(issuers: IssuerIndex, lake: Lake, asOf: string | null): Promise<Names> {
  const known = held.get(issuers)
  if (known) return known
  const names = readNames(lake, asOf)
  held.set(issuers, names)
  names.catch(() => held.delete(issuers))
  return names
}

async function readNames(lake: Lake, asOf: string | null): Promise<Names> {
  const rows = await lake.query<{ cik: string; name: string }>(
    'select distinct cik, name from issuer_tickers order by cik, name',
    { as_of: asOf },
    { issuer_tickers: 'all' },
  )
  const names = new Map<string, Set<string>>()
  for (const { cik, name } of rows) {
    const key = issuerKey(name)
    const ciks = names.get(key)
    if (ciks) ciks.add(cik)
    else names.set(key, new Set([cik]))
  }
  return names
}

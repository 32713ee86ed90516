// The issuer of a symbol if its listing alone does not identify it: a Toronto line belongs to the SEC filer of the same name, and for days
// before the first stored copy of the SEC's map, the filer of the later map is used.
import { issuerKey } from '#schemas/issuer-name.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import type { Lake } from '../store/lake/lake.ts'
import type { ReleaseContext } from './answer.ts'
import { issuerCik } from './issuer.ts'

/**
 * `listing`: the listing or the SEC's map of tickers states it; `same_name`: a line across the border, or exactly one filer, has the
 * issuer's name.
 */
export type Issuer = { readonly cik: string; readonly basis: 'listing' | 'same_name' }

export const isCanadian = (symbol: string): boolean => /\.(TO|V)$/.test(symbol)

/**
 * The issuer of a symbol. The SEC's map of the release is used for every `as_of`, because the filer of a number is not information about
 * the future. A Canadian line without a line of the same name in the United States belongs to the only filer with its name, without the
 * legal form (`issuerKey`); if two filers have the name, there is no result. Throws `NotFound` for an unknown symbol.
 */
export async function issuerOf(context: ReleaseContext, symbol: string): Promise<Issuer | null> {
  const known = issuerWithout(context, symbol)
  return known === undefined ? issuerNamed(context, symbol, await readFilers(context.lake)) : known
}

/** The issuers of many symbols, as `issuerOf` returns them; `lake` reads the SEC's map once. Unknown symbols are omitted. */
export async function issuersOf(context: ReleaseContext, symbols: readonly string[], lake: LakeReader): Promise<ReadonlyMap<string, Issuer>> {
  const filers = await readFilers(lake)
  const found = new Map<string, Issuer>()
  for (const symbol of symbols) {
    if (!context.symbols.find(symbol)) continue
    const known = issuerWithout(context, symbol)
    const issuer = known === undefined ? issuerNamed(context, symbol, filers) : known
    if (issuer) found.set(symbol, issuer)
  }
  return found
}

/** The result from listings alone: an issuer, null for none, undefined if the SEC's map has to be read. */
function issuerWithout(context: ReleaseContext, symbol: string): Issuer | null | undefined {
  const listing = context.symbols.find(symbol)
  const cik = issuerCik(context, symbol)
  const across = isCanadian(symbol) && (listing?.cik ?? null) === null && context.issuers.cikOf(symbol) === null
  if (cik !== null) return { cik, basis: across ? 'same_name' : 'listing' }
  return listing ? undefined : null
}

function issuerNamed(context: ReleaseContext, symbol: string, filers: Filers): Issuer | null {
  const listing = context.symbols.find(symbol)
  if (!listing) return null
  const key = issuerKey(listing.issuer ?? listing.name)
  const mapped = filers.bySymbol.get(symbol)
  // The symbol may have belonged to another company on that day.
  if (mapped !== undefined && (key === mapped.key || key.startsWith(`${mapped.key} `))) return { cik: mapped.cik, basis: 'listing' }
  if (!isCanadian(symbol) || key === '') return null
  const same = filers.byName.get(key)
  const [only] = same ?? []
  return same?.size === 1 && only !== undefined ? { cik: only, basis: 'same_name' } : null
}

type LakeReader = Pick<Lake, 'query'>
type Filers = {
  readonly byName: ReadonlyMap<string, ReadonlySet<string>>
  readonly bySymbol: ReadonlyMap<string, { readonly cik: string; readonly key: string }>
}
/** The SEC's map of a release: about 10,000 rows, some ten milliseconds, for the few symbols that need it. */
async function readFilers(lake: LakeReader): Promise<Filers> {
  const rows = await lake.query<{ symbol: string; cik: string; name: string }>(
    'select symbol, cik, name from issuer_tickers order by symbol, cik',
    {},
    { issuer_tickers: 'all' },
  )
  const byName = new Map<string, Set<string>>()
  const bySymbol = new Map<string, { cik: string; key: string }>()
  for (const { symbol, cik, name } of rows) {
    const key = issuerKey(name)
    const ciks = byName.get(key)
    if (ciks) ciks.add(cik)
    else byName.set(key, new Set([cik]))
    const canonical = parseSymbol(symbol)?.symbol
    if (canonical !== undefined) bySymbol.set(canonical, { cik, key })
  }
  return { byName, bySymbol }
}

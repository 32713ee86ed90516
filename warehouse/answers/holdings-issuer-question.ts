// Resolves a query for holders: a CUSIP, a ticker, a CIK or a name, and the matching securities of a quarter's 13Fs.
import { isCusip } from '#schemas/cusip.ts'
import { NotFound } from '#schemas/errors.ts'
import { classLetter, issuerKey } from '#schemas/issuer-name.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { type FoundSecurity, findQuarters, findSecurities, type SecurityQuestion } from '../datasets/holdings/holdings.ts'
import { symbolMatcher } from '../datasets/holdings/symbol-match.ts'
import type { Interval } from '../datasets/symbols/symbol-index.ts'

export type Query = {
  readonly kind: 'cusip' | 'symbol' | 'cik' | 'name'
  readonly listing: Interval | null
  readonly cik: string | null
  /** The issuer's name, if known. */
  readonly issuer: string | null
  readonly find: SecurityQuestion
}

/** The newest quarter with enough filings: at least half as many as the previous one. */
export async function newestQuarter(context: ReleaseContext, asOf: string | null): Promise<string | null> {
  const quarters = await findQuarters(context.lake, asOf)
  const [first, second] = quarters
  if (first === undefined || second === undefined) return first?.quarter ?? null
  return first.filings * 2 >= second.filings ? first.quarter : second.quarter
}

/** The kind of a text: a CUSIP by its check digit, a known ticker, a CIK, else a name. */
export async function readIssuerQuery(context: ReleaseContext, query: string, asOf: string | null): Promise<Query> {
  const text = query.toUpperCase().replace(/[\s-]/g, '')
  if (isCusip(text)) return { kind: 'cusip', listing: null, cik: null, issuer: null, find: { cusip: text } }
  if (/^\d{1,10}$/.test(query)) return await queryByCik(context, query.padStart(10, '0'), asOf)
  const symbol = parseSymbol(query)?.symbol
  const listing = symbol === undefined ? null : context.symbols.find(symbol)
  const matcher = symbolMatcher(context)
  if (listing) {
    const cik = listing.cik ?? context.issuers.cikOf(listing.symbol)
    return {
      kind: 'symbol',
      listing,
      cik,
      issuer: listing.issuer ?? listing.name,
      find: { keys: [...matcher.keysOf(listing), ...(await secNames(context, cik, asOf))] },
    }
  }
  // A ticker that is only in the SEC's map refers to its issuer.
  const mapped = symbol === undefined ? null : context.issuers.cikOf(symbol)
  if (mapped !== null) return { ...(await queryByCik(context, mapped, asOf)), kind: 'symbol' }
  // Six or eight characters name an issuer or an issue without the check digit.
  if (/^(?=.*\d)[0-9A-Z]{8}$/.test(text) && !/^\d{8}$/.test(text))
    return { kind: 'cusip', listing: null, cik: null, issuer: null, find: { issuer: text } }
  // All names without a letter or digit that keys have share the empty key: a text of signs or of another script names none of them.
  const key = issuerKey(query)
  return { kind: 'name', listing: null, cik: null, issuer: null, find: { keys: key === '' ? [] : [key] } }
}

async function queryByCik(context: ReleaseContext, cik: string, asOf: string | null): Promise<Query> {
  const listings = context.symbols.byCik(cik)
  const mapped = context.issuers.symbolOf(cik)
  const listing = listings.find(each => each.valid_to === null) ?? listings.at(-1) ?? (mapped === null ? null : context.symbols.find(mapped))
  const matcher = symbolMatcher(context)
  const keys = [...new Set([...(listing ? matcher.keysOf(listing) : []), ...(await secNames(context, cik, asOf))])]
  if (keys.length === 0)
    throw new NotFound(`no issuer with CIK ${cik} is known by name`, {
      hint: 'ask by name or CUSIP; a manager is found under /api/v1/data/13f/manager/{cik}',
    })
  // A CIK selects all securities of the issuer, not one line of them.
  return { kind: 'cik', listing: null, cik, issuer: listing?.issuer ?? listing?.name ?? null, find: { keys } }
}

/** Keys of the names to which the SEC's map and Forms 3, 4 and 5 give a CIK. */
async function secNames(context: ReleaseContext, cik: string | null, asOf: string | null): Promise<string[]> {
  if (cik === null) return []
  const names = await context.lake.query<{ name: string }>(
    'select distinct name from issuer_tickers where cik = $cik order by name',
    { cik, as_of: asOf },
    { issuer_tickers: 'all' },
  )
  return names.map(({ name }) => issuerKey(name)).filter(key => key !== '')
}

/** The selected securities: their CUSIPs, and for those that have none the keys of their issuers' names. Both empty: nothing is selected. */
export type Selected = { readonly cusips: readonly string[]; readonly keys: readonly string[] }

/** The securities that a query selects. A ticker selects its line: the class in its name, without warrants, notes or options. */
export async function securitiesOf(context: ReleaseContext, quarter: string, { find, listing }: Query, asOf: string | null): Promise<Selected> {
  // A whole CUSIP is one security, and its rows show whether a manager holds it.
  if ('cusip' in find) return { cusips: [find.cusip], keys: [] }
  const found = await findSecurities(context.lake, quarter, find, asOf)
  const selected = listing === null ? found : ofListing(context, listing, found)
  return {
    cusips: [...new Set(selected.flatMap(each => each.cusip ?? []))],
    keys: [...new Set(selected.filter(each => each.cusip === null).map(each => each.issuer_key))],
  }
}

function ofListing(context: ReleaseContext, listing: Interval, found: readonly FoundSecurity[]): readonly FoundSecurity[] {
  const matcher = symbolMatcher(context)
  const own = found.filter(each => matcher.match(each.issuer_name, each.class_title)?.symbol === listing.symbol)
  if (own.length > 0) {
    const cusips = new Set(own.map(each => each.cusip))
    return found.filter(each => each.cusip !== null && cusips.has(each.cusip))
  }
  const letter = classLetter(listing.name)
  const ofClass = letter === '' ? found : found.filter(each => classLetter(each.class_title ?? '') === letter)
  return ofClass.length > 0 ? ofClass : found
}

/** An error that lists issuers with similar names; null if the quarter was not read. */
export async function namesLike(context: ReleaseContext, quarter: string, query: string, asOf: string | null): Promise<NotFound | null> {
  const key = issuerKey(query)
  const near = key === '' ? [] : await findSecurities(context.lake, quarter, { prefix: key }, asOf)
  const names = [...new Map(near.map(each => [each.issuer_key, each.issuer_name])).values()].slice(0, 5)
  if (names.length > 0)
    return new NotFound(`no issuer is named exactly ${query.slice(0, 60)} in the 13Fs of ${quarter}`, {
      hint: `names that begin so: ${names.join('; ')}`,
    })
  // If the quarter was not read, the answer states that, because the name may be correct.
  if (!(await findQuarters(context.lake, asOf)).some(each => each.quarter === quarter)) return null
  const symbols = context.symbols.nearest(query.toUpperCase().slice(0, 16))
  return new NotFound(`no issuer ${query.slice(0, 60)} is known in the 13Fs of ${quarter}`, {
    hint: symbols.length > 0 ? `nearest symbols: ${symbols.join(', ')}; or ask by CUSIP` : 'ask by CUSIP, ticker or CIK',
  })
}

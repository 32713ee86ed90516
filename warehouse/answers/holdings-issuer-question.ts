// What a question about holders means: a CUSIP, a ticker, a CIK or a name, and which securities of a quarter's 13Fs that names.
import { isCusip } from '#schemas/cusip.ts'
import { NotFound } from '#schemas/errors.ts'
import { classLetter, issuerKey } from '#schemas/issuer-name.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type FoundSecurity, findQuarters, findSecurities, type SecurityQuestion } from '../holdings/holdings.ts'
import { symbolMatcher } from '../holdings/symbol-match.ts'
import type { Interval } from '../symbols/symbol-index.ts'
import type { Ground } from './answer.ts'

export type Asked = {
  readonly kind: 'cusip' | 'symbol' | 'cik' | 'name'
  readonly listing: Interval | null
  readonly cik: string | null
  /** The issuer's name where we know one. */
  readonly issuer: string | null
  readonly find: SecurityQuestion
}

/** The newest quarter that is not just begun: one with half as many filings as the one before it, or more. */
export async function newestQuarter(ground: Ground, asOf: string | null): Promise<string | null> {
  const quarters = await findQuarters(ground.lake, asOf)
  const [first, second] = quarters
  if (first === undefined || second === undefined) return first?.quarter ?? null
  return first.filings * 2 >= second.filings ? first.quarter : second.quarter
}

/** What the text means: a CUSIP by its check digit, a ticker that we know, a CIK, else a name. */
export async function askedOf(ground: Ground, query: string, asOf: string | null): Promise<Asked> {
  const text = query.toUpperCase().replace(/[\s-]/g, '')
  if (isCusip(text)) return { kind: 'cusip', listing: null, cik: null, issuer: null, find: { cusip: text } }
  if (/^\d{1,10}$/.test(query)) return await askedByCik(ground, query.padStart(10, '0'), asOf)
  const symbol = parseSymbol(query)?.symbol
  const listing = symbol === undefined ? null : ground.symbols.find(symbol)
  const matcher = symbolMatcher(ground)
  if (listing) {
    const cik = listing.cik ?? ground.issuers.cikOf(listing.symbol)
    return {
      kind: 'symbol',
      listing,
      cik,
      issuer: listing.issuer ?? listing.name,
      find: { keys: [...matcher.keysOf(listing), ...(await secNames(ground, cik, asOf))] },
    }
  }
  // A ticker that only the SEC's map knows means its issuer.
  const mapped = symbol === undefined ? null : ground.issuers.cikOf(symbol)
  if (mapped !== null) return { ...(await askedByCik(ground, mapped, asOf)), kind: 'symbol' }
  // Six or eight characters name an issuer or an issue without the check digit.
  if (/^(?=.*\d)[0-9A-Z]{8}$/.test(text) && !/^\d{8}$/.test(text))
    return { kind: 'cusip', listing: null, cik: null, issuer: null, find: { issuer: text } }
  return { kind: 'name', listing: null, cik: null, issuer: null, find: { keys: [issuerKey(query)] } }
}

async function askedByCik(ground: Ground, cik: string, asOf: string | null): Promise<Asked> {
  const listings = ground.symbols.byCik(cik)
  const mapped = ground.issuers.symbolOf(cik)
  const listing = listings.find(each => each.valid_to === null) ?? listings.at(-1) ?? (mapped === null ? null : ground.symbols.find(mapped))
  const matcher = symbolMatcher(ground)
  const keys = [...new Set([...(listing ? matcher.keysOf(listing) : []), ...(await secNames(ground, cik, asOf))])]
  if (keys.length === 0)
    throw new NotFound(`no issuer with CIK ${cik} is known by name`, {
      hint: 'ask by name or CUSIP; a manager is found under /api/v1/data/13f/manager/{cik}',
    })
  // By CIK all securities of the issuer are meant, not one line of them.
  return { kind: 'cik', listing: null, cik, issuer: listing?.issuer ?? listing?.name ?? null, find: { keys } }
}

/** Keys of the names that the SEC's own map and Forms 3, 4 and 5 give a CIK. */
async function secNames(ground: Ground, cik: string | null, asOf: string | null): Promise<string[]> {
  if (cik === null) return []
  const names = await ground.lake.query<{ name: string }>(
    'select distinct name from issuer_tickers where cik = $cik order by name',
    { cik, as_of: asOf },
    { issuer_tickers: 'all' },
  )
  return names.map(({ name }) => issuerKey(name)).filter(key => key !== '')
}

/** The securities meant. A ticker means its own line: the class that its name states, no warrants, notes or options of others. */
export async function securitiesOf(ground: Ground, quarter: string, asked: Asked, asOf: string | null): Promise<FoundSecurity[]> {
  const found = await findSecurities(ground.lake, quarter, asked.find, asOf)
  const { listing } = asked
  if (listing === null) return found
  const matcher = symbolMatcher(ground)
  const own = found.filter(each => matcher.match(each.issuer_name, each.class_title)?.symbol === listing.symbol)
  if (own.length > 0) {
    const cusips = new Set(own.map(each => each.cusip))
    return found.filter(each => each.cusip !== null && cusips.has(each.cusip))
  }
  const letter = classLetter(listing.name)
  const ofClass = letter === '' ? found : found.filter(each => classLetter(each.class_title ?? '') === letter)
  return ofClass.length > 0 ? ofClass : found
}

/** An error that names the issuers whose names begin like the one asked for; null where the quarter was not read. */
export async function namesLike(ground: Ground, quarter: string, query: string, asOf: string | null): Promise<NotFound | null> {
  const key = issuerKey(query)
  const near = key === '' ? [] : await findSecurities(ground.lake, quarter, { prefix: key }, asOf)
  const names = [...new Map(near.map(each => [each.issuer_key, each.issuer_name])).values()].slice(0, 5)
  if (names.length > 0)
    return new NotFound(`no issuer is named exactly ${query.slice(0, 60)} in the 13Fs of ${quarter}`, {
      hint: `names that begin so: ${names.join('; ')}`,
    })
  // Where nothing of the quarter was read, that is the answer: the name may be as good as any.
  if (!(await findQuarters(ground.lake, asOf)).some(each => each.quarter === quarter)) return null
  const symbols = ground.symbols.nearest(query.toUpperCase().slice(0, 16))
  return new NotFound(`no issuer ${query.slice(0, 60)} is known in the 13Fs of ${quarter}`, {
    hint: symbols.length > 0 ? `nearest symbols: ${symbols.join(', ')}; or ask by CUSIP` : 'ask by CUSIP, ticker or CIK',
  })
}

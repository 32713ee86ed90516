// Finds a listing by CUSIP or ISIN. No table of CUSIPs is included; what filings print next to an issuer's name identifies a CUSIP: 13F
// rows (name and class), Schedules 13D and 13G (the issuer's CIK). Answered only if they agree on one line.
import { isCusip } from '#schemas/cusip.ts'
import { NotFound } from '#schemas/errors.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { symbolMatcher } from '../datasets/holdings/symbol-match.ts'
import type { Interval } from '../datasets/symbols/symbol-index.ts'
import { newestQuarter } from './holdings-issuer-question.ts'

/** A few filings are enough, so that a receipt can list them all. */
const printedBy = 5

type Printed = {
  readonly issuer_name: string | null
  readonly class_title: string | null
  readonly source: string
  readonly raw_sha256: string
  readonly known_from: string
}
type Scheduled = { readonly issuer_cik: string; readonly source: string; readonly raw_sha256: string; readonly known_from: string }
export type CusipListing = {
  readonly listing: Interval
  readonly cusip: string
  /** The form with the evidence, and the confidence of the match from its words to the listing. */
  readonly evidence: '13F' | 'SCHEDULE 13D/13G'
  readonly confidence: number
  readonly rows: readonly { readonly source: string; readonly raw_sha256: string; readonly known_from: string }[]
}

/** The CUSIP that a text is, or that an ISIN of the United States or Canada contains (ISO 6166); null for everything else. */
export function requestedCusip(text: string): string | null {
  const plain = text.toUpperCase().replace(/[\s-]/g, '')
  if (isCusip(plain) && /\d/.test(plain)) return plain
  const isin = /^(?:US|CA)([0-9A-Z]{9})(\d)$/.exec(plain)
  const within = isin?.[1] ?? ''
  return isin && isCusip(within) && isinCheckDigit(plain.slice(0, 11)) === isin[2] ? within : null
}

/** ISO 6166: letters become two digits, every second digit from the right is doubled. */
function isinCheckDigit(eleven: string): string {
  const digits = [...eleven].map(character => String(Number.parseInt(character, 36))).join('')
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = at % 2 === 0 ? Number(digit) * 2 : Number(digit)
    return total + Math.floor(value / 10) + (value % 10)
  }, 0)
  return String((10 - (sum % 10)) % 10)
}

const printedSql = `select issuer_name, class_title, source, raw_sha256, known_from from holdings
  where quarter = $quarter and cusip = $cusip and not placeholder order by known_from desc, raw_sha256, issuer_name, class_title limit ${printedBy}`
const scheduledSql = `select issuer_cik, source, raw_sha256, known_from from ownership_schedules
  where list_contains(cusips, $cusip) order by known_from desc, raw_sha256 limit ${printedBy}`

/** The currently listed lines of common shares of an issuer: those whose directory states the CIK, and those of the SEC's map. */
function commonLines({ symbols, issuers }: ReleaseContext, cik: string): Interval[] {
  const mapped = issuers.symbolsOf(cik).flatMap(symbol => symbols.find(symbol) ?? [])
  const rows = new Map([...symbols.byCik(cik), ...mapped].filter(row => row.valid_to === null && row.type === 'common').map(row => [row.symbol, row]))
  return [...rows.values()]
}

/** The listing of a CUSIP; throws `NotFound` if no filing prints it, or if the filings leave more than one line. */
export async function listingOfCusip(context: ReleaseContext, cusip: string, asOf: string | null): Promise<CusipListing> {
  const quarter = await newestQuarter(context, asOf)
  const printed =
    quarter === null ? [] : await context.lake.query<Printed>(printedSql, { quarter, cusip, as_of: asOf }, { holdings: 'all' }, { streamed: true })
  const matcher = symbolMatcher(context)
  const matches = printed.flatMap(row => matcher.match(row.issuer_name, row.class_title) ?? [])
  const scheduled = await context.lake.query<Scheduled>(scheduledSql, { cusip, as_of: asOf }, { ownership_schedules: 'all' })
  const named = new Set(matches.map(match => match.symbol))
  const lines = [...new Set(scheduled.map(row => row.issuer_cik))].flatMap(cik => commonLines(context, cik))
  const [symbol] = named
  const own = symbol === undefined ? null : context.symbols.find(symbol)
  if (named.size === 1 && own && (lines.length === 0 || lines.some(line => line.symbol === own.symbol)))
    return { listing: own, cusip, evidence: '13F', confidence: Math.min(...matches.map(match => match.confidence)), rows: printed }
  // An issuer's CIK identifies the company; it identifies the class only if there is one.
  const [line] = lines
  if (named.size === 0 && line && lines.length === 1) return { listing: line, cusip, evidence: 'SCHEDULE 13D/13G', confidence: 0.9, rows: scheduled }
  const candidates = [...new Set([...named, ...lines.map(each => each.symbol)])].sort()
  if (candidates.length > 0)
    throw new NotFound(`CUSIP ${cusip} is printed for more than one listing`, { hint: `ask for one of ${candidates.slice(0, 5).join(', ')}` })
  const issuer = printed.find(row => row.issuer_name !== null)?.issuer_name
  throw new NotFound(
    issuer ? `CUSIP ${cusip} is printed for ${issuer}, of which no listing is known` : `no filing that was read prints the CUSIP ${cusip}`,
    { hint: 'ask by symbol, or GET /api/v1/data/13f/issuer/{cusip} for its holders' },
  )
}

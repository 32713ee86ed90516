// Dollars or thousands of dollars? Until 2023-01-03 managers reported thousands, since then dollars: the rule depends on the day of filing
// and the version of the form, never on the quarter. Filers break it in both directions, so every filing is checked against its own
// content: the prices that its values and shares imply, and the total of its cover.
import type { Fact } from '../parsed.ts'

type Unit = 'dollars' | 'thousands'
export type UnitEvidence = {
  readonly filed_date: string | null
  readonly schema_version: string | null
  readonly signature_date: string | null
  /** Value over shares as filed, sorted; only rows of shares without put or call, whose value and number of shares differ. */
  readonly prices: readonly number[]
  readonly rows: number
  readonly sum: number // of all values, as filed
  readonly cover: number | null // value total of the cover, as filed
}
export type UnitDecision = Pick<
  Fact<'holdings_reports'>,
  'unit' | 'unit_source' | 'unit_by_rule' | 'cover_unit' | 'implied_price_median' | 'implied_price_high' | 'implied_prices'
> & { readonly flags: readonly string[] }

/** The day from which a filing states dollars. */
const dollarsSince = '2023-01-03'
/** A manager must file above $100 million; so small a total is in thousands, or far below the threshold. */
const smallestPlausible = 2_000_000
/** Prices below which half of the table, and nine tenths of it, are cents of thousands and no dollars. */
const cents = { median: 0.75, high: 3 }
/** Prices in thousands above which half of the table, and nine tenths of it, are really dollars: $5,000 and $100 a share (of a short table $1,000). */
const dear = { median: 5, low: 0.1, lowOfFew: 1 }
/** A table with fewer rows than this has no usable spread: the total has to agree. */
const fewRows = 3
/** So many rows are a portfolio, in which not half of the shares cost $5,000. */
const someRows = 5

const at = (sorted: readonly number[], share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export function decideUnit(evidence: UnitEvidence): UnitDecision {
  const { prices } = evidence
  const rule = unitByRule(evidence)
  const byPrice = prices.length === 0 ? null : unitByPrice(evidence, rule?.unit ?? null)
  const byCover = unitByCover(evidence, rule?.unit ?? null)
  const flags: string[] = []
  const chosen = byPrice !== null && byPrice !== rule?.unit ? { unit: byPrice, source: 'implied_price' as const } : null
  // The cover decides only if prices cannot: an extra `000` on the cover must not scale a correct table.
  const confirmed = prices.length >= fewRows && chosen === null
  const other =
    chosen ?? (byCover.table !== null && byCover.table !== rule?.unit && !confirmed ? { unit: byCover.table, source: 'cover_ratio' as const } : null)
  const decided = other ?? rule
  if (rule !== null && decided !== null && decided.unit !== rule.unit) flags.push('unit_against_rule')
  if (byCover.disagrees) flags.push('cover_in_other_unit')
  return {
    unit: decided?.unit ?? null,
    unit_source: decided?.source ?? null,
    unit_by_rule: rule?.unit ?? null,
    cover_unit: decided === null || evidence.cover === null ? null : byCover.disagrees ? byCover.cover(decided.unit) : decided.unit,
    implied_price_median: prices.length === 0 ? null : rounded(at(prices, 0.5)),
    implied_price_high: prices.length === 0 ? null : rounded(at(prices, 0.9)),
    implied_prices: prices.length,
    flags,
  }
}

type Ruled = { readonly unit: Unit; readonly source: 'filing_date' | 'form_version' }
/** The unit by the day or the version; null if the document states neither. */
function unitByRule({ filed_date, schema_version, signature_date }: UnitEvidence): Ruled | null {
  if (filed_date !== null) return { unit: filed_date >= dollarsSince ? 'dollars' : 'thousands', source: 'filing_date' }
  // X0202 came with the change; a bare document of before states no version, or a lower one.
  if (schema_version !== null) return { unit: schema_version >= 'X0202' ? 'dollars' : 'thousands', source: 'form_version' }
  return signature_date === null ? null : { unit: signature_date >= dollarsSince ? 'dollars' : 'thousands', source: 'filing_date' }
}

/** The unit of the implied prices if they contradict the rule (or there is none); null if they agree or do not decide. */
function unitByPrice({ prices, rows, sum }: UnitEvidence, rule: Unit | null): Unit | null {
  const [low, median, high] = [at(prices, 0.1), at(prices, 0.5), at(prices, 0.9)]
  const enough = prices.length >= fewRows
  const asCents = median < cents.median && high < cents.high && (enough || sum < smallestPlausible)
  const asDollars =
    median > dear.median &&
    low > (prices.length < someRows ? dear.lowOfFew : dear.low) &&
    (enough || rows > prices.length * 2) &&
    sum >= smallestPlausible * 10
  if (rule === 'dollars') return asCents ? 'thousands' : null
  if (rule === 'thousands') return asDollars ? 'dollars' : null
  return asCents ? 'thousands' : median > dear.median && enough ? 'dollars' : null
}

type ByCover = { readonly table: Unit | null; readonly disagrees: boolean; readonly cover: (table: Unit) => Unit }
/** Cover and table a thousand times apart: one of the two is in the other unit. */
function unitByCover({ sum, cover }: UnitEvidence, rule: Unit | null): ByCover {
  const ratio = cover === null || cover <= 0 || sum <= 0 ? 1 : cover / sum
  const coverLarger = ratio > 900 && ratio < 1100
  const tableLarger = ratio > 1 / 1100 && ratio < 1 / 900
  const table = coverLarger && rule === 'dollars' ? 'thousands' : tableLarger && rule === 'thousands' ? 'dollars' : null
  return {
    table,
    disagrees: coverLarger || tableLarger,
    cover: unit => (unit === 'dollars' ? 'thousands' : 'dollars'),
  }
}

const rounded = (value: number): number => Number(value.toPrecision(6))

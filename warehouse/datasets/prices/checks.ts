// Whether a claim is plausible: its size against the price, the price's jump against its ratio, and the number of agreeing sources.
import { daysBetween } from '#schemas/days.ts'
import { plainDecimal } from '#schemas/values.ts'
import type { ActionFacts } from './actions.ts'
import type { ClosePoint, Prices } from './closes.ts'
import { compare, numberOf, over, plus, type Ratio, ratio, ratioOf, times } from './ratio.ts'
import { type Claim, spinoffShare } from './reports.ts'
import type { Rules } from './rules.ts'

export type HeldReason =
  | 'amount_exceeds_price'
  | 'needs_second_source'
  | 'sources_disagree'
  | 'cancelled_by_other_source'
  | 'no_amount'
  | 'no_ratio'
  | 'price_shows_no_split'
  | 'price_contradicts_ratio'
  | 'previous_close_stale'
  | 'price_basis_unknown'
  | 'amount_basis_unknown'
export type Doubt = { readonly reason: HeldReason; readonly detail: string }
export type CheckContext = {
  readonly prices: Prices
  readonly rules: Rules
  /** Trading days of the venue strictly between two days, if a calendar is available. */
  readonly sessionsBetween: ((after: string, before: string) => number) | undefined
  /** The day of the request: actions of later ex-dates cannot be compared with a price yet. */
  readonly asOf: string
}

/** The close before an ex-date, if the prices of that day may be divided by splits up to a day on or after it. */
const dividedBefore = (exDate: string, prices: Prices): (ClosePoint & { readonly divided: { readonly raw_sha256: string } }) | null => {
  const before = prices.closeBefore(exDate)
  return before?.divided && exDate <= before.divided.until ? { ...before, divided: before.divided } : null
}

/**
 * Whether cash can be compared with the price at all: an amount as declared is never compared with a price that may be divided by splits,
 * and an amount that may be divided only with the prices of the same document. An amount that both print alike is neither.
 */
export function doubtOfBasis<A extends ActionFacts>(claim: Claim<A>, { prices, asOf }: CheckContext): Doubt | null {
  if (claim.class === 'split' || claim.class === 'none' || claim.exDate > asOf) return null
  const rows = [...claim.rows, ...claim.agreeing]
  const before = dividedBefore(claim.exDate, prices)
  if (before) {
    if (rows.some(row => row.amount_basis === 'split_adjusted_unknown' && (row.raw_sha256 ?? '') === before.divided.raw_sha256)) return null
    return {
      reason: 'price_basis_unknown',
      detail: `would meet the close ${before.close} (${before.date}), which its source divided by splits that are not all known`,
    }
  }
  if (rows.some(row => row.amount_basis !== 'split_adjusted_unknown') || !prices.closeBefore(claim.exDate)) return null
  return {
    reason: 'amount_basis_unknown',
    detail: 'was divided by its source by splits that are not all known, so it cannot be held against a price as traded',
  }
}

/** `split` is the product of the day's ratios, for cash declared per new share. Null: no objection to the claim. */
export function doubtOfCash<A extends ActionFacts>(
  claim: Claim<A>,
  split: Ratio,
  { prices, rules, sessionsBetween, asOf }: CheckContext,
): Doubt | null {
  const share = claim.class === 'spinoff' ? spinoffShare(claim.rows[0]!) : null
  if (claim.size === null && share === null) return { reason: 'no_amount', detail: 'states no amount above 0 per share' }
  if (claim.exDate > asOf) return null
  const before = prices.closeBefore(claim.exDate)
  if (!before) return null
  const basis = doubtOfBasis(claim, { prices, rules, sessionsBetween, asOf })
  if (basis) return basis
  const part = share ?? over(perOldShare(claim, split), ratioOf(plainDecimal(before.close)))
  const percent = `${(numberOf(part) * 100).toFixed(1)} % of the previous close ${before.close} (${before.date})`
  if (compare(part, ratio(1n, 1n)) >= 0)
    return { reason: 'amount_exceeds_price', detail: `is ${percent}; an amount at or above the price is never applied` }
  const large = compare(part, ratioOf(rules.large_cash_share_of_price)) > 0
  if (large && claim.sources.size < 2 && !fallAgrees(claim.exDate, numberOf(part), split, prices, rules)) {
    const limit = `above ${Number(rules.large_cash_share_of_price) * 100} % two sources have to agree, or the fall of the price`
    return { reason: 'needs_second_source', detail: `is ${percent} and only ${[...claim.sources].join()} reports it; ${limit}` }
  }
  return stale(before, claim.exDate, rules, sessionsBetween)
}

function perOldShare<A extends ActionFacts>(claim: Claim<A>, split: Ratio): Ratio {
  const preSplit = claim.rows.every(row => row.amount_basis === 'pre_split')
  const size = claim.size ?? plus(ratioOf('0'), ratioOf('0'))
  return preSplit ? size : times(size, split)
}

function stale(before: ClosePoint, exDate: string, rules: Rules, sessionsBetween: CheckContext['sessionsBetween']): Doubt | null {
  const sessions = sessionsBetween?.(before.date, exDate)
  const tooOld =
    sessions === undefined ? daysBetween(before.date, exDate) > rules.previous_close_max_days : sessions > rules.previous_close_max_sessions
  if (!tooOld) return null
  const limit = sessions === undefined ? `${rules.previous_close_max_days} days` : `${rules.previous_close_max_sessions} sessions`
  return { reason: 'previous_close_stale', detail: `its previous close is of ${before.date}, older than ${limit}` }
}

/** Compares the ratio with the price's jump over the ex-date, if both are visible. */
export function doubtOfSplit<A extends ActionFacts>(claim: Claim<A>, { prices, rules, asOf }: CheckContext): Doubt | null {
  if (claim.size === null) return { reason: 'no_ratio', detail: 'states no ratio of shares after to shares before' }
  const expected = Math.log(numberOf(claim.size))
  const jump = claim.exDate > asOf ? null : jumpAt(claim.exDate, prices, rules)
  const visible = Math.abs(expected) >= Math.log(rules.ratio_visible_from)
  if (jump && visible) {
    const shown = Math.log(jump.before.close / jump.after.close)
    const seen = `the close went from ${jump.before.close} (${jump.before.date}) to ${jump.after.close} (${jump.after.date})`
    if (shown / expected < 0.5) {
      return {
        reason: 'price_shows_no_split',
        detail: `${seen}: the ratio is wrong, or the bars are split-adjusted already and would be adjusted twice`,
      }
    }
    if (Math.abs(shown - expected) > Math.max(Math.abs(expected) / 2, rules.price_noise_log))
      return { reason: 'price_contradicts_ratio', detail: seen }
    return null
  }
  const before = claim.exDate > asOf ? null : dividedBefore(claim.exDate, prices)
  if (before)
    return {
      reason: 'price_basis_unknown',
      detail: `may be in the close ${before.close} (${before.date}) already, which its source divided by splits that are not all known`,
    }
  const large = Math.abs(expected) > Math.log(Number(rules.large_split_ratio))
  if (!large || claim.sources.size > 1) return null
  const who = [...claim.sources].join()
  return {
    reason: 'needs_second_source',
    detail: `only ${who} reports it and no price shows it; beyond ${rules.large_split_ratio}:1 one of them is needed`,
  }
}

/** The price's fall over the ex-date as additional evidence: it matches the fall that the amount, `part` of the close before, implies. */
function fallAgrees(exDate: string, part: number, split: Ratio, prices: Prices, rules: Rules): boolean {
  const jump = jumpAt(exDate, prices, rules)
  if (!jump || jump.after.date !== exDate) return false
  const expected = -Math.log(1 - part)
  const shown = Math.log(jump.before.close / (jump.after.close * numberOf(split)))
  return Math.abs(shown - expected) <= rules.fall_agrees_share * expected
}

/** Closes on both sides of the ex-date, near enough to each other to be compared. */
function jumpAt(exDate: string, prices: Prices, rules: Rules): { before: ClosePoint; after: ClosePoint } | null {
  const [before, after] = [prices.closeBefore(exDate), prices.closeFrom(exDate)]
  return before && after && daysBetween(before.date, after.date) <= rules.previous_close_max_days ? { before, after } : null
}

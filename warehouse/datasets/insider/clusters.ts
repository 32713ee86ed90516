// Clusters of insider trades: several people of one issuer on the same side of the market within a few days. Pure: trades in, clusters out.
import { addDays } from '#schemas/days.ts'
import { compareDecimals, productOf, sumOf } from '#schemas/decimals.ts'
import type { FoundTransaction } from './insider.ts'

export type ClusterRules = {
  /** Different people that a cluster needs at least; owners who file jointly count as one. */
  readonly people: number
  /** Calendar days from the first trade to the last, both counted. */
  readonly days: number
  readonly side: 'buy' | 'sell'
  readonly roles: 'any' | 'officers_and_directors' | 'officers' | 'directors' | 'ten_percent_owners'
  /** Trades under a Rule 10b5-1 plan. */
  readonly plans: 'exclude' | 'include' | 'only'
  /** Least amount of all trades together, in dollars; trades without a price count as 0. */
  readonly amount: number
}
export type Trade = FoundTransaction & { readonly transaction_date: string }
export type Cluster = {
  readonly trades: readonly Trade[]
  readonly people: number
  /** Acceptance of the filing with which the cluster had enough people: from then on, anyone could know it. */
  readonly known_from: string
}

/** Trades that can be part of a cluster: of shares, in the open market, of the requested people, and not restated by an amendment. */
export function tradesFor(transactions: readonly FoundTransaction[], rules: ClusterRules, from: string, to: string): Trade[] {
  return transactions.filter(
    (row): row is Trade =>
      row.transaction_date !== null &&
      row.transaction_date >= from &&
      row.transaction_date <= to &&
      !row.derivative &&
      row.amended_by === null &&
      row.code_class === (rules.side === 'buy' ? 'open_market_buy' : 'open_market_sell') &&
      (rules.plans === 'include' || (row.plan_10b5_1 === 'yes') === (rules.plans === 'only')) &&
      hasRole(row, rules.roles),
  )
}

function hasRole({ owners }: FoundTransaction, roles: ClusterRules['roles']): boolean {
  return (
    roles === 'any' ||
    (owners ?? []).some(
      owner =>
        ((roles === 'officers' || roles === 'officers_and_directors') && owner.officer) ||
        ((roles === 'directors' || roles === 'officers_and_directors') && owner.director) ||
        (roles === 'ten_percent_owners' && owner.ten_percent_owner),
    )
  )
}

/** Dollars of a trade, exactly: shares times price, or the total that the filing prints; null if it gives neither. */
export const amountOf = ({ shares, price, total_value }: FoundTransaction): string | null =>
  shares !== null && price !== null ? productOf(shares, price) : total_value
/** The exact sum of the known ones; null if none is known. */
export function sumOfKnown(decimals: readonly (string | null)[]): string | null {
  const known = decimals.filter(each => each !== null)
  return known.length === 0 ? null : sumOf(known)
}

/**
 * The clusters of one issuer, oldest first. A window begins with a trade and covers `days`; if its trades have enough people and amount
 * they are a cluster, and the next window begins after its last trade, so that no trade is in two clusters.
 */
export function clustersOf(trades: readonly Trade[], rules: ClusterRules): Cluster[] {
  const sorted = [...trades].sort(
    (a, b) =>
      order(a.transaction_date, b.transaction_date) || order(a.known_from, b.known_from) || order(a.filing_id, b.filing_id) || a.line - b.line,
  )
  const clusters: Cluster[] = []
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] as Trade
    const end = addDays(first.transaction_date, rules.days - 1)
    const window = sorted.slice(at).filter(each => each.transaction_date <= end)
    const people = peopleIn(window)
    const amount = sumOfKnown(window.map(amountOf)) ?? '0'
    if (people < rules.people || compareDecimals(amount, String(rules.amount)) < 0) {
      const day = first.transaction_date
      while (at < sorted.length && (sorted[at] as Trade).transaction_date === day) at += 1
      continue
    }
    clusters.push({ trades: window, people, known_from: completedAt(window, rules.people) })
    at += window.length
  }
  return clusters
}
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Different people; owners of one joint filing are one, also over several filings. */
export function peopleIn(trades: readonly FoundTransaction[]): number {
  const groups: Set<string>[] = []
  for (const { owner_ciks, owner_names } of trades) {
    const names = owner_ciks.length > 0 ? owner_ciks : owner_names
    const met = groups.filter(group => names.some(name => group.has(name)))
    const merged = new Set([...names, ...met.flatMap(group => [...group])])
    for (const group of met) groups.splice(groups.indexOf(group), 1)
    groups.push(merged)
  }
  return groups.length
}

function completedAt(window: readonly Trade[], people: number): string {
  const known = [...window].sort((a, b) => order(a.known_from, b.known_from))
  const at = known.findIndex((_, index) => peopleIn(known.slice(0, index + 1)) >= people)
  return (known[at] as Trade).known_from
}

/** Sessions after which the price is compared: a week, a month, a quarter, half a year, a year. */
export const horizons = [5, 21, 63, 126, 252] as const
export type Since = {
  /** The first close after the cluster was known: its day, and the closes of later sessions against it. */
  readonly entry_date: string | null
  readonly entry_close: number | null
  readonly returns: readonly { readonly sessions: number; readonly date: string | null; readonly return_pct: number | null }[]
  readonly latest: { readonly sessions: number; readonly date: string; readonly return_pct: number } | null
}

/**
 * What the price did after a cluster was known. `bars`: adjusted closes, oldest first; `known_day`: the day, in the time zone of the
 * exchange, on which it was known. The entry is the close of the first session after that day. A horizon that has not passed is null.
 */
export function sinceCluster(
  bars: readonly { readonly date: string; readonly close: number; readonly adjusted_close: number }[],
  knownDay: string,
): Since {
  const from = bars.findIndex(bar => bar.date > knownDay)
  const entry = from < 0 ? undefined : bars[from]
  const change = (close: number): number => ((close - (entry?.adjusted_close ?? 0)) / (entry?.adjusted_close ?? 1)) * 100
  if (entry === undefined || entry.adjusted_close <= 0)
    return { entry_date: null, entry_close: null, returns: horizons.map(sessions => ({ sessions, date: null, return_pct: null })), latest: null }
  const last = bars.at(-1)
  return {
    entry_date: entry.date,
    entry_close: entry.close,
    returns: horizons.map(sessions => {
      const bar = bars[from + sessions]
      return { sessions, date: bar?.date ?? null, return_pct: bar === undefined ? null : change(bar.adjusted_close) }
    }),
    latest:
      last === undefined || last === entry ? null : { sessions: bars.length - 1 - from, date: last.date, return_pct: change(last.adjusted_close) },
  }
}

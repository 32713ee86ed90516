// A quarter against the one before it: positions of the effective view, shares before a split counted as after it, options apart.
import { Sum } from '#schemas/decimals.ts'
import { classLetter } from '#schemas/issuer-name.ts'
import { compare, decimalOf, one, type Ratio, ratio, ratioOf, times } from '../prices/ratio.ts'
import { securityKey } from './effective.ts'

export type PositionRow = {
  readonly cusip: string | null
  readonly issuer_key: string
  readonly issuer_name: string | null
  readonly class_title: string | null
  readonly put_call: 'put' | 'call' | null
  readonly shares_type: 'SH' | 'PRN' | null
  readonly shares: string | null
  readonly value_usd: string | null
}
/** All rows of one security, held one way, added up: managers report a line per account group. */
export type Position = Omit<PositionRow, 'shares' | 'value_usd'> & {
  readonly shares: string
  readonly value_usd: string | null // null if the unit of a row is unknown
  readonly rows: number
}
type ChangeLabel = 'new' | 'added' | 'reduced' | 'sold_out' | 'unchanged'
export type Change = {
  readonly change: ChangeLabel
  readonly now: Position | null
  readonly before: Position | null
  /** New shares per old between the two quarters' ends. */
  readonly split: Ratio
  /** Shares before, counted as after the splits. */
  readonly sharesBefore: string | null
  readonly sharesChange: string
  readonly cusipChanged: boolean
}

export function positionsOf(rows: readonly PositionRow[]): Position[] {
  const groups = new Map<string, { first: PositionRow; shares: Sum; value: Sum; unknown: boolean; rows: number }>()
  for (const row of rows) {
    const key = securityKey(row)
    const group = groups.get(key) ?? { first: row, shares: new Sum(), value: new Sum(), unknown: false, rows: 0 }
    groups.set(key, group)
    if (row.shares !== null) group.shares.add(row.shares)
    if (row.value_usd === null) group.unknown = true
    else group.value.add(row.value_usd)
    group.rows += 1
  }
  return [...groups.values()].map(({ first, shares, value, unknown, rows: count }) => ({
    cusip: first.cusip,
    issuer_key: first.issuer_key,
    issuer_name: first.issuer_name,
    class_title: first.class_title,
    put_call: first.put_call,
    shares_type: first.shares_type,
    shares: shares.toString(),
    value_usd: unknown ? null : value.toString(),
    rows: count,
  }))
}

/** `splitOf`: new shares per old of a position's listing since the quarter before. */
export function compareQuarters(now: readonly Position[], before: readonly Position[], splitOf: (position: Position) => Ratio): Change[] {
  const old = new Map(before.map(position => [securityKey(position), position]))
  const changes: Change[] = []
  const fresh: Position[] = []
  for (const position of now) {
    const key = securityKey(position)
    const held = old.get(key)
    if (held === undefined) fresh.push(position)
    else {
      old.delete(key)
      changes.push(changeOf(position, held, splitOf(position), false))
    }
  }
  // A reverse split or a reorganisation gives the security another CUSIP: if exactly one row of an issuer, class and kind disappeared and
  // exactly one appeared, they are one position.
  const gone = grouped([...old.values()])
  const came = grouped(fresh)
  for (const [key, positions] of came) {
    const partner = gone.get(key)
    const [position, held] = [positions[0], partner?.[0]]
    if (positions.length === 1 && partner?.length === 1 && position !== undefined && held !== undefined) {
      gone.delete(key)
      changes.push(changeOf(position, held, splitOf(position), true))
    } else for (const each of positions) changes.push(changeOf(each, null, one, false))
  }
  for (const positions of gone.values()) for (const held of positions) changes.push(soldOut(held, splitOf(held)))
  return changes
}

function grouped(positions: readonly Position[]): Map<string, Position[]> {
  const groups = new Map<string, Position[]>()
  for (const position of positions) {
    const key = `${position.issuer_key}|${classLetter(position.class_title ?? '')}|${position.put_call ?? ''}|${position.shares_type ?? ''}`
    const group = groups.get(key)
    if (group) group.push(position)
    else groups.set(key, [position])
  }
  return groups
}

function changeOf(now: Position, before: Position | null, split: Ratio, cusipChanged: boolean): Change {
  if (before === null) return { change: 'new', now, before, split, sharesBefore: null, sharesChange: now.shares, cusipChanged }
  const was = times(ratioOf(before.shares), now.shares_type === 'PRN' ? one : split)
  const is = ratioOf(now.shares)
  const difference = ratio(is.numerator * was.denominator - was.numerator * is.denominator, is.denominator * was.denominator)
  // Each account is rounded separately, and fractions of a share are paid in cash: a change of less than one share per row is no trade.
  const slack = compare(split, one) === 0 ? 0n : BigInt(Math.max(now.rows, before.rows))
  const small = absolute(difference.numerator) < slack * difference.denominator || difference.numerator === 0n
  return {
    change: small ? 'unchanged' : difference.numerator > 0n ? 'added' : 'reduced',
    now,
    before,
    split,
    sharesBefore: decimalOf(was, 6),
    sharesChange: decimalOf(difference, 6),
    cusipChanged,
  }
}

function soldOut(before: Position, split: Ratio): Change {
  const was = decimalOf(times(ratioOf(before.shares), before.shares_type === 'PRN' ? one : split), 6)
  return { change: 'sold_out', now: null, before, split, sharesBefore: was, sharesChange: was === '0' ? '0' : `-${was}`, cusipChanged: false }
}
const absolute = (value: bigint): bigint => (value < 0n ? -value : value)

// The restatement guard: which bars of a batch may enter the lake. Bars are as traded and are stored once. If a source
// reprints settled history differently, it is refused. A late correction supersedes its row with a reason.
import type { z } from 'zod'
import type { BarFacts, barCorrections } from '#schemas/bars.ts'
import type { Refused } from '../parsed.ts'
import { evaluateChanges, type KnownBar, type Pair, sameBar, samePrices, settledRows, sourcesAgree } from './compare.ts'
import { type Close, revertingJumps } from './jumps.ts'
import { doubtOfBar } from './row-checks.ts'
import type { SessionClose } from './sessions.ts'

export type { KnownBar } from './compare.ts'

type BarCorrectionFacts = z.infer<typeof barCorrections.facts>
export type GuardContext = {
  readonly source: string
  readonly retrieved_at: string // instant
  readonly sessionClose: SessionClose // `sessionCloses()` of sessions.ts
  /** The newest stored day of a symbol, if `known` does not reach it. */
  readonly lastHeld?: (symbol: string) => string | null
  /** New shares per old of the splits known on a day: a jump that matches one of them is accepted. */
  readonly splitsOn?: (symbol: string, date: string) => readonly number[]
}
export type Guarded = {
  readonly append: readonly BarFacts[]
  readonly corrections: readonly BarCorrectionFacts[]
  readonly refused: readonly Refused[]
  readonly counts: Readonly<Record<GuardCount, number>>
}
type GuardCount = 'basis_known_already' | 'already_held' | 'agrees_with_other_source' | 'repeated_row' | 'volume_differs' | 'older_document'

/**
 * Checks one document's bars. `known`: the stored bars of its symbols over its days, ideally from some ten sessions before
 * (then a jump at the document's first row is detected too), with corrections applied. Cost: linear in both.
 */
export function guardBars(incoming: readonly BarFacts[], known: readonly KnownBar[], context: GuardContext): Guarded {
  const held = new Map<string, KnownBar[]>()
  for (const bar of known) {
    const list = held.get(bar.symbol)
    if (list) list.push(bar)
    else held.set(bar.symbol, [bar])
  }
  const batch = new Map<string, BarFacts[]>()
  for (const bar of incoming) {
    const list = batch.get(bar.symbol)
    if (list) list.push(bar)
    else batch.set(bar.symbol, [bar])
  }
  const result: Result = {
    append: [],
    corrections: [],
    refused: [],
    counts: { basis_known_already: 0, already_held: 0, agrees_with_other_source: 0, repeated_row: 0, volume_differs: 0, older_document: 0 },
  }
  for (const [symbol, bars] of batch) guardSymbol(symbol, bars, held.get(symbol) ?? [], context, result)
  return result
}

type Result = { append: BarFacts[]; corrections: BarCorrectionFacts[]; refused: Refused[]; counts: Record<GuardCount, number> }

const refusal = (bar: BarFacts, reason: string, detail: string): Refused => ({
  dataset: 'bars',
  reason,
  subject: bar.symbol,
  detail: `${bar.symbol} ${bar.date}: ${detail}`,
  record: bar,
})
const isUnknown = ({ basis }: BarFacts): boolean => basis === 'split_adjusted_unknown'
const byDate = (a: BarFacts, b: BarFacts): number => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)

function guardSymbol(symbol: string, bars: readonly BarFacts[], held: readonly KnownBar[], context: GuardContext, result: Result): void {
  const heldByDate = new Map(held.map(bar => [bar.date, bar]))
  const sound = soundRows(bars, heldByDate, context, result)
  if (sound.length === 0) return
  const otherCurrency = held.find(bar => bar.currency !== sound[0]!.currency)
  if (otherCurrency) {
    refuseAll(sound, 'currency_changed', `is in ${sound[0]!.currency} while the bars held are in ${otherCurrency.currency}`, result)
    return
  }
  const steady = withoutJumps(symbol, sound, held, heldByDate, context, result)
  const fresh: BarFacts[] = []
  const changed: Pair[] = []
  const elsewhere: Pair[] = []
  let overlap = 0
  let ownOverlap = 0
  for (const bar of steady) {
    const known = heldByDate.get(bar.date)
    if (!known) {
      fresh.push(bar)
      continue
    }
    // Prices of unknown basis are replaced by those of known basis, and are compared with neither.
    if (isUnknown(known) && !isUnknown(bar)) {
      result.corrections.push({ ...bar, reason: 'basis_known', previous_close: known.close })
      continue
    }
    if (isUnknown(bar) && !isUnknown(known)) {
      result.counts.basis_known_already += 1
      continue
    }
    overlap += 1
    if (known.source !== context.source) {
      if (sourcesAgree(bar, known)) result.counts.agrees_with_other_source += 1
      else elsewhere.push({ incoming: bar, held: known })
      continue
    }
    ownOverlap += 1
    if (sameBar(bar, known)) result.counts.already_held += 1
    else if (known.known_from !== undefined && Date.parse(context.retrieved_at) < Date.parse(known.known_from)) result.counts.older_document += 1
    else changed.push({ incoming: bar, held: known })
  }
  if (!sourcesMayMix(symbol, elsewhere, overlap - ownOverlap, steady, result)) return
  if (changed.length > 0 && !correct(symbol, changed, ownOverlap, held, steady, context, result)) return
  for (const bar of fresh) result.append.push(bar)
}

/** Rows that are valid by themselves, oldest first, one for each day; none if the invalid ones show badly rewritten history. */
function soundRows(bars: readonly BarFacts[], heldByDate: ReadonlyMap<string, KnownBar>, context: GuardContext, result: Result): BarFacts[] {
  const sound: BarFacts[] = []
  const unsound: { bar: BarFacts; reason: string; detail: string }[] = []
  for (const bar of bars) {
    const doubt = doubtOfBar(bar, context.sessionClose, context.retrieved_at)
    if (doubt) unsound.push({ bar, ...doubt })
    else sound.push(bar)
  }
  // BNS.TO: a dividend applied only to `Close` leaves closes outside their day's range, next to others that pass.
  const changed = unsound.flatMap(({ bar }) => {
    const known = heldByDate.get(bar.date)
    return known && known.source === context.source && !samePrices(bar, known) ? [{ incoming: bar, held: known }] : []
  })
  if (changed.length > settledRows) {
    refuseAll(
      [...bars].sort(byDate),
      'settled_history_changed',
      `${changed.length} settled closes differ from those held and lie outside of their day's range`,
      result,
      changed[0],
    )
    return []
  }
  for (const { bar, reason, detail } of unsound) result.refused.push(refusal(bar, reason, detail))
  if (sound.length < 2) return sound
  sound.sort(byDate)
  const once: BarFacts[] = []
  for (let at = 0; at < sound.length; ) {
    let end = at + 1
    while (end < sound.length && sound[end]!.date === sound[at]!.date) end += 1
    const day = sound.slice(at, end)
    if (day.every(bar => sameBar(bar, day[0]!))) {
      once.push(day[0]!)
      result.counts.repeated_row += day.length - 1
    } else
      for (const bar of day) result.refused.push(refusal(bar, 'twice_in_one_document', `the document holds ${day.length} different rows of this day`))
    at = end
  }
  return once
}

function withoutJumps(
  symbol: string,
  sound: readonly BarFacts[],
  held: readonly KnownBar[],
  heldByDate: ReadonlyMap<string, KnownBar>,
  context: GuardContext,
  result: Result,
): readonly BarFacts[] {
  if (sound.length + held.length < 3) return sound
  const own = new Set(sound.map(bar => bar.date))
  const closes: Close[] = sound.map(bar => ({ date: bar.date, close: bar.close, incoming: true }))
  for (const bar of held) if (!own.has(bar.date)) closes.push({ date: bar.date, close: bar.close, incoming: false })
  closes.sort((a, b) => (a.date < b.date ? -1 : 1))
  const jumped = new Map(revertingJumps(closes, date => context.splitsOn?.(symbol, date) ?? []).map(row => [row.date, row]))
  if (jumped.size === 0) return sound
  return sound.filter(bar => {
    const jump = jumped.get(bar.date)
    const known = heldByDate.get(bar.date)
    // A stored row was checked when it arrived; it is compared below like any other.
    if (!jump || (known && samePrices(known, bar))) return true
    result.refused.push(refusal(bar, jump.reason, jump.detail))
    return false
  })
}

/** False if another source's series contradicts the stored one on most days: then none of it may fill gaps. */
function sourcesMayMix(symbol: string, elsewhere: readonly Pair[], overlap: number, steady: readonly BarFacts[], result: Result): boolean {
  if (elsewhere.length === 0) return true
  const off = ({ incoming, held }: Pair): number => Math.abs(Math.log(incoming.close / held.close))
  const worst = elsewhere.reduce((a, b) => (off(b) > off(a) ? b : a))
  const mostly = elsewhere.length * 2 > overlap
  const detail = `${elsewhere.length} of ${overlap} closes differ from those of ${worst.held.source}, worst on ${worst.held.date}: ${worst.incoming.close} against ${worst.held.close}${mostly ? `; none of the ${steady.length} rows was taken` : ''}`
  result.refused.push({
    dataset: 'bars',
    reason: 'source_disagrees',
    subject: symbol,
    detail: `${symbol}: ${detail}`,
    record: { ...worst.incoming, differing_days: elsewhere.length, compared_days: overlap },
  })
  return !mostly
}

/** Corrects single rows; false if the source rewrote its history and nothing of it may be stored. */
function correct(
  symbol: string,
  changed: readonly Pair[],
  overlap: number,
  held: readonly KnownBar[],
  steady: readonly BarFacts[],
  context: GuardContext,
  result: Result,
): boolean {
  const lastHeld = [...held.map(bar => bar.date), context.lastHeld?.(symbol) ?? ''].sort().at(-1) ?? ''
  const changes = evaluateChanges(changed, overlap, lastHeld, steady.at(-1)!.date)
  if (changes.rewritten !== null) {
    refuseAll(steady, 'settled_history_changed', changes.rewritten, result, changed[0])
    return false
  }
  for (const { incoming, reason, detail } of changes.refused) result.refused.push(refusal(incoming, reason, detail))
  for (const { incoming, held: before, reason } of changes.corrections) result.corrections.push({ ...incoming, reason, previous_close: before.close })
  result.counts.volume_differs += changes.volumeOnly
  return true
}

/** One finding for a whole batch of a symbol: the rows are in the raw document. */
function refuseAll(bars: readonly BarFacts[], reason: string, detail: string, result: Result, example?: Pair): void {
  const [first, last] = [bars[0]!, bars.at(-1)!]
  const changed = example ? `; e.g. ${example.held.date}: ${example.incoming.close} where ${example.held.close} is held` : ''
  result.refused.push({
    dataset: 'bars',
    reason,
    subject: first.symbol,
    detail: `${first.symbol} ${first.date} to ${last.date}: ${detail}${changed}; none of the ${bars.length} rows was taken`,
    record: { symbol: first.symbol, from: first.date, to: last.date, rows: bars.length },
  })
}

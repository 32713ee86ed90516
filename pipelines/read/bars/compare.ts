// Compares incoming bars with the stored ones: equal, a late correction, or rewritten history.

import type { BarFacts } from '#schemas/bars.ts'
import { daysBetween } from '#schemas/days.ts'
import type { Doubt } from './row-checks.ts'

/** A bar as currently stored, corrections applied. */
export type KnownBar = BarFacts & { readonly source: string; readonly known_from?: string }
export type Pair = { readonly incoming: BarFacts; readonly held: KnownBar }

/** Two printings of one number: 32-bit floats and four decimals differ by less than this share. */
const sameShare = 2e-6
/** Two sources' closes of one session may differ by this share, or by half a cent. */
const sourceShare = 0.002
const sourceTick = 0.0051
/** For so many days up to the newest stored bar, a source may routinely correct a bar. */
const recentDays = 7
/** More settled rows than this in one batch are not corrections. */
export const settledRows = 3
/** A correction beyond this multiple is another instrument's price or another unit. */
const largestCorrection = 1.25

const same = (a: number | null, b: number | null): boolean =>
  a === b || (a !== null && b !== null && Math.abs(a - b) <= sameShare * Math.max(Math.abs(a), Math.abs(b)))
export const samePrices = (a: BarFacts, b: BarFacts): boolean =>
  same(a.close, b.close) && same(a.open, b.open) && same(a.high, b.high) && same(a.low, b.low)
export const sameBar = (a: BarFacts, b: BarFacts): boolean => a.volume === b.volume && samePrices(a, b)
export const sourcesAgree = (a: BarFacts, b: BarFacts): boolean => Math.abs(a.close - b.close) <= Math.max(sourceShare * b.close, sourceTick)

export type Changes = {
  /** Rows to correct, with the reason. */
  readonly corrections: readonly (Pair & { readonly reason: string })[]
  /** Refused rows, each with its reason. */
  readonly refused: readonly (Pair & Doubt)[]
  /** Set if the whole batch of the symbol is refused. */
  readonly rewritten: string | null
  /** Settled rows of which only the volume differs: kept as first held. */
  readonly volumeOnly: number
}

/**
 * Classifies the rows that one source prints differently now than when they were stored. `overlap` counts all rows that both
 * have; `lastHeld` and `lastIncoming` are the newest days of each.
 */
export function evaluateChanges(pairs: readonly Pair[], overlap: number, lastHeld: string, lastIncoming: string): Changes {
  const isRecent = (date: string): boolean => daysBetween(date, lastHeld) <= recentDays
  const older = lastIncoming < lastHeld
  const refused: (Pair & Doubt)[] = []
  const repriced = pairs.filter(({ incoming, held }) => !samePrices(incoming, held))
  const priced: Pair[] = []
  const volumes: Pair[] = []
  for (const pair of pairs) {
    const { incoming, held } = pair
    if (older && incoming.date === lastIncoming) {
      refused.push({
        ...pair,
        reason: 'last_row_of_older_document',
        detail: `close ${incoming.close} against ${held.close}: the document ends that day while later bars are held, so it may be of a day that was not over`,
      })
    } else if (samePrices(incoming, held)) volumes.push(pair)
    else priced.push(pair)
  }
  const settled = repriced.filter(({ held }) => !isRecent(held.date))
  const rewritten = rewriting(repriced, settled, overlap)
  if (rewritten !== null) return { corrections: [], refused: [], rewritten, volumeOnly: 0 }
  const corrections: (Pair & { reason: string })[] = volumes
    .filter(({ held }) => isRecent(held.date))
    .map(pair => ({ ...pair, reason: 'late_volume' }))
  for (const pair of priced) {
    const times = pair.incoming.close / pair.held.close
    if (Math.max(times, 1 / times) > largestCorrection) {
      refused.push({ ...pair, reason: 'implausible_correction', detail: `close ${pair.held.close} would become ${pair.incoming.close}` })
    } else corrections.push({ ...pair, reason: isRecent(pair.held.date) ? 'late_correction' : 'settled_row_corrected' })
  }
  return { corrections, refused, rewritten: null, volumeOnly: volumes.filter(({ held }) => !isRecent(held.date)).length }
}

/** Why a set of changed rows is rewritten history; null if it is a few corrections. */
function rewriting(priced: readonly Pair[], settled: readonly Pair[], overlap: number): string | null {
  const rescaled = priced.find(isRescaled)
  if (rescaled)
    return `the whole bar of ${rescaled.held.date} was multiplied by ${(rescaled.incoming.close / rescaled.held.close).toFixed(6)}, as for a split or a dividend`
  if (settled.length > settledRows) return `${settled.length} settled closes of ${overlap} differ from those held, more than ${settledRows}`
  if (settled.length >= 2 && settled.length * 2 >= overlap) return `${settled.length} of ${overlap} closes that both hold differ`
  const ratios = priced.map(({ incoming, held }) => incoming.close / held.close).filter(times => Math.abs(times - 1) > 0.001)
  const spread = Math.max(...ratios) / Math.min(...ratios) - 1
  return ratios.length >= 2 && spread < 1e-4
    ? `${ratios.length} closes changed by one factor of ${ratios[0]!.toFixed(6)}, as for a split or a dividend`
    : null
}

/** Open, high, low and close of a bar that moved in its day, all multiplied by one factor: an adjustment, not a correction. */
function isRescaled({ incoming, held }: Pair): boolean {
  const times = incoming.close / held.close
  const moved = held.high !== null && held.low !== null && held.high > held.low * 1.001
  const alike = (a: number | null, b: number | null): boolean => a !== null && b !== null && Math.abs(a / b / times - 1) < 1e-5
  return moved && Math.abs(times - 1) > 1e-4 && alike(incoming.open, held.open) && alike(incoming.high, held.high) && alike(incoming.low, held.low)
}

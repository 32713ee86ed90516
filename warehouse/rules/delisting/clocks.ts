// The clocks of continued listing, over closes of consecutive sessions: sessions below a limit, the deficiency that they complete, and
// the sessions that cure it. Pure; exact decimals.
import { compareDecimals } from '#schemas/decimals.ts'
import { compare, minus, over, plus, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { Session, ShareSplit } from './types.ts'

type Run = { readonly count: number; readonly from: string; readonly gaps: number }
/** `since`: the session that completed it; `run`: the sessions below that led to it. */
export type Deficiency = { readonly since: string; readonly run: Run }
export type Runs = {
  /** Consecutive sessions up to the last one below the limit, and at or above it; one of them is null. */
  readonly below: Run | null
  readonly above: Run | null
  readonly deficiency: Deficiency | null
}

/** Below the limit, or at it if that counts too. */
export const isBelow = (close: string, limit: string, inclusive: boolean): boolean =>
  inclusive ? compareDecimals(close, limit) <= 0 : compareDecimals(close, limit) < 0

export type Closed = Session & { readonly close: string }
const longer = (run: Run | null, date: string): Run => (run ? { ...run, count: run.count + 1 } : { count: 1, from: date, gaps: 0 })
const gap = (run: Run | null): Run | null => run && { ...run, gaps: run.gaps + 1 }

/**
 * The state of each session's figure after the last one: `needed` consecutive sessions under its limit complete a deficiency, `cure`
 * consecutive sessions at or above it cure it. A session without a close neither counts nor interrupts; the run reports how many there were.
 */
export function runsOver(sessions: readonly Session[], isUnder: (session: Closed) => boolean, needed: number, cure: number): Runs {
  let [below, above]: [Run | null, Run | null] = [null, null]
  let deficiency: Deficiency | null = null
  for (const session of sessions) {
    const { date, close } = session
    if (close === null) [below, above] = [gap(below), gap(above)]
    else if (isUnder(session as Closed)) {
      below = longer(below, date)
      above = null
      if (deficiency === null && below.count >= needed) deficiency = { since: date, run: below }
    } else {
      above = longer(above, date)
      below = null
      if (deficiency !== null && above.count >= cure) deficiency = null
    }
  }
  return { below, above, deficiency }
}

/** New shares per old over the splits after `from` up to `to`. */
export const splitFactor = (splits: readonly ShareSplit[], from: string, to: string): Ratio =>
  splits.filter(({ ex_date }) => ex_date > from && ex_date <= to).reduce((all, { ratio }) => times(all, ratio), ratioOf('1'))

export type Averages = {
  /** Of the last window; null if one of its sessions has no close. */
  readonly last: Ratio | null
  readonly from: string | null
  /** Since the first session whose average was below, not cured since. */
  readonly deficient_since: string | null
}

/**
 * Averages of this many consecutive closes, in shares of the window's last day. A deficiency begins on the session whose average is
 * below the limit. It is cured on the last session of a month whose close and average are not.
 */
export function averageState(sessions: readonly Session[], splits: readonly ShareSplit[], limit: string, window: number): Averages {
  const last = sessions.at(-1)
  if (!last) return { last: null, from: null, deficient_since: null }
  const least = ratioOf(limit)
  // In shares of the series' last day, so that a window's sum can be updated incrementally.
  const closes = sessions.map(({ date, close }) => (close === null ? null : over(ratioOf(close), splitFactor(splits, date, last.date))))
  let sum = ratioOf('0')
  let known = 0
  let average: Ratio | null = null
  let since: string | null = null
  closes.forEach((close, at) => {
    const left = at >= window ? closes[at - window] : null
    if (close !== null) [sum, known] = [plus(sum, close), known + 1]
    if (left) [sum, known] = [minus(sum, left), known - 1]
    const { date, close: raw, month_end } = sessions[at] as Session
    average = at >= window - 1 && known === window ? times(over(sum, ratioOf(String(window))), splitFactor(splits, date, last.date)) : null
    if (average === null || raw === null) return
    if (compare(average, least) < 0) since ??= date
    else if (since !== null && month_end && compare(ratioOf(raw), least) >= 0) since = null
  })
  return { last: average, from: sessions.at(-window)?.date ?? null, deficient_since: since }
}

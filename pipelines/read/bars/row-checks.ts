// Checks of a single bar, independent of its neighbours.

import type { BarFacts } from '#schemas/bars.ts'
import { weekdayOf } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import type { SessionClose } from './sessions.ts'

export type Doubt = { readonly reason: string; readonly detail: string }
/** The tolerance of a close outside the day's range, for closing auctions and rounding; a larger difference is another day's or symbol's price. */
const rangeShare = 0.005
const rangeTick = 0.01
/** A price that is 100 times another within ten per cent: pence for pounds, cents for dollars. */
export const isHundredfold = (a: number, b: number): boolean => {
  const times = a > b ? a / b : b / a
  return times > 90 && times < 110
}

/** Null if the bar is valid; `retrievedAt` against the session's close detects a bar of a day that was not over. */
export function doubtOfBar(bar: BarFacts, sessionClose: SessionClose, retrievedAt: string): Doubt | null {
  const close = sessionClose(exchangeOf(bar.symbol), bar.date)
  if (close === null) return { reason: 'not_a_session', detail: 'the exchange did not trade that day' }
  if (close === undefined && isWeekend(bar.date)) return { reason: 'not_a_session', detail: 'a Saturday or Sunday' }
  if (close !== undefined && Date.parse(retrievedAt) < Date.parse(close)) {
    return { reason: 'partial_session', detail: `retrieved ${retrievedAt}, before the session's close at ${close}` }
  }
  if (close === undefined && retrievedAt.slice(0, 10) <= bar.date)
    return { reason: 'partial_session', detail: `retrieved ${retrievedAt}, on or before its day` }
  return doubtOfPrices(bar)
}

function isWeekend(date: string): boolean {
  return weekdayOf(date) % 6 === 0
}

function doubtOfPrices({ open, high, low, close }: BarFacts): Doubt | null {
  for (const price of [open, high, low, close]) {
    if (price !== null && !Number.isFinite(price)) return { reason: 'not_a_number', detail: `a price is ${price}` }
    if (price !== null && price <= 0) return { reason: 'price_not_positive', detail: `a price is ${price}` }
  }
  if (high !== null && low !== null && high < low) return { reason: 'high_below_low', detail: `high ${high}, low ${low}` }
  for (const [name, price] of Object.entries({ open, high, low })) {
    if (price !== null && isHundredfold(price, close))
      return { reason: 'unit_error_100x', detail: `${name} ${price} is a hundred times off the close ${close}` }
  }
  const tolerance = Math.max(close * rangeShare, rangeTick)
  if ((high !== null && close > high + tolerance) || (low !== null && close < low - tolerance)) {
    return { reason: 'close_outside_range', detail: `close ${close} lies outside of low ${low} to high ${high}` }
  }
  return null
}

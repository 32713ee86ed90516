// Jumps that revert: rows in another unit (pence for pounds) or not multiplied by a split, between rows that are right.
import { priceRules } from '#warehouse/datasets/prices/rules.ts'
import { isHundredfold } from './row-checks.ts'

export type Close = { readonly date: string; readonly close: number; readonly incoming: boolean }
export type Jumped = {
  readonly date: string
  readonly incoming: boolean
  readonly reason: 'unit_error_100x' | 'reverting_jump' | 'unit_unclear'
  readonly detail: string
}

/** A close that is more than eight times, or less than an eighth of, the one before it starts a new level. */
const jumpLog = Math.log(8)
/** How far the way back may differ from the way there, as a logarithm: the market moves on meanwhile. */
const revertLog = 0.3
/** If more rows than this are at another level, either level may be right: the prices do not show which. */
const fewRows = 5

/** A price divided by a split moves by the ratio's inverse, plus the market's move within a day or a halt. */
const isExplained = (log: number, ratios: readonly number[]): boolean =>
  ratios.some(ratio => Math.abs(log + Math.log(ratio)) <= priceRules.split_jump_log)

type Level = { readonly rows: Close[]; readonly logIn: number }

/**
 * Checks one symbol's closes in date order. It reports a few rows at another level between two stretches that agree. It also
 * reports a few newest rows that are a hundredfold off, before a day file can show the return. If longer
 * stretches alternate a hundredfold, it reports every incoming row, since no row identifies the right unit. `splitsOn` gives the new
 * shares per old of the splits known on a day: a split excuses the jump of its ratio, in its direction.
 */
export function revertingJumps(closes: readonly Close[], splitsOn: (date: string) => readonly number[] = () => []): Jumped[] {
  const levels: Level[] = []
  for (const [at, row] of closes.entries()) {
    const before = closes[at - 1]
    const log = before ? Math.log(row.close / before.close) : 0
    if (before && (Math.abs(log) < jumpLog || isExplained(log, splitsOn(row.date)))) levels.at(-1)!.rows.push(row)
    else levels.push({ rows: [row], logIn: log })
  }
  if (levels.length < 2) return []
  const jumped: Jumped[] = []
  let unclear = false
  let returned: Level | undefined
  for (let at = 1; at < levels.length - 1; at++) {
    const [before, level, after] = [levels[at - 1]!, levels[at]!, levels[at + 1]!]
    if (Math.abs(level.logIn + after.logIn) > revertLog) continue
    const [was, is] = [before.rows.at(-1)!.close, level.rows[0]!.close]
    const hundredfold = isHundredfold(was, is)
    if (level.rows.length > fewRows || level.rows.length >= before.rows.length + after.rows.length) {
      unclear ||= hundredfold
      continue
    }
    const reason = hundredfold ? 'unit_error_100x' : 'reverting_jump'
    for (const row of level.rows)
      jumped.push({
        ...row,
        reason,
        detail: `close ${row.close} between ${was} and ${after.rows[0]!.close}: another unit, or not multiplied by a split`,
      })
    at++ // the stretch after it is the level again
    returned = levels[at]
  }
  const [before, newest] = [levels.at(-2)!, levels.at(-1)!]
  const [was, is] = [before.rows.at(-1)!.close, newest.rows[0]!.close]
  if (newest !== returned && newest.rows.length <= fewRows && newest.rows.length < before.rows.length && isHundredfold(was, is)) {
    for (const row of newest.rows)
      jumped.push({
        ...row,
        reason: 'unit_error_100x',
        detail: `close ${row.close} after ${was}: another unit, as long as no known split explains it`,
      })
  }
  if (!unclear) return jumped
  return closes.map(row => ({
    ...row,
    reason: 'unit_unclear',
    detail: 'the series alternates between two levels a hundredfold apart, and it is unknown which is right',
  }))
}

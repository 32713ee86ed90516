import { describe, expect, it } from 'vitest'
import { addDays } from '#schemas/days.ts'
import { movesOf } from './moves.ts'

const rules = { returns_before: 60, least_returns: 20, threshold: 3 }
/** Closes that rise by 1 % and fall back by turns, with a jump of the last day. */
const aSeries = (days: number, jump = 1) =>
  Array.from({ length: days }, (_, at) => ({ date: addDays('2026-01-01', at), close: (at % 2 === 0 ? 100 : 101) * (at === days - 1 ? jump : 1) }))

describe('a move', () => {
  it('is notable from three times the deviation of the returns before it on', () => {
    // Returns of +1 % and -0.990099 % by turns have a deviation of about 1.0035 %.
    const { moves, evaluated } = movesOf(aSeries(62, 1.05), rules)
    expect(evaluated).toBe(61 - 20)
    expect(moves.map(move => [move.date, move.previous_date, move.returns_before])).toEqual([['2026-03-03', '2026-03-02', 60]])
    expect(moves[0]?.return).toBeCloseTo((101 * 1.05) / 100 - 1, 12)
    expect(moves[0]?.volatility).toBeCloseTo(0.010035, 5)
    expect(movesOf(aSeries(62, 1.015), rules).moves).toEqual([])
  })
  it('is measured by the returns before it alone: it does not hide itself, and it counts for those after it', () => {
    const series = [...aSeries(42, 1.5), { date: '2026-03-01', close: 160 }]
    const { moves } = movesOf(series, rules)
    expect(moves.map(move => move.date)).toEqual(['2026-02-11'])
  })
  it('is not evaluated with fewer than twenty returns before it, or with none that differ', () => {
    expect(movesOf(aSeries(21, 2), rules)).toEqual({ moves: [], evaluated: 0, volatility: expect.any(Number) })
    const flat = Array.from({ length: 60 }, (_, at) => ({ date: addDays('2026-01-01', at), close: at === 59 ? 200 : 100 }))
    expect(movesOf(flat, rules).moves).toEqual([])
    expect(movesOf([], rules)).toEqual({ moves: [], evaluated: 0, volatility: null })
    expect(movesOf(aSeries(1), rules).evaluated).toBe(0)
  })
})

import { describe, expect, test } from 'vitest'
import type { BarFacts } from '#schemas/bars.ts'
import { type GuardContext, guardBars, type KnownBar } from './guard.ts'
import { sessionCloses } from './sessions.ts'

const sessionClose = sessionCloses()
const context: GuardContext = { source: 'eodhd', retrieved_at: '2024-07-10T00:00:00Z', sessionClose }
const days = ['2024-06-17', '2024-06-18', '2024-06-20', '2024-06-21', '2024-06-24', '2024-06-25', '2024-06-26', '2024-06-27', '2024-06-28']
const aBar = (date: string, close: number, facts: Partial<BarFacts> = {}): BarFacts => ({
  symbol: 'ZED',
  date,
  open: close,
  high: close,
  low: close,
  close,
  basis: 'as_traded',
  volume: 1000,
  currency: 'USD',
  ...facts,
})
const heldBar = (bar: BarFacts, source = 'eodhd'): KnownBar => ({ ...bar, source })
const rising = days.map((date, at) => aBar(date, 100 + at))
const guard = (incoming: readonly BarFacts[], known: readonly KnownBar[] = [], more: Partial<GuardContext> = {}) => {
  const { append, corrections, refused, counts } = guardBars(incoming, known, { ...context, ...more })
  return { append: append.map(bar => bar.date), corrections, refused: refused.map(item => item.reason), counts, found: refused }
}

test('new bars are taken, bars that are held already are counted', () => {
  const { append, corrections, refused, counts } = guard(
    rising,
    rising.slice(0, 5).map(bar => heldBar(bar)),
  )
  expect([append, corrections, refused, counts.already_held]).toEqual([days.slice(5), [], [], 5])
})
test('a bar retrieved before its session closed is partial', () => {
  expect(guard([aBar('2024-06-28', 1)], [], { retrieved_at: '2024-06-28T19:59:59Z' }).refused).toEqual(['partial_session'])
  expect(guard([aBar('2024-06-28', 1)], [], { retrieved_at: '2024-06-28T20:00:00Z' }).append).toEqual(['2024-06-28'])
  // 2024-07-03 closes at 13:00 in New York and at 16:00 in Toronto.
  const half = { retrieved_at: '2024-07-03T17:30:00Z' }
  expect(guard([aBar('2024-07-03', 1)], [], half).append).toEqual(['2024-07-03'])
  expect(guard([aBar('2024-07-03', 1, { symbol: 'ZED.TO' })], [], half).refused).toEqual(['partial_session'])
})
test('a day on which the exchange was closed has no bar: 2024-06-19 in New York, 2024-07-01 in Toronto', () => {
  const { append, refused } = guard([
    aBar('2024-06-19', 1),
    aBar('2024-07-01', 1),
    aBar('2024-06-19', 1, { symbol: 'ZED.TO' }),
    aBar('2024-07-01', 1, { symbol: 'ZED.V' }),
  ])
  expect([append, refused]).toEqual([
    ['2024-07-01', '2024-06-19'],
    ['not_a_session', 'not_a_session'],
  ])
})
test('one bad row does not cost the others', () => {
  const rows = [
    aBar('2024-06-24', 10, { high: 9, low: 11 }),
    aBar('2024-06-25', 10, { high: 9.5, low: 9 }),
    aBar('2024-06-26', -1),
    aBar('2024-06-27', 10, { open: 1000, high: 1000 }),
    aBar('2024-06-28', 10),
  ]
  const { append, refused } = guard(rows)
  expect([append, refused]).toEqual([['2024-06-28'], ['high_below_low', 'close_outside_range', 'price_not_positive', 'unit_error_100x']])
})
test('a close a little outside of the range is a closing auction; no volume is no fault', () => {
  expect(guard([aBar('2024-06-27', 10.02, { high: 10, low: 9.9 }), aBar('2024-06-28', 10, { volume: 0 })]).append).toHaveLength(2)
})
test('a row that stands twice alike is one; two different rows of a day are neither', () => {
  const rows = [aBar('2024-06-27', 10), aBar('2024-06-27', 10), aBar('2024-06-28', 10), aBar('2024-06-28', 10.1)]
  const { append, refused, counts } = guard(rows)
  expect([append, refused, counts.repeated_row]).toEqual([['2024-06-27'], ['twice_in_one_document', 'twice_in_one_document'], 1])
})

describe('a source that prints a held bar differently', () => {
  const known = rising.map(bar => heldBar(bar))
  const with_ = (changes: Readonly<Record<string, Partial<BarFacts>>>) => rising.map(bar => ({ ...bar, ...changes[bar.date] }))
  test('corrects the last bars with a reason and the close that was held', () => {
    const { append, corrections, refused } = guard(with_({ '2024-06-28': { close: 108.05, volume: 2000 }, '2024-06-27': { volume: 1001 } }), known)
    expect([append, refused]).toEqual([[], []])
    expect(corrections).toMatchObject([
      { date: '2024-06-27', reason: 'late_volume', previous_close: 107 },
      { date: '2024-06-28', reason: 'late_correction', close: 108.05, previous_close: 108 },
    ])
  })
  test('corrects a single settled row', () => {
    expect(guard(with_({ '2024-06-18': { close: 101.5, high: 101.5 } }), known).corrections).toMatchObject([
      { reason: 'settled_row_corrected', previous_close: 101 },
    ])
  })
  test('is refused as a whole where settled history changed, new rows included', () => {
    const applied = rising.map((bar, at) => ({ ...bar, close: bar.close * (at < 7 ? 0.9 : 1) - at / 100 }))
    const { append, corrections, refused, found } = guard([...applied, aBar('2024-07-01', 109)], known)
    expect([append, corrections, refused]).toEqual([[], [], ['settled_history_changed']])
    expect(found[0]).toMatchObject({ subject: 'ZED', record: { rows: 10 } })
  })
  test('is refused where a single bar was multiplied by a factor: nobody corrects all four prices by 0.985', () => {
    const moved = { open: 107, high: 110, low: 106, close: 108 }
    const times = (by: number): BarFacts => aBar('2024-06-28', 0, { open: 107 * by, high: 110 * by, low: 106 * by, close: 108 * by })
    expect(guard([times(0.985)], [heldBar(aBar('2024-06-28', 108, moved))]).refused).toEqual(['settled_history_changed'])
  })
  test('is refused where two recent closes moved by one factor: a split or dividend was applied to raw closes', () => {
    const split = with_({
      '2024-06-26': { open: 53, high: 53, low: 53, close: 53 },
      '2024-06-27': { open: 53.5, high: 53.5, low: 53.5, close: 53.5 },
    })
    expect(guard(split.slice(6, 8), known).refused).toEqual(['settled_history_changed'])
  })
  test('is refused where the correction could be another instrument', () => {
    expect(guard(with_({ '2024-06-28': { open: 500, high: 500, low: 500, close: 500 } }), known).refused).toEqual(['implausible_correction'])
  })
  test('changes nothing where only old volumes differ, or where its document is older', () => {
    expect(guard(with_({ '2024-06-17': { volume: 5 } }), known)).toMatchObject({
      append: [],
      corrections: [],
      refused: [],
      counts: { volume_differs: 1 },
    })
    const newer = known.map(bar => ({ ...bar, known_from: '2024-08-01T00:00:00Z' }))
    expect(guard(with_({ '2024-06-28': { close: 107.9 } }), newer)).toMatchObject({ corrections: [], counts: { older_document: 1 } })
  })
  test('32-bit floats and decimals of one number are the same', () => {
    expect(guard([aBar('2024-06-28', 28.229999542236328)], [heldBar(aBar('2024-06-28', 28.23))]).counts.already_held).toBe(1)
  })
})

describe('another source', () => {
  const known = rising.map(bar => heldBar(bar, 'tiingo'))
  test('that agrees to half a cent fills the days that are missing', () => {
    const { append, counts } = guard(
      rising.map(bar => ({ ...bar, close: bar.close + 0.004, volume: 77 })),
      known.slice(0, 6),
    )
    expect([append, counts.agrees_with_other_source]).toEqual([days.slice(6), 6])
  })
  test('that disagrees on a day is told once with the worst day, and the held bar stays', () => {
    const { append, corrections, refused, found } = guard(
      rising.map((bar, at) => (at === 3 ? { ...bar, open: 111, high: 111, low: 111, close: 111 } : bar)),
      known,
    )
    expect([append, corrections, refused]).toEqual([[], [], ['source_disagrees']])
    expect(found[0]?.detail).toContain('2024-06-21: 111 against 103')
  })
  test('that disagrees on most days, as a split-adjusted one does, fills nothing', () => {
    const halved = rising.map(({ date, close }) => aBar(date, close / 2))
    expect(guard(halved, known.slice(0, 6))).toMatchObject({ append: [], refused: ['source_disagrees'] })
  })
  test('in another currency is not the same listing', () => {
    expect(
      guard(
        rising.map(bar => ({ ...bar, currency: 'CAD' })),
        known,
      ),
    ).toMatchObject({ append: [], refused: ['currency_changed'] })
  })
})

describe('jumps that revert', () => {
  const at = (index: number, times: number) => rising.map((bar, row) => (row === index ? aBar(bar.date, bar.close * times) : bar))
  test('a hundredfold row between right ones is refused; so is one that a 1:10 consolidation left out', () => {
    expect(guard(at(4, 100)).refused).toEqual(['unit_error_100x'])
    expect(guard(at(4, 0.1))).toMatchObject({ refused: ['reverting_jump'], append: days.filter((_, row) => row !== 4) })
  })
  test('held bars before the batch show it too', () => {
    const { append, refused } = guard(
      at(4, 100).slice(4),
      rising.slice(0, 4).map(bar => heldBar(bar)),
    )
    expect([append, refused]).toEqual([days.slice(5), ['unit_error_100x']])
  })
  test('the newest row of a day file is refused where it is a hundredfold off, before any row shows the way back', () => {
    const before = rising.slice(0, 4).map(bar => heldBar(bar))
    expect(guard(at(4, 100).slice(4, 5), before)).toMatchObject({ append: [], refused: ['unit_error_100x'] })
    expect(guard(at(4, 0.01).slice(4, 5), before)).toMatchObject({ append: [], refused: ['unit_error_100x'] })
    expect(guard(at(4, 12).slice(4, 5), before)).toMatchObject({ refused: [] })
    expect(guard(at(4, 100).slice(4, 5), before, { splitsOn: (_symbol, date) => (date === days[4] ? [0.01] : []) }).refused).toEqual([])
  })
  test('a jump that stays is a price: NWX.V went from 0.02 to 0.20 in 2002', () => {
    const jumped = rising.map((bar, row) => (row < 4 ? aBar(bar.date, 0.02) : aBar(bar.date, 0.2)))
    expect(guard(jumped)).toMatchObject({ refused: [], append: days })
  })
  test('LA.V 2020-08-26: a consolidation of ten to one excuses no 0.37 between 3.70 and 3.65, nor a split of another ratio any jump', () => {
    const [first, , , , fifth] = days as [string, string, string, string, string]
    const fall = days.map((day, row) => aBar(day, row === 4 ? 0.37 : row < 4 ? 3.7 : 3.65))
    const withSplit = (ratio: number, on = fifth) => guard(fall, [], { splitsOn: (_symbol, date) => (date === on ? [ratio] : []) }).refused
    expect([withSplit(0.1), withSplit(2), withSplit(10, first)]).toEqual([['reverting_jump'], ['reverting_jump'], ['reverting_jump']])
    // Ten new shares for an old one would explain that price, within the market's usual moves.
    expect([withSplit(10), withSplit(8), withSplit(14), withSplit(5)]).toEqual([[], [], [], ['reverting_jump']])
  })
  test('a consolidation that is known excuses its jump', () => {
    const twice = rising.map((bar, row) => aBar(bar.date, row === 4 ? 1000 : row > 4 ? 100 : 100))
    expect(guard(twice).refused).toEqual(['reverting_jump'])
    expect(guard(twice, [], { splitsOn: (_symbol, date) => (date === days[4] ? [0.1] : []) }).refused).toEqual([])
  })
})

test('whole exchanges go through in one pass: 51,000 symbols, each judged by itself', () => {
  const bulk = Array.from({ length: 51_000 }, (_, at) => aBar('2024-06-28', 1 + at / 100, { symbol: `S${at}` }))
  const known = bulk.slice(0, 100).map(bar => heldBar(bar))
  const { append, refused, counts } = guardBars([...bulk, aBar('2024-06-29', 1, { symbol: 'S0' })], known, context)
  expect([append.length, refused.length, counts.already_held]).toEqual([50_900, 1, 100])
})

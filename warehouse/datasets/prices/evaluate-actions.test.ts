// One test for each known kind of damaged or odd action, and for the recorded cases of each.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ActionFacts, actionKey } from './actions.ts'
import { adjustBars, deriveFactors } from './adjust.ts'
import { pricesOf } from './closes.ts'
import { type EvaluationContext, evaluateActions } from './evaluate-actions.ts'
import { fxLookup } from './fx.ts'
import { anAction, aSplit, barsOf } from './samples.ts'

const flat = (close: number): EvaluationContext['prices'] => pricesOf(barsOf({ '2024-01-02': close, '2024-01-03': close, '2024-01-04': close }))
const evaluate = (rows: readonly ActionFacts[], more: Partial<EvaluationContext> = {}) =>
  evaluateActions(rows, { prices: flat(100), currency: 'USD', asOf: '2026-11-20', decisions: new Map(), ...more })
const verdict = (rows: readonly ActionFacts[], more: Partial<EvaluationContext> = {}) => {
  const { effective, held, ignored } = evaluate(rows, more)
  return {
    effective: effective.map(row => `${row.ex_date} ${row.source_name}`),
    held: held.map(row => row.reason),
    ignored: ignored.map(row => row.reason),
  }
}
const none = { held: [], ignored: [] }

describe('special dividend', () => {
  const special = anAction({ kind: 'special_dividend', amount: '15' })
  test('at or below 10 % of the price one source is enough', () => {
    expect(verdict([anAction({ kind: 'special_dividend', amount: '10' })])).toEqual({ effective: ['2024-01-03 tmx'], ...none })
  })
  test('above 10 % it waits for a second source, by whatever name the dividend goes', () => {
    expect(verdict([special])).toEqual({ effective: [], held: ['needs_second_source'], ignored: [] })
    expect(verdict([{ ...special, kind: 'dividend' }]).held).toEqual(['needs_second_source'])
  })
  test('two sources that agree confirm each other and it is applied once', () => {
    expect(verdict([special, { ...special, source_name: 'eodhd', kind: 'dividend', amount: '15.0000' }])).toEqual({
      effective: ['2024-01-03 tmx'],
      held: [],
      ignored: ['same_as_other_source'],
    })
  })
  test('two sources that disagree on a large amount hold each other up', () => {
    expect(verdict([special, { ...special, source_name: 'eodhd', amount: '25' }]).held).toEqual(['sources_disagree', 'sources_disagree'])
  })
})

test("spin-off: value per share over the previous close, and Yahoo's split of that day is not applied on top", () => {
  const spinoff = anAction({ kind: 'spinoff', amount: '4.4' })
  const booked = aSplit('2024-01-03', '1.046', '1', { source_name: 'yahoo' })
  expect(verdict([spinoff, booked])).toEqual({ effective: ['2024-01-03 tmx'], held: [], ignored: ['same_as_spinoff'] })
})
test('stock dividend: a ratio of 1 + x, too small for the price to show', () => {
  const stock = anAction({ kind: 'stock_dividend', numerator: '1.05', denominator: '1' })
  expect(verdict([stock])).toEqual({ effective: ['2024-01-03 tmx'], ...none })
})
test('second share class distributed: a split on the old line', () => {
  const prices = pricesOf(barsOf({ '2014-04-02': 1135.1, '2014-04-03': 571.5 }))
  expect(verdict([aSplit('2014-04-03', '2', '1')], { prices }).effective).toHaveLength(1)
})
test('return of capital: applied as cash', () => {
  const { effective } = evaluate([anAction({ kind: 'return_of_capital', amount: '1' })])
  const { factors } = deriveFactors(effective, { symbol: 'XYZ', currency: 'USD', prices: flat(100), asOf: '2026-11-20' })
  expect(factors[0]?.price_factor).toBe(0.99)
})
test('reinvested distribution: kept as a fact, without a factor', () => {
  const { effective } = evaluate([anAction({ kind: 'reinvested_distribution', amount: '1' })])
  const { factors, unapplied } = deriveFactors(effective, { symbol: 'XYZ', currency: 'USD', prices: flat(100), asOf: '2026-11-20' })
  expect([effective.length, factors.length, unapplied[0]?.reason]).toEqual([1, 0, 'no_cash_leaves'])
})

describe('reverse split', () => {
  const prices = pricesOf(barsOf({ '2024-01-02': 0.02, '2024-01-03': 3.1 }))
  test('price times shares stays continuous: 1:190 with a price that shows it needs no second source', () => {
    expect(verdict([aSplit('2024-01-03', '1', '190')], { prices })).toEqual({ effective: ['2024-01-03 tmx'], ...none })
  })
  test('a split that the price does not show is held: the bars may be adjusted already', () => {
    expect(verdict([aSplit('2024-01-03', '5', '1')]).held).toEqual(['price_shows_no_split'])
    expect(verdict([aSplit('2024-01-03', '2', '1')], { prices: pricesOf(barsOf({ '2024-01-02': 100, '2024-01-03': 10 })) }).held).toEqual([
      'price_contradicts_ratio',
    ])
  })
  test('beyond 100 for 1 without a price that shows it, a second source is needed', () => {
    const gone = pricesOf(barsOf({ '2023-01-02': 0.02 }))
    const one = aSplit('2024-01-03', '1', '190')
    expect(verdict([one], { prices: gone }).held).toEqual(['needs_second_source'])
    expect(verdict([one, { ...one, source_name: 'eodhd' }], { prices: gone }).effective).toHaveLength(1)
  })
  test('of two sources with different ratios the one that the price shows is taken', () => {
    const rows = [aSplit('2024-01-03', '1', '155'), aSplit('2024-01-03', '1', '2', { source_name: 'aaa' })]
    expect(verdict(rows, { prices })).toEqual({ effective: ['2024-01-03 tmx'], held: [], ignored: ['other_source_preferred'] })
  })
})

test('split and dividend on one day: the amount is held against the price by its basis', () => {
  const prices = pricesOf(barsOf({ '2024-01-02': 100, '2024-01-03': 10 }))
  const split = aSplit('2024-01-03', '10', '1')
  expect(verdict([split, anAction({ amount: '0.9' })], { prices }).held).toEqual([])
  expect(verdict([split, anAction({ amount: '9', amount_basis: 'pre_split' })], { prices }).held).toEqual([])
  expect(verdict([split, anAction({ amount: '9' })], { prices }).held).toEqual(['needs_second_source'])
})
test('ex-date not a session: checked against the last close before it', () => {
  expect(verdict([anAction({ ex_date: '2024-01-06', amount: '1' })]).effective).toHaveLength(1)
})
test('previous close missing: older than ten sessions waits for a person', () => {
  const late = anAction({ ex_date: '2024-02-20', amount: '1' })
  expect(verdict([late]).held).toEqual(['previous_close_stale'])
  expect(verdict([late], { sessionsBetween: () => 10 }).effective).toHaveLength(1)
  expect(verdict([late], { sessionsBetween: () => 11 }).held).toEqual(['previous_close_stale'])
  expect(verdict([aSplit('2024-02-20', '20', '1')]).effective).toHaveLength(1) // a ratio needs no price
})
test('ex-date on or before the first bar: kept, without a question', () => {
  expect(verdict([anAction({ ex_date: '2024-01-02', amount: '500' })])).toEqual({ effective: ['2024-01-02 tmx'], ...none })
})
test('dividend at or above the price: never applied, not even when released', () => {
  const row = anAction({ amount: '100' })
  expect(verdict([row, { ...row, source_name: 'eodhd' }]).held).toEqual(['amount_exceeds_price', 'amount_exceeds_price'])
  expect(verdict([row], { decisions: new Map([[actionKey(row), 'released']]) }).held).toEqual(['amount_exceeds_price'])
})
test('dividend in another currency: held against the price after conversion, and a later rate does not restate', () => {
  const rates = [
    { base_currency: 'USD', quote_currency: 'CAD', date: '2024-01-01', rate: '1.30' },
    { base_currency: 'USD', quote_currency: 'CAD', date: '2024-01-03', rate: '1.50' },
  ]
  const row = anAction({ amount: '8', currency: 'USD', source_name: 'tmx' })
  const inPriceCurrency = anAction({ amount: '10.4', currency: 'CAD', source_name: 'yahoo' })
  const context = { currency: 'CAD', fx: fxLookup(rates) }
  expect(verdict([row], context).held).toEqual(['needs_second_source'])
  expect(verdict([row, inPriceCurrency], context)).toEqual({ effective: ['2024-01-03 tmx'], held: [], ignored: ['same_as_other_source'] })
  expect(fxLookup(rates)('USD', 'CAD', '2024-01-03')).toEqual({ rate: '1.30', date: '2024-01-01' })
})
test('a rate that may still come is waited for; one that the bank never published is not', () => {
  const usd = (date: string) => fxLookup([{ base_currency: 'USD', quote_currency: 'CAD', date, rate: '1.30' }])
  expect(usd('2026-11-09')('USD', 'CAD', '2026-11-12')).toBeNull() // the 10th has a rate, the 11th is a holiday of the bank
  expect(usd('2026-11-10')('USD', 'CAD', '2026-11-12')).toEqual({ rate: '1.30', date: '2026-11-10' })
})
test("'.U' line: dividends in US dollars apply unconverted to a price in US dollars", () => {
  const { effective } = evaluate([anAction({ amount: '1', currency: 'USD' })])
  const { factors } = deriveFactors(effective, { symbol: 'XYZ-U.TO', currency: 'USD', prices: flat(100), asOf: '2026-11-20' })
  expect(factors[0]).toMatchObject({ price_factor: 0.99, fx_rate: null })
})

describe('dividend cancelled or amended', () => {
  const row = anAction({ amount: '1' })
  test('a cancelled row leaves, and the series is as before, bit for bit', () => {
    const bars = barsOf({ '2024-01-02': 33.33, '2024-01-03': 33 })
    const series = (rows: readonly ActionFacts[]): string => {
      const context = { symbol: 'XYZ', currency: 'USD', prices: pricesOf(bars), asOf: '2026-11-20' }
      const { effective } = evaluateActions(rows, { ...context, decisions: new Map() })
      return JSON.stringify(adjustBars(bars, deriveFactors(effective, context).factors))
    }
    const other = anAction({ amount: '0.5', ex_date: '2024-01-03', kind: 'special_dividend' })
    expect(series([other, { ...row, cancelled: true }])).toBe(series([other]))
    expect(series([other, row])).not.toBe(series([other]))
  })
  test('what one source cancelled and another still reports is held', () => {
    expect(
      verdict([
        { ...row, cancelled: true },
        { ...row, source_name: 'eodhd' },
      ]),
    ).toEqual({
      effective: [],
      held: ['cancelled_by_other_source'],
      ignored: ['cancelled'],
    })
  })
})

describe('duplicate within 7 days', () => {
  const twice = (first: string, second: string, more: Partial<ActionFacts> = {}) => [
    anAction({ ex_date: first, amount: '0.025', ...more }),
    anAction({ ex_date: second, amount: '0.025', ...more }),
  ]
  test.each([
    ['HME.V', '2023-05-31', '2023-06-06'],
    ['NWX.V', '2020-11-24', '2020-11-25'],
    ['SAND', '2024-01-12', '2024-01-16'],
  ])('%s: the same amount on %s and %s is one dividend, the later', (_symbol, first, second) => {
    expect(verdict(twice(first, second, { source_name: 'yahoo' }), { prices: pricesOf([]) })).toEqual({
      effective: [`${second} yahoo`],
      held: [],
      ignored: ['duplicate'],
    })
  })
  test('a second source decides which of the two days it was', () => {
    const rows = [...twice('2020-11-24', '2020-11-25', { source_name: 'yahoo' }), anAction({ ex_date: '2020-11-24', amount: '0.0250' })]
    expect(verdict(rows, { prices: pricesOf([]) }).effective).toEqual(['2020-11-24 tmx'])
  })
  test('two record dates are two dividends; eight days or another amount too', () => {
    const [first, second] = twice('2024-01-03', '2024-01-05') as [ActionFacts, ActionFacts]
    expect(
      verdict([
        { ...first, record_date: '2024-01-04' },
        { ...second, record_date: '2024-01-08' },
      ]).effective,
    ).toHaveLength(2)
    expect(verdict([{ ...first, record_date: '2024-01-04' }, second]).effective).toEqual(['2024-01-03 tmx'])
    expect(verdict(twice('2024-01-03', '2024-01-11')).effective).toHaveLength(2)
    expect(verdict([first, { ...second, amount: '0.03' }]).effective).toHaveLength(2)
  })
  test('a weekly payer may pay the same amount every week', () => {
    const weekly = ['2024-03-07', '2024-03-14', '2024-03-21', '2024-03-28'].map(ex_date => anAction({ ex_date, amount: '0.2' }))
    expect(verdict(weekly, { prices: pricesOf([]) }).effective).toHaveLength(4)
  })
  test('SHOP: a 10:1 split reported on 2022-06-22 and 29 is the one that the price shows', () => {
    const prices = pricesOf(barsOf({ '2022-06-21': 440, '2022-06-22': 442, '2022-06-28': 451.04, '2022-06-29': 42.59 }))
    const rows = [aSplit('2022-06-29', '10', '1'), aSplit('2022-06-22', '10', '1')]
    expect(verdict(rows, { prices })).toEqual({ effective: ['2022-06-29 tmx'], held: [], ignored: ['duplicate'] })
  })
})

test('ex-date equal to the record date, as since T+1, is nothing odd', () => {
  expect(verdict([anAction({ ex_date: '2024-01-03', record_date: '2024-01-03', amount: '1' })]).effective).toHaveLength(1)
})
test('delisting: an action after the last bar neither fails nor disappears', () => {
  expect(verdict([anAction({ ex_date: '2026-01-05', amount: '1' })]).held).toEqual(['previous_close_stale'])
})

describe('the operator', () => {
  const row = anAction({ amount: '15' })
  test('releases what was held and rejects what was taken', () => {
    expect(verdict([row], { decisions: new Map([[actionKey(row), 'released']]) }).effective).toHaveLength(1)
    const small = anAction({ amount: '1' })
    expect(verdict([small], { decisions: new Map([[actionKey(small), 'rejected']]) })).toEqual({
      effective: [],
      held: [],
      ignored: ['rejected_by_operator'],
    })
  })
  test('chooses between two sources', () => {
    const other = { ...row, source_name: 'eodhd', amount: '25' }
    expect(verdict([row, other], { decisions: new Map([[actionKey(other), 'released']]) })).toEqual({
      effective: ['2024-01-03 eodhd'],
      held: [],
      ignored: ['other_source_preferred'],
    })
  })
})

test('two sources that differ a little on ordinary cash: one is applied, the other shown', () => {
  const rows = [anAction({ amount: '0.50', source_name: 'eodhd' }), anAction({ amount: '0.55', source_name: 'yahoo' })]
  expect(verdict(rows)).toEqual({ effective: ['2024-01-03 eodhd'], held: ['sources_disagree'], ignored: [] })
})
test('an action without its amount or ratio is held, not taken as 0', () => {
  expect(verdict([anAction({ amount: null }), aSplit('2024-01-03', '2', '0')]).held.toSorted()).toEqual(['no_amount', 'no_ratio'])
})

test('a reason that lists several rows of a source lists them in one order', () => {
  const day = { ex_date: '2024-01-04' }
  const rows = [
    anAction({ ...day, source_name: 'eodhd', amount: '0' }),
    anAction({ ...day, source_name: 'tmx', kind: 'special_dividend', amount: '0' }),
    anAction({ ...day, source_name: 'tmx', amount: '1' }),
  ]
  const details = (given: typeof rows) => evaluate(given).held.map(each => each.detail)
  expect(details(rows)).toContainEqual(expect.stringContaining('tmx (1 + 0) and eodhd (0)'))
  expect(details(rows.toReversed())).toEqual(details(rows))
})

test('every row ends in exactly one list, and the order of arrival changes nothing', () => {
  const row = fc.record({
    kind: fc.constantFrom('dividend' as const, 'special_dividend' as const, 'split' as const, 'spinoff' as const, 'reinvested_distribution' as const),
    day: fc.integer({ min: 1, max: 28 }),
    source_name: fc.constantFrom('tmx', 'eodhd', 'yahoo'),
    value: fc.integer({ min: 0, max: 120 }),
    cancelled: fc.boolean(),
    dated: fc.boolean(),
  })
  const rows = fc.uniqueArray(row, { selector: item => `${item.kind}|${item.day}|${item.source_name}`, maxLength: 14 }).map(items =>
    items.map(({ kind, day, source_name, value, cancelled, dated }) => {
      const ex_date = `2024-01-${String(day).padStart(2, '0')}`
      const common = { kind, ex_date, source_name, cancelled, record_date: dated ? ex_date : null }
      return kind === 'split' ? anAction({ ...common, numerator: String(value), denominator: '10' }) : anAction({ ...common, amount: String(value) })
    }),
  )
  fc.assert(
    fc.property(rows, fc.infiniteStream(fc.nat()), (given, order) => {
      const first = evaluate(given)
      const listed = [...first.effective, ...first.held.map(item => item.action), ...first.ignored.map(item => item.action)]
      expect(listed.map(actionKey).sort()).toEqual(given.map(actionKey).sort())
      const shuffled = given
        .map(item => [order.next().value, item] as const)
        .sort((a, b) => a[0]! - b[0]!)
        .map(pair => pair[1])
      expect(evaluate(shuffled)).toEqual(first)
    }),
  )
})

// The price chart of a listing: bars joined to weeks and months, adjusted prices, and marks.
import { describe, expect, it } from 'vitest'
import { operationOf } from '#schemas/operations.ts'
import { noTerms } from '#warehouse/datasets/prices/samples.ts'
import type { Outcome } from '../page.ts'
import { firstDay, marksOf, pointsOf } from './prices.ts'

const bar = (date: string, close: number, factor = 1) => ({
  date,
  open: close - 1,
  high: close + 2,
  low: close - 3,
  close,
  adjusted_close: close * factor,
  volume: 100,
})
const missing: Outcome<never> = { ok: false, status: 401, error: { detail: 'x', code: 'unauthorized', docs: '' } }
const given = <A>(value: A): Outcome<A> => ({ ok: true, value, text: '', name: '', url: '', release: 1, as_of: null, receipt_id: null })
const nothing = { actions: missing, earnings: missing, filings: missing, insiders: missing } as const

describe('the points of a chart', () => {
  it('are the bars as traded, or all four prices times the factor of the close', () => {
    const bars = [bar('2026-05-15', 200, 0.5), bar('2026-05-19', 100)]
    expect(pointsOf(bars, false).points[0]).toMatchObject({ open: 199, high: 202, low: 197, close: 200 })
    expect(pointsOf(bars, true).points.map(({ open, high, low, close }) => [open, high, low, close])).toEqual([
      [99.5, 101, 98.5, 100],
      [99, 102, 97, 100],
    ])
  })
  it('keep an unknown price unknown', () => {
    expect(pointsOf([{ ...bar('2026-05-15', 10), open: null, volume: null }], true).points[0]).toMatchObject({ open: null, close: 10, volume: null })
  })
  it('are weeks above 800 bars: first open, highest high, lowest low, last close, all the volume', () => {
    const days = Array.from({ length: 1000 }, (_, at) => new Date(Date.UTC(2020, 0, 6) + at * 86_400_000).toISOString().slice(0, 10))
    const { points, interval } = pointsOf(
      days.map((date, at) => bar(date, 100 + at)),
      false,
    )
    expect(interval).toBe('week')
    expect(points[0]).toEqual({ time: '2020-01-12', open: 99, high: 108, low: 97, close: 106, volume: 700 })
    expect(points).toHaveLength(Math.ceil(1000 / 7))
  })
  it('are months above 4,000 bars', () => {
    const days = Array.from({ length: 4100 }, (_, at) => new Date(Date.UTC(2010, 0, 1) + at * 86_400_000).toISOString().slice(0, 10))
    const { points, interval } = pointsOf(
      days.map(date => bar(date, 1)),
      false,
    )
    expect([interval, points[0]?.time, points[0]?.volume]).toEqual(['month', '2010-01-31', 3100])
  })
  it('begin so many days before the data clock', () => {
    expect(firstDay('1mo', new Date('2026-11-20T09:30:00Z'))).toBe('2026-10-20')
  })
})

describe('the marks of a chart', () => {
  const action = {
    symbol: 'GLPR.TO',
    ex_date: '2026-05-19',
    source_name: 'eodhd',
    ...noTerms,
    amount_basis: null,
    cancelled: false,
    successor: null,
    predecessor: null,
    terms: null,
    fx: null,
    known_from: '2026-05-01T00:00:00Z',
    known_basis: 'retrieved',
    corrected: null,
  } as const
  const applied = (price_factor: number | null, status: 'applied' | 'waiting' = 'applied', reason: string | null = 'in_factor') => ({
    status,
    reason,
    detail: null,
    price_factor,
    previous_close: null,
    previous_close_date: null,
  })
  const marks = (...actions: readonly object[]) => marksOf({ ...nothing, actions: given({ actions } as never) })

  it('name the action and its factor', () => {
    const found = marks(
      { ...action, kind: 'split', numerator: 2, denominator: 1, applied: applied(0.5) },
      { ...action, kind: 'dividend', amount: 0.4375, currency: 'CAD', pay_date: '2026-12-30', applied: applied(0.996) },
    )
    expect(found.map(({ kind, text }) => [kind, text])).toEqual([
      ['split', 'Split 2 for 1; closes before are multiplied by 0.5'],
      ['dividend', 'Dividend of 0.4375\u00a0CAD a share, paid on 2026-12-30; closes before are multiplied by 0.996'],
    ])
  })
  it('state that an action is not applied, and leave out a cancelled one', () => {
    const found = marks(
      { ...action, kind: 'dividend', amount: 1, currency: 'CAD', applied: applied(null, 'waiting', 'ex_date_ahead') },
      { ...action, kind: 'dividend', amount: 1, currency: 'CAD', cancelled: true, applied: applied(null) },
    )
    expect(found.map(({ text }) => text)).toEqual(['Dividend of 1.00\u00a0CAD a share; not applied: ex date ahead'])
  })
  it('are one for each day and direction of open-market trades of insiders', () => {
    const example = operationOf('get_form4').example.answer as { transactions: object[] }
    const trade = (day: string, code_class: string, shares: number) => ({
      ...example.transactions[0],
      transaction_date: day,
      code_class,
      shares,
      owner_names: ['ROE JANE'],
      plan_10b5_1: 'no',
      form: '4',
    })
    const found = marksOf({
      ...nothing,
      insiders: given({
        transactions: [
          trade('2026-11-03', 'open_market_sell', 100),
          trade('2026-11-03', 'open_market_sell', 50),
          trade('2026-11-03', 'open_market_buy', 7),
          trade('2026-11-02', 'gift', 9),
        ],
      } as never),
    })
    expect(found.map(({ kind, text }) => [kind, text])).toEqual([
      ['sell', 'ROE JANE sold 150 shares, Form 4'],
      ['buy', 'ROE JANE bought 7 shares, Form 4'],
    ])
  })
  it('are none where no answer is there', () => {
    expect(marksOf(nothing)).toEqual([])
  })
})

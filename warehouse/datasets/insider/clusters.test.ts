import { describe, expect, it } from 'vitest'
import { type ClusterRules, clustersOf, peopleIn, sinceCluster, type Trade, tradesFor } from './clusters.ts'

const rules: ClusterRules = { people: 2, days: 7, side: 'buy', roles: 'any', plans: 'exclude', amount: 0 }
let line = 0
const aTrade = (given: Partial<Trade> & { readonly transaction_date: string; readonly owner_ciks: readonly string[] }): Trade => {
  line += 1
  return {
    filing_id: `f${line}`,
    line,
    owner_names: [],
    owners: [{ director: false, officer: true, ten_percent_owner: false, other: false }],
    derivative: false,
    amended_by: null,
    code_class: 'open_market_buy',
    plan_10b5_1: 'no',
    shares: '100',
    price: '10.00',
    total_value: null,
    known_from: `${given.transaction_date}T22:00:00Z`,
    ...given,
  } as unknown as Trade
}

describe('a cluster', () => {
  it('needs different people within the days, and its trades are in no second cluster', () => {
    const trades = [
      aTrade({ transaction_date: '2026-03-02', owner_ciks: ['a'] }),
      aTrade({ transaction_date: '2026-03-03', owner_ciks: ['a'] }),
      aTrade({ transaction_date: '2026-03-08', owner_ciks: ['b'] }),
      aTrade({ transaction_date: '2026-03-09', owner_ciks: ['c'] }),
      aTrade({ transaction_date: '2026-05-01', owner_ciks: ['a'] }),
    ]
    const found = clustersOf(trades, rules)
    expect(found.map(each => [each.people, each.trades.length, each.trades[0]?.transaction_date])).toEqual([[2, 3, '2026-03-02']])
    expect(clustersOf(trades, { ...rules, people: 3, days: 8 }).map(each => each.trades.length)).toEqual([4])
    expect(clustersOf(trades, { ...rules, people: 3, days: 7 }).map(each => each.trades[0]?.transaction_date)).toEqual(['2026-03-03'])
  })
  it('is known when the filing that makes it one is accepted, not on the day of its first trade', () => {
    const late = aTrade({ transaction_date: '2026-03-02', owner_ciks: ['a'], known_from: '2026-03-30T21:00:00Z' })
    const [found] = clustersOf([late, aTrade({ transaction_date: '2026-03-04', owner_ciks: ['b'] })], rules)
    expect(found?.known_from).toBe('2026-03-30T21:00:00Z')
  })
  it('counts owners of a joint filing as one person, also if one of them files alone too', () => {
    const joint = aTrade({ transaction_date: '2026-03-02', owner_ciks: ['fund', 'partner'] })
    const alone = aTrade({ transaction_date: '2026-03-03', owner_ciks: ['partner'] })
    expect(peopleIn([joint, alone])).toBe(1)
    expect(clustersOf([joint, alone], rules)).toEqual([])
  })
  it('has the amount that is asked for; a trade without a price adds nothing to it', () => {
    const trades = [
      aTrade({ transaction_date: '2026-03-02', owner_ciks: ['a'] }),
      aTrade({ transaction_date: '2026-03-02', owner_ciks: ['b'], price: null }),
    ]
    expect(clustersOf(trades, { ...rules, amount: 1000 })).toHaveLength(1)
    expect(clustersOf(trades, { ...rules, amount: 1001 })).toHaveLength(0)
  })
})

describe('the trades of clusters', () => {
  it('leave out grants, plans, derivatives, restated lines and other roles', () => {
    const kept = aTrade({ transaction_date: '2026-03-02', owner_ciks: ['a'] })
    const others = [
      aTrade({ transaction_date: '2026-03-02', owner_ciks: ['b'], code_class: 'compensation' }),
      aTrade({ transaction_date: '2026-03-02', owner_ciks: ['b'], plan_10b5_1: 'yes' }),
      aTrade({ transaction_date: '2026-03-02', owner_ciks: ['b'], derivative: true }),
      aTrade({ transaction_date: '2026-03-02', owner_ciks: ['b'], amended_by: 'later' }),
      aTrade({ transaction_date: '2026-04-02', owner_ciks: ['b'] }),
    ]
    expect(tradesFor([kept, ...others], rules, '2026-03-01', '2026-03-31')).toEqual([kept])
    expect(tradesFor([kept], { ...rules, roles: 'directors' }, '2026-03-01', '2026-03-31')).toEqual([])
    expect(tradesFor(others, { ...rules, plans: 'only' }, '2026-03-01', '2026-03-31')).toHaveLength(1)
  })
})

describe('what happened since', () => {
  const bars = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-09', '2026-03-10'].map((date, at) => ({
    date,
    close: 100 - at,
    adjusted_close: 50 - at / 2,
  }))
  it('is counted from the close of the session after it was known, in adjusted prices, losses included', () => {
    const since = sinceCluster(bars, '2026-03-02')
    expect([since.entry_date, since.entry_close]).toEqual(['2026-03-03', 99])
    expect(since.returns[0]).toEqual({ sessions: 5, date: '2026-03-10', return_pct: ((47 - 49.5) / 49.5) * 100 })
    expect(since.returns[1]).toEqual({ sessions: 21, date: null, return_pct: null })
    expect(since.latest).toMatchObject({ sessions: 5, date: '2026-03-10' })
  })
  it('is unknown without a later session', () => {
    expect(sinceCluster(bars, '2026-03-10')).toMatchObject({ entry_date: null, entry_close: null, latest: null })
  })
})

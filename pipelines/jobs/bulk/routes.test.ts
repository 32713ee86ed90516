import { describe, expect, test } from 'vitest'
import { plans } from '../plans/plans.ts'
import { chooseRoutes, type RouteName, routePlan, routesOf } from './routes.ts'

const today = '2026-11-20'
const chosen = (plan: string, from: string, to: string, named: RouteName | null = null): string[] =>
  chooseRoutes(routesOf(plan), { from, to, symbols: null }, today, named).map(({ route, range }) => `${route.name} ${range.from}..${range.to}`)
const windows = (plan: string, from: string, to: string, named: RouteName): string[] =>
  chooseRoutes(routesOf(plan), { from, to, symbols: null }, today, named).flatMap(({ route, range }) =>
    route.windows(range).map(each => `${each.partition} ${each.from} ${each.to}`),
  )

describe('routes of past ranges', () => {
  test('past quarters come by data set, the rest by what takes the fewest hours', () => {
    expect(chosen('edgar-insider', '2024-01-01', '2026-11-19')).toEqual(['datasets 2024-01-01..2026-09-30', 'feed 2026-10-01..2026-11-19'])
    expect(chosen('edgar-insider', '2026-11-17', '2026-11-19')[0]).toMatch(/^(?:feed|documents) /)
  })
  test('what is older than the first data set is not lost', () => {
    expect(chosen('edgar-holdings', '2013-03-01', '2013-06-30').map(each => each.split(' ')[0])).toEqual(['documents', 'datasets'])
    expect(chosen('edgar-holdings', '2013-03-01', '2013-06-30')).toContain('datasets 2013-04-01..2013-06-30')
  })
  test('a data set that is not out yet is not counted on', () => {
    expect(chosen('edgar-insider', '2026-10-01', '2026-11-19').join()).not.toContain('datasets')
    expect(chosen('edgar-insider', '2026-10-01', '2026-11-19', 'datasets')).toEqual([])
  })
  test('a named route is taken alone', () => {
    expect(chosen('edgar-insider', '2024-01-01', '2024-03-31', 'documents')).toEqual(['documents 2024-01-01..2024-03-31'])
    expect(windows('edgar-insider', '2024-03-28', '2024-04-02', 'feed')[0]).toBe('2024-03-28 by feed 2024-03-28 2024-03-28')
    expect(windows('edgar-insider', '2024-03-28', '2024-04-02', 'datasets')).toEqual([
      '2024-01-01..2024-03-31 by datasets 2024-01-01 2024-03-31',
      '2024-04-01..2024-06-30 by datasets 2024-04-01 2024-06-30',
    ])
  })
  test('13F sets follow their periods, and each window asks for its own file', async () => {
    expect(windows('edgar-holdings', '2023-12-30', '2024-03-01', 'datasets').map(each => each.split(' ')[0])).toEqual([
      '2023-10-01..2023-12-31',
      '2024-01-01..2024-02-29',
      '2024-03-01..2024-05-31',
    ])
    const plan = routePlan('edgar-holdings', 'datasets')
    const window = { partition: '', from: '2024-03-01', to: '2024-05-31', symbols: null, today }
    const [wanted] = (await plan?.first(window, { cikOf: async () => null })) ?? []
    expect(wanted).toMatchObject({ url: expect.stringMatching(/01mar2024-31may2024_form13f\.zip$/), final: true, isDue: true })
  })
  test('a few companies are asked for one by one, all of them come as an archive', () => {
    const symbols = (count: number) => Array.from({ length: count }, (_, at) => `S${at}`)
    const of = (count: number): string[] =>
      chooseRoutes(routesOf('edgar-issuer-facts'), { from: '2024-01-01', to: '2024-12-31', symbols: symbols(count) }, today, null).map(
        each => each.route.name,
      )
    expect([of(3), of(20_000)]).toEqual([['documents'], ['archive']])
  })
  test('the index is its own bulk file; the archive of submissions is there where it is named', () => {
    expect(chosen('edgar-full-index', '2020-01-01', '2024-12-31')).toEqual(['documents 2020-01-01..2024-12-31'])
    expect(windows('edgar-full-index', '2020-01-01', '2024-12-31', 'archive')).toEqual(['submissions.zip by archive 2024-12-31 2024-12-31'])
  })
  test.each([...plans.keys()])('every route of %s has a plan, and a cost that grows with the range', plan => {
    for (const route of routesOf(plan)) {
      expect(routePlan(plan, route.name)).toBeDefined()
      expect(route.plan.first).toBeTypeOf('function')
      const cost = (to: string) => route.cost({ from: '2020-01-01', to, symbols: ['A'] })
      expect(cost('2024-12-31').requests).toBeGreaterThanOrEqual(cost('2020-02-28').requests)
      expect(cost('2020-02-28').requests).toBeGreaterThan(0)
      expect(route.note.length).toBeGreaterThan(10)
    }
  })
})

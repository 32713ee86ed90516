import { describe, expect, test } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import { JobDefinition } from '#schemas/jobs.ts'
import { costsOf } from '../jobs/backfill/backfill-cost.ts'
import { planBackfill } from '../jobs/backfill/backfill-plan.ts'
import { planRun } from '../jobs/backfill/plan-run.ts'

const today = '2026-11-20'
const aJob = (part: Partial<JobDefinition>): JobDefinition => ({
  ...JobDefinition.parse({
    title: 'a job',
    source: 'eodhd',
    plan: 'eodhd-bulk-us',
    datasets: ['bars'],
    schedule: null,
    backfill: 'day',
    freshness_minutes: null,
  }),
  name: 'a-job',
  ...part,
})
const onSessions = (calendar: 'XNYS' | 'XTSE' | 'BOC') => ({ cron: '0 19 * * 1-5', time_zone: 'America/New_York', calendar })
const windowsOf = (job: JobDefinition, from: string, to: string, symbols?: string): string[] =>
  planBackfill(job, { from, to, symbols }, today).windows.map(window => `${window.partition}: ${window.from}..${window.to}`)

describe('windows of a backfill', () => {
  test('days are sessions of the calendar, newest first: Thanksgiving and weekends are not asked for', () => {
    expect(windowsOf(aJob({ schedule: onSessions('XNYS') }), '2025-11-26', '2025-12-01').map(each => each.slice(0, 10))).toEqual([
      '2025-12-01',
      '2025-11-28',
      '2025-11-26',
    ])
  })
  test('Toronto trades on the American holiday', () => {
    expect(windowsOf(aJob({ schedule: onSessions('XTSE') }), '2025-11-26', '2025-11-28').map(each => each.slice(0, 10))).toEqual([
      '2025-11-28',
      '2025-11-27',
      '2025-11-26',
    ])
  })
  test('a job without a calendar takes every day, since an index may come on any', () => {
    expect(windowsOf(aJob({}), '2026-10-30', '2026-11-02').length).toBe(4)
  })
  test('quarters are cut at the ends of the range, newest first', () => {
    expect(windowsOf(aJob({ backfill: 'quarter', schedule: onSessions('BOC') }), '2025-11-15', '2026-05-03')).toEqual([
      '2026-Q2: 2026-04-01..2026-05-03',
      '2026-Q1: 2026-01-01..2026-03-31',
      '2025-Q4: 2025-11-15..2025-12-31',
    ])
  })
  test('months cross the year', () => {
    expect(windowsOf(aJob({ backfill: 'month' }), '2025-12-31', '2026-01-01')).toEqual([
      '2026-01: 2026-01-01..2026-01-01',
      '2025-12: 2025-12-31..2025-12-31',
    ])
  })
  test('by symbol each symbol is one window over the whole range, however it is spelled', () => {
    expect(windowsOf(aJob({ backfill: 'symbol' }), '2020-01-01', today, 'tsx:ry,AAPL,RY.TO')).toEqual([
      'AAPL 2020-01-01..2026-11-20: 2020-01-01..2026-11-20',
      'RY.TO 2020-01-01..2026-11-20: 2020-01-01..2026-11-20',
    ])
  })
})

describe('arguments that do not fit the job', () => {
  const fault = (job: JobDefinition, from: string | undefined, to: string | undefined, symbols?: string): string => {
    try {
      planBackfill(job, { from, to, symbols }, today)
    } catch (error) {
      if (error instanceof BadRequest) return error.message
      throw error
    }
    return 'nothing'
  }
  test('are refused with the reason', () => {
    expect(fault(aJob({ backfill: 'none' }), '2026-01-01', today)).toBe('a-job cannot be backfilled: its source has only current data')
    expect(fault(aJob({}), undefined, today)).toBe('backfill: --from is missing')
    expect(planBackfill(aJob({}), { from: '2026-01-01', to: undefined, symbols: undefined }, today).to).toBe(today)
    expect(fault(aJob({}), '2026-02-01', '2026-01-01')).toBe('--from 2026-02-01 comes after --to 2026-01-01')
    expect(fault(aJob({}), '2026-02-01', '2026-11-21')).toBe('--to 2026-11-21 is in the future')
    expect(fault(aJob({ backfill: 'symbol' }), '2026-02-01', today)).toBe('a-job is split by symbol, and --symbols is empty')
    expect(fault(aJob({}), '2026-02-01', today, 'AAPL')).toBe('a-job requests all symbols of a day together; --symbols does not apply')
    expect(fault(aJob({ schedule: onSessions('XNYS') }), '2026-01-03', '2026-01-04')).toBe('XNYS has no session from 2026-01-03 to 2026-01-04')
    expect(fault(aJob({ schedule: onSessions('XNYS') }), '1066-10-14', '1066-10-14')).toContain('before the earliest supported date')
    expect(fault(aJob({ schedule: onSessions('XNYS') }), '1985-01-02', '1985-01-02')).toContain('outside its years')
  })
})

describe('the routes of a backfill', () => {
  const insider = aJob({ name: 'insider', source: 'edgar', plan: 'edgar-insider' })
  const plan = (route?: string) => planBackfill(insider, { from: '2026-06-25', to: '2026-10-02', symbols: undefined, route }, today)
  test('data sets for the quarters that have one, newest window first, each saying its route', () => {
    expect(
      plan()
        .windows.map(window => [window.partition, window.route ?? null])
        .slice(-2),
    ).toEqual([
      ['2026-07-01..2026-09-30 by datasets', 'datasets'],
      ['2026-04-01..2026-06-30 by datasets', 'datasets'],
    ])
  })
  test('one route where it is named, and none that there is not', () => {
    expect(new Set(plan('documents').windows.map(window => window.route ?? null))).toEqual(new Set([null]))
    expect(new Set(plan('feed').windows.map(window => window.route))).toEqual(new Set(['feed']))
    expect(() => plan('archive')).toThrow('insider has no route "archive"')
    expect(() => plan('carrier pigeon')).toThrow(BadRequest)
    expect(() => planBackfill(aJob({}), { from: '2026-01-02', to: '2026-01-05', symbols: undefined, route: 'feed' }, today)).toThrow(
      'a-job has no route',
    )
  })
  test('costs say what each route could give and what is taken, in requests, bytes and hours', () => {
    const costs = costsOf(plan(), today)
    expect(costs.routes.map(each => each.route)).toEqual(['datasets', 'feed', 'documents'])
    expect(costs.routes[0]).toMatchObject({ requests: 2, from: '2026-06-25', to: '2026-09-30' })
    const documents = costs.routes[2]
    expect(documents?.requests).toBeGreaterThan(50 * (costs.routes[1]?.requests ?? 0))
    // Eight requests a second, and the bytes.
    expect(documents?.hours).toBeCloseTo(((documents?.requests ?? 0) / 8 + (documents?.bytes ?? 0) / 25e6) / 3600, 2)
    expect(costs.taken.map(each => `${each.from}..${each.to}`)).toEqual(['2026-06-25..2026-09-30', '2026-10-01..2026-10-02'])
  })
})

describe('one run', () => {
  test('asks for today, or for the day that is given', () => {
    expect(planRun(aJob({}), { date: undefined, symbols: undefined }, today)).toEqual({
      partition: today,
      from: today,
      to: today,
      symbols: null,
      backfill_id: null,
    })
    expect(planRun(aJob({}), { date: '2026-11-19', symbols: undefined }, today)).toMatchObject({
      partition: '2026-11-19',
      from: '2026-11-19',
      to: '2026-11-19',
    })
  })
  test('by symbol it takes the last year, since one day of one symbol says little', () => {
    expect(planRun(aJob({ backfill: 'symbol' }), { date: undefined, symbols: 'AAPL' }, today)).toMatchObject({
      from: '2025-11-20',
      to: today,
      symbols: ['AAPL'],
    })
  })
  test('a job of the present takes no day', () => {
    expect(() => planRun(aJob({ backfill: 'none' }), { date: '2026-11-19', symbols: undefined }, today)).toThrow('requests only present data')
  })
})

import { Cron } from 'croner'
import { describe, expect, test, vi } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { loadConfig } from '#schemas/config.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { readJobs } from '#warehouse/store/jobs/read-jobs.ts'
import { nextTick } from '#warehouse/store/jobs/ticks.ts'
import type { Log } from '#warehouse/store/log.ts'
import { createWakeup } from '#warehouse/store/notifications.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { Queue } from '#warehouse/store/queue.ts'
import { createSchedule, keepSchedule, lastTick, type Schedule } from './schedule.ts'

const job = (cron: string, calendar: 'XNYS' | 'XTSE' | 'BOC' | null, zone = 'America/New_York') => ({ schedule: { cron, time_zone: zone, calendar } })

describe('a schedule runs on sessions of its calendar', () => {
  test('the Friday after Thanksgiving is a session, Thanksgiving is none', () => {
    const evening = job('0 19 * * 1-5', 'XNYS')
    expect(nextTick(evening, new Date('2026-11-26T00:30:00Z'))?.toISOString()).toBe('2026-11-28T00:00:00.000Z')
    expect(lastTick(evening, new Date('2026-11-27T12:00:00Z'))?.toISOString()).toBe('2026-11-26T00:00:00.000Z')
  })
  test('the hour follows the clocks of the zone over the change of time', () => {
    const morning = job('30 6 * * *', null)
    expect(nextTick(morning, new Date('2026-10-31T12:00:00Z'))?.toISOString()).toBe('2026-11-01T11:30:00.000Z')
    expect(nextTick(morning, new Date('2026-10-30T12:00:00Z'))?.toISOString()).toBe('2026-10-31T10:30:00.000Z')
  })
  test('the Bank of Canada publishes no rate on 30 September while Toronto trades', () => {
    const now = new Date('2026-09-29T22:00:00Z')
    expect(nextTick(job('35 16 * * 1-5', 'BOC', 'America/Toronto'), now)?.toISOString()).toBe('2026-10-01T20:35:00.000Z')
    expect(nextTick(job('35 16 * * 1-5', 'XTSE', 'America/Toronto'), now)?.toISOString()).toBe('2026-09-30T20:35:00.000Z')
  })
  test.each([
    ['0 0 1 1 *', 'New Year is no session in any year'],
    ['* * * * 0', 'no Sunday is one'],
  ])('%s has no next moment: %s', cron => {
    expect(nextTick(job(cron, 'XNYS'), new Date('2026-11-20T12:00:00Z'))).toBe(null)
  })
  test('a job of every minute has its next one after a weekend of three days', () => {
    // Good Friday 2026 is 3 April.
    expect(nextTick(job('* * * * *', 'XNYS'), new Date('2026-04-03T12:00:00Z'))?.toISOString()).toBe('2026-04-06T04:00:00.000Z')
    expect(nextTick(job('*/20 22-23 * * *', 'XTSE'), new Date('2026-04-03T12:00:00Z'))?.toISOString()).toBe('2026-04-07T02:00:00.000Z')
  })
  test('after the years of its calendar it is an error that names them', () => {
    expect(() => nextTick(job('0 19 * * 1-5', 'XNYS'), new Date('2200-01-04T12:00:00Z'))).toThrow(/2200 is outside its years/)
    expect(nextTick(job('0 19 * * 1-5', null), new Date('2200-01-04T12:00:00Z'))?.toISOString()).toBe('2200-01-07T00:00:00.000Z')
  })
  test('closed days are passed over as days, not moment by moment', () => {
    const everyMinute = job('* * * * *', 'XNYS')
    // Sunday night after Good Friday 2026.
    expect(lastTick(everyMinute, new Date('2026-04-06T03:59:30Z'))?.toISOString()).toBe('2026-04-03T03:59:00.000Z')
    expect(lastTick(job('* * * * 0,6', 'XNYS'), new Date('2026-04-06T03:59:30Z'))).toBe(null)
    const asked = vi.spyOn(Cron.prototype, 'previousRuns')
    lastTick(everyMinute, new Date('2026-04-06T03:59:30Z'))
    expect(asked).toHaveBeenCalledTimes(4)
    asked.mockRestore()
  })
  test('a job that runs every five minutes has its newest moment, not one of four days ago', () => {
    expect(lastTick(job('*/5 * * * *', null, 'UTC'), new Date('2026-11-20T10:07:30Z'))?.toISOString()).toBe('2026-11-20T10:05:00.000Z')
  })
  test.each([
    '2026-11-20T10:05:00.000Z',
    '2026-11-20T10:04:59.999Z',
    '2026-11-20T10:05:00.001Z',
    '2026-11-29T12:00:00Z',
    '2026-03-08T07:00:00Z',
    '2026-03-08T08:30:00Z',
    '2026-11-01T05:30:00Z',
    '2026-11-01T06:30:00Z',
    '2026-12-27T23:59:59.500Z',
  ])('no moment of a job of jobs.yaml lies between its newest one and %s', text => {
    const now = new Date(text)
    const lookBack = new Date(now.getTime() - 4 * 86_400_000)
    for (const each of readJobs(loadConfig({})).values()) {
      const newest = lastTick(each, now)
      if (newest !== null) expect(newest.getTime(), each.name).toBeLessThanOrEqual(now.getTime())
      expect(nextTick(each, newest ?? lookBack)?.getTime() ?? Number.POSITIVE_INFINITY, each.name).toBeGreaterThan(now.getTime())
    }
  })
})

describe('sending what is due', async () => {
  const { db } = await testDatabase()
  test('two workers send a moment once, and one missed in a downtime is made up once', async () => {
    const sent: string[] = []
    const queue = { send: async (name: string, data: { partition: string }) => void sent.push(`${name} ${data.partition}`) } as unknown as Queue
    const jobs = [{ ...job('0 19 * * 1-5', 'XNYS'), name: 'bars-us' }] as unknown as JobDefinition[]
    const now = new Date('2026-11-24T12:00:00Z')
    const workers = [createSchedule(jobs), createSchedule(jobs)]
    const counts = await Promise.all(workers.map(each => each.sendDue(db, queue, now)))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(sent).toEqual(['bars-us 2026-11-23'])
    for (const each of [...workers, createSchedule(jobs)]) expect(await each.sendDue(db, queue, new Date('2026-11-24T12:01:00Z'))).toBe(0)
  })
  test('a weekly or monthly moment that was missed in a downtime of a week is made up once, if the job ran before', async () => {
    const sent: string[] = []
    const queue = { send: async (name: string, data: { partition: string }) => void sent.push(`${name} ${data.partition}`) } as unknown as Queue
    const jobs = [
      { ...job('30 7 * * 6', null), name: 'weekly' },
      { ...job('0 3 2 * *', 'XTSE'), name: 'monthly' },
    ] as unknown as JobDefinition[]
    const at = async (text: string): Promise<number> => await createSchedule(jobs).sendDue(db, queue, new Date(text))
    // No moment is sent for what was due before the first start.
    expect(await at('2026-10-29T12:00:00Z')).toBe(0)
    expect([await at('2026-10-31T12:00:00Z'), await at('2026-11-02T12:00:00Z')]).toEqual([1, 1])
    // Switched off from Friday 27 November to Friday 11 December.
    expect([await at('2026-11-27T12:00:00Z'), await at('2026-12-11T12:00:00Z'), await at('2026-12-11T12:01:00Z')]).toEqual([1, 2, 0])
    expect(sent).toEqual(['weekly 2026-10-31', 'monthly 2026-11-02', 'weekly 2026-11-21', 'weekly 2026-12-05', 'monthly 2026-12-02'])
  })
  test('each moment of a frequent job is sent once, and one whose sending failed is sent with the next check', async () => {
    const sent: string[] = []
    let isAway = false
    const queue = {
      send: async (name: string) => {
        if (isAway) throw new Error('the database is away')
        sent.push(name)
      },
    } as unknown as Queue
    const schedule = createSchedule([{ ...job('*/5 * * * *', null, 'UTC'), name: 'alerts' }] as unknown as JobDefinition[])
    const at = async (time: string): Promise<number> => await schedule.sendDue(db, queue, new Date(`2026-11-24T${time}Z`))
    const dueIn = (time: string): number => schedule.dueInMs(new Date(`2026-11-24T${time}Z`))
    expect(await at('12:01:00')).toBe(1)
    expect([dueIn('12:01:00'), dueIn('12:04:59.999')]).toEqual([240_000, 1])
    // To send the jobs of the moment before took until after this one.
    expect(dueIn('12:05:00.200')).toBe(1)
    expect([await at('12:04:59.999'), await at('12:05:00'), await at('12:05:01')]).toEqual([0, 1, 0])
    expect(dueIn('12:05:01')).toBe(299_000)
    isAway = true
    await expect(at('12:10:00')).rejects.toThrow('away')
    // What is overdue waits for the next check, which would otherwise follow immediately and for as long as the database is away.
    expect(dueIn('12:10:00')).toBeGreaterThan(1_000)
    isAway = false
    expect([await at('12:10:01'), await at('12:10:02'), sent.length]).toEqual([1, 0, 3])
    const two = createSchedule([
      { ...job('*/5 * * * *', null, 'Nowhere/Land'), name: 'wrong' },
      { ...job('*/5 * * * *', null, 'UTC'), name: 'mail' },
    ] as unknown as JobDefinition[])
    await expect(two.sendDue(db, queue, new Date('2026-11-24T12:10:02Z'))).rejects.toThrow()
    expect(sent.at(-1)).toBe('mail')
    const ahead = createSchedule([{ ...job('*/5 * * * *', null, 'UTC'), name: 'ahead' }] as unknown as JobDefinition[])
    await ahead.sendDue(db, queue, new Date('2026-11-27T12:00:00Z'))
    expect(await ahead.sendDue(db, queue, new Date('2026-11-24T12:10:00Z'))).toBe(1)
    // The clock is set back, and the moments that come again are not sent again.
    expect([await at('12:04:00'), await at('12:10:00'), await at('12:15:00')]).toEqual([0, 0, 1])
  })
})

test('what could not be sent is sent when the database can be reached again, without waiting for the next look', async () => {
  const reachable = createWakeup()
  const stop = new AbortController()
  const warnings: string[] = []
  let passes = 0
  let failed = (): void => undefined
  const firstFailed = new Promise<void>(resolve => {
    failed = resolve
  })
  const schedule: Schedule = {
    async sendDue() {
      passes += 1
      if (passes === 1) throw new Error('the database is starting up')
      stop.abort()
      return 1
    },
    dueInMs() {
      failed()
      return 86_400_000
    },
  }
  const none = undefined as unknown
  const now = (): Date => new Date('2026-11-24T12:10:00Z')
  const log: Log = (_level, message) => void warnings.push(message)
  const keeping = keepSchedule(schedule, { db: none as Db, queue: none as Queue, now, log, reachable, stop: stop.signal })
  await firstFailed
  reachable.notify()
  await keeping
  expect([passes, warnings]).toEqual([2, ['schedule: Error: the database is starting up']])
})

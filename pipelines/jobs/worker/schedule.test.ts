import { describe, expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { nextTick } from '#warehouse/store/jobs/ticks.ts'
import type { Queue } from '#warehouse/store/queue.ts'
import { lastTick, sendDue } from './schedule.ts'

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
  test('a job that runs every five minutes has its newest moment, not one of four days ago', () => {
    expect(lastTick(job('*/5 * * * *', null, 'UTC'), new Date('2026-11-20T10:07:30Z'))?.toISOString()).toBe('2026-11-20T10:05:00.000Z')
  })
})

describe('sending what is due', async () => {
  const { db } = await testDatabase()
  test('two workers send a moment once, and one missed in a downtime is made up once', async () => {
    const sent: string[] = []
    const queue = { send: async (name: string, data: { partition: string }) => void sent.push(`${name} ${data.partition}`) } as unknown as Queue
    const jobs = [{ ...job('0 19 * * 1-5', 'XNYS'), name: 'bars-us' }] as unknown as JobDefinition[]
    const now = new Date('2026-11-24T12:00:00Z')
    const counts = await Promise.all([sendDue(db, queue, jobs, now), sendDue(db, queue, jobs, now)])
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(sent).toEqual(['bars-us 2026-11-23'])
    expect(await sendDue(db, queue, jobs, new Date('2026-11-24T12:01:00Z'))).toBe(0)
  })
})

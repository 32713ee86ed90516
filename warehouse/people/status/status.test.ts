import { describe, expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import type { ComponentState } from '#schemas/status.ts'
import { checkIncident, impactOf } from '../../rulesets/status/rules.ts'
import { checkChannel, createWakeup, listen } from '../../store/notifications.ts'
import { type Check, recordChecks, requestRound, takeRound } from './checks.ts'
import { changeIncident, openIncident } from './incidents.ts'
import { findComponents, findDays, findHistory, findIncidents, overallOf } from './status.ts'

const { db, url } = await testDatabase()
const start = Date.parse('2026-11-20T14:00:00Z')
const minute = (n: number): Date => new Date(start + n * 60_000)
const check = (component: string, status: ComponentState, detail: string | null = null): Check => ({ component, status, latency_ms: 3, detail })

describe('a round of checks', () => {
  test('is made by one of those who ask in the same minute', async () => {
    const taken = await Promise.all([1, 2, 3, 4].map(() => takeRound(db, minute(0))))
    expect(taken.filter(Boolean).length).toBe(1)
    expect(await takeRound(db, new Date(start + 30_000))).toBe(false)
    expect(await takeRound(db, minute(1))).toBe(true)
  })

  test('that began late in a busy process leaves the next one at its minute', async () => {
    expect(await takeRound(db, new Date(start + 121_300))).toBe(true)
    expect(await takeRound(db, new Date(start + 150_000))).toBe(false)
    expect(await takeRound(db, minute(3))).toBe(true)
  })

  test('that is requested is due, and wakes the workers', async () => {
    const stop = new AbortController()
    const requested = createWakeup()
    const hour = 3_600_000
    const channels = new Map([[checkChannel, requested]])
    const listening = listen({ url, applicationName: 'status test', channels, stop: stop.signal, onFailure: reason => expect.fail(reason) })
    // The first notification: it listens from now on.
    await requested.wait(hour)
    expect(await takeRound(db, minute(1))).toBe(false)
    const woken = requested.wait(hour)
    await requestRound(db)
    await woken
    expect(await takeRound(db, minute(1))).toBe(true)
    stop.abort()
    await listening
  })

  test('opens one incident after three checks that found the component down, and resolves it after five good ones', async () => {
    const states: ComponentState[] = ['operational', 'down', 'down', 'down', 'down', 'operational', 'down', ...Array(5).fill('operational')]
    const open: number[] = []
    for (const [at, status] of states.entries()) {
      await recordChecks(db, [check('source:a', status, status === 'down' ? 'does not answer' : null)], minute(at))
      open.push((await findIncidents(db, { state: 'open', limit: 10 })).length)
    }
    expect(open).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    const [incident, ...more] = await findIncidents(db, { state: 'resolved', limit: 10 })
    expect(more).toEqual([])
    // It began with the first of the checks in a row, not with the one that tipped the scale.
    expect(incident).toMatchObject({
      title: 'source:a is down',
      impact: 'minor',
      body: 'does not answer',
      started_at: minute(1).toISOString().replace('.000Z', 'Z'),
      resolved_at: minute(11).toISOString().replace('.000Z', 'Z'),
    })
  })

  test('counts into its hour: the share of good checks, and the worst state', async () => {
    const [hour] = await findHistory(
      db,
      { component: 'source:a', from: minute(0).toISOString(), to: minute(60).toISOString(), limit: 10 },
      minute(30),
    )
    expect(hour).toEqual({ component: 'source:a', hour: '2026-11-20T14:00:00Z', status: 'down', uptime_pct: 58.33 })
  })

  test('forgets a component that is checked no more, and ends its incident', async () => {
    for (const at of [20, 21, 22]) await recordChecks(db, [check('source:b', 'down', 'gone')], minute(at))
    expect(await findIncidents(db, { state: 'open', limit: 10 })).toHaveLength(1)
    await recordChecks(db, [check('worker', 'operational')], minute(23))
    expect(await findIncidents(db, { state: 'open', limit: 10 })).toEqual([])
    expect((await findComponents(db, minute(23))).map(each => each.name)).toEqual(['worker'])
  })
})

describe('the state of the service', () => {
  test('is not known without a check for three minutes, and then the worker is down', async () => {
    await recordChecks(db, [check('worker', 'operational'), check('api', 'operational'), check('dataset:bars', 'unscheduled')], minute(100))
    expect((await findComponents(db, minute(102))).map(each => each.status)).toEqual(['operational', 'unscheduled', 'operational'])
    const late = await findComponents(db, minute(104))
    expect(late.map(each => [each.name, each.status])).toEqual([
      ['api', 'unknown'],
      ['dataset:bars', 'unknown'],
      ['worker', 'down'],
    ])
    expect(overallOf(late)).toBe('down')
  })
  test('of the worker counts the minutes in which it did not check', async () => {
    for (const at of [120, 121, 122]) await recordChecks(db, [check('worker', 'operational'), check('api', 'operational')], minute(at))
    const requested = { from: minute(120).toISOString(), to: minute(120).toISOString(), limit: 10 }
    expect(await findHistory(db, { component: 'worker', ...requested }, minute(180))).toMatchObject([{ uptime_pct: 5 }])
    expect(await findHistory(db, { component: 'api', ...requested }, minute(180))).toMatchObject([{ uptime_pct: 100 }])
  })
  test('of a day sums its hours, and of the worker the minutes of the hours in which it began to check', async () => {
    const requested = { from: minute(0).toISOString(), to: minute(180).toISOString(), limit: 100 }
    const api = await findDays(db, { component: 'api', ...requested }, minute(180))
    expect(api).toEqual([{ component: 'api', hour: '2026-11-20T00:00:00Z', status: 'operational', uptime_pct: 100 }])
    const [worker] = await findDays(db, { component: 'worker', ...requested }, minute(180))
    const hours = await findHistory(db, { component: 'worker', ...requested }, minute(180))
    // Hours of equal length: the day is their mean.
    expect(worker?.uptime_pct).toBeCloseTo(hours.reduce((sum, each) => sum + each.uptime_pct, 0) / hours.length, 1)
    const ended = await findDays(db, { component: 'source:a', ...requested }, minute(180))
    expect(ended).toMatchObject([{ status: 'down', uptime_pct: 58.33 }])
  })
  test('has no hour of what nothing loads by schedule', async () => {
    const all = await findHistory(
      db,
      { component: 'dataset:bars', from: minute(0).toISOString(), to: minute(600).toISOString(), limit: 10 },
      minute(600),
    )
    expect(all).toEqual([])
  })
})

describe('an incident of the operator', () => {
  test('is opened, added to and resolved by word, and no rule touches it', async () => {
    const given = { title: 'Planned work', impact: 'maintenance', body: null, component: 'api', started_at: minute(200).toISOString() } as const
    const { id } = await openIncident(db, given)
    for (let at = 200; at < 210; at += 1) await recordChecks(db, [check('api', 'operational')], minute(at))
    expect(await findIncidents(db, { state: 'open', limit: 10 })).toMatchObject([{ id, resolved_at: null }])
    await changeIncident(db, id, { note: 'halfway' })
    const done = await changeIncident(db, id, { note: 'done', resolved_at: minute(230).toISOString() })
    expect(done).toMatchObject({ body: 'halfway\ndone', resolved_at: '2026-11-20T17:50:00Z' })
    expect((await changeIncident(db, id, { resolved_at: minute(300).toISOString() })).resolved_at).toBe('2026-11-20T17:50:00Z')
  })
  test('is refused for an unchecked component, and cannot end before it began', async () => {
    const given = { title: 'x', impact: 'minor', body: null, started_at: minute(300).toISOString() } as const
    await expect(openIncident(db, { ...given, component: 'apo' })).rejects.toThrow('no component is called "apo"')
    const { id } = await openIncident(db, { ...given, component: null })
    await expect(changeIncident(db, id, { resolved_at: minute(299).toISOString() })).rejects.toThrow('cannot have ended before')
    await expect(changeIncident(db, 'inc_0', {})).rejects.toThrow('no incident inc_0')
  })
})

describe('the rule', () => {
  test('waits longer for what is only late than for what is down', () => {
    const run = (status: ComponentState, failing: number, passing = 0) => checkIncident({ status, failing, passing }, false)
    expect([run('down', 2), run('down', 3), run('degraded', 14), run('degraded', 15), run('operational', 0, 9)]).toEqual([
      'leave',
      'open',
      'leave',
      'open',
      'leave',
    ])
  })
  test('knows how grave a component is by the longest beginning of its name', () => {
    expect([impactOf('api', 'down'), impactOf('dataset:bars', 'degraded'), impactOf('source:edgar', 'down')]).toEqual(['critical', 'minor', 'minor'])
  })
})

describe('the hour of the installation', () => {
  test('counts for the worker from the installation on', async () => {
    await db
      .updateTable('schema_migrations')
      .set({ applied_at: minute(295).toISOString() })
      .execute()
    for (const at of [296, 297, 298, 299]) await recordChecks(db, [check('worker', 'operational')], minute(at))
    const requested = { component: 'worker', from: minute(240).toISOString(), to: minute(300).toISOString(), limit: 10 }
    // Five minutes, of which the first had no check.
    expect(await findHistory(db, requested, minute(300))).toMatchObject([{ hour: '2026-11-20T18:00:00Z', uptime_pct: 80 }])
    const [day] = await findDays(db, { ...requested, from: minute(0).toISOString() }, minute(300))
    const [, ...before] = await findHistory(db, { ...requested, from: minute(0).toISOString() }, minute(300))
    expect(before.length).toBeGreaterThan(1)
    const good = before.reduce((sum, hour) => sum + (hour.uptime_pct * 60) / 100, 4)
    expect(day?.uptime_pct).toBeCloseTo((100 * good) / (before.length * 60 + 5), 1)
  })
})

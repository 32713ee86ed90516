import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { oneAtATime } from './one-at-a-time.ts'

const { db } = await testDatabase()
const log = (): void => undefined
const never = new AbortController().signal

test('two processes do not overlap, an error releases the lock, and a process that waits can be stopped', async () => {
  const events: string[] = []
  const run = (name: string) =>
    oneAtATime(db, 'a test', log, never, async () => {
      events.push(`${name} begins`)
      await sleep(20)
      events.push(`${name} ends`)
    })
  await Promise.all([run('a'), run('b')])
  expect(events[1]).toBe(events[0]?.replace('begins', 'ends'))
  expect(events).toHaveLength(4)
  await expect(oneAtATime(db, 'a test', log, never, () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed')

  const stop = new AbortController()
  await oneAtATime(db, 'a test', log, never, async () => {
    const waiting = oneAtATime(db, 'a test', log, stop.signal, () => Promise.resolve('done'))
    stop.abort(new Error('stopping'))
    await expect(waiting).rejects.toThrow()
  })
})

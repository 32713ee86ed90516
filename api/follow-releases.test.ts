import { expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { followReleases } from './follow-releases.ts'

const { db, url } = await testDatabase()

it('logs once that a release is not refreshed, however often it is tried, and once that it is refreshed again', async () => {
  const logged: string[] = []
  let fault: Error | null = new Error('connect ECONNREFUSED')
  let reads = 0
  const read = async (): Promise<void> => {
    reads += 1
    if (fault !== null) throw fault
  }
  const following = followReleases({ db, url, read, log: message => void logged.push(message) })
  for (let look = 0; look < 5; look += 1) await following.refresh()
  fault = null
  for (let look = 0; look < 5; look += 1) await following.refresh()
  await following.close()
  expect(reads).toBeGreaterThanOrEqual(10)
  expect(logged).toEqual(['release not refreshed: connect ECONNREFUSED', 'the release is refreshed again'])
})

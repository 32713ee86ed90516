// The screener where there is little or nothing to screen.
import { afterAll, expect, test } from 'vitest'
import { testLake } from '#fixtures/memory-lake.ts'
import { contextOf } from '../context/release-contexts.ts'
import { buildScreen, buildScreenerFields } from './screener.ts'

const memory = await testLake()
afterAll(() => memory.close())

test('a lake without rows has no listing to screen, and reports that nothing is loaded', async () => {
  const context = await contextOf(memory.at(0), null)
  const { body } = await buildScreen(context, { limit: 100 } as Parameters<typeof buildScreen>[1])
  expect(body).toMatchObject({ count: 0, total: 0, universe: 0, session_date: null, coverage: { status: 'not_loaded' }, data: [], next_cursor: null })
  const fields = (await buildScreenerFields(context, {} as Parameters<typeof buildScreenerFields>[1])).body
  expect(fields).toMatchObject({ universe: 0 })
  expect((fields as { fields: readonly object[] }).fields[0]).toMatchObject({ name: 'code', eligible: 0, filled: 0, filled_pct: null })
})
test('a model that answers for a release 0 requests no build', async () => {
  const context = await contextOf(memory.at(0), null)
  const models = {
    read: () => {
      throw new Error('asked')
    },
  }
  await expect(buildScreen({ ...context, models }, { limit: 1 } as Parameters<typeof buildScreen>[1])).resolves.toBeDefined()
})

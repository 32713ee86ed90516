// Answers that wait for the signature of a day's sentences.
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { contextOf } from '../context/release-contexts.ts'
import type { Lake } from '../store/lake/lake.ts'
import { askAt } from './ask.ts'

const warehouse = await worldWarehouse()

test('an answer has its origins when it is built, so that it keeps no rows until it is signed', async () => {
  const lake = await warehouse.lake()
  let queries = 0
  const counted: Lake = {
    ...lake,
    query: async (sql, parameters, scope, options) => {
      queries += 1
      return await lake.query(sql, parameters, scope, options)
    },
  }
  const context = await contextOf(counted, null)
  const answer = await askAt(context, '2026-11-19T22:00:00Z')('list_corporate_actions', { symbol: 'GLPR.TO', from: '2026-05-01' })
  if (answer === null) throw new TypeError('no answer')
  const before = queries
  expect(before).toBeGreaterThan(0)
  const origins = await answer.payload.origins()
  expect(queries).toBe(before)
  expect(origins.length).toBeGreaterThan(0)
  expect(await answer.payload.origins()).toBe(origins)
})

// What the worker does for administrators: the cost of a backfill, and runs outside the schedule.
import { expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { openRequestQueue } from '#fixtures/request-queue.ts'
import { loadConfig } from '#schemas/config.ts'
import { type OperatorRequest, operatorQueue } from '#warehouse/store/queue.ts'
import { readJobs } from '../jobs-file.ts'
import type { RequestTools } from './request-tools.ts'
import { runRequest } from './requests.ts'

const { db } = await testDatabase()
const config = loadConfig({ CROSSFILE_UPSTREAM_BASE: 'http://127.0.0.1:9' })
const jobs = readJobs(config)
const queue = await openRequestQueue(db)

async function ask(request: OperatorRequest): Promise<object | null> {
  const data = { partition: JSON.stringify(request), from: null, to: null, symbols: null, backfill_id: null, request }
  const id = await queue.send(operatorQueue, data)
  const [claimed] = await queue.claim(operatorQueue, 1)
  if (!claimed || id === null) throw new TypeError('nothing was claimed')
  const tools = { ingest: { db }, queue, jobs, config, dataNow: () => new Date('2026-11-21T12:00:00Z') } as unknown as RequestTools
  await runRequest(tools, claimed)
  return await queue.output(operatorQueue, id)
}
const range = { kind: 'cost', from: '2024-01-01', to: '2024-12-31', symbols: null } as const

test('a backfill costs its windows, and those of its routes', async () => {
  expect(await ask({ ...range, job: 'fx' })).toMatchObject({ windows: 4, off: null, routes: [], taken: [] })
  const filings = (await ask({ ...range, job: 'insider' })) as { routes: { route: string }[]; taken: { requests: number }[] }
  expect(filings.routes.length).toBeGreaterThan(1)
  expect(filings.taken[0]?.requests).toBeGreaterThan(0)
})
test('a run is sent once while it waits', async () => {
  const request = { kind: 'run', job: 'fx', date: null, symbols: null } as const
  expect(await ask(request)).toEqual({ partition: '2026-11-21', joined: false })
  expect(await ask({ ...request, date: '2026-11-21' })).toEqual({ partition: '2026-11-21', joined: true })
  expect((await queue.claim('fx', 10)).map(each => each.data.partition)).toEqual(['2026-11-21'])
})
test.each([
  [{ ...range, job: 'symbols-us' }, 'has only current data'],
  [{ kind: 'run', job: 'nothing', date: null, symbols: null }, 'there is no job'],
  [{ kind: 'run', job: 'fx', date: '2027-01-01', symbols: null }, 'is in the future'],
] as const)('%o is refused with the reason', async (request, why) => {
  expect(await ask(request)).toMatchObject({ refused: expect.stringContaining(why) })
})

// The list of newest filings over a warehouse that read the same filings from their index: nothing is written twice.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobTools } from '#fixtures/job-tools.ts'
import { clockedClient } from '#fixtures/replay/client.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { startWorldServer, type WorldServer } from '#fixtures/world/server.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { type Claimed, openQueue, type Queue } from '#warehouse/store/queue.ts'
import { defineQueue, readJobs } from '../../jobs/jobs-file.ts'
import { runJob } from '../../jobs/worker/run-job.ts'

const { runtime, world } = await worldWarehouse()
let upstream: WorldServer
let queue: Queue
beforeAll(async () => {
  upstream = await startWorldServer({ scale: 'small', secRate: null })
  queue = await openQueue(runtime.postgres.db, false, () => {})
})
afterAll(async () => {
  await queue.close()
  await upstream.close()
})

test('the list of a universe that is held tells nothing new of filings that were read', async () => {
  const name = 'newest-filings'
  const jobs = readJobs(runtime.config)
  await defineQueue(queue, jobs, name)
  await queue.send(name, { partition: world.last, from: world.first, to: world.last, symbols: null, backfill_id: null })
  const [claimed] = await queue.claim(name, 1)
  const { http, now } = clockedClient(upstream.origin, `${world.last}T23:30:00Z`)
  const tools = jobTools(runtime, queue, http, now)
  await runJob(tools, jobs.get(name) as JobDefinition, claimed as Claimed, new AbortController().signal)
  await http.close()
  const run = await runtime.postgres.db.selectFrom('job_run').selectAll().where('job', '=', name).executeTakeFirstOrThrow()
  // A filing whose own text is truncated is known from its index only: the list contains its parties' roles and the second of its
  // acceptance.
  const cut = world.filings.find(filing => filing.oddity === 'truncated')
  const catalogue = await loadCatalogue(runtime.postgres.db)
  const lake = openLake(catalogue, runtime.tools.writer.connections, runtime.tools.writer.verifier, catalogue.release)
  const written = await lake.query<{ accession: string }>(
    'select accession from filings_history where release_from = $release',
    { release: run.release },
    { filings_history: 'all' },
  )
  expect(run).toMatchObject({ state: 'done', rows: written.length })
  expect(new Set(written.map(row => row.accession))).toEqual(new Set([cut?.accession]))
  const listed = upstream.log().filter(entry => entry.url.includes('browse-edgar'))
  expect(listed.length).toBeGreaterThan(1)
  expect(run.documents).toBeGreaterThanOrEqual(listed.length)
})

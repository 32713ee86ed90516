// The status page tells what is true while the database is away, and is right again afterwards.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { connect } from '#warehouse/postgres.ts'
import { installQueue } from '#warehouse/queue.ts'
import { withoutDatabase } from '#warehouse/status/live.ts'
import { checkOnce, type Rounds } from './check-in-turn.ts'

const folder = await mkdtemp(join(tmpdir(), 'crossfile-checks-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const now = () => new Date('2026-11-20T21:05:00Z')

test('a database that is away is down on the page, and what it would know is unknown', async () => {
  const url = await createTestDatabase()
  await installQueue(url)
  const { db, close } = connect(url)
  const tools = { db, dataFolder: folder, on: [], now, monotonic: () => performance.now() }
  const rounds: Rounds = { known: [], running: null }
  expect(await checkOnce(tools, rounds)).toBeNull()
  const page = () => readFile(join(folder, 'status.html'), 'utf8')
  expect(await page()).toContain('<th scope="row">database</th><td>operational</td>')
  expect(rounds.known.map(each => each.name)).toContain('api')
  await close()
  expect(await checkOnce(tools, rounds)).not.toBeNull()
  expect(await page()).toContain('Something does not work')
  expect(await page()).toContain('<th scope="row">database</th><td>down</td>')
  expect(await page()).toContain('<th scope="row">api</th><td>unknown</td>')
  expect(await page()).toContain('They cannot be read while the database is away')
})

test('an earlier result says nothing about now', () => {
  const at = now()
  const known = [{ name: 'dataset:bars', status: 'operational' as const, latency_ms: 3, detail: null, checked_at: '2026-11-20T21:00:00Z' }]
  expect(withoutDatabase(known, [], at)).toMatchObject([
    { name: 'database', status: 'down', checked_at: at.toISOString() },
    { name: 'dataset:bars', status: 'unknown', latency_ms: null, checked_at: '2026-11-20T21:00:00Z' },
  ])
})

// The status page tells what is true while the database is away, and is right again afterwards.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { openRelay } from '#fixtures/relay.ts'
import { withoutDatabase } from '#warehouse/people/status/live.ts'
import { stateWords } from '#warehouse/people/status/overview.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { checkOnce, type Rounds } from './check-in-turn.ts'

/** Free blocks of the disk, where the test says so; null: the true ones. */
const disk = vi.hoisted(() => ({ free: null as number | null, refusedWrites: 0 }))
vi.mock('node:fs/promises', async importOriginal => {
  const { withFreeBlocks } = await import('#fixtures/disk.ts')
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const writeFile: typeof original.writeFile = async (...given) => {
    if (disk.refusedWrites === 0) return await original.writeFile(...given)
    disk.refusedWrites -= 1
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  return { ...withFreeBlocks(original, disk), writeFile }
})

const folder = await mkdtemp(join(tmpdir(), 'crossfile-checks-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const receiptLog = openLogFolder(folder, null)
const now = () => new Date('2026-11-20T21:05:00Z')

/** The names of the components of a status page, each with the word of its state. */
const componentsOf = (page: string): Record<string, string> =>
  Object.fromEntries([...page.matchAll(/<h3>([^<]*)<\/h3><b class="badge[^"]*">([^<]*)<\/b>/g)].map(([, name = '', word = '']) => [name, word]))
const { operational: works, down, unknown } = stateWords

test('a database that is away is down on the page, and what it would know is unknown', async () => {
  const url = await createTestDatabase()
  await installQueue(url)
  const { db, close } = connect(url)
  const tools = { db, dataFolder: folder, on: [], now, monotonic: () => performance.now(), receiptLog }
  const rounds: Rounds = { known: [], readAtMs: null, running: null }
  expect(await checkOnce(tools, rounds)).toBeNull()
  const page = () => readFile(join(folder, 'status.html'), 'utf8')
  expect(componentsOf(await page())).toMatchObject({ database: works })
  expect(rounds.known.map(each => each.name)).toContain('api')
  await close()
  expect(await checkOnce(tools, rounds)).not.toBeNull()
  expect(await page()).toContain('Something does not work')
  expect(componentsOf(await page())).toMatchObject({ database: down, api: unknown })
  expect(await page()).toContain('They cannot be read while the database is down')
})

test('an earlier result says nothing about now', () => {
  const at = now()
  const known = [{ name: 'dataset:bars', status: 'operational' as const, latency_ms: 3, detail: null, checked_at: '2026-11-20T21:00:00Z' }]
  expect(withoutDatabase(known, [], at)).toMatchObject([
    { name: 'database', status: 'down', checked_at: at.toISOString() },
    { name: 'dataset:bars', status: 'unknown', latency_ms: null, checked_at: '2026-11-20T21:00:00Z' },
  ])
})

test('a full disk and a frozen database stand on the page, and it is right again afterwards', async () => {
  const relay = await openRelay(await createTestDatabase())
  const { db, close } = connect(relay.url)
  // Each round is due: the clock goes on by an hour a look.
  let hours = 0
  const clock = (): Date => new Date(Date.parse('2026-11-20T21:05:00Z') + 3_600_000 * hours)
  const tools = { db, dataFolder: folder, on: [], now: clock, monotonic: () => performance.now(), receiptLog, roundMs: 60_000 }
  const rounds: Rounds = { known: [], readAtMs: null, running: null }
  const page = async (roundMs = 60_000): Promise<string> => {
    hours += 1
    await checkOnce({ ...tools, roundMs }, rounds)
    return await readFile(join(folder, 'status.html'), 'utf8')
  }
  expect(componentsOf(await page())).toMatchObject({ database: works, storage: works })
  disk.free = 0
  expect(componentsOf(await page())).toMatchObject({ storage: down })
  // The page cannot be written: the database works, and the page that follows shows it.
  disk.refusedWrites = 2
  expect(componentsOf(await page())).toMatchObject({ storage: down, database: works })
  expect(disk.refusedWrites).toBe(0)
  relay.freeze()
  try {
    expect(componentsOf(await page(100))).toMatchObject({ database: down, storage: down, api: unknown })
  } finally {
    relay.thaw()
    disk.free = null
  }
  await expect.poll(async () => componentsOf(await page())['database'], { interval: 100 }).toBe(works)
  expect(componentsOf(await page())).toMatchObject({ storage: works })
  await close()
  await relay.close()
})

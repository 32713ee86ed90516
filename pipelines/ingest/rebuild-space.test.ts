// What a killed `crossfile rebuild` or `repair` leaves behind is removed by the next one; what is in use or was kept stays.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { makeRebuildSpace, sweepRebuildSpaces } from './rebuild-space.ts'

const url = await createTestDatabase()
const dataFolder = await mkdtemp(join(tmpdir(), 'crossfile-space-'))
const place = { config: { dataFolder }, url }
const made: string[] = []

async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const databases = (): Promise<string[]> =>
  withClient(async client => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where datname = any($1) order by 1', [made])
    return rows.map(row => row.datname)
  })

/** A process that makes a space and is killed in it. */
async function killedIn(): Promise<string> {
  const script = `import { makeRebuildSpace } from ${JSON.stringify(join(import.meta.dirname, 'rebuild-space.ts'))}
    process.stdout.write((await makeRebuildSpace(${JSON.stringify(place)})).name); setInterval(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [name] = await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  made.push(String(name))
  return String(name)
}
/** The server notices the end of a killed process a moment later. */
async function unlocked(): Promise<void> {
  await withClient(async client => {
    for (;;) {
      const { rows } = await client.query(
        "select from pg_locks where locktype = 'advisory' and classid = $1 and database = (select oid from pg_database where datname = current_database())",
        [0x63726f75],
      )
      if (rows.length === 0) return
    }
  })
}

afterAll(async () => {
  await withClient(async client => {
    for (const name of made) await client.query(`drop database if exists ${name} with (force)`)
  })
  await rm(dataFolder, { recursive: true, force: true })
})

test('a sweep removes what a killed process left, and nothing else', async () => {
  const left = await killedIn()
  await unlocked()
  const kept = await makeRebuildSpace(place)
  await kept.keep()
  const used = await makeRebuildSpace(place)
  made.push(kept.name, used.name)
  expect(await databases()).toEqual([...made].sort())
  const reported: string[] = []
  await sweepRebuildSpaces(place, (_level, message) => void reported.push(message))
  expect(reported).toEqual([`removed database and folder ${left}, which an interrupted rebuild left`])
  expect(await databases()).toEqual([kept.name, used.name].sort())
  expect((await readdir(dataFolder)).sort()).toEqual([kept.name, used.name].sort())
  await used.remove()
  expect(await databases()).toEqual([kept.name])
  expect(existsSync(used.folder)).toBe(false)
})

test('a database that somebody uses stays with its folder', async () => {
  const left = await killedIn()
  await unlocked()
  const other = new URL(url)
  other.pathname = `/${left}`
  const user = new Client({ connectionString: other.href })
  await user.connect()
  const reported: string[] = []
  await sweepRebuildSpaces(place, (_level, message) => void reported.push(message))
  expect(reported).toEqual([`database ${left} of a rebuild is in use and stays`])
  expect(existsSync(join(dataFolder, left))).toBe(true)
  await user.end()
  await sweepRebuildSpaces(place, () => undefined)
  expect(await databases()).not.toContain(left)
})

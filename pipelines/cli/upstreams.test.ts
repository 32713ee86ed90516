import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { brokenAudit } from '#warehouse/people/users/audit.ts'
import { connect, type Postgres } from '#warehouse/store/postgres.ts'
import { postgresStore } from '../fetch/http/politeness-postgres.ts'
import { getUpstream } from '../fetch/sources/index.ts'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

const folder = mkdtempSync(join(tmpdir(), 'crossfile-upstreams-'))
let postgres: Postgres
let env: Record<string, string> = {}
beforeAll(async () => {
  const url = await createTestDatabase()
  env = { DATABASE_URL: url, CROSSFILE_DATA: folder }
  postgres = connect(url)
})
afterAll(async () => {
  await postgres.close()
  rmSync(folder, { recursive: true, force: true })
})
async function run(...argv: string[]) {
  const io = keptIo(env)
  const code = await main(argv, io, env)
  return { code, io, out: io.output.out.join('\n'), err: io.output.err.join('\n') }
}

describe('crossfile upstreams', () => {
  const { limits } = getUpstream('edgar')
  const store = () => postgresStore(postgres.pool)
  it('reports that every source may be asked', async () => {
    expect(await run('upstreams')).toMatchObject({ code: 0, out: 'every source may be asked' })
    expect(await run('upstreams', 'lift', 'edgar')).toMatchObject({ code: 1, err: expect.stringContaining('edgar is not stopped') })
  })
  it('lists a stop with its reason, lifts it, and records the act', async () => {
    await store().stop(limits.group, 600, 'status 403: undeclared automated tool')
    expect((await store().take(limits, 1)).verdict).toBe('stopped')
    const listed = await run('upstreams')
    expect(listed.code).toBe(1)
    expect(listed.out).toContain('status 403: undeclared automated tool')
    const { upstreams } = (await run('upstreams', '--json')).io.json<{ upstreams: { name: string; sources: string[] }[] }>()
    expect(upstreams).toMatchObject([{ name: limits.group, sources: expect.arrayContaining(['edgar']) }])
    expect(await run('upstreams', 'lift', 'edgar')).toMatchObject({ code: 0, out: expect.stringContaining(`${limits.group}: lifted`) })
    expect((await store().take(limits, 1)).verdict).toBe('granted')
    const { rows } = await sql<{ act: string; subject: string; actor: string; details: Record<string, unknown> }>`
      select act, subject, actor, details from audit_entry order by seq desc limit 1`.execute(postgres.db)
    expect(rows).toMatchObject([
      { act: 'upstream.lift', subject: limits.group, actor: 'operator', details: { reason: 'status 403: undeclared automated tool' } },
    ])
    expect(await brokenAudit(postgres.db)).toBeNull()
  })
  it('lists a source that does not respond, and closes its breaker', async () => {
    for (let failure = 0; failure < 5; failure += 1) await store().outcome(limits.group, false)
    expect((await run('upstreams')).out).toContain('5 failures in a row')
    await run('upstreams', 'lift', 'edgar', '--json')
    expect((await run('upstreams')).code).toBe(0)
  })
  it('knows the names of sources', async () => {
    expect(await run('upstreams', 'lift', 'edgr')).toMatchObject({ code: 2, err: expect.stringContaining('known sources: edgar') })
  })
})

describe('crossfile open', () => {
  it('prints the address of a running API, or the public one', async () => {
    expect(await run('open')).toMatchObject({ code: 1, err: expect.stringContaining('no API is running') })
    await sql`insert into reader_lease (process, catalogue_version, expires_at, address) values ('api:1', 0, now() + interval '1 minute', 'http://127.0.0.1:8181')`.execute(
      postgres.db,
    )
    expect(await run('open')).toMatchObject({ code: 0, out: 'http://127.0.0.1:8181/' })
    env = { ...env, CROSSFILE_PUBLIC_URL: 'https://research.example.org/' }
    expect((await run('open', '--json')).io.json()).toEqual({ page: 'https://research.example.org/', api: 'http://127.0.0.1:8181' })
  })
})

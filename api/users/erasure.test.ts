// Erasure to the end (S19): a person with a word of their own in every column of every table, thirty-one days later.
import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Canary, canaryUser, dumpedRows, withCanary } from '#fixtures/canary.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { send } from '#fixtures/service.ts'
import { eraseDaily } from '#pipelines/jobs/privacy/erase.ts'
import { loadConfig } from '#schemas/config.ts'
import { openErasureList } from '#warehouse/people/privacy/erasure-list.ts'
import { audit, pseudonymOf } from '#warehouse/people/users/audit.ts'
import { brokenAt } from '#warehouse/people/users/chain.ts'
import { inventory } from '#warehouse/people/users/inventory.ts'
import { beginSession } from '#warehouse/people/users/sessions.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { type Server, startServer } from '../server.ts'

const url = await createTestDatabase()
const { db, pool, close } = connect(url)
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())
const folder = mkdtempSync(join(tmpdir(), 'crossfile-erasure-'))
const now = clock.now()
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000)
const lines: string[] = []
let server: Server
beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockImplementation(line => lines.push(String(line)) > 0)
  await installQueue(url)
  server = await startServer(loadConfig({ DATABASE_URL: url, CROSSFILE_DATA: folder, CROSSFILE_LOG: 'debug', PORT: '0' }))
})
afterAll(async () => {
  await server.close()
  await close()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

/** Who is signed in, as a browser sends it. */
async function signIn({ user_id }: Canary): Promise<Record<string, string>> {
  const { text } = await beginSession(db, user_id, 'user', { address_prefix: '192.0.2.0/24', agent: 'Firefox' }, now)
  return { cookie: `service_session=${text}` }
}
const post = (path: string, body: unknown, headers: Record<string, string>): Promise<Response> =>
  send(`${server.address}/api/v1/${path}`, { body, headers })
function filesBelow(path: string): string[] {
  return readdirSync(path).flatMap(name => {
    const below = join(path, name)
    return statSync(below).isDirectory() ? filesBelow(below) : [`${name}: ${readFileSync(below).toString('latin1')}`]
  })
}
const tableOf = (row: string): string => /^public\.(\w+):/.exec(row)?.[1] ?? row.split(':', 1)[0] ?? ''

describe('a person who is erased', () => {
  it('is nowhere after thirty-one days; another person is as before; the chains hold', async () => {
    const [gone, stays] = [await canaryUser(pool, now), await canaryUser(pool, now)]
    const headers = { ...(await signIn(gone)), 'user-agent': `Mozilla/5.0 ${gone.word} Firefox/140.0`, 'x-request-id': 'a-plain-request-id' }
    const user = await db.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', '=', gone.user_id).executeTakeFirstOrThrow()
    const pseudonym = pseudonymOf(user)
    await db.transaction().execute(trx => audit(trx, { actor: pseudonym, act: 'test', subject: pseudonym, details: {} }, now))
    const answered = { consent_type: 'analytics', action: 'granted', session_id: gone.word }
    expect((await post('consent/record', answered, headers)).status).toBe(201)
    expect((await post('consent/record', answered, { 'user-agent': gone.word })).status).toBe(201)
    // Postgres itself has no text of a person to refuse: a value of the wrong type is refused before.
    expect((await post('consent/record', { ...answered, language: gone.word }, headers)).status).toBe(422)
    await db
      .insertInto('mail_outbox')
      .values({ dedupe_key: 'before', to_address: gone.email.toUpperCase(), kind: 'k', subject: 's', body: gone.word })
      .execute()
    await db
      .insertInto('rate_budget')
      .values({ partition: `files:${gone.user_id}`, arrival_us: 0, day: now.toISOString(), used: 0, granted: 0 })
      .execute()
    // An administrator leaves a name under what was done for others.
    await db.updateTable('account_request').set({ fulfilled_by: gone.user_id }).where('user_id', '=', stays.user_id).execute()
    await db.updateTable('referral').set({ referrer_id: gone.user_id }).where('user_id', '=', stays.user_id).execute()

    const before = await dumpedRows(pool)
    for (const { table } of inventory) expect([table, withCanary(before, gone).some(row => tableOf(row) === table)]).toEqual([table, true])

    expect((await post('user/delete', { confirm: true, reason: `because ${gone.word}` }, headers)).status).toBe(202)
    expect(await eraseDaily(db, openErasureList(folder, null), later(29))).toBe('')
    expect(withCanary(await dumpedRows(pool), gone).length).toBeGreaterThan(0)
    const othersBefore = withCanary(await dumpedRows(pool), stays).length
    expect(await eraseDaily(db, openErasureList(folder, null), later(31))).toContain('1 erased')

    expect(withCanary(await dumpedRows(pool), gone)).toEqual([])
    expect(withCanary(filesBelow(folder), gone)).toEqual([])
    expect(withCanary(lines, gone)).toEqual([])
    expect((await dumpedRows(pool)).filter(row => row.includes(pseudonym)).map(tableOf)).toEqual(
      expect.arrayContaining(['audit_entry', 'consent_entry']),
    )
    expect([await brokenAt(db, 'audit_entry'), await brokenAt(db, 'consent_entry')]).toEqual([null, null])
    expect(withCanary(await dumpedRows(pool), stays).length).toBe(othersBefore)
    expect(await eraseDaily(db, openErasureList(folder, null), later(32))).toBe('')
  })
  it('is erased once, however many jobs run', async () => {
    const person = await canaryUser(pool, now)
    await pool.query('update app_user set erasure_requested_at = $2 where user_id = $1', [person.user_id, later(-31)])
    const answered = await Promise.all(Array.from({ length: 8 }, () => eraseDaily(db, openErasureList(folder, null), now)))
    expect(answered.filter(each => each.includes('1 erased'))).toHaveLength(1)
    expect(withCanary(await dumpedRows(pool), person)).toEqual([])
  })
  it('is not brought back by a database that was restored, and the list outside of it grows no shorter', async () => {
    const person = await canaryUser(pool, now)
    await pool.query('update app_user set erasure_requested_at = $2 where user_id = $1', [person.user_id, later(-31)])
    const { rows } = await pool.query('select * from app_user where user_id = $1', [person.user_id])
    await eraseDaily(db, openErasureList(folder, null), now)
    const list = (await openErasureList(folder, null).read()).erased
    // As of a day before the request: the account is there, its proof is not.
    const account = { ...rows[0], erasure_requested_at: null } as Record<string, unknown>
    const names = Object.keys(account)
    await pool.query(`insert into app_user (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`, Object.values(account))
    await pool.query('delete from erasure')
    expect(await eraseDaily(db, openErasureList(folder, null), later(1))).toBe('1 erased again after a restore')
    expect(withCanary(await dumpedRows(pool), person)).toEqual([])
    const after = (await openErasureList(folder, null).read()).erased
    expect(after.map(each => each.subject_sha256).sort()).toEqual(list.map(each => each.subject_sha256).sort())
    const proof = after.find(each => each.subject_sha256 === hash('sha256', person.user_id))
    // The database prints an instant without trailing zeros of its fraction.
    expect([proof?.requested_at, proof?.erased_at].map(at => Date.parse(at ?? ''))).toEqual([later(-31).getTime(), later(1).getTime()])
    expect(await eraseDaily(db, openErasureList(folder, null), later(2))).toBe('')
  })
})

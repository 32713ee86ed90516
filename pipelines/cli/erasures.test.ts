// `crossfile erasures` and the daily job, on a database of its own.
import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { loadConfig } from '#schemas/config.ts'
import { openErasureList, parseErasureList } from '#warehouse/people/privacy/erasure-list.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { readJobs } from '../jobs/jobs-file.ts'
import { eraseDaily } from '../jobs/privacy/erase.ts'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

const url = await createTestDatabase()
const { db, pool, close } = connect(url)
const folder = mkdtempSync(join(tmpdir(), 'crossfile-erasures-'))
const copy = join(folder, 'copy.jsonl')
afterAll(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})
const now = new Date('2026-11-20T21:05:00.000Z')
const daysBefore = (days: number): string => new Date(now.getTime() - days * 86_400_000).toISOString().replace('.000Z', 'Z')

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { DATABASE_URL: url, CROSSFILE_DATA: folder }
  const io = keptIo(env)
  const code = await main(argv, io, env)
  return { code, out: io.output.out.join('\n'), err: io.output.err.join('\n') }
}
async function leaving(days: number): Promise<string> {
  const { user_id } = await signedInUser(db)
  await pool.query('update app_user set erasure_requested_at = $2 where user_id = $1', [user_id, daysBefore(days)])
  return user_id
}

describe('crossfile erasures', () => {
  it('lists whom the job erased, by hash and date, and how many wait', async () => {
    expect((await run('erasures')).out).toBe('no account has been erased')
    const [gone] = [await leaving(30), await leaving(29)]
    expect(await eraseDaily(db, openErasureList(folder, null), now)).toBe('1 erased')
    const { out } = await run('erasures')
    expect(out).toContain(hash('sha256', gone))
    expect(out).toContain('2026-10-21 21:05')
    expect(out).toContain('1 account is within the grace period of 30 days')
    expect(out).not.toContain(gone)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(110)
    const { erasures, waiting } = JSON.parse((await run('erasures', '--json')).out) as { erasures: unknown[]; waiting: number }
    expect([erasures, waiting]).toEqual([[{ subject_sha256: hash('sha256', gone), requested_at: daysBefore(30), erased_at: daysBefore(0) }], 1])
    expect(parseErasureList('list', readFileSync(join(folder, 'erasures.jsonl'), 'utf8'))).toEqual(erasures)
  })
  it('the job passes over a damaged line, which it names, and writes the list whole', async () => {
    const list = join(folder, 'erasures.jsonl')
    const whole = readFileSync(list, 'utf8')
    writeFileSync(list, `${whole}${whole.slice(0, 40)}`)
    expect(await eraseDaily(db, openErasureList(folder, null), now)).toContain(`damaged lines of the list passed over (${list}, line 2: `)
    expect(readFileSync(list, 'utf8')).toBe(whole)
  })
  it('replays a list: whoever is back goes again, the rest is left alone, and a second time nothing happens', async () => {
    const [back, stays] = [await signedInUser(db), await signedInUser(db)]
    const proof = (id: string) => JSON.stringify({ subject_sha256: hash('sha256', id), requested_at: daysBefore(40), erased_at: daysBefore(10) })
    writeFileSync(copy, `${[back.user_id, 'u_never_restored'].map(proof).join('\n')}\n`)
    const first = await run('erasures', 'replay', copy)
    expect([first.code, first.out]).toEqual([
      0,
      `erased again: ${hash('sha256', back.user_id)}\n2 erasures in the list, 1 account erased again, 1 not found`,
    ])
    expect((await run('erasures', 'replay', copy, '--json')).out).toContain('"erased_again":[]')
    const { rows } = await pool.query<{ user_id: string }>('select user_id from app_user where user_id = any($1)', [[back.user_id, stays.user_id]])
    expect(rows.map(each => each.user_id)).toEqual([stays.user_id])
    // What the database lacked is a proof of it now, with its own dates.
    const proofs = JSON.parse((await run('erasures', '--json')).out) as { erasures: { subject_sha256: string; requested_at: string }[] }
    expect(proofs.erasures.find(each => each.subject_sha256 === hash('sha256', 'u_never_restored'))?.requested_at).toBe(daysBefore(40))
  })
  it.each([
    ['{"subject_sha256":"abc"}', 'line 1: subject_sha256 expected 64 hexadecimal digits'],
    ['\nno json', 'line 2:'],
    [
      `{"subject_sha256":"${'a'.repeat(64)}","requested_at":"yesterday","erased_at":"2026-01-01T00:00:00Z"}`,
      'line 1: requested_at expected an instant',
    ],
  ])('refuses a list that is none: %s', async (text, message) => {
    writeFileSync(copy, text)
    const { code, err } = await run('erasures', 'replay', copy)
    expect([code, err.includes(message)]).toEqual([2, true])
  })
  it('says what to give where the file is missing', async () => {
    expect(await run('erasures', 'replay', join(folder, 'none'))).toMatchObject({ code: 2, err: expect.stringContaining('ENOENT') })
    expect(await run('erasures', 'replay')).toMatchObject({ code: 2 })
  })
})

describe('the daily erasure', () => {
  it('is a job of every day', () => {
    expect(readJobs(loadConfig({})).get('erasure')).toMatchObject({ plan: 'erasure', schedule: { cron: '10 3 * * *' }, enabled: 'on' })
  })
  it('forgets what is over: addresses that were never confirmed, and old proofs', async () => {
    const left = (email: string, days: number, confirmed: boolean) =>
      pool.query(
        'insert into email_capture (email_key, email, source, token_sha256, asked_at, confirmed_at) values ($1, $1, $2, sha256($3), $4, $5)',
        [email, 'page', Buffer.from(email), daysBefore(days), confirmed ? daysBefore(days) : null],
      )
    await left('old@example.org', 30, false)
    await left('young@example.org', 29, false)
    await left('confirmed@example.org', 300, true)
    await pool.query('delete from erasure')
    await pool.query(
      "insert into erasure values (sha256('old'), '2024-09-20', '2024-11-20T21:05:00Z', '{}'), (sha256('young'), '2024-09-21', '2024-11-20T21:05:01Z', '{}')",
    )
    rmSync(join(folder, 'erasures.jsonl'))
    expect(await eraseDaily(db, openErasureList(folder, null), now)).toBe('2 rows forgotten')
    const { rows } = await pool.query<{ email: string }>('select email from email_capture order by 1')
    expect(rows.map(each => each.email)).toEqual(['confirmed@example.org', 'young@example.org'])
    expect((await pool.query('select from erasure')).rowCount).toBe(1)
  })
})

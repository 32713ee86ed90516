// `crossfile admin` and `crossfile audit verify` as the operator runs them: the password comes on standard input of a process of its own.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { takeCode } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { openPasswords } from '#warehouse/people/users/passwords.ts'
import { connect, type Postgres } from '#warehouse/store/postgres.ts'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

let env: Record<string, string> = {}
let postgres: Postgres
const data = mkdtempSync(join(tmpdir(), 'crossfile-admin-'))
beforeAll(async () => {
  const url = await createTestDatabase()
  postgres = connect(url)
  env = { DATABASE_URL: url, CROSSFILE_DATA: data, CROSSFILE_LOG: 'silent' }
})
afterAll(async () => {
  await postgres?.close()
  rmSync(data, { recursive: true, force: true })
})

type Made = { user_id: string; email: string; created: boolean; secret: string; otpauth_uri: string; recovery_codes: string[] }
async function create(email: string, input: string, more: readonly string[] = []): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'admin', 'create', email, '--json', ...more], {
    env: { ...process.env, ...env, NODE_OPTIONS: '' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stdout.on('data', part => (output.out += String(part)))
  child.stderr.on('data', part => (output.err += String(part)))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const code = await new Promise<number>(resolve => child.once('close', ended => resolve(ended ?? -1)))
  return { code, ...output }
}
const password = 'seven brown otters sing'
const run = async (...argv: string[]) => {
  const io = keptIo(env)
  return { code: await main(argv, io, env), io }
}

test('makes an account that signs in with the password and the code; again, the factor is a new one', async () => {
  const made = await create('Jane.Roe@example.org', `${password}\r\n`)
  expect([made.code, made.err.includes('otters'), made.out.includes('otters')]).toEqual([0, false, false])
  const first = JSON.parse(made.out) as Made
  expect(first).toMatchObject({
    email: 'Jane.Roe@example.org',
    created: true,
    otpauth_uri: expect.stringContaining('otpauth://totp/Crossfile:Jane.Roe%40example.org'),
  })
  expect(first.recovery_codes).toHaveLength(10)
  const folder = join(data, 'keys')
  expect(readdirSync(folder).sort()).toEqual(['admin-totp-1.key', 'pepper-1.key'])
  const { password_hash } = await postgres.db.selectFrom('app_user').select('password_hash').executeTakeFirstOrThrow()
  expect((await openPasswords(folder).verify(password, password_hash)).matches).toBe(true)
  const codeOf = ({ secret }: Made): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  expect(await takeCode(postgres.db, openSealKey(folder), first.user_id, codeOf(first), new Date())).toBe(true)
  // A password is there: none is asked for.
  const again = JSON.parse((await create('jane.roe@EXAMPLE.org', '')).out) as Made
  expect([again.user_id, again.created]).toEqual([first.user_id, false])
  expect(await takeCode(postgres.db, openSealKey(folder), first.user_id, first.recovery_codes[0] ?? '', new Date())).toBe(false)
  expect(await takeCode(postgres.db, openSealKey(folder), first.user_id, codeOf(again), new Date())).toBe(true)
})

test.each([
  ['no password', 'john@example.org', '', [], 'no password was given'],
  ['a short one', 'john@example.org', 'short\n', [], '12 to 256 characters'],
  ['a guessable one', 'john@example.org', 'password123456\n', [], 'easy to guess'],
  ['an address that is none', 'john', `${password}\n`, [], 'is not an e-mail address'],
])('with %s nobody is made', async (_name, email, input, more, why) => {
  const { code, err } = await create(email, input, more)
  expect([code, err]).toEqual([2, expect.stringContaining(why)])
  expect(await postgres.db.selectFrom('app_user').select('email').where('email', 'like', 'john%').execute()).toEqual([])
})

test('lists and revokes, but never the last one', async () => {
  expect((await run('admin', 'revoke', 'jane.roe@example.org')).code).toBe(2)
  await create('other@example.org', `${password}\n`)
  const list = await run('admin', 'list')
  expect(list.io.output.out.join('\n')).toMatch(/jane\.roe@example\.org\s+enrolled\s+10\s+never/i)
  expect((await run('admin', 'revoke', 'OTHER@example.org')).io.output.out[0]).toContain('is no longer an administrator')
  expect((await run('admin', 'revoke', 'other@example.org')).code).toBe(1)
  expect((await run('admin', 'list', '--json')).io.json<{ admins: { email: string }[] }>().admins.map(each => each.email)).toEqual([
    'Jane.Roe@example.org',
  ])
})

test('makes new keys for lost ones, with which an administrator gets a new second factor', async () => {
  const kept = await run('admin', 'replace-keys')
  expect([kept.code, kept.io.output.err.join('\n')]).toEqual([2, expect.stringContaining('has the keys of the database')])
  rmSync(join(data, 'keys'), { recursive: true })
  const refused = await create('jane.roe@example.org', `${password}\n`, ['--password'])
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('crossfile admin replace-keys makes new ones')])
  const done = await run('admin', 'replace-keys', '--json')
  expect(done.io.json()).toMatchObject({ replaced: ['pepper', 'admin-totp'] })
  expect(readdirSync(join(data, 'keys')).sort()).toEqual(['admin-totp-1.key', 'pepper-1.key'])
  const made = await create('jane.roe@example.org', `${password}\n`, ['--password'])
  expect(made.code).toBe(0)
  expect((JSON.parse(made.out) as Made).created).toBe(false)
})

test('every act stands in the chain, and a changed entry is found', async () => {
  const whole = await run('audit', 'verify', '--json')
  expect(whole.io.json()).toMatchObject({
    holds: true,
    broken_at: null,
    entries: expect.any(Number),
    head: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  const acts = await postgres.db.selectFrom('audit_entry').select(['act', 'actor', 'details']).orderBy('seq').execute()
  expect(acts.slice(0, 2)).toMatchObject([
    { act: 'admin.toggle', actor: 'operator', details: { is_admin: true } },
    { act: 'admin.second_factor', details: { new_account: true, new_password: true } },
  ])
  await postgres.pool.query('alter table audit_entry disable trigger user')
  await postgres.pool.query(`update audit_entry set details = '{"is_admin": false}' where seq = 1`)
  const broken = await run('audit', 'verify')
  expect([broken.code, broken.io.output.out[0]]).toEqual([1, expect.stringContaining('broken at entry 1')])
})

// `crossfile signing-keys` and `crossfile receipt` as an operator runs them, on a copy of the bundled universe.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { rfc8032, secretKey } from '#fixtures/receipts/vectors.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { brokenAudit } from '#warehouse/people/users/audit.ts'
import { verifyBundle } from '#warehouse/store/receipts/verify-offline.mjs'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

const warehouse = await worldWarehouse()
const { db } = warehouse.runtime.postgres
const folder = join(warehouse.config.dataFolder, 'keys')
const home = mkdtempSync(join(tmpdir(), 'crossfile-keys-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const env = { CROSSFILE_DATA: warehouse.config.dataFolder, DATABASE_URL: warehouse.config.databaseUrl?.reveal() ?? '', CROSSFILE_LOG: 'silent' }
const run = async (...argv: string[]) => {
  const io = keptIo(env)
  const code = await main(argv, io, env)
  return { code, io, out: io.output.out.join('\n'), err: io.output.err.join('\n') }
}
type Listed = {
  signing: boolean
  reason: string | null
  waiting_for_second_signature: number
  keys: { kid: string; status: string; receipts: number; file: string | null }[]
}
const listed = async (): Promise<Listed> => (await run('signing-keys', 'list', '--json')).io.json<Listed>()
const activeKey = async (): Promise<string> => (await listed()).keys.find(key => key.status === 'active')?.kid ?? ''
const aFile = (name: string, key: KeyObject | string | Buffer, mode = 0o600): string => {
  const path = join(home, name)
  writeFileSync(
    path,
    typeof key === 'string' || Buffer.isBuffer(key) ? key : key.export({ format: 'pem', type: key.type === 'public' ? 'spki' : 'pkcs8' }),
  )
  chmodSync(path, mode)
  return path
}
const aReceiptId = async (): Promise<string> =>
  (await db.selectFrom('receipt').select('receipt_id').orderBy('receipt_id').executeTakeFirstOrThrow()).receipt_id
const bundleOf = async (id: string): Promise<Buffer> => Buffer.from((await run('receipt', id)).out)

describe('a planned rotation', () => {
  test('says what signs now, what becomes of earlier receipts, and what to do', async () => {
    const old = await activeKey()
    const { code, out } = await run('signing-keys', 'rotate')
    const fresh = await activeKey()
    expect(code).toBe(0)
    expect(fresh).not.toBe(old)
    expect(out).toContain(`answers are signed by ${fresh} from now on: a new key, in ${join(folder, 'signing-2.pem')}`)
    expect(out).toMatch(new RegExp(`The key ${old} is retired at release \\d+\\. Its \\d+ receipts stay valid`))
    expect(out).toContain('next:')
    expect(verifyBundle(await bundleOf(await aReceiptId()))).toMatchObject({ valid: true, kid: old })
  })

  test("with a key of one's own: imported, published as pending, then signing", async () => {
    const own = aFile('own.pem', generateKeyPairSync('ed25519').privateKey)
    const imported = (await run('signing-keys', 'import', own, '--json')).io.json<{ kid: string; status: string; added: boolean }>()
    expect(imported).toMatchObject({ status: 'pending', added: true })
    expect((await run('signing-keys', 'import', own, '--json')).io.json()).toMatchObject({ kid: imported.kid, status: 'pending', added: false })
    expect((await run('signing-keys', 'rotate', '--json')).io.json()).toMatchObject({ kid: imported.kid, origin: 'pending' })
    const { keys } = JSON.parse((await run('signing-keys', 'export-public')).out) as { keys: { kid: string; status: string }[] }
    expect(keys.map(key => key.status)).toEqual(['retired', 'retired', 'active'])
    expect((await run('signing-keys', 'export-public', '--pem')).out).toMatch(/^-----BEGIN PUBLIC KEY-----\n[\s\S]*-----END PUBLIC KEY-----$/)
  })
})

describe('a key file that is no signing key is refused, and says why', () => {
  const cases: readonly (readonly [string, () => string, RegExp])[] = [
    ['a public key', () => aFile('public.pem', generateKeyPairSync('ed25519').publicKey), /holds a public key/],
    [
      'RSA',
      () => aFile('rsa.pem', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
      /key of type rsa; receipts are signed with Ed25519/,
    ],
    ['P-256', () => aFile('ec.pem', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), /key of type ec/],
    ['X25519', () => aFile('x.pem', generateKeyPairSync('x25519').privateKey), /key of type x25519/],
    [
      'an encrypted key',
      () =>
        aFile(
          'locked.pem',
          generateKeyPairSync('ed25519', {
            privateKeyEncoding: { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' },
            publicKeyEncoding: { format: 'pem', type: 'spki' },
          }).privateKey,
        ),
      /encrypted with a passphrase/,
    ],
    ['garbage', () => aFile('garbage.pem', Buffer.from('\u0000\u0001not a key')), /is not a private key in PEM/],
    ['nothing', () => aFile('empty.pem', ''), /is not a private key in PEM/],
    ['two keys', () => aFile('two.pem', `${secretKey(rfc8032[0].secret)}${secretKey(rfc8032[1].secret)}`), /more than one key/],
    ['a large file', () => aFile('large.pem', Buffer.alloc(20_000, 65)), /has 20000 bytes/],
    ['a file that others can read', () => aFile('open.pem', generateKeyPairSync('ed25519').privateKey, 0o644), /has mode 0644/],
    ['a folder', () => home, /is not a file/],
    ['a missing file', () => join(home, 'absent.pem'), /ENOENT/],
    [
      'a symbolic link',
      () => {
        symlinkSync(aFile('target.pem', generateKeyPairSync('ed25519').privateKey), join(home, 'link.pem'))
        return join(home, 'link.pem')
      },
      /symbolic link/,
    ],
  ]
  test.each(cases)('%s', async (_name, file, says) => {
    const before = await listed()
    const { code, err, out } = await run('signing-keys', 'import', file())
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(says)
    expect(await listed()).toEqual(before)
  })
})

describe('a lost key', () => {
  test('is named by list, status and doctor with the way out; its file brings it back', async () => {
    const kid = await activeKey()
    const file = (await listed()).keys.find(key => key.kid === kid)?.file ?? ''
    renameSync(file, join(home, 'lost.pem'))
    const { code, out } = await run('signing-keys', 'list')
    expect(code).toBe(1)
    expect(out).toContain(`NOT SIGNING: signing key ${kid} is active, but ${folder} does not hold it`)
    expect((await run('status', '--json')).io.json<{ problems: string[] }>().problems.join()).toContain('answers are not signed')
    const { findings } = (await run('doctor', '--json')).io.json<{ findings: { check: string; state: string; remedy: string }[] }>()
    expect(findings.find(each => each.check === 'keys' && each.state === 'wrong')?.remedy).toContain('crossfile signing-keys rotate')
    expect((await run('signing-keys', 'import', join(home, 'lost.pem'))).out).toContain('it is the key that signs')
    expect(await listed()).toMatchObject({ signing: true, reason: null })
  })

  test('stops signing too when the file is damaged or readable by others; other bad files do not', async () => {
    const { keys } = await listed()
    const active = keys.find(key => key.status === 'active')?.file ?? ''
    const retired = keys.find(key => key.status === 'retired')?.file ?? ''
    chmodSync(active, 0o644)
    expect((await listed()).reason).toContain('has mode 0644')
    chmodSync(active, 0o600)
    const whole = readFileSync(active)
    writeFileSync(active, 'garbage')
    expect((await listed()).reason).toContain('cannot be read as PKCS #8')
    writeFileSync(active, whole)
    writeFileSync(retired, 'garbage')
    expect(await listed()).toMatchObject({ signing: true })
  })
})

describe('a stolen key', () => {
  test('is revoked from a past time: earlier receipts are signed again, and the report says so', async () => {
    const id = await aReceiptId()
    const old = verifyBundle(await bundleOf(id)).kid
    // Once in 4096 times it could be an option.
    const beginning = old.startsWith('--') ? old : old.slice(0, 8)
    const { code, io } = await run('signing-keys', 'revoke', beginning, '--from', 'now', '--json')
    const report = io.json<{ valid_before: number; signed_again: number; failing: number; waiting: number }>()
    expect([code, report.failing, report.waiting]).toEqual([0, 0, 0])
    expect(report.signed_again).toBe(report.valid_before)
    expect(report.valid_before).toBeGreaterThan(10)
    expect(verifyBundle(await bundleOf(id))).toMatchObject({ valid: true, kid: await activeKey() })
    // It turns out that the thief had it from the beginning.
    const earlier = await run('signing-keys', 'revoke', old, '--from', '2020-01-01')
    expect(earlier.out).toMatch(/0 receipts that this database stored before 2020-01-01 00:00:00 UTC stay valid/)
    expect(earlier.out).toMatch(/receipts stored since then verify as key_compromised/)
    expect(verifyBundle(await bundleOf(id))).toMatchObject({ valid: false, reason: 'key_compromised' })
    const later = await run('signing-keys', 'revoke', old, '--from', '2021-01-01')
    expect([later.code, later.err]).toEqual([2, expect.stringContaining('would make receipts valid again')])
  })

  test('that signs is replaced at once by a new one, not by one of the same folder', async () => {
    const stolen = await activeKey()
    const waiting = aFile('waiting.pem', generateKeyPairSync('ed25519').privateKey)
    const pending = (await run('signing-keys', 'import', waiting, '--json')).io.json<{ kid: string }>().kid
    const { code, out } = await run('signing-keys', 'revoke', '--from', '2026-01-01T00:00:00-05:00')
    expect([code, out.split('\n')[0]]).toEqual([0, `the key ${stolen} is revoked from 2026-01-01 05:00:00 UTC on`])
    expect([stolen, pending]).not.toContain(await activeKey())
    expect((await run('signing-keys', 'import', aFile('again.pem', readFileSync(join(folder, 'signing-3.pem'))))).err).toContain(
      'it never signs again',
    )
  })

  test.each([
    [['revoke'], '--from is missing'],
    [['revoke', '--from', 'yesterday'], 'expected a time with its zone'],
    [['revoke', '--from', '2026-11-20T14:00:00'], 'expected a time with its zone'],
    [['revoke', '--from', '2026-02-30'], 'expected a day'],
    [['revoke', '--from', '2199-01-01'], 'is in the future'],
    [['revoke', 'nope', '--from', 'now'], 'is unknown'],
    [['export-public', '--pem', 'nope'], 'is unknown'],
  ])('%j is refused: %s', async (words, says) => {
    const before = await listed()
    const { code, err } = await run('signing-keys', ...words)
    expect(code).not.toBe(0)
    expect(err).toContain(says)
    expect(await listed()).toEqual(before)
  })

  test('is revoked also where no new key can be made', async () => {
    renameSync(folder, join(home, 'keys-away'))
    writeFileSync(folder, 'in the place of the folder')
    const { code, out } = await run('signing-keys', 'revoke', '--from', 'now')
    expect([code, out]).toEqual([1, expect.stringContaining('NOT SIGNING')])
    rmSync(folder)
    renameSync(join(home, 'keys-away'), folder)
    expect(await listed()).toMatchObject({ signing: false, reason: 'no signing key is active' })
    expect((await run('signing-keys', 'rotate')).code).toBe(0)
  })

  test('and every other change is in the audit chain', async () => {
    const rows = await db.selectFrom('audit_entry').select('act').where('act', 'like', 'signing_key.%').execute()
    expect(new Set(rows.map(row => row.act))).toEqual(new Set(['signing_key.rotate', 'signing_key.revoke', 'signing_key.import']))
    expect(await brokenAudit(db)).toBeNull()
  })
})

describe('the bundle of a receipt', () => {
  test('goes to a file that is not there yet, and says how to verify it', async () => {
    const id = await aReceiptId()
    const path = join(home, 'answer.receipt.json')
    expect((await run('receipt', id, '--out', path)).out).toContain('verify-offline.mjs')
    expect(readFileSync(path)).toEqual(await bundleOf(id))
    expect(await run('receipt', id, '--out', path)).toMatchObject({ code: 2, err: expect.stringContaining('exists already') })
    expect((await run('receipt', 'r1_short')).code).toBe(2)
    expect((await run('receipt', `r1_${'a'.repeat(52)}`)).err).toContain('never issued here')
    mkdirSync(join(home, 'sub'))
    expect((await run('receipt', id, '--out', join(home, 'sub'))).code).toBe(2)
  })
})

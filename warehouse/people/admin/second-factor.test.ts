// The second factor against Postgres: once only, bounded tries, sealed outside the database, one user's own.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { TooMany } from '#schemas/errors.ts'
import { ensureKeyFiles } from '../../store/key-files.ts'
import { bucketOfCode } from '../users/throttle.ts'
import { beginEnrolment, chargeTry, confirmEnrolment, enrolNow, factorOf, removeFactor, takeCode } from './second-factor.ts'
import { openSealKey, sealKeyName, sealKeyOf } from './secret-key.ts'
import { codeOf, stepOf } from './totp.ts'

const { db } = await testDatabase()
const key = sealKeyOf(new Map([[1, randomBytes(32)]]))
const now = new Date('2026-11-21T12:00:10Z')
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
const bytesOf = (secret: string): Uint8Array => Secret.fromBase32(secret).bytes
async function enrolled() {
  const user = await signedInUser(db, { is_admin: true })
  const { secret, recovery_codes } = await enrolNow(db, key, user, now)
  return { ...user, code: (at: Date) => codeOf(bytesOf(secret), stepOf(at)), recovery_codes }
}

describe('a code', () => {
  it('works once, also under concurrent use', async () => {
    const { user_id, code } = await enrolled()
    const taken = await Promise.all(Array.from({ length: 1000 }, () => takeCode(db, key, user_id, code(now), now)))
    expect(taken.filter(Boolean)).toHaveLength(1)
  })
  it('is not taken again, nor one of an earlier step, after a later one', async () => {
    const { user_id, code } = await enrolled()
    expect(await takeCode(db, key, user_id, code(now), now)).toBe(true)
    expect(await takeCode(db, key, user_id, code(now), later(5))).toBe(false)
    expect(await takeCode(db, key, user_id, code(later(-30)), later(5))).toBe(false)
    expect(await takeCode(db, key, user_id, code(later(30)), later(30))).toBe(true)
  })
  it('is tried five times a quarter of an hour, and the right one does not help after that', async () => {
    const { user_id, code } = await enrolled()
    const wrong = code(now) === '000000' ? '000001' : '000000'
    for (let at = 0; at < 5; at += 1) expect(await takeCode(db, key, user_id, wrong, now)).toBe(false)
    expect(await takeCode(db, key, user_id, code(now), now)).toBe(false)
    expect(await takeCode(db, key, user_id, code(later(890)), later(890))).toBe(false)
    expect(await takeCode(db, key, user_id, code(later(901)), later(901))).toBe(true)
  })
  it('that strangers tried until none is taken is taken from a known device, and gives strangers no tries; the device has a separate budget', async () => {
    const { user_id, code } = await enrolled()
    const wrong = code(now) === '000000' ? '000001' : '000000'
    const [phone, laptop] = (['one', 'two'] as const).map(id => bucketOfCode(user_id, { kind: 'device', id }))
    for (let at = 0; at < 9; at += 1) expect(await takeCode(db, key, user_id, wrong, now)).toBe(false)
    expect(await takeCode(db, key, user_id, code(now), now, phone)).toBe(true)
    expect(await takeCode(db, key, user_id, code(later(30)), later(30))).toBe(false)
    for (let at = 0; at < 5; at += 1) expect(await takeCode(db, key, user_id, wrong, later(30), phone)).toBe(false)
    await expect(takeCode(db, key, user_id, code(later(30)), later(30), phone)).rejects.toThrow(TooMany)
    expect(await takeCode(db, key, user_id, code(later(30)), later(30), laptop)).toBe(true)
  })
  it('is bounded when the tries come at once, too', async () => {
    const { user_id } = await enrolled()
    const charged = await Promise.all(Array.from({ length: 200 }, () => chargeTry(db, user_id, now)))
    expect(charged.filter(Boolean)).toHaveLength(5)
  })
  it('of one administrator is not valid for another, nor for a user without a factor', async () => {
    const [one, other, none] = [await enrolled(), await enrolled(), await signedInUser(db)]
    expect(await takeCode(db, key, other.user_id, one.code(now), now)).toBe(false)
    expect(await takeCode(db, key, none.user_id, one.code(now), now)).toBe(false)
    expect(await takeCode(db, key, one.user_id, one.code(now), now)).toBe(true)
  })
})

describe('recovery codes', () => {
  it('are ten, each good once, also when it is used 200 times at once', async () => {
    const { user_id, recovery_codes } = await enrolled()
    expect(new Set(recovery_codes).size).toBe(10)
    const taken = await Promise.all(Array.from({ length: 200 }, () => takeCode(db, key, user_id, recovery_codes[3] ?? '', now)))
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect(await factorOf(db, user_id)).toEqual({ enrolled: true, recovery_codes_left: 9 })
  })
  it('are taken also after strangers used up the tries of codes', async () => {
    const { user_id, recovery_codes } = await enrolled()
    for (let at = 0; at < 6; at += 1) expect(await takeCode(db, key, user_id, 'AAAA-AAAA-AAAA-AAAA', now)).toBe(false)
    expect(await takeCode(db, key, user_id, recovery_codes[0] ?? '', now)).toBe(true)
  })
  it('of one are none of another; neither secret nor code is in the database', async () => {
    const [one, other] = [await enrolled(), await enrolled()]
    expect(await takeCode(db, key, other.user_id, one.recovery_codes[0] ?? '', now)).toBe(false)
    const row = await db.selectFrom('admin_totp').selectAll().where('user_id', '=', one.user_id).executeTakeFirstOrThrow()
    expect(row.secret?.length).toBe(1 + 12 + 20 + 16)
    expect(() => sealKeyOf(new Map([[1, randomBytes(32)]])).open(row.secret ?? Buffer.alloc(0), one.user_id)).toThrow('cannot be decrypted')
    expect(() => key.open(row.secret ?? Buffer.alloc(0), other.user_id)).toThrow('cannot be decrypted')
  })
})

describe('an enrolment', () => {
  it('counts from its first code on; until then the old factor is valid', async () => {
    const { user_id, email, code, recovery_codes } = await enrolled()
    const { secret } = await beginEnrolment(db, key, { user_id, email }, now)
    expect(await takeCode(db, key, user_id, codeOf(bytesOf(secret), stepOf(now)), now)).toBe(false)
    expect(await takeCode(db, key, user_id, code(now), now)).toBe(true)
    expect(await confirmEnrolment(db, key, user_id, '12345', now)).toBeNull()
    const fresh = await confirmEnrolment(db, key, user_id, codeOf(bytesOf(secret), stepOf(later(60))), later(60))
    expect(fresh).toHaveLength(10)
    expect(await takeCode(db, key, user_id, recovery_codes[0] ?? '', later(60))).toBe(false)
    expect(await takeCode(db, key, user_id, codeOf(bytesOf(secret), stepOf(later(60))), later(60))).toBe(false)
    expect(await takeCode(db, key, user_id, codeOf(bytesOf(secret), stepOf(later(90))), later(90))).toBe(true)
  })
  it('waits a quarter of an hour, is confirmed once, and can be taken away', async () => {
    const user = await signedInUser(db, { is_admin: true })
    const { secret } = await beginEnrolment(db, key, user, now)
    expect(await factorOf(db, user.user_id)).toEqual({ enrolled: false, recovery_codes_left: 0 })
    expect(await confirmEnrolment(db, key, user.user_id, codeOf(bytesOf(secret), stepOf(later(901))), later(901))).toBeNull()
    const code = codeOf(bytesOf(secret), stepOf(now))
    const confirmed = await Promise.all(
      Array.from({ length: 50 }, () => db.transaction().execute(trx => confirmEnrolment(trx, key, user.user_id, code, now))),
    )
    expect(confirmed.filter(each => each !== null)).toHaveLength(1)
    await removeFactor(db, user.user_id)
    expect(await factorOf(db, user.user_id)).toEqual({ enrolled: false, recovery_codes_left: 0 })
  })
})

describe('the keys', () => {
  it('are in a file readable only by their owner; a second one seals from then on, and the first one still opens', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'crossfile-seal-')), 'keys')
    ensureKeyFiles(folder, sealKeyName)
    const [one, again] = [openSealKey(folder), openSealKey(folder)]
    const sealed = one.seal(Buffer.from('secret'), 'u_1')
    expect(again.open(sealed, 'u_1').toString()).toBe('secret')
    expect(readdirSync(folder)).toEqual(['admin-totp-1.key'])
    expect(statSync(join(folder, 'admin-totp-1.key')).mode & 0o777).toBe(0o600)
    writeFileSync(join(folder, 'admin-totp-2.key'), randomBytes(32), { mode: 0o600 })
    const both = openSealKey(folder)
    expect([both.open(sealed, 'u_1').toString(), both.seal(Buffer.from('secret'), 'u_1')[0]]).toEqual(['secret', 2])
    expect(both.hmacs('ABC', 'u_1')[1]).toEqual(one.hmacs('ABC', 'u_1')[0])
  })
})

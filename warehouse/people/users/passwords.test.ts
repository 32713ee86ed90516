// Stored passwords, the rules for a new one, and the pauses after failures.
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { BadRequest, TooMany } from '#schemas/errors.ts'
import { ensureKeyFiles, readKeyFiles } from '../../store/key-files.ts'
import { emailKey } from './email.ts'
import patterns from './guessable.json' with { type: 'json' }
import { guessBits, isGuessable } from './guessable.ts'
import { checkNewPassword } from './password-rules.ts'
import { createPasswords, parsePhc, phcText } from './passwords.ts'
import { bucketsOf, charge, forgive, pauseSeconds, sweepFailures, windowMs } from './throttle.ts'

const folder = mkdtempSync(join(tmpdir(), 'crossfile-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const cheap = { memory: 64, passes: 1, parallelism: 1 }
const pepper = (byte: number): Buffer => Buffer.alloc(32, byte)

describe('a stored password', () => {
  it('is matched by itself alone, in either form of Unicode, and by none if there is none', async () => {
    const passwords = createPasswords(() => new Map([[1, pepper(1)]]), cheap)
    const stored = await passwords.hash('Zoë likes crêpes')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1,keyid=1\$/)
    expect(await passwords.hash('Zoë likes crêpes')).not.toBe(stored)
    expect(await passwords.verify('Zoë likes crêpes'.normalize('NFD'), stored)).toEqual({ matches: true, outdated: false })
    for (const wrong of ['zoë likes crêpes', 'Zoë likes crêpes ', '', 'x'.repeat(1000)])
      expect((await passwords.verify(wrong, stored)).matches).toBe(false)
    expect((await passwords.verify('Zoë likes crêpes', null)).matches).toBe(false)
  })
  it('is worth nothing without its pepper, and is outdated when the cost or the pepper was renewed', async () => {
    const before = createPasswords(() => new Map([[1, pepper(1)]]), cheap)
    const stored = await before.hash('walnut harbour')
    const stolen = createPasswords(() => new Map([[1, pepper(9)]]), cheap)
    expect((await stolen.verify('walnut harbour', stored)).matches).toBe(false)
    const dearer = createPasswords(() => new Map([[1, pepper(1)]]), { ...cheap, passes: 2 })
    expect(await dearer.verify('walnut harbour', stored)).toEqual({ matches: true, outdated: true })
    const both = new Map([
      [1, pepper(1)],
      [2, pepper(2)],
    ])
    const renewed = createPasswords(() => both, cheap)
    expect(await renewed.verify('walnut harbour', stored)).toEqual({ matches: true, outdated: true })
    expect(parsePhc(await renewed.hash('walnut harbour')).pepper).toBe(2)
    await expect(createPasswords(() => new Map([[2, pepper(2)]]), cheap).verify('x', stored)).rejects.toThrow('pepper 1 is missing')
  })
  it('is computed a few at a time; more than 32 under way for one address are refused', async () => {
    const passwords = createPasswords(() => new Map([[1, pepper(1)]]), cheap, 2)
    const requested = await Promise.allSettled(Array.from({ length: 50 }, () => passwords.hash('walnut harbour')))
    const refused = requested.filter(each => each.status === 'rejected')
    expect(refused).toHaveLength(50 - 32)
    expect(refused.every(each => each.reason instanceof TooMany && each.reason.retryAfterSeconds === 5)).toBe(true)
    expect(await passwords.hash('walnut harbour')).toMatch(/^\$argon2id/)
  })
  it('prints and reads alike, and anything else is refused', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(each => Buffer.from(each))
    fc.assert(
      fc.property(fc.nat(99_999), fc.integer({ min: 1, max: 99 }), bytes(16), bytes(32), (memory, passes, salt, tag) => {
        const parts = { cost: { memory, passes, parallelism: 1 }, pepper: 7, salt, tag }
        expect(parsePhc(phcText(parts))).toEqual(parts)
      }),
    )
    expect(() => parsePhc('$2b$12$abcdefghijklmnopqrstuv')).toThrow('not readable')
  })
})

describe('the file of a key', () => {
  it('is made once, for its owner alone, however many ask', () => {
    const keys = join(folder, 'a', 'keys')
    const [first, second] = [ensureKeyFiles(keys, 'pepper'), ensureKeyFiles(keys, 'pepper')]
    expect(first.get(1)).toHaveLength(32)
    expect(second).toEqual(first)
    expect(statSync(join(keys, 'pepper-1.key')).mode & 0o777).toBe(0o600)
    expect(readKeyFiles(keys, 'other').size).toBe(0)
    expect(ensureKeyFiles(keys, 'other').get(1)).not.toEqual(first.get(1))
  })
  it('is refused where others may read it, where it is cut short, and where it is a link', () => {
    const keys = join(folder, 'b')
    ensureKeyFiles(keys, 'pepper')
    chmodSync(join(keys, 'pepper-1.key'), 0o640)
    expect(() => readKeyFiles(keys, 'pepper')).toThrow('mode 0640')
    writeFileSync(join(keys, 'short-1.key'), 'x', { mode: 0o600 })
    expect(() => readKeyFiles(keys, 'short')).toThrow('has 1 bytes')
    symlinkSync(join(keys, 'short-1.key'), join(keys, 'linked-1.key'))
    expect(() => readKeyFiles(keys, 'linked')).toThrow()
  })
})

describe('a new password', () => {
  it('is refused where it is made of what is tried first', () => {
    const first =
      'password1234 Password123! Summer2026!! qwertyuiop12 aaaaaaaaaaaa 123456789012 P@ssw0rd2026 crossfile2026 letmein12345 abcabcabcabc qazwsxedcrfv 1q2w3e4r5t6y AdminAdmin123 iloveyou1234 MapleLeafs2026 hunterhunter1'
    for (const each of first.split(' ')) expect([each, isGuessable(each)]).toEqual([each, true])
    for (const each of ['correct horse battery staple', 'CorrectHorseBatteryStaple1!', 'correct-horse-battery-staple-2026', 'To be or not to be'])
      expect([each, isGuessable(each)]).toEqual([each, true])
    expect(isGuessable('correct horse battery staple of nine other gnomes')).toBe(false)
    expect(isGuessable('jonathanquill')).toBe(false)
    expect(isGuessable('jonathanquill', ['Jonathan.Quill@example.org'])).toBe(true)
  })
  it('may be any of the kind that managers make, and a few unrelated words', () => {
    for (const each of ['tulip-kettle-brisk', 'xK9!mQ2zLp0v', '7f3a9c1e5b2d', 'søvnig elg på ski', '雨が降る前に帰りたい人々よ'])
      expect([each, isGuessable(each)]).toEqual([each, false])
  })
  it('is none of the ten thousand and more that a common word, a year, a row or a mark make', () => {
    const endings = [
      '1',
      '12',
      '123',
      '1234',
      '12345',
      '123456',
      '!',
      '!!',
      '1!',
      '123!',
      '2024',
      '2025',
      '2026',
      '2026!',
      '@123',
      '007',
      '69',
      '99',
      '2000',
      '1999',
      '1987',
      '111',
      '000',
      '321',
      '#1',
      '.',
    ]
    const long = patterns.words.flatMap(word => endings.flatMap(end => [`${word}${end}`, `${word[0]?.toUpperCase()}${word.slice(1)}${end}`]))
    expect(long.length).toBeGreaterThan(10_000)
    expect(long.filter(each => !isGuessable(each))).toEqual([])
  })
  it('costs the guesser no less when something is put behind it that nothing explains', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), text => {
        const bits = guessBits(text)
        expect(bits).toBeGreaterThanOrEqual(0)
        expect(bits).toBeLessThanOrEqual([...text.normalize('NFC')].length * patterns.bits.other)
        expect(guessBits(`${text}☃`)).toBeGreaterThanOrEqual(bits)
      }),
    )
  })
  it('has 12 to 256 characters, counted after NFC', () => {
    const check = (text: string) => () => checkNewPassword(text, 'password', [])
    expect(check('kettlebrisk')).toThrow(BadRequest)
    expect(check('é'.normalize('NFD').repeat(6))).toThrow('12 to 256')
    expect(check(`${'tulip kettle brisk '.repeat(14)}`)).toThrow('12 to 256')
    expect(check('tulip-kettle')).not.toThrow()
  })
})

describe('failures of signing in', () => {
  const now = new Date('2026-11-20T21:05:00Z')
  const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
  it('are followed by pauses that double up to five minutes', () => {
    expect([4, 5, 6, 7, 13, 14, 1000].map(failures => pauseSeconds(failures, 5))).toEqual([0, 1, 2, 4, 256, 300, 300])
  })
  it('are counted for account and address, for the account, for the address; a right password takes its own back', async () => {
    const { db, pool } = await testDatabase()
    const attempt = bucketsOf('a@example.org', '192.0.2.1')
    for (let n = 0; n < 4; n += 1) await charge(db, attempt, now)
    await charge(db, attempt, now)
    await expect(charge(db, attempt, now)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 })
    await expect(charge(db, bucketsOf('b@example.org', '192.0.2.1'), now)).resolves.toBeUndefined()
    await charge(db, attempt, later(1))
    await expect(charge(db, attempt, later(2))).rejects.toMatchObject({ retryAfterSeconds: 1 })
    await charge(db, attempt, later(3))
    await forgive(db, attempt)
    await charge(db, attempt, later(3))
    const { rows } = await pool.query<{ bucket: string; failures: number }>('select bucket, failures from sign_in_failure order by bucket')
    expect(rows.map(row => `${row.bucket.split(' ')[0]} ${row.failures}`).sort()).toEqual(['account 1', 'account 7', 'address 8', 'pair 1', 'pair 1'])
    expect(rows.some(row => row.bucket.includes('example.org'))).toBe(false)
    // After the window all counts restart.
    const fresh = later(windowMs / 1000 + 10)
    for (let n = 0; n < 4; n += 1) await charge(db, attempt, fresh)
    await sweepFailures(db, later(7200))
    expect((await pool.query('select from sign_in_failure')).rowCount).toBe(0)
  })
  it('count as many as are tried at the same time', async () => {
    const { db } = await testDatabase()
    const tried = await Promise.allSettled(Array.from({ length: 200 }, () => charge(db, bucketsOf('a@example.org', '192.0.2.1'), now)))
    expect(tried.filter(each => each.status === 'fulfilled')).toHaveLength(5)
    expect(tried.every(each => each.status === 'fulfilled' || each.reason instanceof TooMany)).toBe(true)
    const spread = await Promise.allSettled(Array.from({ length: 60 }, (_, n) => charge(db, bucketsOf('c@example.org', `192.0.2.${n}`), now)))
    expect(spread.filter(each => each.status === 'fulfilled')).toHaveLength(20)
    const many = await Promise.allSettled(Array.from({ length: 80 }, (_, n) => charge(db, bucketsOf(`d${n}@example.org`, '198.51.100.7'), now)))
    expect(many.filter(each => each.status === 'fulfilled')).toHaveLength(50)
  })
})

it('addresses of mail are one where letters differ in case or form, and two where a mark differs', () => {
  expect(emailKey('Jane.Roe@EXAMPLE.org')).toBe('jane.roe@example.org')
  expect(emailKey('jane@bücher.example')).toBe('jane@xn--bcher-kva.example')
  expect(emailKey('Zoë@example.org'.normalize('NFD'))).toBe(emailKey('zoë@example.org'))
  expect(emailKey('jane.roe@gmail.com')).not.toBe(emailKey('janeroe+x@gmail.com'))
})

// Keys of two hosts with separate folders over one database: fingerprints, and signing keys that pass from one to the other.
import { copyFileSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { BadRequest } from '#schemas/errors.ts'
import { publishVapid } from '../people/push/vapid.ts'
import { ensureKeyFiles, readKeyFiles } from './key-files.ts'
import { checkKeyFiles, findKeyFaults } from './key-fingerprints.ts'
import { activeSigner, announceKey, checkSigning, findRetiredSigners, findSigning, revokeKey, rotateKey } from './receipts/rotation.ts'
import { shareSigningKeys } from './receipts/share-signing-keys.ts'
import { createNextSigner, readSigners } from './receipts/signer.ts'
import { sharedKeyName } from './shared-keys.ts'

let database: TestDatabase
const folders: string[] = []
/** The folder of keys of a host. */
function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-keys-'))
  folders.push(folder)
  return join(folder, 'keys')
}
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
const makes = { makes: true }

describe('the fingerprints of keys', () => {
  test('are recorded when a key is made, and do not reveal it', async () => {
    const folder = aFolder()
    await checkKeyFiles(database.db, folder, ['pepper', 'admin-totp'], makes)
    expect(readdirSync(folder).sort()).toEqual(['admin-totp-1.key', 'pepper-1.key'])
    const rows = await database.db.selectFrom('key_fingerprint').selectAll().orderBy('name').execute()
    expect(rows.map(({ name, number }) => [name, number])).toEqual([
      ['admin-totp', 1],
      ['pepper', 1],
    ])
    for (const { name, fingerprint } of rows) expect(fingerprint.equals(readKeyFiles(folder, name).get(1) ?? Buffer.alloc(0))).toBe(false)
    await checkKeyFiles(database.db, folder, ['pepper', 'admin-totp'], makes)
    // A further key of the same name is recorded when it is first seen.
    copyFileSync(join(folder, 'admin-totp-1.key'), join(folder, 'pepper-2.key'))
    await checkKeyFiles(database.db, folder, ['pepper'], { makes: false })
    rmSync(join(folder, 'pepper-2.key'))
    await expect(checkKeyFiles(database.db, folder, ['pepper'], makes)).rejects.toThrow('lacks pepper-2.key')
  })

  test('a second host without keys, or with other ones, is refused, and makes none', async () => {
    const first = aFolder()
    await checkKeyFiles(database.db, first, ['pepper'], makes)
    const second = aFolder()
    for (const each of [makes, { makes: false }]) {
      const refused = await checkKeyFiles(database.db, second, ['pepper'], each).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(BadRequest)
      expect(refused).toMatchObject({
        message: expect.stringContaining(`${second} lacks pepper-1.key`),
        hint: expect.stringContaining('copy the folder keys'),
      })
    }
    expect(existsSync(second)).toBe(false)
    ensureKeyFiles(second, 'pepper')
    await expect(checkKeyFiles(database.db, second, ['pepper'], makes)).rejects.toThrow(
      'pepper-1.key is not the key that this database was used with',
    )
    expect(await findKeyFaults(database.db, second, ['pepper', 'admin-totp'])).toHaveLength(1)
    rmSync(second, { recursive: true })
    cpSync(first, second, { recursive: true })
    await checkKeyFiles(database.db, second, ['pepper'], makes)
    // The first host lost its folder.
    rmSync(first, { recursive: true })
    await expect(checkKeyFiles(database.db, first, ['pepper'], makes)).rejects.toThrow('lacks pepper-1.key')
    // The documented way to continue without it.
    await sql`delete from key_fingerprint`.execute(database.db)
    await checkKeyFiles(database.db, first, ['pepper'], makes)
    expect(readKeyFiles(first, 'pepper').size).toBe(1)
  })

  test('of hosts that start at the same time, one makes the key and the others are refused', async () => {
    const hosts = Array.from({ length: 6 }, aFolder)
    const started = await Promise.allSettled(hosts.map(folder => checkKeyFiles(database.db, folder, ['pepper'], makes)))
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of started) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(BadRequest)
    expect(hosts.filter(folder => existsSync(join(folder, 'pepper-1.key')))).toHaveLength(1)
  })

  test('an API that starts before the first worker makes none and is not refused', async () => {
    const folder = aFolder()
    await checkKeyFiles(database.db, folder, ['pepper'], { makes: false })
    expect(existsSync(folder)).toBe(false)
  })
})

describe('signing keys of several hosts', () => {
  const shared = async (): Promise<void> => void (await sql`insert into lake_place (address) values ('s3://bucket/lake')`.execute(database.db))
  const stored = async (): Promise<string[]> =>
    (await database.db.selectFrom('shared_key').select('name').orderBy('name').execute()).map(row => row.name)
  const signing = (folder: string) => database.db.transaction().execute(trx => findSigning(trx, folder))
  /** Two hosts that sign with the same key. */
  async function hosts(): Promise<[string, string]> {
    const [a, b] = [aFolder(), aFolder()]
    await checkKeyFiles(database.db, a, [sharedKeyName], makes)
    await database.db.transaction().execute(trx => activeSigner(trx, a))
    cpSync(a, b, { recursive: true })
    return [a, b]
  }

  test('a lake on the disk keeps private keys out of the database', async () => {
    const folder = aFolder()
    const signer = await database.db.transaction().execute(trx => activeSigner(trx, folder))
    await rotateKey(database.db, folder, { fresh: true })
    await publishVapid(database.db, folder)
    await shareSigningKeys(database.db, folder)
    expect(await stored()).toEqual([])
    expect((await signing(aFolder())).fault?.message).toContain('is active, but')
    expect(signer.kid).toHaveLength(43)
  })

  test('a rotation on one host applies to the other, which signs checkpoints with the old key too', async () => {
    await shared()
    const [a, b] = await hosts()
    const first = readSigners(a)[0]?.kid ?? ''
    const { signer } = await rotateKey(database.db, a, { fresh: true })
    expect(await stored()).toEqual([`signing ${first}`, `signing ${signer.kid}`].sort())
    expect(await checkSigning(database.db, b)).toEqual({ kid: signer.kid, fault: null })
    expect(readSigners(b)).toHaveLength(1)
    expect((await signing(b)).signer?.kid).toBe(signer.kid)
    expect(statSync(join(b, 'signing-2.pem')).mode & 0o777).toBe(0o600)
    const third = aFolder()
    cpSync(join(a, 'shared-1.key'), join(third, 'shared-1.key'), { recursive: true })
    expect((await signing(third)).signer?.kid).toBe(signer.kid)
    expect((await database.db.transaction().execute(trx => findRetiredSigners(trx, third))).map(each => each.kid)).toEqual([first])
  })

  test('a key that was announced on one host is activated by a rotation on the other', async () => {
    await shared()
    const [a, b] = await hosts()
    const announced = createNextSigner(a)
    expect(await announceKey(database.db, announced)).toBe('pending')
    await shareSigningKeys(database.db, a)
    expect(await rotateKey(database.db, b)).toMatchObject({ origin: 'pending', signer: { kid: announced.kid } })
  })

  test('the copy of a revoked key, and of one that was retired for a day, is deleted', async () => {
    await shared()
    const [a] = await hosts()
    const [first] = readSigners(a)
    const { signer } = await rotateKey(database.db, a, { fresh: true })
    await revokeKey(database.db, first?.kid ?? '', 'now')
    expect(await stored()).toEqual([`signing ${signer.kid}`])
    const { signer: third } = await rotateKey(database.db, a, { fresh: true })
    await sql`update signing_key set retired_at = clock_timestamp() - interval '25 hours' where kid = ${signer.kid}`.execute(database.db)
    await shareSigningKeys(database.db, a)
    expect(await stored()).toEqual([`signing ${third.kid}`])
  })

  test('another key that seals, none, and a row of another key are clear faults, and nothing is written', async () => {
    await shared()
    const [a, b] = await hosts()
    const { signer } = await rotateKey(database.db, a, { fresh: true })
    rmSync(join(b, 'shared-1.key'))
    expect((await signing(b)).fault?.message).toContain(`${b} lacks shared-1.key`)
    expect((await checkSigning(database.db, b)).fault?.message).toContain('lacks shared-1.key')
    ensureKeyFiles(b, sharedKeyName)
    expect((await signing(b)).fault?.message).toContain(`does not open with ${b}/shared-1.key`)
    copyFileSync(join(a, 'shared-1.key'), join(b, 'shared-1.key'))
    // The sealed copy of another key under this name.
    await sql`update shared_key set sealed = (select sealed from shared_key where name <> ${`signing ${signer.kid}`}) where name = ${`signing ${signer.kid}`}`.execute(
      database.db,
    )
    expect((await signing(b)).fault?.message).toContain('does not open with')
    expect(readSigners(b)).toHaveLength(1)
  })

  test('a file that others could read is not replaced silently', async () => {
    await shared()
    const [a, b] = await hosts()
    writeFileSync(join(b, 'signing-2.pem'), 'x', { mode: 0o644 })
    await rotateKey(database.db, a, { fresh: true })
    expect((await signing(b)).fault?.message).toContain('has mode 0644')
    expect(readdirSync(b).filter(name => name.startsWith('signing-'))).toHaveLength(2)
  })

  test('the key of pushes passes to a host that lacks it', async () => {
    await shared()
    const [a, b] = await hosts()
    const vapid = await publishVapid(database.db, a)
    expect(await publishVapid(database.db, b)).toEqual(vapid)
    const [c, d] = [aFolder(), aFolder()]
    for (const each of [c, d]) cpSync(join(a, 'shared-1.key'), join(each, 'shared-1.key'), { recursive: true })
    await sql`delete from push_key`.execute(database.db)
    await sql`delete from shared_key`.execute(database.db)
    const [one, two] = await Promise.all([publishVapid(database.db, c), publishVapid(database.db, d)])
    expect(one).toEqual(two)
  })
})

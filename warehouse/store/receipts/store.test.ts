import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { anotherSigner, aReceipt, aSigner, aStatementInput, payload } from '#fixtures/receipts/vectors.ts'
import { keyRing, publicKeyEntry } from './keys.ts'
import { issueReceipt } from './receipt.ts'
import { activeSigner, revokeKey, rotateKey } from './rotation.ts'
import { readSigners } from './signer.ts'
import { buildStatement } from './statement.ts'
import { getReceipt, insertReceipt, insertReceipts, listKeys } from './store.ts'
import { verifyReceipt } from './verify.ts'

const { db } = await testDatabase()
const home = mkdtempSync(join(tmpdir(), 'receipts-'))
const folder = join(home, 'keys')
afterAll(() => rmSync(home, { recursive: true, force: true }))

const setHead = (release: number) => db.updateTable('head').set({ release }).execute()
/** Until some session of this database waits for a lock. */
async function waitsForLock(): Promise<void> {
  const waiting = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting.execute(db)).rows[0]?.n === 0) await sleep(20)
}
const current = () => db.transaction().execute(trx => activeSigner(trx, folder))

beforeEach(async () => {
  await db.deleteFrom('receipt').execute()
  await db.deleteFrom('signing_key').execute()
  rmSync(folder, { recursive: true, force: true })
  await setHead(10)
})

describe('a stored receipt', () => {
  beforeEach(async () => {
    for (const signer of [aSigner, anotherSigner]) {
      const { kid, x, status, valid_from, valid_to, from_index, to_index } = publicKeyEntry(signer.x, 'retired', { valid_from: 1 })
      await db.insertInto('signing_key').values({ kid, x, status, valid_from, valid_to, from_index, to_index }).execute()
    }
  })

  it('comes back byte for byte, with its question taken apart, and verifies', async () => {
    const receipt = aReceipt()
    expect(await insertReceipt(db, receipt)).toBe(true)
    const stored = await getReceipt(db, receipt.receipt_id)
    expect(stored).toEqual({
      ...receipt,
      operation: 'GET /api/v1/data/form4',
      parameters: 'since=2026-01-01&ticker=QNTX',
      release: 42,
      payload_sha256: '5331531dcda04272258fae45f440e8e5112ca91dbd3438e50e4cbd1a86f356f6',
    })
    expect(verifyReceipt(stored, keyRing(await listKeys(db)), { payload }).valid).toBe(true)
  })

  it('stays as it was first signed', async () => {
    const first = aReceipt()
    expect(await insertReceipt(db, first)).toBe(true)
    expect(await insertReceipt(db, aReceipt({}, anotherSigner))).toBe(false)
    expect(await getReceipt(db, first.receipt_id)).toMatchObject({ kid: aSigner.kid, signature: first.signature })
  })

  it('is stored with thousands of others in a few statements, each once', async () => {
    const many = Array.from({ length: 2500 }, (_, i) => aReceipt({ payload: Buffer.from(`{"count":${i}}`) }))
    expect(await insertReceipts(db, many)).toBe(2500)
    expect(await insertReceipts(db, [...many, aReceipt()])).toBe(1)
    expect(await insertReceipts(db, [])).toBe(0)
  })

  it('is distinguished from one that is not there and from what is no receipt', async () => {
    await expect(getReceipt(db, aReceipt().receipt_id)).rejects.toMatchObject({ status: 404 })
    for (const id of ['', 'r1_', `r1_${'A'.repeat(52)}`, `r1_${'a'.repeat(51)}b`, "' or 1=1"]) {
      await expect(getReceipt(db, id)).rejects.toMatchObject({ status: 400 })
    }
  })
})

describe('the signing key', () => {
  it('is made at the first start and is the same at the next', async () => {
    const first = await current()
    expect((await current()).kid).toBe(first.kid)
    expect(await listKeys(db)).toEqual({ keys: [publicKeyEntry(first.x, 'active', { valid_from: 10 })] })
  })

  it('is one, however many workers start at once', async () => {
    const signers = await Promise.all(Array.from({ length: 8 }, current))
    expect(new Set(signers.map(s => s.kid)).size).toBe(1)
    expect(readSigners(folder)).toHaveLength(1)
  })

  it('is refused on a machine that does not hold it', async () => {
    const { kid } = await current()
    renameSync(folder, join(home, 'elsewhere'))
    await expect(current()).rejects.toThrow(`signing key ${kid} is active, but ${folder} does not hold it`)
    renameSync(join(home, 'elsewhere'), folder)
    chmodSync(join(folder, 'signing-1.pem'), 0o644)
    await expect(current()).rejects.toThrow('has mode 0644, expected 0600')
  })

  it('is rotated: the old one keeps its receipts and signs nothing later', async () => {
    const old = await current()
    const receipt = issueReceipt(buildStatement(aStatementInput({ release: 10 })), old)
    const later = issueReceipt(buildStatement(aStatementInput({ release: 21 })), old)
    await setHead(20)
    const { signer: fresh } = await rotateKey(db, folder)
    expect((await current()).kid).toBe(fresh.kid)
    expect(fresh.kid).not.toBe(old.kid)
    const ring = keyRing(await listKeys(db))
    expect(ring.get(old.kid)?.entry).toMatchObject({ status: 'retired', valid_from: 10, valid_to: 20 })
    expect(ring.get(fresh.kid)?.entry).toMatchObject({ status: 'active', valid_from: 20, valid_to: null })
    expect(verifyReceipt(receipt, ring).valid).toBe(true)
    expect(verifyReceipt(later, ring).reason).toBe('key_out_of_range')
  })

  it('takes up the key of a rotation that failed after making its file', async () => {
    await current()
    await db.deleteFrom('head').execute() // the rotation fails when it asks for the head
    await expect(rotateKey(db, folder)).rejects.toThrow('the catalogue has no head')
    expect(readSigners(folder)).toHaveLength(2)
    await db.insertInto('head').values({ release: 11, catalogue_version: 0 }).execute()
    expect((await rotateKey(db, folder)).signer.kid).toBe(readSigners(folder)[1]?.kid)
    expect(readSigners(folder)).toHaveLength(2)
  })

  it('waits with its rotation for the commit that signs with it, and counts its release', async () => {
    const old = await current()
    const { promise: signed, resolve: tellSigned } = Promise.withResolvers<void>()
    const { promise: goOn, resolve: letCommit } = Promise.withResolvers<void>()
    const commit = db.transaction().execute(async trx => {
      const signer = await activeSigner(trx, folder)
      tellSigned()
      await goOn
      await trx.updateTable('head').set({ release: 11 }).execute()
      await insertReceipt(trx, issueReceipt(buildStatement(aStatementInput({ release: 11 })), signer))
    })
    await signed
    const rotation = rotateKey(db, folder)
    await waitsForLock()
    letCommit()
    await commit
    await rotation
    const ring = keyRing(await listKeys(db))
    expect(ring.get(old.kid)?.entry.valid_to).toBe(11)
    const { receipt_id } = await db.selectFrom('receipt').select('receipt_id').executeTakeFirstOrThrow()
    expect(verifyReceipt(await getReceipt(db, receipt_id), ring).valid).toBe(true)
  })

  it('signs nothing more once it is compromised, until the next one', async () => {
    const stolen = await current()
    const receipt = issueReceipt(buildStatement(aStatementInput({ release: 10 })), stolen)
    await revokeKey(db, stolen.kid, 'now')
    await expect(current()).rejects.toThrow('no signing key is active')
    expect(verifyReceipt(receipt, keyRing(await listKeys(db))).reason).toBe('key_compromised')
    const { signer: fresh } = await rotateKey(db, folder)
    expect((await current()).kid).toBe(fresh.kid)
    expect(keyRing(await listKeys(db)).get(stolen.kid)?.entry.status).toBe('compromised')
    await expect(revokeKey(db, 'A'.repeat(43), 'now')).rejects.toMatchObject({ status: 404 })
  })
})

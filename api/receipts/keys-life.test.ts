// The life of the signing key under a running worker and API: rotated, lost, found again, stolen. Nothing is restarted.
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { addDocument } from '#fixtures/warehouse.ts'
import { countersign, countWaiting } from '#warehouse/store/receipts/countersign.ts'
import { findActiveKid, revokeKey, rotateKey } from '#warehouse/store/receipts/rotation.ts'
import { verifyBundle } from '#warehouse/store/receipts/verify-offline.mjs'

const { db, key, server, warehouse } = await worldService()
const folder = join(warehouse.config.dataFolder, 'keys')

type Json = Readonly<Record<string, unknown>>
const ask = async (path: string): Promise<Json> => {
  const response = await fetch(server.address + path, { headers: { authorization: `Bearer ${key}` } })
  const body = (await response.json()) as Json
  expect([path, response.status, body['detail']]).toEqual([path, 200, undefined])
  return body
}
const verdict = (id: unknown): Promise<Json> => ask(`/api/v1/lineage/verify/${String(id)}`)
const offline = async (id: unknown): Promise<string> => {
  const response = await fetch(`${server.address}/api/v1/data/receipts/${String(id)}/bundle`, { headers: { authorization: `Bearer ${key}` } })
  const { valid, reason } = verifyBundle(Buffer.from(await response.arrayBuffer())) as { valid: boolean; reason: string | null }
  return valid ? 'valid' : String(reason)
}
/** Asks until the answer fits: an API process sees a change of keys within a second. */
async function askUntil(path: string, fits: (body: Json) => boolean): Promise<Json> {
  for (let tries = 0; ; tries += 1) {
    const body = await ask(path)
    if (fits(body)) return body
    if (tries > 400) throw new Error(`${path}: ${JSON.stringify(body).slice(-300)}`)
    await sleep(50)
  }
}
const keyOf = async (id: unknown): Promise<string> => String((await ask(`/api/v1/data/receipts/${String(id)}`))['key_id'])
const paged = '/api/v1/data/form4?ticker=BRLX'

it('is rotated: the next answer has the new key, earlier receipts stay valid online and offline', async () => {
  const old = await ask(paged)
  const oldKey = await keyOf(old['receipt_id'])
  const { signer, retired } = await rotateKey(db, folder)
  expect(retired).toBe(oldKey)
  const fresh = await ask('/api/v1/market/exchanges?year=2023&receipt=1')
  expect(await keyOf(fresh['receipt_id'])).toBe(signer.kid)
  for (const { receipt_id } of [old, fresh]) {
    expect(await verdict(receipt_id)).toMatchObject({ valid: true, reproduced: true })
    expect(await offline(receipt_id)).toBe('valid')
  }
})

it('is lost: releases are committed, answers name the reason, and are signed when it is back', async () => {
  renameSync(folder, `${folder}-away`)
  // Corporate actions are pages: without the key they would be made and signed within this commit.
  const actions = 'symbol,ex_date,kind,numerator,denominator\nCFB,2026-11-20,split,2,1\n'
  const release = await addDocument(warehouse, 'file:actions-lost.csv', actions, 'csv', '2026-11-20T23:30:00Z')
  await askUntil('/health', body => body['release'] === release)
  const unsigned = await askUntil(`/api/v1/market/corporate-actions/CFB?release=${release}`, body => body['release'] === release)
  expect(unsigned).toMatchObject({ unsigned_reason: 'no_signing_key' })
  expect(unsigned['receipt_id']).toBeUndefined()
  expect(await ask('/api/v1/market/exchanges?year=2019&receipt=1')).toMatchObject({ unsigned_reason: 'no_signing_key' })
  renameSync(`${folder}-away`, folder)
  const signed = await askUntil(`/api/v1/market/corporate-actions/CFB?release=${release}`, body => body['receipt_id'] !== undefined)
  expect(signed['unsigned_reason']).toBeUndefined()
  const { unsigned_reason: _reason, ...before } = unsigned
  const { receipt_id, ...after } = signed
  expect(after).toEqual(before)
  expect(await verdict(receipt_id)).toMatchObject({ valid: true, reproduced: true })
})

it('is lost permanently: another one takes over, and the receipts of the lost one stay valid', async () => {
  const { receipt_id } = await ask('/api/v1/market/exchanges?year=2023&receipt=1')
  rmSync(folder, { recursive: true })
  mkdirSync(folder, { mode: 0o700 })
  const { signer } = await rotateKey(db, folder)
  const fresh = await ask('/api/v1/market/exchanges?year=2022&receipt=1')
  expect(await keyOf(fresh['receipt_id'])).toBe(signer.kid)
  expect(await verdict(receipt_id)).toMatchObject({ valid: true })
  expect(await offline(receipt_id)).toBe('valid')
})

it('is stolen: receipts of before are signed again under their id, later ones fail until their answers are made again', async () => {
  const stolen = await findActiveKid(db)
  const early = await ask('/api/v1/market/exchanges?year=2021&receipt=1')
  const { rows } = await sql<{ at: string }>`select clock_timestamp() as at`.execute(db)
  const late = await ask('/api/v1/market/exchanges?year=2020&receipt=1')
  const revocation = await revokeKey(db, String(stolen), String(rows[0]?.at))
  expect(revocation).toMatchObject({ was: 'active', failing: 1, pages: 1 })
  expect(revocation.standing).toBeGreaterThanOrEqual(2)
  for (const { receipt_id } of [early, late]) expect(await offline(receipt_id)).toBe('key_compromised')
  const { signer } = await rotateKey(db, folder, { fresh: true })
  expect(await countersign(db, folder, new AbortController().signal)).toEqual({ signed: revocation.standing, refused: 0, fault: null })
  expect(await countWaiting(db)).toBe(0)
  expect(await verdict(early['receipt_id'])).toMatchObject({ valid: true, key_id: signer.kid })
  // The process may still hold the bundle that was asked for above: it repeats it for five seconds.
  for (let tries = 0; (await offline(early['receipt_id'])) !== 'valid'; tries += 1) {
    if (tries > 400) throw new Error('the bundle has no second signature')
    await sleep(50)
  }
  expect(await verdict(late['receipt_id'])).toMatchObject({ valid: false, reason: 'key_compromised', key_id: stolen })
  // The process may still hold the answer for a moment; then it is made again, and carries the same id.
  for (let tries = 0; (await keyOf(late['receipt_id'])) === stolen; tries += 1) {
    if (tries > 200) throw new Error('the answer was not signed again')
    expect((await ask('/api/v1/market/exchanges?year=2020&receipt=1'))['receipt_id']).toBe(late['receipt_id'])
    await sleep(50)
  }
  expect(await verdict(late['receipt_id'])).toMatchObject({ valid: true, reproduced: true, key_id: signer.kid })
})

// A receipt as JWS, verified by libraries of other authors: jose, and Python's cryptography where it is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { compactVerify, flattenedVerify, importJWK, type JWK } from 'jose'
import { expect, it } from 'vitest'
import { answerOf, worldService } from '#fixtures/service.ts'
import { envOf, keptIo } from '#pipelines/cli/kept-io.ts'
import { main } from '#pipelines/cli/main.ts'
import type { KeySet } from '#schemas/receipts.ts'
import { rotateKey } from '#warehouse/store/receipts/rotation.ts'
import { listKeys } from '#warehouse/store/receipts/store.ts'

const { db, get, warehouse } = await worldService()
const answer = await answerOf(await get('/api/v1/data/form4?ticker=BRLX'))
const id = String(answer.body['receipt_id'])
const payload = Buffer.from(answer.text.replace(/,"receipt_id":"r1_[a-z2-7]{52}"\}$/, '}'))
const keySet = async (): Promise<KeySet> => (await answerOf(await get('/api/v1/receipts/keys'))).body as unknown as KeySet
const jwsOf = async (query = ''): Promise<string> => {
  const response = await get(`/api/v1/data/receipts/${id}/jws${query}`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/jose'])
  return await response.text()
}
const { body: receipt } = await answerOf(await get(`/api/v1/data/receipts/${id}`))
const statement = Buffer.from(String(receipt['statement_base64']), 'base64')
const keyOf = (keys: KeySet) => async (header: { kid?: string | undefined }) =>
  await importJWK(keys.keys.find(key => key.kid === header.kid) as unknown as JWK, 'Ed25519')
const only = { algorithms: ['Ed25519'] }

it('is accepted by jose with the published keys, and has the statement that names the answer', async () => {
  const keys = await keySet()
  const verified = await compactVerify(await jwsOf(), keyOf(keys), only)
  expect(verified.protectedHeader).toEqual({
    alg: 'Ed25519',
    cty: 'vnd.in-toto+json',
    kid: keys.keys.find(key => key.status === 'active')?.kid,
    typ: 'crossfile-receipt+jws',
  })
  expect(statement.equals(verified.payload)).toBe(true)
  const { subject } = JSON.parse(new TextDecoder().decode(verified.payload)) as { subject: { digest: { sha256: string } }[] }
  expect(subject[0]?.digest.sha256).toBe(createHash('sha256').update(payload).digest('hex'))
})

it('is accepted detached with the statement of the receipt, and is the same each time', async () => {
  const [attached, detached] = [await jwsOf(), await jwsOf('?detached=1')]
  const [header, , signature] = attached.split('.')
  expect(detached).toBe(`${header}..${signature}`)
  expect(await jwsOf()).toBe(attached)
  const flattened = { protected: header as string, payload: statement.toString('base64url'), signature: signature as string }
  expect((await flattenedVerify(flattened, keyOf(await keySet()), only)).protectedHeader?.alg).toBe('Ed25519')
})

it('is refused for every changed bit, as EdDSA, and with the signature of the DSSE envelope', async () => {
  const jws = await jwsOf()
  const keys = await keySet()
  const accepted = async (text: string): Promise<boolean> => {
    try {
      await compactVerify(text, keyOf(keys), only)
      return true
    } catch {
      return false
    }
  }
  const [header = '', body = '', signature = ''] = jws.split('.').map(part => Buffer.from(part, 'base64url'))
  const bits = [header, body, signature].flatMap((part, at) => Array.from({ length: (part as Buffer).length * 8 }, (_, bit) => [at, bit] as const))
  let tried = 0
  for (const [at, bit] of bits) {
    const parts = [header, body, signature].map(part => Buffer.from(part as Buffer))
    const part = parts[at] as Buffer
    part[bit >> 3] = (part[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    tried += 1
    if (await accepted(parts.map(each => each.toString('base64url')).join('.'))) expect([at, bit]).toBe('refused')
  }
  expect(tried).toBeGreaterThan(8_000)
  const dsse = Buffer.from(String(receipt['signature']), 'base64').toString('base64url')
  expect(await accepted(jws.replace(/[^.]*$/, dsse))).toBe(false)
  expect(await accepted(jws)).toBe(true)
})

const python = `
import base64, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
given = json.load(sys.stdin)
unpad = lambda text: base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
header, payload, signature = given['jws'].split('.')
kid = json.loads(unpad(header))['kid']
x = next(key['x'] for key in given['keys'] if key['kid'] == kid)
Ed25519PublicKey.from_public_bytes(unpad(x)).verify(unpad(signature), f'{header}.{payload}'.encode())
print('accepted', len(unpad(payload)))
`
const found = spawnSync('python3', ['-c', 'import cryptography'], { encoding: 'utf8' })
const absent = found.status === 0 ? '' : ' (skipped: python3 with cryptography is not installed)'
it.skipIf(absent !== '')(`is accepted by Python's cryptography${absent}`, async () => {
  const { keys } = await keySet()
  const run = (jws: string) => spawnSync('python3', ['-c', python], { encoding: 'utf8', input: JSON.stringify({ jws, keys }) })
  const jws = await jwsOf()
  expect(run(jws).stdout).toBe(`accepted ${statement.length}\n`)
  expect(run(jws.replace(/\.[^.]*$/, `.${'A'.repeat(86)}`)).status).not.toBe(0)
})

it('is `crossfile receipt ID --jws`, and after a rotation the next key signs it', async () => {
  const run = async (...words: string[]) => {
    const io = keptIo(envOf(warehouse.config))
    const code = await main(['receipt', id, ...words], io, {})
    return { code, out: io.output.out.join('\n'), err: io.output.err.join('\n') }
  }
  const jws = await jwsOf()
  expect(await run('--jws')).toMatchObject({ code: 0, out: jws })
  expect(await run('--jws', '--detached')).toMatchObject({ code: 0, out: await jwsOf('?detached=1') })
  expect((await run('--detached')).code).toBe(2)
  const { signer } = await rotateKey(db, join(warehouse.config.dataFolder, 'keys'))
  const next = await jwsOf()
  // The API repeats its key set for some seconds.
  const keys = await listKeys(db)
  expect((await compactVerify(next, keyOf(keys), only)).protectedHeader.kid).toBe(signer.kid)
  expect((await compactVerify(jws, keyOf(keys), only)).payload).toHaveLength(statement.length)
})

it('is not signed for a receipt that is not valid, or unknown', async () => {
  expect((await get(`/api/v1/data/receipts/r1_${'a'.repeat(52)}/jws`)).status).toBe(404)
  await db
    .updateTable('receipt')
    .set({ signature: Buffer.alloc(64, 1) })
    .where('receipt_id', '=', id)
    .execute()
  const refused = await answerOf(await get(`/api/v1/data/receipts/${id}/jws`))
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('is not valid (signature_wrong)')])
})

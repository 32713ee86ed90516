// The bundle of a receipt over HTTP, verified by verify-offline.mjs in another process with only that file.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { decodeBundle } from '#warehouse/store/receipts/bundle.ts'

const { key, server } = await worldService()
const home = mkdtempSync(join(tmpdir(), 'bundle-'))
copyFileSync(fileURLToPath(new URL('../../warehouse/store/receipts/verify-offline.mjs', import.meta.url)), join(home, 'verify-offline.mjs'))
beforeAll(async () => {})
afterAll(async () => {
  await server.close()
  rmSync(home, { recursive: true, force: true })
})
const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.address + path, { headers: { authorization: `Bearer ${key}`, ...headers } })
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())
const node = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: home, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

/** An answer as it is served, and its bundle. */
async function answerAndBundle(path: string): Promise<{ readonly body: Buffer; readonly bundle: Buffer; readonly id: string }> {
  const answer = await ask(path)
  const id = answer.headers.get('x-receipt-id') ?? ''
  const response = await ask(`/api/v1/data/receipts/${id}/bundle`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  return { body: await bytesOf(answer), bundle: await bytesOf(response), id }
}

describe('the bundle of a receipt', () => {
  it('is verified by the script alone, with the answer inside and with the answer as it was served', async () => {
    const { body, bundle, id } = await answerAndBundle('/api/v1/data/form4?ticker=BRLX')
    const keys = await bytesOf(await ask('/api/v1/receipts/keys'))
    for (const [name, bytes] of Object.entries({ 'a.receipt.json': bundle, 'body.json': body, 'keys.json': keys }))
      writeFileSync(join(home, name), bytes)
    expect(node('verify-offline.mjs', 'a.receipt.json', '--keys', 'keys.json', '--payload', 'body.json')).toMatchObject({
      status: 0,
      text: expect.stringMatching(new RegExp(`^VALID {2}${id}[\\s\\S]*again {5}from the documents`)),
    })
    expect(node('verify-offline.mjs', 'a.receipt.json').status).toBe(0)
    expect(decodeBundle(bundle).payload).not.toBeNull()
    writeFileSync(join(home, 'body.json'), body.toString('latin1').replace('"count":', '"count":1'), 'latin1')
    expect(node('verify-offline.mjs', 'a.receipt.json', '--payload', 'body.json')).toMatchObject({ status: 1 })
  })

  it('is refused by the script for every changed bit of it', async () => {
    const { bundle } = await answerAndBundle('/api/v1/market/symbols?exchange=V&limit=1&receipt=1')
    writeFileSync(join(home, 'bits.receipt.json'), bundle)
    writeFileSync(
      join(home, 'every-bit.mjs'),
      `import { readFileSync } from 'node:fs'
import { NoVerdict, verifyBundle } from './verify-offline.mjs'
const bytes = readFileSync('bits.receipt.json')
const isValid = () => {
  try {
    return verifyBundle(bytes).valid
  } catch (error) {
    if (error instanceof NoVerdict) return false
    throw error
  }
}
const before = isValid()
const accepted = []
for (let bit = 0; bit < bytes.length * 8; bit += 1) {
  bytes[bit >> 3] ^= 1 << (bit & 7)
  if (isValid()) accepted.push(bit)
  bytes[bit >> 3] ^= 1 << (bit & 7)
}
console.log(JSON.stringify({ before, tried: bytes.length * 8, accepted, after: isValid() }))
`,
    )
    expect(JSON.parse(node('every-bit.mjs').text)).toEqual({ before: true, tried: bundle.length * 8, accepted: [], after: true })
    expect(bundle.length).toBeGreaterThan(1500)
  })

  it('has an ETag, and is for keys alone', async () => {
    const { id } = await answerAndBundle('/api/v1/data/form4?ticker=BRLX')
    const path = `/api/v1/data/receipts/${id}/bundle`
    const first = await ask(path)
    const again = await ask(path, { 'if-none-match': first.headers.get('etag') ?? '' })
    expect([again.status, (await bytesOf(again)).length]).toEqual([304, 0])
    expect((await fetch(server.address + path)).status).toBe(401)
    expect((await ask('/api/v1/data/receipts/r1_short/bundle')).status).toBe(400)
    expect((await ask(`/api/v1/data/receipts/r1_${'a'.repeat(52)}/bundle`)).status).toBe(404)
  })
})

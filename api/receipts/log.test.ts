// The receipt log over HTTP, as programs that follow it read it, with a worker that sequences.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { buildGoClients, runGoClients } from '#fixtures/receipt-log/clients.ts'
import { worldService } from '#fixtures/service.ts'
import { decodeBundle } from '#warehouse/store/receipts/bundle.ts'
import { entryOfStatement } from '#warehouse/store/receipts/log/entry-of-statement.ts'
import { verifyBundle } from '#warehouse/store/receipts/verify-offline.mjs'
import { openCheckpoint, readCheckpoint } from '#warehouse/store/transparency/checkpoint.ts'
import { noteKey, verifierKey } from '#warehouse/store/transparency/note.ts'
import { verifyProof } from '#warehouse/store/transparency/proof.ts'
import { decodeEntries, TILE_WIDTH, type Tile, tilePath, widthAt } from '#warehouse/store/transparency/tiles.ts'

const { key, server, db } = await worldService()
const home = mkdtempSync(join(tmpdir(), 'log-over-http-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(server.address + path, { headers })
const keyed = { authorization: `Bearer ${key}` }
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())
/** Asks until the answer is 200: a worker sequences within seconds. */
async function askUntilThere(path: string): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    const response = await ask(path)
    if (response.status === 200 || tries > 600) return response
    await response.body?.cancel()
    await sleep(100)
  }
}
const idOf = async (path: string): Promise<string> => (await ask(path, keyed)).headers.get('x-receipt-id') ?? ''

it('proves a receipt to a client without a key, in the same bytes each time', async () => {
  const id = await idOf('/api/v1/data/form4?ticker=BRLX')
  const response = await askUntilThere(`/api/v1/data/receipts/proof/${id}`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const proof = await response.text()
  const { keys } = (await (await ask('/api/v1/receipts/keys')).json()) as { keys: { x: string }[] }
  const { origin } = readCheckpoint(proof.slice(proof.indexOf('\n\n') + 2))
  const { statement_base64 } = (await (await ask(`/api/v1/data/receipts/${id}`, keyed)).json()) as { statement_base64: string }
  const noteKeys = keys.map(each => noteKey(origin, each.x))
  const { index } = verifyProof(proof, entryOfStatement(Buffer.from(statement_base64, 'base64')), noteKeys)
  await askUntilThere(`/api/v1/data/receipts/proof/${await idOf('/api/v1/market/exchanges?year=2022&receipt=1')}`)
  for (const headers of [{}, keyed]) expect(await (await ask(`/api/v1/data/receipts/proof/${id}`, headers)).text()).toBe(proof)
  const verified = (await (await ask(`/api/v1/data/receipts/${id}/verify`, keyed)).json()) as Record<string, unknown>
  expect(verified).toMatchObject({ valid: true, checks: { inclusion: true, checkpoint: true }, log: { origin, index }, proof })
  const bundle = await bytesOf(await ask(`/api/v1/data/receipts/${id}/bundle`, keyed))
  expect(decodeBundle(bundle).proof).toBe(proof)
  expect(verifyBundle(bundle)).toMatchObject({
    valid: true,
    checks: { inclusion: true, checkpoint: true, payload_hash: true },
    log: { origin, index },
  })
  expect(openCheckpoint(await (await ask('/api/v1/data/receipts/checkpoint')).text(), noteKeys).size).toBeGreaterThan(index)
})

it('is a whole log for programs that read its static files', async () => {
  await askUntilThere('/api/v1/data/receipts/checkpoint')
  const name = readCheckpoint(await (await ask('/api/v1/data/receipts/checkpoint')).text()).origin
  const prefix = `/${name.split('/').slice(1).join('/')}`
  const read = async (path: string): Promise<Buffer> => {
    const response = await ask(`${prefix}/${path}`)
    expect([path, response.status]).toEqual([path, 200])
    if (path.startsWith('tile/')) expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const bytes = await bytesOf(response)
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), bytes)
    return bytes
  }
  const { origin, size } = readCheckpoint((await read('checkpoint')).toString('utf8'))
  for (const level of ['entries', 0, 1, 2] as const)
    for (let index = 0; widthAt(level, index, size) > 0; index += 1) {
      const tile: Tile = { level, index, width: widthAt(level, index, size) }
      const bytes = await read(tilePath(tile))
      if (level === 'entries') expect(decodeEntries(bytes)).toHaveLength(tile.width)
    }
  const built = buildGoClients()
  if ('absent' in built) return console.warn(`skipped: ${built.absent}`)
  const { x } = await db.selectFrom('signing_key').select('x').where('status', '=', 'active').executeTakeFirstOrThrow()
  expect(runGoClients(built.program, home, origin, verifierKey(origin, x), { proofs: [], consistency: [] })).toMatchObject({ code: 0 })
})

it('has no file beyond its checkpoint, of another year, or outside its folder', async () => {
  await askUntilThere('/api/v1/data/receipts/checkpoint')
  const { origin, size } = readCheckpoint(await (await ask('/api/v1/data/receipts/checkpoint')).text())
  const prefix = `/${origin.split('/').slice(1).join('/')}`
  const last = Math.floor(size / TILE_WIDTH)
  const beyond = tilePath({ level: 0, index: last + 40, width: TILE_WIDTH })
  for (const path of [
    `${prefix}/${beyond}`,
    `${prefix}/tile/9/000`,
    `${prefix}/tile/0/x000/000`,
    '/receipts/1999/checkpoint',
    '/receipts/1999/tile/0/000',
  ])
    expect([path, (await ask(path)).status]).toEqual([path, 404])
  for (const path of [`${prefix}/tile/0/..%2F..%2Fcheckpoint`, `${prefix}/tile/0/000.p/256/x`, `${prefix}/tile/x/000`]) {
    const response = await ask(path)
    expect([path, [400, 404].includes(response.status), response.headers.get('content-type')]).toEqual([
      path,
      true,
      'application/json; charset=utf-8',
    ])
  }
  expect((await fetch(`${server.address}${prefix}/tile/0/000.p/1`, { method: 'POST' })).status).toBe(405)
  expect((await ask(`/api/v1/data/receipts/proof/r1_${'a'.repeat(52)}`)).status).toBe(404)
  expect((await ask('/api/v1/data/receipts/proof/r1_short')).status).toBe(400)
})

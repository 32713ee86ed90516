// Our log, checked by clients of other authors.
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { buildGoClients, type GoCases, runGoClients } from '../../../fixtures/receipt-log/clients.ts'
import { checkpointText } from './checkpoint.ts'
import { consistencyProof, inclusionProof, leafHash, type ReadNode, rootAt } from './merkle.ts'
import { signNote, verifierKey } from './note.ts'
import { printProof } from './proof.ts'
import { encodeEntries, growTiles, hashInTile, type Tile, tileOfNode, tilePath, widthAt } from './tiles.ts'

const origin = 'crossfile.example/receipts/2026'
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A log of `size` entries as files, and proofs from it. */
async function writeLog(size: number) {
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-log-'))
  folders.push(folder)
  const { privateKey } = generateKeyPairSync('ed25519')
  const x = String(privateKey.export({ format: 'jwk' }).x)
  const write = (path: string, bytes: Uint8Array | string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  const entries = Array.from({ length: size }, (_, at) => Buffer.from(`{"entry":${at}}`))
  const files = new Map<string, Buffer>()
  const read = (tile: Tile): Buffer => files.get(tilePath(tile)) as Buffer
  for (const tile of await growTiles(0, entries.map(leafHash), read)) {
    files.set(tilePath(tile), tile.bytes)
    write(tilePath(tile), tile.bytes)
  }
  for (let index = 0; index * 256 < size; index += 1) {
    const width = widthAt('entries', index, size)
    write(tilePath({ level: 'entries', index, width }), encodeEntries(entries.slice(index * 256, index * 256 + width)))
  }
  const node: ReadNode = each => {
    const place = tileOfNode(each)
    return hashInTile(read({ ...place, width: widthAt(place.level, place.index, size) }), place.from, place.to)
  }
  const root = await rootAt(size, node)
  const checkpoint = signNote(checkpointText({ origin, size, root }), [{ name: origin, x, sign: bytes => sign(null, bytes, privateKey) }])
  write('checkpoint', checkpoint)
  const sampled = [0, 1, Math.floor(size / 2), size - 1].filter((index, at, all) => index < size && all.indexOf(index) === at)
  const cases: GoCases = {
    proofs: await Promise.all(
      sampled.map(async index => ({
        entry: entries[index] as Buffer,
        proof: printProof({ index, hashes: await inclusionProof(index, size, node), checkpoint }),
      })),
    ),
    consistency: await Promise.all(
      [1, Math.floor(size / 2), Math.floor(size / 3), size]
        .filter(old => old > 0)
        .map(async old => ({ old, old_root: await rootAt(old, node), size, root, hashes: await consistencyProof(old, size, node) })),
    ),
  }
  return { folder, key: verifierKey(origin, x), cases, write, read }
}

const built = buildGoClients()
const where = 'absent' in built ? ` (skipped: ${built.absent})` : ''

it.skipIf('absent' in built).each([1, 2, 255, 256, 257, 1_000, 70_000])(
  `is accepted by sumdb/note, merkle, formats and fsck with %d entries${where}`,
  async size => {
    if ('absent' in built) return
    const { folder, key, cases } = await writeLog(size)
    const accepted = runGoClients(built.program, folder, origin, key, cases)
    expect(accepted).toEqual({ code: 0, output: `accepted ${cases.proofs.length} proofs and ${cases.consistency.length} consistency proofs\n` })
  },
)

it.skipIf('absent' in built)(`is refused by them with one bit of a tile or of an entry changed${where}`, async () => {
  if ('absent' in built) return
  const { folder, key, cases, write, read } = await writeLog(300)
  const tile: Tile = { level: 0, index: 0, width: 256 }
  const damaged = Buffer.from(read(tile))
  damaged[77] = (damaged[77] ?? 0) ^ 4
  write(tilePath(tile), damaged)
  expect(runGoClients(built.program, folder, origin, key, cases).code).toBe(1)
  write(tilePath(tile), read(tile))
  expect(runGoClients(built.program, folder, origin, key, cases).code).toBe(0)
  write(tilePath({ level: 'entries', index: 1, width: 44 }), encodeEntries(Array.from({ length: 44 }, () => Buffer.from('x'))))
  expect(runGoClients(built.program, folder, origin, key, cases).code).toBe(1)
})

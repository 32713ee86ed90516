import { expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { appendLeaves, EMPTY_FRONTIER, leafHash, rootAt, rootOfFrontier } from './merkle.ts'
import {
  decodeEntries,
  encodeEntries,
  growTiles,
  hashInTile,
  MAX_ENTRY_BYTES,
  parseTilePath,
  type Tile,
  tileOfNode,
  tilePath,
  widthAt,
} from './tiles.ts'

it('prints and parses the paths of the specification', () => {
  const examples: [Tile, string][] = [
    [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 0, index: 273, width: 112 }, 'tile/0/273.p/112'],
    [{ level: 2, index: 0, width: 1 }, 'tile/2/000.p/1'],
    [{ level: 'entries', index: 1_000, width: 256 }, 'tile/entries/x001/000'],
    [{ level: 63, index: 999, width: 255 }, 'tile/63/999.p/255'],
  ]
  for (const [tile, path] of examples) {
    expect(tilePath(tile)).toBe(path)
    expect(parseTilePath(path)).toEqual(tile)
  }
})

it.each([
  ...textTable`
    tile/0/0
    tile/00/000
    tile/64/000
    tile/0/x000/001
    tile/0/001.p/0
    tile/0/001.p/256
    tile/0/001.p/01
    tile/0/../000
    tile/0/x001
    /tile/0/000
    tile/0/000/
    tile/entries/x1234/000
    tile/-1/000
    tile/0/000.p/
    tile/0/x999/x999/x999/x999/x999/999
  `,
  ['tile/0/000\n'],
])('refuses the path %s', path => {
  expect(parseTilePath(path)).toBeNull()
})

it('has the widths of the example of the specification: a tree of 70,000', () => {
  expect(widthAt(0, 272, 70_000)).toBe(256)
  expect(widthAt(0, 273, 70_000)).toBe(112)
  expect(widthAt(1, 0, 70_000)).toBe(256)
  expect(widthAt(1, 1, 70_000)).toBe(17)
  expect(widthAt(2, 0, 70_000)).toBe(1)
  expect(widthAt(2, 1, 70_000)).toBe(0)
  expect(widthAt(1, 0, 256)).toBe(1)
  expect(widthAt('entries', 273, 70_000)).toBe(112)
})

it('gives the same root from tiles, grown in uneven steps, as from the frontier', async () => {
  const files = new Map<string, Buffer>()
  const read = (tile: Tile): Buffer => files.get(tilePath(tile)) as Buffer
  let frontier = EMPTY_FRONTIER
  let size = 0
  for (const step of [1, 2, 250, 3, 1, 255, 256, 512, 70_000 - 1_280, 1, 600]) {
    const leaves = Array.from({ length: step }, (_, at) => leafHash(Buffer.from(`entry ${size + at}`)))
    for (const tile of await growTiles(size, leaves, read)) {
      expect(widthAt(tile.level, tile.index, size + step)).toBe(tile.width)
      files.set(tilePath(tile), tile.bytes)
    }
    frontier = appendLeaves(frontier, leaves)
    size += step
    const now = size
    const root = await rootAt(now, node => {
      const place = tileOfNode(node)
      return hashInTile(read({ ...place, width: widthAt(place.level, place.index, now) }), place.from, place.to)
    })
    expect(root).toEqual(rootOfFrontier(frontier))
  }
})

it('refuses to grow from a partial tile of another width', async () => {
  await expect(growTiles(3, [leafHash(Buffer.from('x'))], () => Buffer.alloc(64))).rejects.toThrow('tile/0/000.p/3 has 64 bytes, expected 96')
})

it('keeps entries apart by their length, and refuses what ends within one', () => {
  const entries = [Buffer.from('a'), Buffer.alloc(0), Buffer.alloc(MAX_ENTRY_BYTES, 7)]
  const bundle = encodeEntries(entries)
  expect(bundle.subarray(0, 5)).toEqual(Buffer.from([0, 1, 0x61, 0, 0]))
  expect(decodeEntries(bundle)).toEqual(entries)
  expect(decodeEntries(bundle.subarray(0, -1))).toBeNull()
  expect(() => encodeEntries([Buffer.alloc(MAX_ENTRY_BYTES + 1)])).toThrow('at most 65535')
})

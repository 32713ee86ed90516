// The published files of the receipt log as objects `receipt-log/…` of the bucket of the lake, so that every host reads and writes the same.
// The lock in Postgres admits one writer, but a request of a writer that lost its database connection may arrive after those of the next
// one. Each write therefore has a condition: an object is made if there is none, or replaced if it is the one that was read.
import { setTimeout as sleep } from 'node:timers/promises'
import { Broken, Upstream } from '#schemas/errors.ts'
import type { Objects } from '../../lake/remote.ts'
import { readCheckpoint } from '../../transparency/checkpoint.ts'
import { TILE_WIDTH, type Tile, tilePath } from '../../transparency/tiles.ts'
import { beginningOf, type ConfirmLock, type LogFolder, widerOf } from './folder.ts'

/** Attempts to write an object whose condition did not hold, and milliseconds between them. */
const writeAttempts = 5
const pauseMs = 100
const prefix = 'receipt-log/'

const nameOf = (tile: Tile): string => prefix + tilePath(tile)
/** The prefix of the partial tiles of a tile. */
const partialsOf = (tile: Tile): string => `${nameOf({ ...tile, width: TILE_WIDTH })}.p/`

export function openBucketLog(objects: Objects): LogFolder {
  const path = `${objects.address}/${prefix.slice(0, -1)}`
  const changed = (name: string): Upstream =>
    new Upstream(`${objects.address}: ${name} was changed by another host while it was written`, { retryAfterSeconds: 10 })

  /** Writes an object; `mayReplace` throws if bytes that exist must stay. */
  async function write(name: string, bytes: Buffer, mayReplace: (held: Buffer) => Promise<unknown>): Promise<void> {
    for (let attempt = 1; attempt <= writeAttempts; attempt += 1) {
      const held = await objects.tagged(name)
      if (held?.bytes.equals(bytes)) return
      if (held !== null) await mayReplace(held.bytes)
      if (await objects.writeIf(name, bytes, held?.etag ?? null)) return
      await sleep(pauseMs * attempt)
    }
    throw changed(name)
  }

  async function removeBelow(under: string, isRemoved: (name: string) => boolean): Promise<void> {
    for await (const { name } of objects.list(under)) if (isRemoved(name)) await objects.remove(name)
  }

  return {
    path,
    readCheckpoint: () => objects.text(`${prefix}checkpoint`),
    async writeCheckpoint(note) {
      const { size } = readCheckpoint(note)
      await write(`${prefix}checkpoint`, Buffer.from(note), async held => {
        const published = readCheckpoint(held.toString('utf8'))
        if (published.size > size) throw changed(`${prefix}checkpoint`)
        if (published.size === size && size > 0)
          throw new Broken(`${path}/checkpoint of size ${size} is not the one of this database: the log was forked`, {
            hint: 'find the other writer; crossfile receipt-log shows the state',
          })
      })
    },
    async readTile(tile) {
      const own = await objects.bytes(nameOf(tile))
      if (own !== null || tile.width === TILE_WIDTH) return own
      const full = await objects.bytes(nameOf({ ...tile, width: TILE_WIDTH }))
      if (full !== null) return beginningOf(tile, full)
      const names: string[] = []
      for await (const { name } of objects.list(partialsOf(tile))) names.push(name.slice(partialsOf(tile).length))
      const width = widerOf(tile, names)
      const wider = width === undefined ? null : await objects.bytes(nameOf({ ...tile, width }))
      return wider === null ? null : beginningOf(tile, wider)
    },
    async writeTile(tile, bytes, confirmLock: ConfirmLock) {
      const name = nameOf(tile)
      // Most tiles are new: one request.
      if (await objects.writeIf(name, bytes, null)) return
      await write(name, bytes, confirmLock)
    },
    flush: async () => undefined,
    removePartials: tile => removeBelow(partialsOf(tile), () => true),
    removeAllPartials: () => removeBelow(`${prefix}tile/`, name => name.includes('.p/')),
  }
}

// Unpacks gzip within caps, which are checked while it unpacks.
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type ArchiveCaps, ArchiveFault } from './unzip.ts'

/** A gzip file unpacked piece by piece, within the ratio and the total of `caps`. */
export async function* gunzipped(path: string, caps: ArchiveCaps): AsyncGenerator<Uint8Array> {
  const packed = createReadStream(path, { highWaterMark: 1 << 20 })
  const unpacked = pipeline(packed, createGunzip({ chunkSize: 1 << 18 }), () => {}) // the loop below throws its error
  let total = 0
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      total += chunk.length
      if (total > caps.totalBytes) throw new ArchiveFault('too_large', `unpacks to more than ${caps.totalBytes} bytes`)
      if (total > 1_048_576 && total > caps.ratio * packed.bytesRead)
        throw new ArchiveFault('bomb', `unpacks to more than ${caps.ratio} times its size`)
      yield chunk
    }
  } catch (error) {
    throw error instanceof ArchiveFault
      ? error
      : new ArchiveFault('broken_gzip', `cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    packed.destroy()
  }
}

// The file that a large body is written to while it arrives: hashed on the way, restarted with each attempt.
import { createHash, type Hash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'

export type Download = {
  /** Empties the file at the start of an attempt. */
  readonly restart: () => Promise<void>
  readonly write: (chunk: Uint8Array) => Promise<void>
  /** Syncs; the file then survives a power cut. */
  readonly end: () => Promise<{ readonly sha256: string; readonly bytes: number }>
  readonly close: (remove: boolean) => Promise<void>
}

export async function openDownload(path: string): Promise<Download> {
  const file = await open(path, 'w')
  let hash: Hash = createHash('sha256')
  let bytes = 0
  return {
    restart: async () => {
      await file.truncate(0)
      hash = createHash('sha256')
      bytes = 0
    },
    write: async chunk => {
      hash.update(chunk)
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await file.write(chunk, done, chunk.length - done, bytes + done)
        if (bytesWritten === 0) throw new Error('nothing could be written')
        done += bytesWritten
      }
      bytes += chunk.length
    },
    end: async () => {
      await file.datasync()
      return { sha256: hash.digest('hex'), bytes }
    },
    close: async remove => {
      await file.close()
      if (remove) await rm(path, { force: true })
    },
  }
}

// The bytes of a backup: parts named by their SHA-256, so that a part that a target already has is not copied again.
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Broken } from '#schemas/errors.ts'
import { sha256Hex } from '../store/raw/pack.ts'
import { blobPath, type FileEntry, type Part } from './manifest.ts'
import type { BackupTarget } from './target.ts'

/** Bytes of a part of a file. A growing pack changes only its last part. */
const partBytes = 16 * 1024 * 1024

export type BlobWriter = {
  /** Stores bytes, unless the target has them whole; returns their name. If the target does not reread, equal size counts as whole. */
  put(bytes: Buffer): Promise<Part>
  /** Stores the first `length` bytes of a file (all of it if null) as `path` of the data folder. */
  putFile(source: string, path: string, length: number | null): Promise<FileEntry>
  /** `rewritten`: copied objects that the target had with other bytes. */
  counts(): { readonly copied: number; readonly copied_bytes: number; readonly held: number; readonly rewritten: number }
}

export async function createBlobWriter(target: BackupTarget): Promise<BlobWriter> {
  const held = new Map(await target.list('blobs'))
  let copied = 0
  let copiedBytes = 0
  let reused = 0
  let rewritten = 0
  const checked = new Set<string>()
  /** True if the target has these bytes under the path. Each object is compared once in a backup. */
  async function isHeld(path: string, bytes: Buffer): Promise<boolean> {
    if (held.get(path) !== bytes.length) return false
    if (checked.has(path)) return true
    checked.add(path)
    if (await target.hasBytes(path, bytes)) return true
    rewritten += 1
    return false
  }
  async function put(bytes: Buffer): Promise<Part> {
    const sha256 = sha256Hex(bytes)
    const path = blobPath(sha256)
    if (await isHeld(path, bytes)) reused += 1
    else {
      await target.write(path, bytes)
      held.set(path, bytes.length)
      checked.add(path)
      copied += 1
      copiedBytes += bytes.length
    }
    return { sha256, bytes: bytes.length }
  }
  return {
    put,
    async putFile(source, path, length) {
      const whole = createHash('sha256')
      const parts: Part[] = []
      let at = 0
      for await (const bytes of readParts(source, length)) {
        whole.update(bytes)
        parts.push(await put(bytes))
        at += bytes.length
      }
      return { path, bytes: at, sha256: whole.digest('hex'), parts, base: false }
    },
    counts: () => ({ copied, copied_bytes: copiedBytes, held: reused, rewritten }),
  }
}

/** The parts of a file's first `length` bytes. Throws `Broken` if the file is shorter. */
async function* readParts(source: string, length: number | null): AsyncGenerator<Buffer> {
  const file = await open(source, 'r')
  try {
    const end = length ?? (await file.stat()).size
    for (let at = 0; at < end; at += partBytes) yield await readAt(file, source, at, Math.min(partBytes, end - at))
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, source: string, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done)
    if (bytesRead === 0)
      throw new Broken(`${source} ends at byte ${at + done}; the catalogue expects at least ${at + length}`, {
        hint: 'crossfile doctor checks the data folder',
      })
    done += bytesRead
  }
  return bytes
}

/** The bytes of a part from the first of `targets` that has them whole; a reason if none does. */
export async function readPart(targets: readonly BackupTarget[], part: Part): Promise<Buffer | string> {
  let reason = 'is missing'
  for (const target of targets) {
    const bytes = await target.read(blobPath(part.sha256))
    if (bytes === null) continue
    if (bytes.length !== part.bytes) reason = `has ${bytes.length} bytes, expected ${part.bytes}`
    else if (sha256Hex(bytes) !== part.sha256) reason = 'is damaged: its SHA-256 is not its name'
    else return bytes
  }
  return reason
}

// Opens a file of the operator's inbox for a user who names it: only a plain file below the folder, reached without a link. The checked
// file is the file that is read, because all checks use the open descriptor.
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { BadRequest, NotFound } from '#schemas/errors.ts'

/** Maximum bytes of a file of the inbox. */
export const maxInboxBytes = 100 * 1024 * 1024
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

const missing = (path: string): NotFound =>
  new NotFound(`the inbox has no file ${path}`, { hint: 'the operator of this service puts PDF files into the inbox folder (CROSSFILE_INBOX)' })
const refused = (path: string, why: string): BadRequest =>
  new BadRequest(`${path} is not read: ${why}`, {
    status: 422,
    code: 'validation_error',
    items: [{ loc: ['body', 'pdf_path'], msg: why, type: 'custom' }],
    hint: 'name a plain PDF file below the inbox folder',
  })

/**
 * Opens the file at a path below the folder; the caller closes it. Throws `NotFound` if there is none, 422 for a link (symbolic or
 * hard) on the way, for a folder, a device or a pipe, and for a file of more than `maxInboxBytes`. The path is checked by its schema:
 * no empty, dotted or absolute parts.
 */
export async function openInboxFile(folder: string, path: string): Promise<{ readonly file: FileHandle; readonly bytes: number }> {
  const parts = path.split('/')
  if (parts.some(part => part === '' || part.startsWith('.') || /[\\\0:]/.test(part))) throw refused(path, 'it leads out of the inbox')
  const file = process.platform === 'linux' ? await openBelow(folder, path, parts) : await openChecked(folder, path, parts)
  try {
    const found = await file.stat()
    if (!found.isFile()) throw refused(path, found.isDirectory() ? 'it is a folder' : 'it is no plain file')
    if (found.nlink > 1) throw refused(path, 'it is a hard link: another name leads to the same file')
    if (found.size > maxInboxBytes) throw refused(path, `it has ${found.size} bytes, at most ${maxInboxBytes} are read`)
    return { file, bytes: found.size }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Reads the whole file; a file that grows while it is read is cut at `maxInboxBytes`. */
export async function readInboxFile(folder: string, path: string): Promise<Uint8Array> {
  const { file, bytes } = await openInboxFile(folder, path)
  try {
    const buffer = Buffer.alloc(bytes)
    let length = 0
    while (length < bytes) {
      const { bytesRead } = await file.read(buffer, length, bytes - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return buffer.subarray(0, length)
  } finally {
    await file.close()
  }
}

/** Linux: each part is opened relative to its parent's descriptor, so that nothing on the path can be exchanged. */
async function openBelow(folder: string, path: string, parts: readonly string[]): Promise<FileHandle> {
  let at = await open(folder, O_RDONLY | O_DIRECTORY).catch(error => {
    throw translated(error, path)
  })
  for (const [place, part] of parts.entries()) {
    const isLast = place === parts.length - 1
    // A pipe is opened without waiting for a writer.
    const flags = isLast ? O_RDONLY | O_NOFOLLOW | O_NONBLOCK : O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    try {
      const next = await open(`/proc/self/fd/${at.fd}/${part}`, flags)
      await at.close()
      at = next
    } catch (error) {
      await at.close()
      throw translated(error, path)
    }
  }
  return at
}

/** Other systems: the file is opened first; then no part of its path may be a link, and the last one must be the open file. */
async function openChecked(folder: string, path: string, parts: readonly string[]): Promise<FileHandle> {
  const root = await realpath(folder).catch(error => {
    throw translated(error, path)
  })
  const file = await open(join(root, ...parts), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(error => {
    throw translated(error, path)
  })
  try {
    const own = await file.stat()
    for (let count = 1; count <= parts.length; count++) {
      const found = await lstat(join(root, ...parts.slice(0, count)))
      if (found.isSymbolicLink()) throw refused(path, 'a link is on the way')
      if (count === parts.length && (found.ino !== own.ino || found.dev !== own.dev)) throw refused(path, 'it was exchanged while it was opened')
    }
    return file
  } catch (error) {
    await file.close()
    throw error instanceof BadRequest ? error : translated(error, path)
  }
}

function translated(error: unknown, path: string): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return missing(path)
  // O_DIRECTORY with O_NOFOLLOW gives ENOTDIR for a link to a folder as for a file.
  if (code === 'ELOOP' || code === 'EMLINK') return refused(path, 'it is a link')
  if (code === 'ENOTDIR') return refused(path, 'a part of it is no folder, or a link to one')
  if (code === 'ENXIO' || code === 'ENODEV') return refused(path, 'it is no plain file')
  if (code === 'EACCES' || code === 'EPERM') return refused(path, 'the service may not read it')
  if (code === 'ENAMETOOLONG') return missing(path)
  return error as Error
}

// The clock of the file system. Ages of files are differences of modification times, and those are set by the machine that holds
// the folder: a network drive, or a process whose clock is wrong, must not make a fresh file look a day old.
import { randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Milliseconds since 1970 as the file system of `folder` dates a file that is written now. Leaves nothing behind. */
export async function fileSystemNow(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `.clock-${process.pid}-${randomBytes(6).toString('hex')}`)
  const file = await open(path, 'wx')
  try {
    await file.write('\n')
    return (await file.stat()).mtimeMs
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}

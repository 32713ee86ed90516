// The clock of the file system. The age of a file is a difference of modification times, which the machine with the folder sets. With the
// clock of a network drive or a process that is wrong, a new file must not look a day old.
import { randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Milliseconds since 1970 by the clock that dates a file in `folder` now. Leaves no file behind. */
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

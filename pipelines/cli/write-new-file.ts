// A result that goes to a file of its own: nothing that is there is written over.
import { writeFileSync } from 'node:fs'
import { BadRequest } from '#schemas/errors.ts'

/** Writes a file that is not there yet; `BadRequest` where it is, or cannot be made. */
export function writeNewFile(path: string, data: string | Uint8Array): void {
  try {
    writeFileSync(path, data, { flag: 'wx' })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new BadRequest(code === 'EEXIST' ? `${path} exists already` : `${path} cannot be written (${String(code)})`, {
      cause,
      hint: 'give another file name',
    })
  }
}

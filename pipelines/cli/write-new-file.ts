// Writes a result to a new file; never overwrites an existing one.
import { writeFileSync } from 'node:fs'
import { BadRequest } from '#schemas/errors.ts'

/** Writes a new file; throws `BadRequest` if it exists, or cannot be created. */
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

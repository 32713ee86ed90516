// The list of erasures as a file outside the database, so that it survives restoring an older database.
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { z } from 'zod'
import { BadRequest } from '#schemas/errors.ts'
import { Instant } from '#schemas/values.ts'
import type { Db } from '../../store/postgres.ts'
import { type Erased, findErasures } from './erasure.ts'

const listLock = 0x65726173

/** The path at which the daily job keeps the list. */
export const erasureListOf = (dataFolder: string): string => join(dataFolder, 'erasures.jsonl')

const Line = z.strictObject({
  subject_sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits'),
  requested_at: Instant,
  erased_at: Instant,
})

/** The erasures of a text of JSON lines. Throws `BadRequest` that names the line. */
export function parseErasureList(text: string): Erased[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    if (line.trim() === '') return []
    const read = Line.safeParse(valueOf(line))
    if (read.success) return [read.data]
    const [issue] = read.error.issues
    const where = issue?.path.length ? ` ${issue.path.join('.')}` : ''
    throw new BadRequest(`line ${at + 1}:${where} ${issue?.message ?? 'is no erasure'}`, {
      hint: 'expected a list as the job erasure writes it: {"subject_sha256":"…","requested_at":"…","erased_at":"…"} in each line',
    })
  })
}
function valueOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** The list of a file; empty if the file does not exist yet. */
export async function readErasureList(path: string): Promise<Erased[]> {
  try {
    return parseErasureList(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * Writes every proof of the database as the list, whole: a crash leaves the one before or this one, never a part. One at a time, so
 * that an older list never replaces a newer one.
 */
export async function writeErasureList(db: Db, path: string): Promise<void> {
  await db.connection().execute(async connection => {
    await sql`select pg_advisory_lock(${listLock})`.execute(connection)
    try {
      const lines = (await findErasures(connection)).map(each => `${JSON.stringify(each)}\n`)
      const file = await open(`${path}.new`, 'w', 0o600)
      try {
        await file.writeFile(lines.join(''))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
    } finally {
      await sql`select pg_advisory_unlock(${listLock})`.execute(connection)
    }
  })
}

// The list of erasures outside the database, so that it survives restoring an older database: a file, or an object in the bucket of the lake.
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { z } from 'zod'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import { Instant } from '#schemas/values.ts'
import type { Remote } from '../../store/lake/remote.ts'
import type { Db } from '../../store/postgres.ts'
import { type Erased, findErasures } from './erasure.ts'

const listLock = 0x65726173

/** The name of the list, in a data folder and in a bucket. */
export const erasureListName = 'erasures.jsonl'

/** The path at which the daily job keeps the list, without a bucket. */
export const erasureListOf = (dataFolder: string): string => join(dataFolder, erasureListName)

/** Where the list is kept. */
export type ErasureList = {
  /** Every erasure that it has; none if it does not exist yet. */
  read(): Promise<Erased[]>
  /** Replaces the list as a whole. */
  write(text: string): Promise<void>
}

/** The list in the bucket of the lake, if it is in one, else in the data folder. */
export function openErasureList(dataFolder: string, remote: Remote | null): ErasureList {
  const file: ErasureList = { read: () => readErasureList(erasureListOf(dataFolder)), write: text => replaceList(erasureListOf(dataFolder), text) }
  if (remote === null) return file
  const { objects } = remote
  return {
    // A file of this host is from before the bucket, or from a restored backup.
    read: async () => [...parseErasureList((await objects.text(erasureListName)) ?? ''), ...(await file.read())],
    async write(text) {
      const held = await objects.tagged(erasureListName)
      const bytes = Buffer.from(text)
      if (held?.bytes.equals(bytes)) return
      // A delayed write of another host must not replace a newer list.
      if (!(await objects.writeIf(erasureListName, bytes, held?.etag ?? null)) && (await objects.text(erasureListName)) !== text)
        throw new Upstream(`${objects.address}: ${erasureListName} was changed by another host while it was written`, { retryAfterSeconds: 60 })
    },
  }
}

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
export async function writeErasureList(db: Db, list: Pick<ErasureList, 'write'>): Promise<void> {
  await db.connection().execute(async connection => {
    await sql`select pg_advisory_lock(${listLock})`.execute(connection)
    try {
      const lines = (await findErasures(connection)).map(each => `${JSON.stringify(each)}\n`)
      await list.write(lines.join(''))
    } finally {
      await sql`select pg_advisory_unlock(${listLock})`.execute(connection)
    }
  })
}

async function replaceList(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}

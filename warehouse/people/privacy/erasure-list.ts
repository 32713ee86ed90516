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
const erasureListOf = (dataFolder: string): string => join(dataFolder, erasureListName)

/** What a list has. `damaged`: each line that is not an erasure, with the name of the list and the reason. */
export type ReadList = { readonly erased: readonly Erased[]; readonly damaged: readonly string[] }

/** Where the list is kept. */
export type ErasureList = {
  /** Every erasure that it has; none if it does not exist yet. */
  read(): Promise<ReadList>
  /** Replaces the list as a whole. */
  write(text: string): Promise<void>
}

/** The list in the bucket of the lake, if it is in one, else in the data folder. */
export function openErasureList(dataFolder: string, remote: Remote | null): ErasureList {
  const path = erasureListOf(dataFolder)
  const file: ErasureList = { read: async () => readErasureLines(path, (await textOf(path)) ?? ''), write: text => replaceList(path, text) }
  if (remote === null) return file
  const { objects } = remote
  return {
    // A file of this host is from before the bucket, or from a restored backup.
    async read() {
      const [there, here] = [
        readErasureLines(`${objects.address}/${erasureListName}`, (await objects.text(erasureListName)) ?? ''),
        await file.read(),
      ]
      return { erased: [...there.erased, ...here.erased], damaged: [...there.damaged, ...here.damaged] }
    },
    async write(text) {
      const held = await objects.tagged(erasureListName)
      const bytes = Buffer.from(text)
      // A file of this host would otherwise stay as it is, also if it is damaged.
      if ((await textOf(path)) !== null) await file.write(text)
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

/** The erasures of a text of JSON lines, and the lines that are none. `name`: of the list. */
export function readErasureLines(name: string, text: string): ReadList {
  const erased: Erased[] = []
  const damaged: string[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const read = Line.safeParse(valueOf(line))
    if (read.success) erased.push(read.data)
    else {
      const [issue] = read.error.issues
      const where = issue?.path.length ? ` ${issue.path.join('.')}` : ''
      damaged.push(`${name}, line ${at + 1}:${where} ${issue?.message ?? 'is no erasure'}`)
    }
  }
  return { erased, damaged }
}

/** The erasures of a list that a person gives. Throws `BadRequest` that names the first line that is none. */
export function parseErasureList(name: string, text: string): readonly Erased[] {
  const { erased, damaged } = readErasureLines(name, text)
  const [first] = damaged
  if (first === undefined) return erased
  throw new BadRequest(first, {
    hint: 'expected a list as the job erasure writes it: {"subject_sha256":"…","requested_at":"…","erased_at":"…"} in each line',
  })
}
function valueOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** The text of a file; null if the file does not exist yet. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export const renderErasureList = (erased: readonly Erased[]): string => erased.map(each => `${JSON.stringify(each)}\n`).join('')

/** The list with each erasure of the database, which the list may lack, and without damaged lines. `lacking`: how many the list lacks. */
export async function findWholeList(db: Db, list: Pick<ErasureList, 'read'>): Promise<ReadList & { readonly lacking: number }> {
  const { erased, damaged } = await list.read()
  const proofs = await findErasures(db)
  const proven = new Set(proofs.map(each => each.subject_sha256))
  // A list may name an account twice: once in the bucket, once in the file of this host.
  const others = new Map(erased.filter(each => !proven.has(each.subject_sha256)).map(each => [each.subject_sha256, each]))
  const listed = new Set(erased.map(each => each.subject_sha256))
  const lacking = proofs.filter(each => !listed.has(each.subject_sha256)).length
  return { erased: [...others.values(), ...proofs], damaged, lacking }
}

/**
 * Writes every proof of the database as the list, whole: a crash leaves the one before or this one, never a part. One at a time, so
 * that an older list never replaces a newer one.
 */
export async function writeErasureList(db: Db, list: Pick<ErasureList, 'write'>): Promise<void> {
  await db.connection().execute(async connection => {
    await sql`select pg_advisory_lock(${listLock})`.execute(connection)
    try {
      await list.write(renderErasureList(await findErasures(connection)))
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

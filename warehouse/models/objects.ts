// Files of models in the bucket of a lake. A builder uploads them before it registers them, so that every host finds what a row names; the
// collector (collect.ts) deletes the others. With a lake on this disk nothing here is used.
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { sql, type Transaction } from 'kysely'
import { Damaged, Upstream } from '#schemas/errors.ts'
import type { Remote, RemoteFile } from '../store/lake/remote.ts'
import type { Database, Db } from '../store/postgres.ts'

/** A file and its size in bytes. */
export type SizedFile = RemoteFile & { readonly bytes: number }

/** Until the end of the transaction, no build is registered by others, and no object of a model is deleted. */
export async function lockModelObjects(trx: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('crossfile model objects'))`.execute(trx)
}

/**
 * Runs `insert`, which makes the row that names the files. With a bucket, it first looks whether the files are there, because one that was
 * there before may have been deleted since. Throws `Upstream` if one is not: the build is repeated.
 */
export async function registerFiles(
  db: Db,
  remote: Remote | null,
  files: readonly Pick<SizedFile, 'path' | 'bytes'>[],
  insert: (on: Db) => Promise<unknown>,
): Promise<void> {
  if (remote === null) return void (await insert(db))
  await db.transaction().execute(async trx => {
    await lockModelObjects(trx)
    for (const file of files)
      if (!(await hasSize(remote, file)))
        throw new Upstream(`${remote.objects.address}: ${remote.nameOf(file.path)} was deleted while its build was registered`, {
          retryAfterSeconds: 5,
        })
    await insert(trx)
  })
}

/** True if the bucket has an object of the file's size. */
export const hasSize = async (remote: Remote, { path, bytes }: Pick<SizedFile, 'path' | 'bytes'>): Promise<boolean> =>
  (await remote.objects.facts(remote.nameOf(path)))?.bytes === bytes

/** Throws `Damaged` if the bucket has no object of the file's size. */
export async function checkSize(remote: Remote, file: SizedFile): Promise<void> {
  const found = (await remote.objects.facts(remote.nameOf(file.path)))?.bytes ?? null
  if (found === file.bytes) return
  const what = found === null ? 'is missing from the bucket' : `has ${found} bytes in the bucket, expected ${file.bytes}`
  throw new Damaged(file.dataset, `its file ${basename(file.path)} ${what}`)
}

/** Reads the object of a file that is whole on this disk, and uploads the file if the object is damaged or missing. */
export async function repairObject(remote: Remote, file: RemoteFile): Promise<void> {
  if ((await remote.inspect(file)) !== null) await remote.store(file, (await stat(file.path)).size)
}

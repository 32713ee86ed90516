// The key that signs pushes (VAPID, RFC 8292): a P-256 key pair in `vapid.pem`, readable only by its owner, created once. Only workers
// read it; the API serves the public half from Postgres.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'

export type Vapid = {
  /** Uncompressed point, 87 characters of base64url. */
  readonly publicKey: string
  /** Scalar, 43 characters of base64url. */
  readonly privateKey: string
}
const fileOf = (folder: string): string => join(folder, 'vapid.pem')

/** The folder's key, created if there is none. Safe for concurrent calls from several processes: one key results. */
export function ensureVapid(folder: string): Vapid {
  const path = fileOf(folder)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) writeKey(folder, path)
  return readVapid(path)
}

/** Publishes the key for the API to serve; `Broken` if the database has another: every subscription would stop working. */
export async function publishVapid(db: Db, folder: string): Promise<Vapid> {
  const vapid = ensureVapid(folder)
  await db
    .insertInto('push_key')
    .values({ public_key: vapid.publicKey })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const published = await findPushKey(db)
  if (published !== vapid.publicKey)
    throw new Broken(`push key: ${fileOf(folder)} is not the key that browsers subscribed with`, {
      hint: 'restore vapid.pem from the backup of the keys; to start over, delete the rows of push_subscription and push_key',
    })
  return vapid
}

/** The public key that browsers subscribe with; null before the first worker has run. */
export async function findPushKey(db: Db): Promise<string | null> {
  return (await db.selectFrom('push_key').select('public_key').executeTakeFirst())?.public_key ?? null
}

/** Written to a temporary file and linked, so that a crash never leaves a partial key. */
function writeKey(folder: string, path: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `.draft-${process.pid}-${randomUUID()}`)
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function readVapid(path: string): Vapid {
  const stat = lstatSync(path)
  if (!stat.isFile()) throw new Broken(`push key ${path} is not a file`)
  if (process.platform !== 'win32' && (stat.mode & 0o177) !== 0)
    throw new Broken(`push key ${path} has mode 0${(stat.mode & 0o777).toString(8)}, expected 0600`, { hint: `chmod 0600 ${path}` })
  try {
    const key = createPrivateKey(readFileSync(path))
    const { crv, d } = key.export({ format: 'jwk' })
    const { x, y } = createPublicKey(key).export({ format: 'jwk' })
    if (crv !== 'P-256' || !d || !x || !y) throw new TypeError('it is no P-256 key')
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
    return { publicKey: point.toString('base64url'), privateKey: d }
  } catch (cause) {
    throw new Broken(`push key ${path} cannot be read as PKCS #8`, { cause, hint: 'restore it from the backup of the keys' })
  }
}

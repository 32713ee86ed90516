// The key that signs pushes (VAPID, RFC 8292): a P-256 key pair in `vapid.pem`, readable only by its owner, created once. Only workers
// read it; the API serves the public half from Postgres.
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Broken } from '#schemas/errors.ts'
import type { Db } from '../../store/postgres.ts'
import { createSecretFile, readSecretFile } from '../../store/secret-files.ts'
import { findSharedKey, storeSharedKey } from '../../store/shared-keys.ts'

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
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
    createSecretFile(path, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }))
  return readVapid(path)
}

/** The name under which its private half is stored for other hosts. */
const sharedName = 'push'

/**
 * Publishes the key for the API to serve. A folder without it gets the one that another host stored. `Broken` if the database has another:
 * every subscription would stop working.
 */
export async function publishVapid(db: Db, folder: string): Promise<Vapid> {
  return await db.transaction().execute(async trx => {
    // Of two hosts that start at the same time, one makes the key.
    await sql`lock table push_key in share row exclusive mode`.execute(trx)
    const isMissing = lstatSync(fileOf(folder), { throwIfNoEntry: false }) === undefined
    if (isMissing && (await findPushKey(trx)) !== null) await takeShared(trx, folder)
    const vapid = ensureVapid(folder)
    await publish(trx, folder, vapid.publicKey)
    await storeSharedKey(trx, folder, sharedName, () => readSecretFile(fileOf(folder), 'push key'))
    return vapid
  })
}

/** Writes the key that another host stored. `Broken` if none did: another key would be of no use. */
async function takeShared(trx: Db, folder: string): Promise<void> {
  const pem = await findSharedKey(trx, folder, sharedName)
  if (pem === null)
    throw new Broken(`push key: ${fileOf(folder)} is missing, and browsers subscribed with another key`, {
      hint: 'copy vapid.pem from the host or the backup that has it; to start over, delete the rows of push_subscription and push_key',
    })
  createSecretFile(fileOf(folder), pem)
}

async function publish(trx: Db, folder: string, publicKey: string): Promise<void> {
  await trx
    .insertInto('push_key')
    .values({ public_key: publicKey })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  if ((await findPushKey(trx)) !== publicKey)
    throw new Broken(`push key: ${fileOf(folder)} is not the key that browsers subscribed with`, {
      hint: 'restore vapid.pem from the backup of the keys; to start over, delete the rows of push_subscription and push_key',
    })
}

/** The public key that browsers subscribe with; null before the first worker has run. */
export async function findPushKey(db: Db): Promise<string | null> {
  return (await db.selectFrom('push_key').select('public_key').executeTakeFirst())?.public_key ?? null
}

function readVapid(path: string): Vapid {
  const pem = readSecretFile(path, 'push key')
  try {
    const key = createPrivateKey(pem)
    const { crv, d } = key.export({ format: 'jwk' })
    const { x, y } = createPublicKey(key).export({ format: 'jwk' })
    if (crv !== 'P-256' || !d || !x || !y) throw new TypeError('it is no P-256 key')
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
    return { publicKey: point.toString('base64url'), privateKey: d }
  } catch (cause) {
    throw new Broken(`push key ${path} cannot be read as PKCS #8`, { cause, hint: 'restore it from the backup of the keys' })
  }
}

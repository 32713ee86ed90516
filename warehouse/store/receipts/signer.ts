// Private keys: their files and signing. Only the worker imports this file. Each key is a file `signing-<n>.pem` (PKCS #8), readable by its
// owner only, and is never changed.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { createSecretFile, readSecretFile, refuseForeign } from '../secret-files.ts'
import { keyId } from './keys.ts'

export type Signer = {
  readonly kid: string
  /** Public key, 32 bytes in base64url. */
  readonly x: string
  /** Ed25519 over `bytes` (RFC 8032): 64 bytes, deterministic; verified before it is returned. */
  readonly sign: (bytes: Uint8Array) => Buffer
}

const KEY_FILE = /^signing-(\d{1,6})\.pem$/

/**
 * A signer with a private key. A bit flipped during signing would publish a bad signature and can reveal the key, so each signature is
 * verified first.
 */
export function signerOf(privateKey: KeyObject): Signer {
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw new Broken(`signing key: expected Ed25519, got ${privateKey.asymmetricKeyType ?? 'no key pair'}`)
  const publicKey = createPublicKey(privateKey)
  const { x } = publicKey.export({ format: 'jwk' })
  if (x === undefined) throw new Broken('signing key: no public key could be derived')
  const signChecked = (bytes: Uint8Array) => {
    const signature = sign(null, bytes, privateKey)
    if (!verify(null, bytes, publicKey, signature)) throw new Broken(`signing key ${keyId(x)}: its own signature does not verify`)
    return signature
  }
  return { kid: keyId(x), x, sign: signChecked }
}

/** Every key of the folder, oldest first; empty if the folder does not exist. Throws `Broken` for a wrong mode, owner or content. */
export function readSigners(folder: string): Signer[] {
  return keyNumbers(folder).map(number => readKeyFile(keyPath(folder, number)))
}

/** A file of the folder: the key in it, or why it cannot be used. */
export type KeyFile = { readonly path: string } & (
  | { readonly signer: Signer; readonly fault: null }
  | { readonly signer: null; readonly fault: Broken }
)

/** Every key file of the folder, oldest first, each checked separately. Throws `Broken` if the folder itself cannot be used. */
export function inspectKeyFiles(folder: string): KeyFile[] {
  return keyNumbers(folder).map(number => {
    const path = keyPath(folder, number)
    try {
      return { path, signer: readKeyFile(path), fault: null }
    } catch (error) {
      if (error instanceof Broken) return { path, signer: null, fault: error }
      throw error
    }
  })
}

/** The key of the folder with this id; `Broken` if it is missing or its file cannot be used. Other faulty files are ignored. */
export function findSigner(folder: string, kid: string): Signer {
  const files = inspectKeyFiles(folder)
  const found = files.find(file => file.signer?.kid === kid)?.signer
  if (found) return found
  const bad = files.find(file => file.fault !== null)?.fault
  if (bad) throw new Broken(`signing key ${kid} cannot be used: ${bad.message}`, { cause: bad, ...(bad.hint ? { hint: bad.hint } : {}) })
  throw new Broken(`signing key ${kid} is active, but ${folder} does not hold it`, {
    hint: 'copy its signing-<n>.pem here from a backup or from the machine that holds it (crossfile signing-keys import), or rotate to a new key (crossfile signing-keys rotate)',
  })
}

/** The keys of the folder; the first one is created if there is none. Safe for concurrent calls from several processes: one key results. */
export function ensureSigners(folder: string): Signer[] {
  if (keyNumbers(folder).length === 0) writeKeyFile(folder, 1, generateKeyPairSync('ed25519').privateKey)
  return readSigners(folder)
}

/**
 * Creates another key in the folder, for a rotation; `rotateKey` activates it. `known`: the number of all keys, so that the name of a lost
 * file is not reused, and a copy that returns overwrites nothing.
 */
export function createNextSigner(folder: string, known = 0): Signer {
  return addKeyFile(folder, generateKeyPairSync('ed25519').privateKey, known).signer
}

/** Writes a private key as the folder's next file. */
export function addKeyFile(folder: string, key: KeyObject, known = 0): { readonly path: string; readonly signer: Signer } {
  for (;;) {
    const number = Math.max(keyNumbers(folder).at(-1) ?? 0, known) + 1
    const path = keyPath(folder, number)
    if (writeKeyFile(folder, number, key)) return { path, signer: readKeyFile(path) }
  }
}

const keyPath = (folder: string, number: number) => join(folder, `signing-${number}.pem`)

function keyNumbers(folder: string): number[] {
  const stat = orBroken(folder, () => lstatSync(folder, { throwIfNoEntry: false }))
  if (stat === undefined) return []
  if (!stat.isDirectory()) throw new Broken(`signing keys: ${folder} is not a folder`)
  refuseForeign(folder, 'signing key', stat, 0o022, '0700')
  return orBroken(folder, () => readdirSync(folder))
    .flatMap(name => KEY_FILE.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

/** An error of the file system counts as a fault of the key. */
function orBroken<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Broken || !(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    throw new Broken(`signing key: ${path} cannot be used (${String(error.code)})`, {
      cause: error,
      hint: 'see that this process may read and write the folder, and that the disk is not full',
    })
  }
}

/** False if another process created the file first. */
const writeKeyFile = (folder: string, number: number, key: KeyObject): boolean =>
  orBroken(folder, () => createSecretFile(keyPath(folder, number), key.export({ format: 'pem', type: 'pkcs8' })))

function readKeyFile(path: string): Signer {
  return signerOf(privateKeyOf(path, readPrivateKeyFile(path)))
}

/** The bytes of a file with a signing key; `Broken` for a file that another user can read, or that cannot be read. */
export const readPrivateKeyFile = (path: string): Buffer => orBroken(path, () => readSecretFile(path, 'signing key'))

function privateKeyOf(path: string, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw new Broken(`signing key ${path} cannot be read as PKCS #8`, { cause, hint: 'restore it from the backup; other keys are not touched' })
  }
}

// Imports a private key of the operator: from a backup, from another machine, or made with openssl. Only the worker and the command line
// import this file.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { addKeyFile, inspectKeyFiles, readPrivateKeyFile, type Signer, signerOf } from './signer.ts'

export type ImportedKey = {
  readonly signer: Signer
  /** The file of the key in the folder. */
  readonly path: string
  /** False if the folder already contained it. */
  readonly added: boolean
}

/** The Ed25519 private key of a PEM file, not yet stored in a folder. `BadRequest` names what the file contains otherwise. */
export function readPrivateKey(path: string): KeyObject {
  let pem: Buffer
  try {
    pem = readPrivateKeyFile(path)
  } catch (cause) {
    if (!(cause instanceof Broken)) throw cause
    throw new BadRequest(cause.message, { cause, hint: hintOf(cause) })
  }
  const text = pem.toString('latin1')
  if (/-----BEGIN (?:[A-Z]+ )*PUBLIC KEY-----|-----BEGIN CERTIFICATE-----/.test(text))
    throw new BadRequest(`${path} holds a public key: nothing can be signed with it`, {
      hint: 'give the private key: a PEM file that begins with -----BEGIN PRIVATE KEY-----',
    })
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text))
    throw new BadRequest(`${path} is encrypted with a passphrase`, {
      hint: 'decrypt it first: openssl pkcs8 -in FILE -out PLAIN.pem (in a folder of mode 0700)',
    })
  if ((text.match(/-----BEGIN /g) ?? []).length > 1)
    throw new BadRequest(`${path} holds more than one key`, { hint: 'give a file with the one private key' })
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (cause) {
    throw new BadRequest(`${path} is not a private key in PEM (PKCS #8)`, {
      cause,
      hint: 'a key file is signing-<n>.pem of a keys folder, or the output of: openssl genpkey -algorithm ed25519',
    })
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new BadRequest(`${path} holds a key of type ${key.asymmetricKeyType ?? 'unknown'}; receipts are signed with Ed25519`, {
      hint: 'openssl genpkey -algorithm ed25519 makes one; or let Crossfile make it: crossfile signing-keys rotate',
    })
  return key
}

function hintOf(cause: Broken): string {
  if (cause.message.includes(' has mode '))
    return `others could read the file and may have copied the key: if they did, make a new key instead (crossfile signing-keys rotate); if not, ${cause.hint ?? 'make it readable by its owner alone'} and try again`
  return cause.hint ?? 'give the path of a private key in PEM'
}

/** Stores the key in the folder as its next file, once; an existing copy is kept. */
export function placeKey(folder: string, key: KeyObject): ImportedKey {
  const signer = signerOf(key)
  const held = inspectKeyFiles(folder).find(file => file.signer?.kid === signer.kid)
  if (held?.signer) return { signer: held.signer, path: held.path, added: false }
  return { ...addKeyFile(folder, key), added: true }
}

// The keys folder as one encrypted file: AES-256-GCM under a key that scrypt derives from a passphrase. Without the passphrase no one can
// read it, and any change is detected.
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { BadRequest } from '#schemas/errors.ts'
import { writeDurably } from './target.ts'

/** scrypt: 128 MiB and about half a second for each guess (RFC 7914; OWASP's floor is N = 2^17, r = 8, p = 1). */
const cost = { N: 2 ** 17, r: 8, p: 1 }
const maxmem = 256 * 1024 * 1024
const leastPassphrase = 12

const Base64 = z.base64()
const Sealed = z.strictObject({
  format: z.literal('crossfile-keys'),
  version: z.literal(1),
  kdf: z.strictObject({ name: z.literal('scrypt'), N: z.literal(cost.N), r: z.literal(cost.r), p: z.literal(cost.p), salt: Base64 }),
  cipher: z.literal('aes-256-gcm'),
  nonce: Base64,
  text: Base64,
  tag: Base64,
})
const Contents = z.array(z.strictObject({ path: z.string().regex(/^(keys\/[\w-]+\.[a-z]+|api-key)$/), base64: Base64 }))

/** Throws `BadRequest` if a passphrase is too short to protect keys. */
export function checkPassphrase(passphrase: string): string {
  if (passphrase.length >= leastPassphrase) return passphrase
  throw new BadRequest(`the passphrase has ${passphrase.length} characters, expected at least ${leastPassphrase}`)
}

const keyOf = (passphrase: string, salt: Buffer): Buffer => scryptSync(passphrase.normalize('NFC'), salt, 32, { ...cost, maxmem })
const boundTo = (salt: Buffer): Buffer => Buffer.from(`crossfile-keys 1 scrypt ${cost.N} ${cost.r} ${cost.p} ${salt.toString('base64')}`)

/** The files of `keys/` and the ready API key, sealed; null if the data folder has none. */
export async function sealKeys(data: string, passphrase: string): Promise<Buffer | null> {
  const names = await readdir(join(data, 'keys')).catch(noneThere)
  const paths = names.filter(name => /^[\w-]+\.[a-z]+$/.test(name)).map(name => `keys/${name}`)
  if (existsSync(join(data, 'api-key'))) paths.push('api-key')
  const files: { path: string; base64: string }[] = []
  for (const path of paths) files.push({ path, base64: (await readFile(join(data, path))).toString('base64') })
  if (files.length === 0) return null
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce).setAAD(boundTo(salt))
  const text = Buffer.concat([cipher.update(JSON.stringify(files)), cipher.final()])
  const sealed: z.infer<typeof Sealed> = {
    format: 'crossfile-keys',
    version: 1,
    kdf: { name: 'scrypt', ...cost, salt: salt.toString('base64') },
    cipher: 'aes-256-gcm',
    nonce: nonce.toString('base64'),
    text: text.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  }
  return Buffer.from(JSON.stringify(sealed))
}

function noneThere(error: unknown): string[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
  throw error
}

export type KeyFile = { readonly path: string; readonly bytes: Buffer }

/** The files of sealed keys. Throws `BadRequest` if the passphrase is not theirs. */
export function openKeys(bytes: Buffer, passphrase: string): KeyFile[] {
  const sealed = Sealed.parse(JSON.parse(bytes.toString('utf8')))
  const salt = Buffer.from(sealed.kdf.salt, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(passphrase, salt), Buffer.from(sealed.nonce, 'base64'), { authTagLength: 16 })
  decipher.setAAD(boundTo(salt)).setAuthTag(Buffer.from(sealed.tag, 'base64'))
  let text: Buffer
  try {
    text = Buffer.concat([decipher.update(Buffer.from(sealed.text, 'base64')), decipher.final()])
  } catch (cause) {
    throw new BadRequest('the keys of this backup do not open with this passphrase', {
      cause,
      hint: 'give the passphrase of the backup, or --without-keys',
    })
  }
  return Contents.parse(JSON.parse(text.toString('utf8'))).map(({ path, base64 }) => ({ path, bytes: Buffer.from(base64, 'base64') }))
}

/** Writes key files into a data folder, readable only by their owner. */
export async function writeKeys(data: string, files: readonly KeyFile[]): Promise<void> {
  await mkdir(join(data, 'keys'), { recursive: true, mode: 0o700 })
  for (const { path, bytes } of files) await writeDurably(join(data, path), bytes, 0o600)
}

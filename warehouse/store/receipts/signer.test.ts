import { execFile } from 'node:child_process'
import { generateKeyPairSync, verify } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aKeySet, anotherSigner, aSigner, rfc8032, signerFromSecret } from '#fixtures/receipts/vectors.ts'
import { preAuthEncoding } from './dsse.ts'
import { keyFault, keyId, keyRing, publicKeyEntry } from './keys.ts'
import { createNextSigner, ensureSigners, readSigners, signerOf } from './signer.ts'

describe('Ed25519', () => {
  it.each(rfc8032)('signs as RFC 8032 section 7.1 shows, message "$message"', ({ secret, publicKey, message, signature }) => {
    const signer = signerFromSecret(secret)
    expect(Buffer.from(signer.x, 'base64url').toString('hex')).toBe(publicKey)
    expect(signer.sign(Buffer.from(message, 'hex')).toString('hex')).toBe(signature)
  })

  it('is the only kind of key that signs', () => {
    expect(() => signerOf(generateKeyPairSync('ed448').privateKey)).toThrow('expected Ed25519, got ed448')
  })
})

describe('the names of keys and of what they sign', () => {
  it('are the thumbprint of RFC 8037 appendix A.3', () => {
    expect(keyId('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
    expect(aSigner.kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  })

  it('are the pre-authentication encoding of the DSSE protocol', () => {
    expect(preAuthEncoding('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
      'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    )
    expect(preAuthEncoding('é', Buffer.from('ü')).toString()).toBe('DSSEv1 2 é 2 ü') // lengths in bytes
  })
})

describe('a key set', () => {
  const entry = publicKeyEntry(aSigner.x, 'active', { valid_from: 1 })
  it('names each key by its thumbprint, once', () => {
    expect([...keyRing(aKeySet()).keys()]).toEqual([aSigner.kid])
    expect(() => keyRing({ keys: [{ ...entry, kid: anotherSigner.kid }] })).toThrow('not the thumbprint')
    expect(() => keyRing({ keys: [{ ...entry, x: anotherSigner.x }] })).toThrow('not the thumbprint')
    expect(() => keyRing({ keys: [entry, entry] })).toThrow('occurs twice')
    expect(() => keyRing({ keys: [{ ...entry, x: `${entry.x.slice(0, -1)}p` }] })).toThrow('strict base64url')
    expect(() => keyRing({ keys: [{ ...entry, status: 'trusted' }] })).toThrow('key set keys.0.status')
    expect(() => keyRing(null)).toThrow('key set')
  })

  it('accepts a retired key for its own time, a compromised one for none', () => {
    const retired = publicKeyEntry(aSigner.x, 'retired', { valid_from: 10, valid_to: 20 })
    expect([1, 10, 20, 21].map(release => keyFault(retired, release))).toEqual([null, null, null, 'key_out_of_range'])
    expect(keyFault({ ...retired, status: 'compromised' }, 15)).toBe('key_compromised')
    expect(keyFault({ ...retired, status: 'pending' }, 15)).toBe('key_pending')
  })
})

describe('the folder of signing keys', () => {
  let home: string
  let folder: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'receipts-'))
    folder = join(home, 'keys')
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  it('gets one key, readable by its owner alone, and keeps it', () => {
    const [first, ...more] = ensureSigners(folder)
    expect(more).toEqual([])
    expect(readdirSync(folder)).toEqual(['signing-1.pem'])
    expect(statSync(join(folder, 'signing-1.pem')).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(ensureSigners(folder)[0]?.kid).toBe(first?.kid)
    const bytes = Buffer.from('bar')
    expect(
      verify(null, bytes, keyRing({ keys: [publicKeyEntry(first?.x ?? '', 'active')] }).get(first?.kid ?? '')!.publicKey, first!.sign(bytes)),
    ).toBe(true)
  })

  it('gets one key when several processes start at once', async () => {
    const script = [
      `import { ensureSigners } from ${JSON.stringify(new URL('signer.ts', import.meta.url).href)}`,
      "import { existsSync, writeFileSync } from 'node:fs'",
      'const [folder, home, name] = process.argv.slice(1)',
      'writeFileSync(home + "/ready-" + name, "")',
      'while (!existsSync(home + "/go")) continue',
      'console.log(ensureSigners(folder).map(s => s.kid).join())',
    ].join('\n')
    const run = promisify(execFile)
    const names = ['a', 'b', 'c', 'd']
    const runs = names.map(name => run(process.execPath, ['--input-type=module', '-e', script, folder, home, name]))
    while (names.some(name => !existsSync(join(home, `ready-${name}`)))) await sleep(5)
    writeFileSync(join(home, 'go'), '')
    const printed = await Promise.all(runs)
    expect(new Set(printed.map(p => p.stdout.trim()))).toEqual(new Set([readSigners(folder)[0]?.kid]))
    expect(readdirSync(folder)).toEqual(['signing-1.pem'])
  })

  it('adds a key next to the old one', () => {
    const [first] = ensureSigners(folder)
    const second = createNextSigner(folder)
    expect(readSigners(folder).map(s => s.kid)).toEqual([first?.kid, second.kid])
  })

  it('never writes over a key', () => {
    ensureSigners(folder)
    const before = readFileSync(join(folder, 'signing-1.pem'))
    linkSync(join(folder, 'signing-1.pem'), join(folder, 'signing-2.pem')) // as if another process had just made the second
    createNextSigner(folder)
    expect(readFileSync(join(folder, 'signing-1.pem'))).toEqual(before)
    expect(readFileSync(join(folder, 'signing-2.pem'))).toEqual(before)
    expect(existsSync(join(folder, 'signing-3.pem'))).toBe(true)
  })

  it('is empty where it does not exist', () => {
    expect(readSigners(folder)).toEqual([])
  })

  it.skipIf(process.platform === 'win32').each([0o644, 0o640, 0o606, 0o700, 0o660])('refuses a key file of mode %o', mode => {
    ensureSigners(folder)
    chmodSync(join(folder, 'signing-1.pem'), mode)
    expect(() => readSigners(folder)).toThrow(`has mode 0${mode.toString(8)}, expected 0600`)
  })

  it.skipIf(process.platform === 'win32')('refuses a folder that others may write to', () => {
    ensureSigners(folder)
    chmodSync(folder, 0o770)
    expect(() => readSigners(folder)).toThrow('has mode 0770, expected 0700')
  })

  it.skipIf(process.getuid?.() !== 0)('refuses a key file of another user', () => {
    ensureSigners(folder)
    chownSync(join(folder, 'signing-1.pem'), 65534, 65534)
    expect(() => readSigners(folder)).toThrow('belongs to user 65534, this process runs as 0')
  })

  it.skipIf(process.platform === 'win32')('refuses a symbolic link, a folder and a damaged file in the place of a key', () => {
    ensureSigners(folder)
    symlinkSync(join(folder, 'signing-1.pem'), join(folder, 'signing-2.pem'))
    expect(() => readSigners(folder)).toThrow('symbolic link')
    rmSync(join(folder, 'signing-2.pem'))
    mkdirSync(join(folder, 'signing-2.pem'), { mode: 0o600 })
    expect(() => readSigners(folder)).toThrow('is not a file')
    rmSync(join(folder, 'signing-2.pem'), { recursive: true })
    writeFileSync(join(folder, 'signing-2.pem'), 'no key', { mode: 0o600 })
    expect(() => readSigners(folder)).toThrow('cannot be read as PKCS #8')
  })
})

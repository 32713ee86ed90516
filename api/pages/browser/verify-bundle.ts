// Verifies a receipt file with the Web Cryptography API only: in a browser without a network, in Deno, Bun, and Node from 20 on. The checks
// and their results are those of verify-offline.mjs; a test runs both over the same files. `npm run clients` copies this file into the
// TypeScript client, so it imports nothing.

const ID = /^r1_[a-z2-7]{51}[aq]$/
const HEX = /^[0-9a-f]{64}$/
const QUESTION = /^(GET|POST) \/[!-~]*$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
const STATUSES: readonly unknown[] = ['pending', 'active', 'retired', 'compromised']
const TYPE = 'application/vnd.in-toto+json'

/** A public key as the service publishes it; `kid` is its RFC 7638 thumbprint. */
export type BundleKey = {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly alg: 'Ed25519'
  readonly use: 'sig'
  readonly kid: string
  readonly x: string
  readonly status: 'pending' | 'active' | 'retired' | 'compromised'
  readonly valid_from: number | null
  readonly valid_to: number | null
  readonly from_index: number | null
  readonly to_index: number | null
}
export type Statement = {
  readonly subject: readonly [{ readonly name: string; readonly digest: { readonly sha256: string } }]
  readonly predicate: {
    readonly release: number
    readonly as_of: string
    readonly payload: { readonly bytes: number }
    readonly [member: string]: unknown
  }
}
export type Checks = {
  readonly canonical: boolean
  readonly id: boolean
  readonly signature: boolean
  readonly key_in_range: boolean
  /** The log proof leads from the statement to the checkpoint; `not_logged`: the file has none. */
  readonly inclusion: boolean | 'not_logged'
  /** A key that counts signed the checkpoint. */
  readonly checkpoint: boolean | 'not_logged'
  /** Enough of the given witnesses cosigned the checkpoint; `not_checked`: none was given, `none`: an empty list was given. */
  readonly cosignatures: boolean | 'none' | 'not_checked'
  readonly payload_available: boolean
  /** Null if there is no answer to compare. */
  readonly payload_hash: boolean | null
}
export type LogPlace = { readonly origin: string; readonly index: number; readonly size: number }
export type Verdict = {
  readonly receipt_id: string
  readonly kid: string
  readonly valid: boolean
  readonly checks: Checks
  /** The first check that failed, as in verify-offline.mjs; null if the receipt is valid. */
  readonly reason: string | null
  /** The place in the log that the proof shows; null without a readable proof. */
  readonly log: LogPlace | null
  /** The given witnesses whose cosignatures verify: their verifier keys, and the time by their clocks. */
  readonly cosignatures: readonly WitnessedBy[]
  readonly statement: Statement | null
}
export type WitnessedBy = { readonly witness: string; readonly cosigned_at: string }
/** Verifier keys of witnesses (C2SP), and how many of them must have cosigned; without a number all of them. */
export type Quorum = { readonly keys: readonly string[]; readonly count?: number }
/** The file is damaged or is not a receipt file, so there is no verdict. */
export class NoVerdict extends Error {
  override readonly name = 'NoVerdict'
}

type Bytes = Uint8Array<ArrayBuffer>
type Json = Readonly<Record<string, unknown>>
const utf8 = (text: string): Bytes => new TextEncoder().encode(text)
const sha256 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
const hex = (bytes: Bytes): string => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** RFC 8785 for the values that receipts use: strings, integers, lists and objects. */
function canonical(value: unknown, jsonNull = false, depth = 0): string {
  if (depth > 32) throw new NoVerdict('nested too deep')
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) throw new NoVerdict('lone surrogate')
    return JSON.stringify(value)
  }
  if (typeof value === 'number' && Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value)
  if (value === null && jsonNull) return 'null'
  if (Array.isArray(value)) return `[${value.map(item => canonical(item, jsonNull, depth + 1)).join(',')}]`
  if (!isObject(value)) throw new NoVerdict('a value that no receipt holds')
  const members = Object.keys(value).sort()
  return `{${members.map(key => `${canonical(key)}:${canonical(value[key], jsonNull, depth + 1)}`).join(',')}}`
}

function parseUtf8(bytes: Bytes, what: string): [string, unknown] {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return [text, JSON.parse(text)]
  } catch {
    throw new NoVerdict(`${what} is not JSON in UTF-8`)
  }
}

function encode64(bytes: Bytes): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
/** The bytes of base64 text in strict encoding, or null. */
function decode64(text: unknown): Bytes | null {
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0))
  return encode64(bytes) === text ? bytes : null
}
function strictBase64(text: unknown, what: string): Bytes {
  const bytes = decode64(text)
  if (bytes === null) throw new NoVerdict(`${what} is not strict base64`)
  return bytes
}
const base64url = (bytes: Bytes): string => encode64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
function base32(bytes: Bytes): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map(five => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

function hasOnly(object: unknown, members: readonly string[], what: string): Json {
  if (!isObject(object) || Object.keys(object).sort().join() !== [...members].sort().join())
    throw new NoVerdict(`${what} does not have exactly the members ${members.join(', ')}`)
  return object
}

/** Points whose order divides 8, without the sign bit: any signature can be made to fit such a key. */
const SMALL_ORDER: readonly string[] = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
]
/** Whether 32 bytes can be a public key: y is below 2^255 - 19 (RFC 8032 section 5.1.3), and the order is not small. */
function isUsablePoint(key: Bytes): boolean {
  const y = new Uint8Array(key)
  y[31] = (y[31] ?? 0) & 0x7f
  const isReduced = (y[0] ?? 0) < 0xed || y[31] !== 0x7f || y.subarray(1, 31).some(byte => byte !== 0xff)
  return isReduced && !SMALL_ORDER.includes(hex(y))
}

const keyMembers = ['kty', 'crv', 'alg', 'use', 'kid', 'x', 'status', 'valid_from', 'valid_to', 'from_index', 'to_index']
/** Keys by id. The id is computed from the key (RFC 7638). */
async function readKeys(list: unknown): Promise<ReadonlyMap<string, BundleKey>> {
  if (!Array.isArray(list)) throw new NoVerdict('the key set is not a list')
  const keys = new Map<string, BundleKey>()
  const index = (value: unknown): boolean => value === null || (Number.isSafeInteger(value) && (value as number) >= 0)
  for (const each of list) {
    const key = hasOnly(each, keyMembers, 'a key') as unknown as BundleKey
    const right = key.kty === 'OKP' && key.crv === 'Ed25519' && key.alg === 'Ed25519' && key.use === 'sig' && STATUSES.includes(key.status)
    const bytes = typeof key.x === 'string' && key.x.length === 43 ? decode64(`${key.x.replaceAll('-', '+').replaceAll('_', '/')}=`) : null
    const strict = bytes !== null && bytes.length === 32 && base64url(bytes) === key.x
    const ranges = [key.valid_from, key.valid_to, key.from_index, key.to_index].every(index)
    if (!right || !strict || !ranges || !isUsablePoint(bytes)) throw new NoVerdict('a key of the key set is malformed')
    const thumbprint = base64url(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${key.x}"}`)))
    if (thumbprint !== key.kid || keys.has(key.kid)) throw new NoVerdict('a key id is not that of its key')
    keys.set(key.kid, key)
  }
  return keys
}

type Bundle = {
  readonly id: string
  readonly statement: Bytes
  readonly signature: Bytes
  readonly kid: string
  readonly keys: unknown
  readonly payload: Bytes | null
  readonly log: string | null
}
async function readBundle(bytes: Bytes): Promise<Bundle> {
  const [text, value] = parseUtf8(bytes, 'the receipt file')
  const bundle = hasOnly(value, ['format', 'receipt_id', 'envelope', 'keys', 'payload', 'log', 'sha256'], 'the receipt file')
  // Format 2 has a log proof and format 1 none, so that removing a proof is never unnoticed.
  const log = bundle['log']
  if (bundle['format'] !== (log === null ? 'crossfile-receipt/1' : 'crossfile-receipt/2') || (log !== null && typeof log !== 'string'))
    throw new NoVerdict('the receipt file does not have the format crossfile-receipt/1, or crossfile-receipt/2 with a log proof')
  // One line end may follow, as a redirection adds it; every other byte is fixed.
  if (canonical(bundle, true) !== text.replace(/\n$/, '')) throw new NoVerdict('the receipt file is not as it was served (not canonical JSON)')
  const { sha256: sealed, ...rest } = bundle
  if (hex(await sha256(utf8(canonical(rest, true)))) !== sealed) throw new NoVerdict('the receipt file is damaged (its sha256 differs)')
  const { payload, payloadType, signatures } = hasOnly(bundle['envelope'], ['payload', 'payloadType', 'signatures'], 'the envelope')
  if (payloadType !== TYPE) throw new NoVerdict('the envelope does not hold an in-toto statement')
  if (!Array.isArray(signatures) || signatures.length !== 1) throw new NoVerdict('the envelope does not have exactly one signature')
  const { keyid, sig } = hasOnly(signatures[0], ['keyid', 'sig'], 'the signature')
  const id = bundle['receipt_id']
  if (typeof keyid !== 'string' || typeof id !== 'string' || !ID.test(id)) throw new NoVerdict('the key id or receipt id is malformed')
  return {
    id,
    statement: strictBase64(payload, 'the statement'),
    signature: strictBase64(sig, 'the signature'),
    kid: keyid,
    keys: bundle['keys'],
    payload: bundle['payload'] === null ? null : strictBase64(bundle['payload'], 'the payload'),
    log,
  }
}

/** The statement, or why its bytes are not a statement of Crossfile. */
function readStatement(bytes: Bytes): readonly [Statement, null] | readonly [null, string] {
  let statement: unknown
  try {
    const [text, value] = parseUtf8(bytes, 'the statement')
    if (canonical(value) !== text) return [null, 'statement_not_canonical']
    statement = value
  } catch {
    return [null, 'statement_not_canonical']
  }
  if (!isObject(statement)) return [null, 'statement_malformed']
  const { _type, predicateType, predicate, subject } = statement
  const made = isObject(predicate) ? predicate : {}
  const known = _type === 'https://in-toto.io/Statement/v1' && predicateType === 'urn:crossfile:receipt:v1' && made['v'] === 1
  const first: unknown = Array.isArray(subject) && subject.length === 1 ? subject[0] : null
  const digest = isObject(first) && isObject(first['digest']) ? first['digest']['sha256'] : null
  // Printable ASCII only: the question is shown to a person.
  const one = isObject(first) && QUESTION.test(String(first['name'])) && HEX.test(String(digest))
  const sized = isObject(made['payload']) && Number.isSafeInteger(made['payload']['bytes'])
  const dated = Number.isSafeInteger(made['release']) && INSTANT.test(String(made['as_of']))
  return known && one && sized && dated ? [statement as unknown as Statement, null] : [null, 'statement_malformed']
}

function joined(...parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
const isEqual = (one: Bytes, other: Bytes): boolean => one.length === other.length && one.every((byte, at) => byte === other[at])

/** DSSE (its PAE, version 1) over Ed25519. */
async function signatureHolds(bytes: Bytes, signature: Bytes, x: string): Promise<boolean> {
  if (signature.length !== 64) return false
  return await ed25519Holds(joined(utf8(`DSSEv1 ${TYPE.length} ${TYPE} ${bytes.length} `), bytes), signature, x)
}

/** Whether the key `x` (base64url) signed exactly these bytes. An R of small order is refused: implementations differ about it. */
export async function ed25519Holds(signed: Bytes, signature: Bytes, x: string): Promise<boolean> {
  if (signature.length !== 64 || !isUsablePoint(signature.subarray(0, 32))) return false
  const key = await crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x }, { name: 'Ed25519' }, false, ['verify'])
  return await crypto.subtle.verify({ name: 'Ed25519' }, key, signature, signed)
}

/** `index`: the index in the log, if it is proven by a checkpoint of a key that counts. */
function keyFault(key: BundleKey | undefined, statement: Statement | null, index: number | null): string | null {
  if (key === undefined) return 'key_unknown'
  if (key.status === 'pending') return 'key_pending'
  if (key.status === 'compromised') return index !== null && key.to_index !== null && index <= key.to_index ? null : 'key_compromised'
  return statement !== null && key.valid_to !== null && statement.predicate.release > key.valid_to ? 'key_out_of_range' : null
}

// The log: RFC 6962 (hashes), RFC 9162 section 2.1.3.2 (inclusion), C2SP tlog-proof, tlog-checkpoint and signed-note.
const MAX_ENTRY = 65_535
const nodeOf = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(joined(new Uint8Array([1]), left, right))

/** The leaf of a statement; one that is too long for an entry of the log is represented by its id and length. */
function leafOf(statement: Bytes, id: string): Promise<Bytes> {
  const long = { _type: 'urn:crossfile:log:long-statement:v1', bytes: statement.length, receipt_id: id }
  return sha256(joined(new Uint8Array([0]), statement.length <= MAX_ENTRY ? statement : utf8(canonical(long))))
}

function hashOf(line: string): Bytes | null {
  const bytes = decode64(line)
  return bytes?.length === 32 ? bytes : null
}
const integerOf = (text: string): number | null => (/^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null)

type Proof = LogPlace & { readonly hashes: readonly Bytes[]; readonly root: Bytes; readonly signed: string; readonly signatures: readonly string[] }

/** Index, path, and the checkpoint with its text and signature lines; null if the text is not a proof. */
function readProof(text: string): Proof | null {
  const end = text.indexOf('\n\n')
  const [first, indexLine = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\n')
  const index = indexLine.startsWith('index ') ? integerOf(indexLine.slice(6)) : null
  const hashes = lines.map(hashOf).filter(hash => hash !== null)
  const note = text.slice(end + 2)
  const cut = note.lastIndexOf('\n\n')
  const signed = note.slice(0, cut + 1)
  const [origin = '', sizeLine = '', rootLine = '', last, more] = signed.split('\n')
  const [size, root] = [integerOf(sizeLine), hashOf(rootLine)]
  const signatures = note.slice(cut + 2).split('\n')
  const isProof = first === 'c2sp.org/tlog-proof@v1' && lines.length <= 64 && hashes.length === lines.length
  const isCheckpoint = cut > 0 && /^[^\s+]+$/u.test(origin) && last === '' && more === undefined
  if (!isProof || index === null || !isCheckpoint || size === null || root === null) return null
  if (signatures.pop() !== '' || signatures.length === 0) return null
  return { index, hashes, signed, origin, size, root, signatures }
}

/** Whether the path leads from the leaf at its index to the root, and has exactly the length that it needs. */
async function isIncluded(leaf: Bytes, { index, size, hashes, root }: Proof): Promise<boolean> {
  if (index >= size) return false
  let at = index
  let last = size - 1
  let hash = leaf
  for (const sibling of hashes) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      hash = await nodeOf(sibling, hash)
      for (; at % 2 === 0 && at !== 0; last = Math.floor(last / 2)) at /= 2
    } else hash = await nodeOf(hash, sibling)
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && isEqual(hash, root)
}

/** Whether a key that counts signed the checkpoint, and every signature of such a key holds. */
async function isSigned({ signed, origin, signatures }: Proof, keys: ReadonlyMap<string, BundleKey>): Promise<boolean> {
  let found = false
  for (const line of signatures) {
    const [dash, name = '', encoded = '', more] = line.split(' ')
    const bytes = decode64(encoded)
    if (dash !== '\u2014' || name === '' || more !== undefined || bytes === null || bytes.length < 5) return false
    for (const { x, status } of keys.values()) {
      const raw = strictBase64(`${x.replaceAll('-', '+').replaceAll('_', '/')}=`, 'a key')
      const id = (await sha256(joined(utf8(`${origin}\n\x01`), raw))).subarray(0, 4)
      const counts = status === 'active' || status === 'retired'
      if (!counts || name !== origin || !isEqual(bytes.subarray(0, 4), id)) continue
      if (bytes.length !== 68 || !(await ed25519Holds(utf8(signed), bytes.subarray(4), x))) return false
      found = true
    }
  }
  return found
}

// Witnesses: C2SP tlog-cosignature (cosignature/v1) and the verifier keys of signed-note. 9999-12-31 is the last time that can be printed.
const LATEST_SECONDS = 253_402_300_799

type Witness = { readonly vkey: string; readonly name: string; readonly id: Bytes; readonly x: string }
/** A witness from its verifier key, `name+hex id+base64 of 0x04 and the key`. */
async function readWitness(vkey: string): Promise<Witness> {
  const [name = '', id, ...rest] = vkey.split('+')
  const typed = strictBase64(rest.join('+'), 'the key of a witness')
  const computed = (await sha256(joined(utf8(`${name}\n`), typed))).slice(0, 4)
  if (!/^[^\s+]+$/u.test(name) || typed.length !== 33 || typed[0] !== 4 || hex(computed) !== id)
    throw new NoVerdict('a witness is not given by its verifier key (name+id+base64, Ed25519 cosignatures)')
  return { vkey, name, id: computed, x: base64url(typed.slice(1)) }
}

type CosignatureCheck = { readonly check: Checks['cosignatures']; readonly by: readonly WitnessedBy[]; readonly fault: string | null }
/** Which of the given witnesses cosigned the checkpoint. Lines of other keys are ignored; a wrong line of a given witness is a fault. */
async function checkCosignatures(proof: Proof | null, given: Quorum | undefined): Promise<CosignatureCheck> {
  if (given === undefined) return { check: 'not_checked', by: [], fault: null }
  if (given.keys.length === 0) return { check: 'none', by: [], fault: null }
  const witnesses = new Map((await Promise.all(given.keys.map(readWitness))).map(key => [key.x, key]))
  const by = new Map<string, WitnessedBy>()
  for (const line of proof?.signatures ?? [])
    for (const { vkey, name, id, x } of witnesses.values()) {
      const [, lineName, encoded = ''] = line.split(' ')
      const bytes = decode64(encoded) ?? new Uint8Array()
      if (lineName !== name || !isEqual(bytes.subarray(0, 4), id)) continue
      const seconds = bytes.length === 76 ? Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(4)) : Number.NaN
      const signed = utf8(`cosignature/v1\ntime ${seconds}\n${proof?.signed}`)
      if (!(seconds <= LATEST_SECONDS) || !(await ed25519Holds(signed, bytes.slice(12), x)))
        return { check: false, by: [...by.values()], fault: 'cosignature_wrong' }
      if (!by.has(vkey)) by.set(vkey, { witness: vkey, cosigned_at: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') })
    }
  const isEnough = by.size >= (given.count ?? witnesses.size)
  return { check: isEnough, by: [...by.values()], fault: isEnough ? null : 'cosignatures_missing' }
}

type LogCheck = { readonly inclusion: boolean; readonly checkpoint: boolean; readonly place: LogPlace | null; readonly proof: Proof | null }

/** The checks of a log proof, and the place that it shows; null without a proof. */
async function checkLog(text: string | null, statement: Bytes, id: string, keys: ReadonlyMap<string, BundleKey>): Promise<LogCheck | null> {
  if (text === null) return null
  const proof = readProof(text)
  if (proof === null) return { inclusion: false, checkpoint: false, place: null, proof }
  const { origin, index, size } = proof
  const inclusion = await isIncluded(await leafOf(statement, id), proof)
  return { inclusion, checkpoint: await isSigned(proof, keys), place: { origin, index, size }, proof }
}

/** A served body has the receipt's id as its last member; the signature covers the body without it. */
function withoutReceiptId(body: Bytes, id: string): Bytes {
  const tail = utf8(`"receipt_id":"${id}"}`)
  const start = body.length - tail.length
  if (start < 0 || !tail.every((byte, i) => body[start + i] === byte)) return body
  const end = body[start - 1] === 0x2c ? start - 1 : start
  const kept = new Uint8Array(end + 1)
  kept.set(body.subarray(0, end))
  kept[end] = 0x7d
  return kept
}

/**
 * Verifies the bytes of a receipt file. `keys`: public keys that the caller trusts, in place of those in the file. `body`: the answer as it
 * was served, or its payload, to compare with the signed hash. `witnesses`: whose cosignatures the checkpoint must have. Throws `NoVerdict`
 * if the file is damaged or is not a receipt file.
 */
export async function verifyBundle(
  bytes: Bytes,
  options: { readonly keys?: readonly BundleKey[]; readonly body?: Bytes; readonly witnesses?: Quorum } = {},
): Promise<Verdict> {
  const bundle = await readBundle(bytes)
  const own = await readKeys(bundle.keys)
  const trusted = options.keys === undefined ? own : await readKeys(options.keys)
  const key = trusted.get(bundle.kid)
  const payload = options.body === undefined ? bundle.payload : withoutReceiptId(options.body, bundle.id)
  const [statement, malformed] = readStatement(bundle.statement)
  const computed = `r1_${base32(await sha256(bundle.statement))}`
  const id = computed === bundle.id
  const signature = key !== undefined && (await signatureHolds(bundle.statement, bundle.signature, key.x))
  const log = await checkLog(bundle.log, bundle.statement, computed, trusted)
  const witnessed = await checkCosignatures(log?.proof ?? null, options.witnesses)
  const outOfRange = keyFault(key, statement, log?.inclusion && log.checkpoint ? (log.place?.index ?? null) : null)
  const payloadHash =
    payload === null
      ? null
      : statement !== null &&
        payload.length === statement.predicate.payload.bytes &&
        hex(await sha256(payload)) === statement.subject[0].digest.sha256
  const reason =
    malformed ??
    (id ? null : 'id_mismatch') ??
    (key === undefined ? 'key_unknown' : null) ??
    (signature ? null : 'signature_wrong') ??
    outOfRange ??
    (log?.inclusion === false ? 'inclusion_wrong' : null) ??
    (log?.checkpoint === false ? 'checkpoint_wrong' : null) ??
    witnessed.fault ??
    (payloadHash === false ? 'payload_mismatch' : null)
  const checks: Checks = {
    canonical: statement !== null,
    id,
    signature,
    key_in_range: outOfRange === null,
    inclusion: log?.inclusion ?? 'not_logged',
    checkpoint: log?.checkpoint ?? 'not_logged',
    cosignatures: witnessed.check,
    payload_available: payload !== null,
    payload_hash: payloadHash,
  }
  const place = log?.place ?? null
  return { receipt_id: bundle.id, kid: bundle.kid, valid: reason === null, checks, reason, log: place, cosignatures: witnessed.by, statement }
}

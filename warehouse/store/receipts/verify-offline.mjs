#!/usr/bin/env node
// Verifies a Crossfile receipt without Crossfile: one file, any Node from 18 on, no network, no packages.
//
//   node verify-offline.mjs ANSWER.receipt.json [--payload BODY.json] [--keys KEYS.json | --kid KEY_ID]
//     [--witness VERIFIER_KEY ... [--witness-quorum N]] [--json]
//
// Exit code 0: valid. 1: not valid. 2: no verdict (wrong usage, or not an undamaged receipt file).
// What a valid receipt means and does not mean: docs/receipts.md.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'

const USAGE =
  'usage: node verify-offline.mjs ANSWER.receipt.json [--payload BODY.json] [--keys KEYS.json | --kid KEY_ID] [--witness VERIFIER_KEY ... [--witness-quorum N]] [--json]'
const STATUSES = ['pending', 'active', 'retired', 'compromised']
const HEX = /^[0-9a-f]{64}$/
const QUESTION = /^(GET|POST) \/[!-~]*$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
const ID = /^r1_[a-z2-7]{51}[aq]$/

/** No verdict: exit code 2. */
export class NoVerdict extends Error {}

/** RFC 8785 for the values that receipts use. Numbers are integers, so their form is unambiguous. */
function canonical(value, jsonNull = false, depth = 0) {
  if (depth > 32) throw new NoVerdict('nested too deep')
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) throw new NoVerdict('lone surrogate')
    return JSON.stringify(value)
  }
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value)
  if (value === null && jsonNull) return 'null'
  if (Array.isArray(value)) return `[${value.map(item => canonical(item, jsonNull, depth + 1)).join(',')}]`
  if (value === null || typeof value !== 'object') throw new NoVerdict('a value that no receipt holds')
  const members = Object.keys(value).sort()
  return `{${members.map(key => `${canonical(key)}:${canonical(value[key], jsonNull, depth + 1)}`).join(',')}}`
}

const sha256 = (bytes, encoding) => createHash('sha256').update(bytes).digest(encoding)

function parseUtf8(bytes, what) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return [text, JSON.parse(text)]
  } catch {
    throw new NoVerdict(`${what} is not JSON in UTF-8`)
  }
}

function strictBase64(text, what) {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64') : undefined
  if (bytes === undefined || bytes.toString('base64') !== text) throw new NoVerdict(`${what} is not strict base64`)
  return bytes
}

function hasOnly(object, members, what) {
  const fits = object !== null && typeof object === 'object' && !Array.isArray(object)
  if (!fits || Object.keys(object).sort().join() !== [...members].sort().join())
    throw new NoVerdict(`${what} has not the members ${members.join(', ')}`)
  return object
}

function base32(bytes) {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map(five => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** Points whose order divides 8, without the sign bit: any signature can be made to fit such a key. */
const SMALL_ORDER = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
]
/** Whether 32 bytes can be a public key: y is below 2^255 - 19 (RFC 8032 section 5.1.3), and the order is not small. */
function isUsablePoint(key) {
  const y = Buffer.from(key)
  y[31] &= 0x7f
  const isReduced = y[0] < 0xed || y[31] !== 0x7f || y.subarray(1, 31).some(byte => byte !== 0xff)
  return y.length === 32 && isReduced && !SMALL_ORDER.includes(y.toString('hex'))
}

/** Keys by id. The id is computed from the key (RFC 7638), not taken from the file. */
function readKeys(list) {
  if (!Array.isArray(list)) throw new NoVerdict('the key set is not a list')
  const keys = new Map()
  const index = value => value === null || (Number.isSafeInteger(value) && value >= 0)
  for (const key of list) {
    hasOnly(key, ['kty', 'crv', 'alg', 'use', 'kid', 'x', 'status', 'valid_from', 'valid_to', 'from_index', 'to_index'], 'a key')
    const { kty, crv, alg, use, kid, x, status } = key
    const right = kty === 'OKP' && crv === 'Ed25519' && alg === 'Ed25519' && use === 'sig' && STATUSES.includes(status)
    const strict = typeof x === 'string' && x.length === 43 && Buffer.from(x, 'base64url').toString('base64url') === x
    const ranges = [key.valid_from, key.valid_to, key.from_index, key.to_index].every(index)
    if (!right || !strict || !ranges || !isUsablePoint(Buffer.from(x, 'base64url'))) throw new NoVerdict('a key of the key set is malformed')
    if (sha256(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url') !== kid || keys.has(kid))
      throw new NoVerdict('a key id is not that of its key')
    keys.set(kid, key)
  }
  return keys
}

/** The members of an undamaged bundle; their content is not verified yet. */
function readBundle(bytes) {
  const [text, bundle] = parseUtf8(bytes, 'the receipt file')
  hasOnly(bundle, ['format', 'receipt_id', 'envelope', 'keys', 'payload', 'log', 'sha256'], 'the receipt file')
  // Format 2 has a log proof and format 1 none, so that removing a proof is never unnoticed.
  const format = bundle.log === null ? 'crossfile-receipt/1' : 'crossfile-receipt/2'
  if (bundle.format !== format || (bundle.log !== null && typeof bundle.log !== 'string'))
    throw new NoVerdict('the receipt file is not of the format crossfile-receipt/1, or crossfile-receipt/2 with a log proof')
  // One line end may follow, as a redirection adds it; every other byte is fixed.
  if (canonical(bundle, true) !== text.replace(/\n$/, '')) throw new NoVerdict('the receipt file is not as it was served (not canonical JSON)')
  const { sha256: sealed, ...rest } = bundle
  if (sha256(canonical(rest, true), 'hex') !== sealed) throw new NoVerdict('the receipt file is damaged (its sha256 differs)')
  const { payload, payloadType, signatures } = hasOnly(bundle.envelope, ['payload', 'payloadType', 'signatures'], 'the envelope')
  if (payloadType !== 'application/vnd.in-toto+json') throw new NoVerdict('the envelope is not of an in-toto statement')
  if (!Array.isArray(signatures) || signatures.length !== 1) throw new NoVerdict('the envelope has not one signature')
  const { keyid, sig } = hasOnly(signatures[0], ['keyid', 'sig'], 'the signature')
  if (typeof keyid !== 'string' || !ID.test(bundle.receipt_id)) throw new NoVerdict('the key id or receipt id is malformed')
  return {
    id: bundle.receipt_id,
    statement: strictBase64(payload, 'the statement'),
    signature: strictBase64(sig, 'the signature'),
    kid: keyid,
    keys: bundle.keys,
    payload: bundle.payload === null ? null : strictBase64(bundle.payload, 'the payload'),
    log: bundle.log,
  }
}

/** The statement, or why its bytes are not a statement of Crossfile. */
function readStatement(bytes) {
  let statement
  try {
    const [text, value] = parseUtf8(bytes, 'the statement')
    if (canonical(value) !== text) return [null, 'statement_not_canonical']
    statement = value
  } catch {
    return [null, 'statement_not_canonical']
  }
  const { _type, predicateType, predicate, subject } = statement
  const known = _type === 'https://in-toto.io/Statement/v1' && predicateType === 'urn:crossfile:receipt:v1' && predicate?.v === 1
  // Printable ASCII only: these texts go to a terminal.
  const one =
    Array.isArray(subject) && subject.length === 1 && QUESTION.test(String(subject[0]?.name)) && HEX.test(String(subject[0]?.digest?.sha256))
  const dated = Number.isSafeInteger(predicate?.release) && INSTANT.test(String(predicate?.as_of))
  const sized = dated && Number.isSafeInteger(predicate?.payload?.bytes)
  return known && one && sized ? [statement, null] : [null, 'statement_malformed']
}

function signatureHolds(bytes, signature, x) {
  const type = 'application/vnd.in-toto+json'
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${bytes.length} `), bytes])
  return ed25519Holds(signed, signature, x)
}

/** Whether the key `x` (base64url) signed exactly these bytes. An R of small order is refused: versions of OpenSSL differ about it. */
export function ed25519Holds(signed, signature, x) {
  const isPossible = signature.length === 64 && isUsablePoint(signature.subarray(0, 32))
  return isPossible && verify(null, signed, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature)
}

/** `index`: the index in the log, if it is proven by a checkpoint of a key that counts. */
function keyFault(key, statement, index) {
  if (key === undefined) return 'key_unknown'
  if (key.status === 'pending') return 'key_pending'
  if (key.status === 'compromised') return index !== null && key.to_index !== null && index <= key.to_index ? null : 'key_compromised'
  return statement !== null && key.valid_to !== null && statement.predicate.release > key.valid_to ? 'key_out_of_range' : null
}

// The log: RFC 6962 (hashes), RFC 9162 section 2.1.3.2 (inclusion), C2SP tlog-proof, tlog-checkpoint and signed-note.
const MAX_ENTRY = 65_535
const node = (left, right) => sha256(Buffer.concat([Buffer.from([1]), left, right]))

/** The leaf of a statement; one that is too long for an entry of the log is represented by its id and length. */
function leafOf(statement, id) {
  const long = { _type: 'urn:crossfile:log:long-statement:v1', bytes: statement.length, receipt_id: id }
  const entry = statement.length <= MAX_ENTRY ? statement : Buffer.from(canonical(long))
  return sha256(Buffer.concat([Buffer.from([0]), entry]))
}

const hashOf = line => {
  const bytes = Buffer.from(line, 'base64')
  return bytes.length === 32 && bytes.toString('base64') === line ? bytes : null
}
const integerOf = text => (/^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null)

/** Index, path, and the checkpoint with its text and signature lines; null if the text is not a proof. */
function readProof(text) {
  const end = text.indexOf('\n\n')
  const [first, indexLine = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\n')
  const index = indexLine.startsWith('index ') ? integerOf(indexLine.slice(6)) : null
  const hashes = lines.map(hashOf)
  const note = text.slice(end + 2)
  const cut = note.lastIndexOf('\n\n')
  const signed = note.slice(0, cut + 1)
  const [origin, sizeLine = '', rootLine = '', last, more] = signed.split('\n')
  const [size, root] = [integerOf(sizeLine), hashOf(rootLine)]
  const signatures = note.slice(cut + 2).split('\n')
  const isProof = first === 'c2sp.org/tlog-proof@v1' && index !== null && lines.length <= 64 && hashes.every(hash => hash !== null)
  const isCheckpoint = cut > 0 && /^[^\s+]+$/u.test(origin) && size !== null && root !== null && last === '' && more === undefined
  if (!isProof || !isCheckpoint || signatures.pop() !== '' || signatures.length === 0) return null
  return { index, hashes, signed, origin, size, root, signatures }
}

/** Whether the path leads from the leaf at its index to the root, and has exactly the length that it needs. */
function isIncluded(leaf, { index, size, hashes, root }) {
  if (index >= size) return false
  let [at, last, hash] = [index, size - 1, leaf]
  for (const sibling of hashes) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      hash = node(sibling, hash)
      for (; at % 2 === 0 && at !== 0; last = Math.floor(last / 2)) at /= 2
    } else hash = node(hash, sibling)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 && hash.equals(root)
}

/** Whether a key that counts signed the checkpoint, and every signature of such a key holds. */
function isSigned({ signed, origin, signatures }, keys) {
  let found = false
  for (const line of signatures) {
    const [dash, name, encoded = '', more] = line.split(' ')
    const bytes = Buffer.from(encoded, 'base64')
    if (dash !== '\u2014' || !name || more !== undefined || bytes.length < 5 || bytes.toString('base64') !== encoded) return false
    for (const { x, status } of keys.values()) {
      const id = sha256(Buffer.concat([Buffer.from(`${origin}\n\x01`), Buffer.from(x, 'base64url')])).subarray(0, 4)
      const counts = status === 'active' || status === 'retired'
      if (!counts || name !== origin || !bytes.subarray(0, 4).equals(id)) continue
      if (!ed25519Holds(Buffer.from(signed), bytes.subarray(4), x)) return false
      found = true
    }
  }
  return found
}

// Witnesses: C2SP tlog-cosignature (cosignature/v1) and the verifier keys of signed-note. 9999-12-31 is the last time that can be printed.
const LATEST_SECONDS = 253_402_300_799

/** A witness from its verifier key, `name+hex id+base64 of 0x04 and the key`. */
function readWitness(vkey) {
  const [name, id, ...rest] = String(vkey).split('+')
  const typed = strictBase64(rest.join('+'), 'the key of a witness')
  const computed = sha256(Buffer.concat([Buffer.from(`${name}\n`), typed])).subarray(0, 4)
  if (!/^[^\s+]+$/u.test(name) || typed.length !== 33 || typed[0] !== 4 || !isUsablePoint(typed.subarray(1)) || computed.toString('hex') !== id)
    throw new NoVerdict(`${vkey} is not the verifier key of a witness (name+id+base64, Ed25519 cosignatures)`)
  return { vkey, name, id: computed, x: typed.subarray(1).toString('base64url') }
}

/**
 * Which of the given witnesses cosigned the checkpoint. Lines of other keys are ignored, as anyone could remove them; a wrong line of a given
 * witness is a fault. Two names of one public key count once.
 */
function checkCosignatures(proof, given) {
  if (given === undefined) return { check: 'not_checked', by: [], fault: null }
  if (given.keys.length === 0) return { check: 'none', by: [], fault: null }
  const witnesses = [...new Map(given.keys.map(readWitness).map(key => [key.x, key])).values()]
  const by = new Map()
  for (const line of proof?.signatures ?? [])
    for (const { vkey, name, id, x } of witnesses) {
      const [, lineName, encoded = ''] = line.split(' ')
      const bytes = Buffer.from(encoded, 'base64')
      if (lineName !== name || !bytes.subarray(0, 4).equals(id)) continue
      const seconds = bytes.length === 76 ? Number(bytes.readBigUInt64BE(4)) : Number.NaN
      const signed = Buffer.from(`cosignature/v1\ntime ${seconds}\n${proof.signed}`)
      if (!(seconds <= LATEST_SECONDS) || !ed25519Holds(signed, bytes.subarray(12), x))
        return { check: false, by: [...by.values()], fault: 'cosignature_wrong' }
      if (!by.has(vkey)) by.set(vkey, { witness: vkey, cosigned_at: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') })
    }
  const isEnough = by.size >= (given.count ?? witnesses.length)
  return { check: isEnough, by: [...by.values()], fault: isEnough ? null : 'cosignatures_missing' }
}

/** The checks of a log proof, and the place that it shows; null without a proof. */
function checkLog(text, statement, id, keys) {
  if (text === null) return null
  const proof = readProof(text)
  if (proof === null) return { inclusion: false, checkpoint: false, place: null, proof }
  const { origin, index, size } = proof
  return { inclusion: isIncluded(leafOf(statement, id), proof), checkpoint: isSigned(proof, keys), place: { origin, index, size }, proof }
}

/** A served body has the receipt's id as its last member; the signature covers the body without it. */
function withoutReceiptId(body, id) {
  const tail = Buffer.from(`"receipt_id":"${id}"}`)
  if (!body.subarray(-tail.length).equals(tail)) return body
  const kept = body.subarray(0, -tail.length)
  return Buffer.concat([kept[kept.length - 1] === 0x2c ? kept.subarray(0, -1) : kept, Buffer.from('}')])
}

/**
 * The verdict on the bytes of a receipt file: `{receipt_id, kid, valid, checks, reason, log, cosignatures, statement}`.
 * `keys`: key list that the caller trusts, in place of the one in the file. `body`: the answer as served, or its payload.
 * `witnesses`: `{keys, count}`, verifier keys of witnesses and how many of them must have cosigned (all, without a number).
 */
export function verifyBundle(bytes, { keys, body, witnesses } = {}) {
  const bundle = readBundle(bytes)
  const own = readKeys(bundle.keys)
  const trusted = keys === undefined ? own : readKeys(keys)
  const key = trusted.get(bundle.kid)
  const payload = body === undefined ? bundle.payload : withoutReceiptId(body, bundle.id)
  const [statement, malformed] = readStatement(bundle.statement)
  const computed = `r1_${base32(sha256(bundle.statement))}`
  const id = computed === bundle.id
  const signature = key !== undefined && signatureHolds(bundle.statement, bundle.signature, key.x)
  const log = checkLog(bundle.log, bundle.statement, computed, trusted)
  const witnessed = checkCosignatures(log?.proof ?? null, witnesses)
  const outOfRange = keyFault(key, statement, log?.inclusion && log.checkpoint ? log.place.index : null)
  const fits = p => statement !== null && p.length === statement.predicate.payload.bytes && sha256(p, 'hex') === statement.subject[0].digest.sha256
  const payloadHash = payload === null ? null : fits(payload)
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
  const checks = {
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

const MEANING = {
  statement_not_canonical: 'the statement is not in canonical form',
  statement_malformed: 'the statement is not one of Crossfile, or of a later version',
  id_mismatch: 'the receipt id is not that of the statement',
  key_not_expected: 'it is signed by another key than the one given',
  key_unknown: 'the key set does not hold the key that it names',
  signature_wrong: 'the signature is not that of the key over the statement',
  key_pending: 'its key had not begun to sign',
  key_compromised: 'its key was stolen or lost, and nothing shows that the receipt is older',
  key_out_of_range: 'its key had been retired before that release',
  inclusion_wrong: 'the log proof does not lead from the receipt to the checkpoint',
  checkpoint_wrong: 'no valid key signed the checkpoint of the log',
  cosignature_wrong: 'a cosignature of a given witness is not one of its key over the checkpoint',
  cosignatures_missing: 'fewer of the given witnesses cosigned the checkpoint than are needed',
  payload_mismatch: 'the answer is not the one that was signed',
}

const REPRODUCTION = {
  documents: 'from the documents that the statement lists',
  release: 'from the files of its release; the documents are too many to list',
  none: 'not possible: only a hash of the request is kept',
}

function sentence(verdict, trusted) {
  if (!verdict.valid) return `NOT VALID  ${verdict.receipt_id}: ${MEANING[verdict.reason]} (${verdict.reason})`
  const { subject, predicate } = verdict.statement
  const given = verdict.checks.payload_available ? 'the given answer is' : 'no answer was given to compare; it is'
  const key = trusted ? 'the key that you gave' : 'a key from the file itself; compare its id with the published one, or pass --keys'
  const again = REPRODUCTION[predicate.reproduction]
  return [
    `VALID  ${verdict.receipt_id}`,
    `  question  ${subject[0].name}`,
    `  answer    ${given} the ${predicate.payload.bytes} bytes with sha256 ${subject[0].digest.sha256}`,
    `  made      from release ${predicate.release}, as of ${predicate.as_of}`,
    ...(again === undefined ? [] : [`  again     ${again}`]),
    `  signed    by ${verdict.kid} (${key})`,
    verdict.log === null
      ? '  log       the file has no proof that the receipt is in the log'
      : `  log       entry ${verdict.log.index} of ${verdict.log.origin}, in the tree of ${verdict.log.size} entries`,
    ...verdict.cosignatures.map(({ witness, cosigned_at }) => `  witness   ${witness.split('+')[0]} cosigned the tree at ${cosigned_at}`),
  ].join('\n')
}

function readOptions(words) {
  const options = { json: false }
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]
    if (word === '--json') options.json = true
    else if (word === '--witness' && words[i + 1] !== undefined) options.witnesses = [...(options.witnesses ?? []), words[++i]]
    else if (word === '--witness-quorum' && /^[1-9]\d?$/.test(words[i + 1] ?? '')) options.quorum = Number(words[++i])
    else if (['--payload', '--keys', '--kid'].includes(word) && words[i + 1] !== undefined) options[word.slice(2)] = words[++i]
    else if (!word.startsWith('-') && options.file === undefined) options.file = word
    else throw new NoVerdict(USAGE)
  }
  const distinct = new Set((options.witnesses ?? []).map(vkey => readWitness(vkey).x)).size
  if (options.file === undefined || (options.quorum !== undefined && options.quorum > distinct)) throw new NoVerdict(USAGE)
  return options
}

function readFile(path) {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new NoVerdict(`${path} cannot be read (${error.code ?? error.message})`)
  }
}

function main(words) {
  try {
    const options = readOptions(words)
    const keys = options.keys === undefined ? undefined : (parseUtf8(readFile(options.keys), options.keys)[1]?.keys ?? null)
    const body = options.payload === undefined ? undefined : readFile(options.payload)
    const witnesses = options.witnesses === undefined ? undefined : { keys: options.witnesses, count: options.quorum }
    const verdict = verifyBundle(readFile(options.file), { keys, body, witnesses })
    if (options.kid !== undefined && verdict.kid !== options.kid) {
      Object.assign(verdict, { valid: false, reason: verdict.reason ?? 'key_not_expected' })
    }
    console.log(options.json ? JSON.stringify(verdict) : sentence(verdict, options.keys !== undefined || options.kid !== undefined))
    return verdict.valid ? 0 : 1
  } catch (error) {
    // A fault of this program is not a verdict either: Node's exit code for it would be 1.
    console.error(`NO VERDICT  ${error instanceof NoVerdict ? error.message : error.stack}`)
    return 2
  }
}

const asUrlPath = path => path.replaceAll('\\', '/').replace(/^\//, '')
const started = process.argv[1] && asUrlPath(realpathSync(process.argv[1])) === asUrlPath(decodeURIComponent(new URL(import.meta.url).pathname))
if (started) process.exitCode = main(process.argv.slice(2))

// Checks a receipt in the order of an offline verifier: canonical bytes, id, signature, key, place in the log, payload. All checks are made
// if possible; `reason` is the first that failed. `verify-offline.mjs` is independent of this file, and tests compare the two.
import type { KeyObject } from 'node:crypto'
import { CrossfileError } from '#schemas/errors.ts'
import {
  type FailureReason,
  type LogPlace,
  type NamedManifest,
  type ReceiptChecks,
  type ReceiptDocument,
  type ReproducedFrom,
  Statement,
  type VerifyAnswer,
  type WitnessedBy,
} from '#schemas/receipts.ts'
import { ed25519Holds } from '../ed25519.ts'
import { openCheckpoint, readCheckpoint } from '../transparency/checkpoint.ts'
import { cosignedAt, cosignerKey } from '../transparency/cosignature.ts'
import { leafHash, rootOfInclusion } from '../transparency/merkle.ts'
import { noteKey, parseNote } from '../transparency/note.ts'
import { parseProof } from '../transparency/proof.ts'
import { canonicalText, parseCanonical } from './canonical.ts'
import { signedBytes } from './dsse.ts'
import { type KeyRing, keyFault } from './keys.ts'
import { entryOfStatement } from './log/entry-of-statement.ts'
import { MAX_STATEMENT_BYTES, type Receipt } from './receipt.ts'
import { receiptId, sha256Hex } from './statement.ts'

export type Verification = {
  readonly receipt_id: string
  readonly kid: string
  readonly valid: boolean
  readonly checks: ReceiptChecks
  readonly reason: FailureReason | null
  /** Its place in the log, if a proof was given and can be read. */
  readonly log: LogPlace | null
  /** The given witnesses whose cosignatures of the checkpoint verify. */
  readonly cosignatures: readonly WitnessedBy[]
  /** Null if the bytes are not a statement of this service; without meaning if `valid` is false. */
  readonly statement: Statement | null
}

/** Verifier keys of witnesses, and how many of them must have cosigned; without a number all of them. */
export type Quorum = { readonly keys: readonly string[]; readonly count?: number }

/**
 * The verdict on a receipt. `payload`: the body bytes without `receipt_id` (`payloadOf`), if available; `proof`: its proof in the log;
 * `witnesses`: whose cosignatures the checkpoint must have. `BadRequest` for a key that is not one of a witness.
 */
export function verifyReceipt(
  receipt: Receipt,
  keys: KeyRing,
  given: { readonly payload?: Uint8Array; readonly proof?: string | null; readonly witnesses?: Quorum } = {},
): Verification {
  const read = readStatement(receipt.statement_bytes)
  const statement = 'statement' in read ? read.statement : null
  const id = receiptId(receipt.statement_bytes) === receipt.receipt_id
  const key = keys.get(receipt.kid)
  const signature = key !== undefined && signatureHolds(receipt, key.publicKey)
  const log = given.proof ? checkProof(given.proof, receipt.statement_bytes, keys) : null
  const witnessed = checkCosignatures(given.proof ?? null, given.witnesses)
  const provenIndex = log?.inclusion && log.checkpoint ? (log.place?.index ?? null) : null
  const outOfRange = key === undefined ? 'key_unknown' : keyFault(key.entry, statement?.predicate.release ?? null, provenIndex)
  const payloadHash = given.payload === undefined ? null : statement !== null && payloadFits(statement, given.payload)

  const reason: FailureReason | null =
    ('fault' in read ? read.fault : null) ??
    (id ? null : 'id_mismatch') ??
    (key === undefined ? 'key_unknown' : null) ??
    (signature ? null : 'signature_wrong') ??
    outOfRange ??
    (log?.inclusion === false ? 'inclusion_wrong' : null) ??
    (log?.checkpoint === false ? 'checkpoint_wrong' : null) ??
    witnessed.fault ??
    (payloadHash === false ? 'payload_mismatch' : null)
  return {
    receipt_id: receipt.receipt_id,
    kid: receipt.kid,
    valid: reason === null,
    checks: {
      canonical: statement !== null,
      id,
      signature,
      key_in_range: outOfRange === null,
      inclusion: log?.inclusion ?? 'not_logged',
      checkpoint: log?.checkpoint ?? 'not_logged',
      cosignatures: witnessed.check,
      payload_available: given.payload !== undefined,
      payload_hash: payloadHash,
    },
    reason,
    log: log?.place ?? null,
    cosignatures: witnessed.by,
    statement,
  }
}

type CosignatureCheck = {
  readonly check: ReceiptChecks['cosignatures']
  readonly by: readonly WitnessedBy[]
  readonly fault: FailureReason | null
}

/** Which of the given witnesses cosigned the checkpoint of a proof. Witnesses with one public key count once. Lines of other keys are ignored. */
function checkCosignatures(proof: string | null, witnesses: Quorum | undefined): CosignatureCheck {
  if (witnesses === undefined) return { check: 'not_checked', by: [], fault: null }
  if (witnesses.keys.length === 0) return { check: 'none', by: [], fault: null }
  const keys = new Map(witnesses.keys.map(cosignerKey).map(key => [key.publicKey.export({ format: 'jwk' }).x, key]))
  const by = new Map<string, WitnessedBy>()
  try {
    const { text, signatures } = proof === null ? { text: '', signatures: [] } : parseNote(parseProof(proof).checkpoint)
    for (const signature of signatures)
      for (const key of keys.values()) {
        const seconds = cosignedAt(text, signature, key)
        if (seconds !== null && !by.has(key.vkey)) by.set(key.vkey, { witness: key.vkey, cosigned_at: instantOf(seconds) })
      }
  } catch (error) {
    if (error instanceof CrossfileError) return { check: false, by: [...by.values()], fault: 'cosignature_wrong' }
    throw error
  }
  const isEnough = by.size >= (witnesses.count ?? keys.size)
  return { check: isEnough, by: [...by.values()], fault: isEnough ? null : 'cosignatures_missing' }
}

const instantOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

type LogCheck = { readonly inclusion: boolean; readonly checkpoint: boolean; readonly place: LogPlace | null }

/** Whether a proof leads from the statement to a checkpoint, and whether a key that is not pending or compromised signed that. */
function checkProof(text: string, statement: Buffer, keys: KeyRing): LogCheck {
  try {
    const { index, hashes, checkpoint: note } = parseProof(text)
    const { origin, size, root } = readCheckpoint(note)
    const inclusion = rootOfInclusion(leafHash(entryOfStatement(statement)), index, size, hashes)?.equals(root) ?? false
    const good = [...keys.values()].filter(({ entry }) => entry.status === 'active' || entry.status === 'retired')
    return {
      inclusion,
      checkpoint: isSignedBy(
        note,
        origin,
        good.map(({ entry }) => entry.x),
      ),
      place: { origin, index, size },
    }
  } catch (error) {
    if (error instanceof CrossfileError) return { inclusion: false, checkpoint: false, place: null }
    throw error
  }
}

function isSignedBy(note: string, origin: string, keys: readonly string[]): boolean {
  try {
    openCheckpoint(
      note,
      keys.map(x => noteKey(origin, x)),
    )
    return true
  } catch (error) {
    if (error instanceof CrossfileError) return false
    throw error
  }
}

/** The result of a reproduction; `reason`: why it differs, or was not tried. */
export type Reproduced = { readonly reproduced: boolean | null; readonly from: ReproducedFrom | null; readonly reason: string | null }

/**
 * The answer of the API: the verdict, and whether the answer could be reproduced from the raw documents of its release, or its files.
 * `proof`: the proof that was checked; `manifest`: what the log names as the list of files of the release, if there is one; `documents`: what the
 * documents of the statement are.
 */
export function verifyAnswer(
  verification: Verification,
  reproduction: Reproduced,
  {
    proof = null,
    manifest = null,
    documents = [],
  }: { readonly proof?: string | null; readonly manifest?: NamedManifest | null; readonly documents?: readonly ReceiptDocument[] } = {},
): VerifyAnswer {
  return {
    receipt_id: verification.receipt_id,
    valid: verification.valid,
    checks: verification.checks,
    reproduced: reproduction.reproduced,
    reproduced_from: reproduction.from,
    reproduction: verification.statement?.predicate.reproduction ?? null,
    reproduced_reason: reproduction.reason,
    reason: verification.reason,
    statement: verification.statement,
    key_id: verification.kid,
    log: verification.log,
    cosignatures: [...verification.cosignatures],
    manifest,
    documents: [...documents],
    proof,
  }
}

function readStatement(bytes: Uint8Array): { statement: Statement } | { fault: FailureReason } {
  if (bytes.byteLength > MAX_STATEMENT_BYTES) return { fault: 'statement_malformed' }
  const parsed = parseCanonical(bytes, 'statement')
  if ('fault' in parsed) return { fault: 'statement_not_canonical' }
  const checked = Statement.safeParse(parsed.value)
  if (!checked.success || !sourcesInOrder(checked.data)) return { fault: 'statement_malformed' }
  return { statement: checked.data }
}

function sourcesInOrder(statement: Statement): boolean {
  const { sources } = statement.predicate
  if (sources === undefined) return true
  const texts = sources.map(source => canonicalText(source, 'statement'))
  return texts.every((text, index) => index === 0 || (texts[index - 1] ?? '') < text)
}

function signatureHolds(receipt: Receipt, publicKey: KeyObject): boolean {
  // Node returns false for a wrong signature, also for one with S >= L (RFC 8032 section 5.1.7); 64 bytes is the only length.
  return ed25519Holds(signedBytes(receipt.statement_bytes), receipt.signature, publicKey)
}

function payloadFits(statement: Statement, payload: Uint8Array): boolean {
  return payload.byteLength === statement.predicate.payload.bytes && sha256Hex(payload) === statement.subject[0]?.digest.sha256
}

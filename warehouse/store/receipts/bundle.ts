// `*.receipt.json`: one file with everything that a verifier needs without this service. The statement is in a DSSE envelope, so tools for
// in-toto can read it too. The file is canonical JSON (one line end may follow), so that every changed bit is detected.
import { BadRequest } from '#schemas/errors.ts'
import { BUNDLE_FORMAT, type KeySet, LOGGED_BUNDLE_FORMAT, PAYLOAD_TYPE, ReceiptBundle } from '#schemas/receipts.ts'
import { strictBase64 } from '../strict-base64.ts'
import { canonicalText, plainDataFault } from './canonical.ts'
import type { Receipt } from './receipt.ts'
import { sha256Hex } from './statement.ts'

export type OpenBundle = { readonly receipt: Receipt; readonly keySet: KeySet; readonly payload: Buffer | null; readonly proof: string | null }

/** The bundle of a receipt as bytes; `payload` (without `receipt_id`) makes it a complete proof of the answer, `proof` of its place in the log. */
export function encodeBundle(receipt: Receipt, keySet: KeySet, payload: Uint8Array | null = null, proof: string | null = null): Buffer {
  const unsealed: Omit<ReceiptBundle, 'sha256'> = {
    format: proof === null ? BUNDLE_FORMAT : LOGGED_BUNDLE_FORMAT,
    receipt_id: receipt.receipt_id,
    envelope: {
      payload: receipt.statement_bytes.toString('base64'),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ keyid: receipt.kid, sig: receipt.signature.toString('base64') }],
    },
    keys: keySet.keys,
    payload: payload === null ? null : Buffer.from(payload).toString('base64'),
    log: proof,
  }
  return Buffer.from(canonicalText({ ...unsealed, sha256: seal(unsealed) }, 'json'), 'utf8')
}

/** The content of a bundle, not yet verified; `BadRequest` if it is damaged or not a bundle. Verify with `verifyReceipt`. */
export function decodeBundle(bytes: Uint8Array): OpenBundle {
  const bundle = readBundle(bytes)
  if ((bundle.format === LOGGED_BUNDLE_FORMAT) !== (bundle.log !== null))
    throw new BadRequest(`receipt bundle: format ${bundle.format} ${bundle.log === null ? 'needs' : 'has no'} log proof`)
  const [signature] = bundle.envelope.signatures
  if (signature === undefined) throw new BadRequest('receipt bundle: it holds no signature')
  return {
    receipt: {
      receipt_id: bundle.receipt_id,
      statement_bytes: decoded('envelope.payload', bundle.envelope.payload),
      signature: decoded('envelope.signatures.0.sig', signature.sig),
      kid: signature.keyid,
    },
    keySet: { keys: bundle.keys },
    payload: bundle.payload === null ? null : decoded('payload', bundle.payload),
    proof: bundle.log,
  }
}

function readBundle(bytes: Uint8Array): ReceiptBundle {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    value = JSON.parse(text)
  } catch (cause) {
    throw new BadRequest('receipt bundle: not JSON in UTF-8', { cause, hint: 'pass a *.receipt.json file' })
  }
  const checked = ReceiptBundle.safeParse(value)
  if (plainDataFault(value, 'json') !== null || !checked.success) {
    const issue = checked.error?.issues[0]
    throw new BadRequest(`receipt bundle ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not plain JSON'}`, {
      hint: `expected the format ${BUNDLE_FORMAT} or ${LOGGED_BUNDLE_FORMAT}`,
    })
  }
  if (canonicalText(checked.data, 'json') !== text.replace(/\n$/, '')) {
    throw new BadRequest('receipt bundle: its bytes are not those that were served (not canonical JSON)', {
      hint: 'save the bytes exactly as served, without reformatting',
    })
  }
  const { sha256, ...unsealed } = checked.data
  if (seal(unsealed) !== sha256) throw new BadRequest('receipt bundle: damaged, its sha256 differs', { hint: 'download it again' })
  return checked.data
}

function seal(unsealed: Omit<ReceiptBundle, 'sha256'>): string {
  return sha256Hex(Buffer.from(canonicalText(unsealed, 'json'), 'utf8'))
}

function decoded(member: string, text: string): Buffer {
  const bytes = strictBase64(text)
  if (bytes === null) throw new BadRequest(`receipt bundle ${member}: not strict base64 (encoded again it differs)`)
  return bytes
}

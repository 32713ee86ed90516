// Receipts: fetch, verify, and the public keys to verify with.
import { z } from 'zod'
import { envelope, ReceiptId } from '../answer.ts'
import { KeySet, ReceiptBundle, Statement, VerifyAnswer } from '../receipts.ts'
import { Text } from '../values.ts'
import { operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const receiptId = (description: string) =>
  shaped(description, /^r1_[a-z2-7]{51}[aq]$/, 'a receipt id: r1_ and 52 letters or digits 2-7', `r1_${'a'.repeat(52)}`, raw =>
    raw.trim().toLowerCase(),
  )

const ReceiptAnswer = z.object({
  receipt_id: ReceiptId,
  statement: Statement.meta({ description: 'in-toto Statement v1: strings and integers only' }),
  statement_base64: Text.meta({ description: 'the canonical bytes (RFC 8785) that are signed' }),
  payload_type: Text.meta({ description: 'DSSE payload type' }),
  signature: Text.meta({ description: 'Ed25519 over the DSSE pre-authentication encoding, base64' }),
  key_id: Text.meta({ description: 'JWK thumbprint (RFC 7638) of the signing key' }),
  superseded_by: ReceiptId.nullable(),
  as_of: envelope.as_of,
  release: envelope.release,
  sources: envelope.sources,
})
const verification =
  'The id is not valid, or its answer was not reproduced: still 200, with valid false and the reason. 404 for an unknown id, 400 for a malformed one.'

export const receiptOperations = [
  operation({
    id: 'get_receipt',
    path: '/api/v1/data/receipts/{receipt_id}',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'One receipt',
    description: 'The signed statement of one answer: the request, the release, the sources, and the SHA-256 of the payload.',
    question: question({ receipt_id: receiptId('receipt id of an answer') }),
    answer: ReceiptAnswer,
    served_from: 'pg',
    cache: 'steady',
    repeat_ms: 5000,
    agents: [{ endpoint: 'research', tool: 'verify_receipt', view: 'statement', takes: ['receipt_id'] }],
    example: { request: '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a' },
  }),
  operation({
    id: 'get_receipt_bundle',
    path: '/api/v1/data/receipts/{receipt_id}/bundle',
    tag: 'Developer Data API',
    access: 'key',
    curated: false,
    summary: 'A receipt with everything to verify it offline',
    description:
      'The *.receipt.json file that verify-offline.mjs reads: the statement with its signature (DSSE), every public key, and the signed payload if it is still stored. Save the bytes as served: the bundle is canonical JSON, and verification fails if any bit changes. If the receipt was signed again after a revocation, a bundle fetched afterwards has the new signature.',
    question: question({ receipt_id: receiptId('receipt id of an answer') }),
    answer: ReceiptBundle,
    served_from: 'pg',
    cache: 'steady',
    repeat_ms: 5000,
    example: { request: '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a/bundle' },
  }),
  operation({
    id: 'verify_receipt',
    path: '/api/v1/data/receipts/{receipt_id}/verify',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Verify a receipt',
    description: `Checks signature, key and payload, and whether the answer was reproduced from the raw bytes. ${verification}`,
    question: question({ receipt_id: receiptId('receipt id of an answer') }),
    answer: VerifyAnswer,
    served_from: 'pg',
    cost: 5,
    agents: [
      { endpoint: 'research', tool: 'verify_receipt', view: 'verify', takes: ['receipt_id'] },
      { endpoint: 'mineral', tool: 'verify_receipt', view: 'verify', takes: ['receipt_id'] },
    ],
    example: { request: '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a/verify' },
  }),
  operation({
    id: 'verify_lineage',
    path: '/api/v1/lineage/verify/{id}',
    tag: 'Reference',
    access: 'public',
    summary: 'Verify a receipt, without a key',
    description: `The same bytes as /api/v1/data/receipts/{receipt_id}/verify. ${verification}`,
    question: question({ id: receiptId('receipt id of an answer') }),
    answer: VerifyAnswer,
    served_from: 'pg',
    cost: 5,
    example: { request: '/api/v1/lineage/verify/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a' },
  }),
  operation({
    id: 'list_receipt_keys',
    path: '/api/v1/receipts/keys',
    tag: 'Reference',
    access: 'public',
    curated: false,
    summary: 'Public keys of the receipts',
    description: 'JSON Web Keys of every key that ever signed a receipt, with its state. Retired keys stay listed permanently.',
    question: question({}),
    answer: KeySet,
    rows: 'keys',
    served_from: 'pg',
    cache: 'steady',
    repeat_ms: 5000,
    example: { request: '/api/v1/receipts/keys' },
  }),
] as const

// Receipts: fetch, verify, and the public keys to verify with.
import { z } from 'zod'
import { envelope, ReceiptId } from '../answer.ts'
import { ReceiptCheckAnswer, ReceiptCheckRequest } from '../claims.ts'
import { ReceiptDiff } from '../receipt-diff.ts'
import { maxRevisions, ReceiptHistory } from '../receipt-history.ts'
import { KeySet, ReceiptBundle, Statement, VerifyAnswer } from '../receipts.ts'
import { Text } from '../values.ts'
import { mineral, operation, question, research } from './operation.ts'
import { capped, flag, integer, moment, shaped, text } from './parameters.ts'

const receiptId = (description: string) =>
  shaped(description, /^r1_[a-z2-7]{51}[aq]$/, 'a receipt id: r1_ and 52 letters or digits 2-7', `r1_${'a'.repeat(52)}`, raw =>
    raw.trim().toLowerCase(),
  )

const ReceiptAnswer = z.object({
  receipt_id: ReceiptId,
  statement: Statement.describe('in-toto Statement v1: strings and integers only'),
  statement_base64: Text.describe('the canonical bytes (RFC 8785) that are signed'),
  payload_type: Text.describe('DSSE payload type'),
  signature: Text.describe('Ed25519 over the DSSE pre-authentication encoding, base64'),
  key_id: Text.describe('JWK thumbprint (RFC 7638) of the signing key'),
  superseded_by: ReceiptId.nullable(),
  as_of: envelope.as_of,
  release: envelope.release,
  sources: envelope.sources,
})
const plainText = 'text/plain; charset=utf-8'
const logYear = shaped('year in the name of the log', /^\d{4}$/, 'a year', '2026')
const verification =
  'The id is not valid, or its answer was not reproduced: still 200, with valid false and the reason. 404 for an unknown id, 400 for a malformed one.'

export const receiptOperations = [
  operation('get_receipt', 'GET /api/v1/data/receipts/{receipt_id}', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'One receipt',
    description: 'The signed statement of one answer: the request, the release, the sources, and the SHA-256 of the payload.',
    question: question({ receipt_id: receiptId('receipt id of an answer') }),
    answer: ReceiptAnswer,
    served_from: 'pg',
    cache: 'steady',
    repeat_ms: 5000,
    agents: [research('verify_receipt', 'statement', ['receipt_id'])],
    example: '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a',
  }),
  operation('get_receipt_bundle', 'GET /api/v1/data/receipts/{receipt_id}/bundle', {
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
    example: '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a/bundle',
  }),
  operation('get_receipt_jws', 'GET /api/v1/data/receipts/{receipt_id}/jws', {
    tag: 'Developer Data API',
    access: 'key',
    curated: false,
    summary: 'A receipt as JWS',
    description:
      'The statement of a valid receipt as JWS in compact form (RFC 7515), for libraries that know no DSSE: alg is Ed25519 (RFC 9864), kid the id of the active key in GET /api/v1/receipts/keys, typ crossfile-receipt+jws, and the payload the statement, whose subject has the SHA-256 of the answer. detached=1 leaves the payload out (RFC 7515 appendix F): it is statement_base64 of the receipt. The worker signs it on request; 400 for a receipt that is not valid, 503 if no key can sign. It contains no place in the log: a bundle does.',
    question: question({ receipt_id: receiptId('receipt id of an answer'), detached: flag('1: without the payload').optional() }),
    media_type: 'application/jose',
    served_from: 'pg',
    cost: 5,
    cache: 'live',
    example: '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a/jws',
  }),
  operation('check_receipts', 'POST /api/v1/receipts/check', {
    tag: 'Developer Data API',
    access: 'session',
    curated: false,
    summary: 'Bind the figures of a text to signed answers',
    description:
      'Every number, amount, percentage, date, count and identifier of the text is bound to one value of a payload, with receipt, JSON pointer, printed value and unit, or marked with the reason: another unit, scale, sign, rounding, count, company, person or date than the sentence states, or no such value. Several possible places are ambiguous and listed. Digits of ids, hashes, addresses and keys support nothing. Answers that are not stored are made again from their release and compared with the signed SHA-256. 404 for an unknown receipt, 422 for one that is not valid. Nothing is kept.',
    body: ReceiptCheckRequest,
    body_bytes: 256 * 1024,
    answer: ReceiptCheckAnswer,
    rows: 'figures',
    served_from: 'lake',
    cost: 5,
    calculates: true,
    can_be_missing: true,
    example: {
      body: {
        text: 'Castellane Capital Partners disposed of 200,000 shares of Borealis Copper at 13.19 on November 12, 2026, and held 9,793,900 shares after it.',
        receipts: ['r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a'],
      },
    },
  }),
  operation('verify_receipt', 'GET /api/v1/data/receipts/{receipt_id}/verify', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Verify a receipt',
    description: `Checks signature, key and payload, and whether the answer was reproduced from the raw bytes. ${verification}`,
    question: question({ receipt_id: receiptId('receipt id of an answer') }),
    answer: VerifyAnswer,
    served_from: 'pg',
    cost: 5,
    agents: [research('verify_receipt', 'verify', ['receipt_id']), mineral('verify_receipt', 'verify', ['receipt_id'])],
    example: '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a/verify',
  }),
  operation('verify_lineage', 'GET /api/v1/lineage/verify/{id}', {
    tag: 'Reference',
    access: 'public',
    summary: 'Verify a receipt, without a key',
    description: `The same bytes as /api/v1/data/receipts/{receipt_id}/verify. ${verification}`,
    question: question({ id: receiptId('receipt id of an answer') }),
    answer: VerifyAnswer,
    served_from: 'pg',
    cost: 5,
    example: '/api/v1/lineage/verify/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a',
  }),
  operation('get_receipt_diff', 'GET /api/v1/data/receipts/{a}/diff/{b}', {
    tag: 'Developer Data API',
    access: 'key',
    curated: false,
    summary: 'What changed between two answers to one question',
    description:
      'Compares the signed answers of two receipts value by value, and names what changed each value: a restatement with its corporate action, a correction, a new filing, another edition of a ruleset, another version of the code. Answers that are not stored are made again from the files of their release. 400 if the receipts answer different questions; at most 1,000 changes are listed.',
    question: question({ a: receiptId('receipt id of the first answer'), b: receiptId('receipt id of the second answer') }),
    answer: ReceiptDiff,
    rows: 'changes',
    served_from: 'lake',
    cost: 5,
    cache: 'steady',
    repeat_ms: 5000,
    example: {
      request:
        '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a/diff/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a',
    },
  }),
  operation('get_receipt_history', 'GET /api/v1/data/receipts/{receipt_id}/history', {
    tag: 'Developer Data API',
    access: 'key',
    curated: false,
    summary: 'Revision history of one value of an answer, with receipts',
    description:
      'Answers the question of the receipt at each release that changed one of its datasets, and returns the releases in which the value at the place changed, oldest first, each with a signed receipt (as with receipt=1 and release=N). A request compares at most 500 releases within 10 seconds: continue with after=next_after. 400 if the answer has no such place.',
    question: question({
      receipt_id: receiptId('receipt id of an answer'),
      path: text(
        'place of the value: a path as a difference names it, or a JSON Pointer (RFC 6901) into the signed answer',
        500,
        'bars[date=2026-05-15].close',
      ),
      from: moment('the value that was valid then, and what came after it; default: from the first release').optional(),
      to: moment('releases up to then; default: the newest').optional(),
      after: integer('next_after of the page before', 0, 999_999_999, { example: 1 }).optional(),
      limit: capped(maxRevisions, 'revisions', maxRevisions),
    }),
    answer: ReceiptHistory,
    rows: 'revisions',
    served_from: 'lake',
    cost: 10,
    cache: 'steady',
    repeat_ms: 5000,
    example: {
      request: '/api/v1/data/receipts/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a/history?path=count',
    },
  }),
  operation('get_receipt_checkpoint', 'GET /api/v1/data/receipts/checkpoint', {
    tag: 'Developer Data API',
    access: 'public',
    curated: false,
    summary: 'Newest checkpoint of the receipt log',
    description:
      'The signed head of the log of all receipts: a signed note with the name, size and Merkle root of the log (C2SP tlog-checkpoint). Keep it: the service can prove that every later checkpoint extends it. 404 before the first receipt.',
    media_type: plainText,
    can_be_missing: true,
    served_from: 'pg',
    cache: 'live',
  }),
  operation('get_receipt_proof', 'GET /api/v1/data/receipts/proof/{receipt_id}', {
    tag: 'Developer Data API',
    access: 'public',
    curated: false,
    summary: 'Proof that a receipt is in the log',
    description:
      'Index, inclusion proof and checkpoint in one text (C2SP tlog-proof), against the first checkpoint that covers the receipt: every caller gets the same bytes. 404 for an unknown id, and during the seconds in which a new receipt waits for its place.',
    question: question({ receipt_id: receiptId('receipt id of an answer') }),
    media_type: plainText,
    served_from: 'pg',
    cache: 'live',
    example: '/api/v1/data/receipts/proof/r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a',
  }),
  operation('get_receipt_log_checkpoint', 'GET /receipts/{year}/checkpoint', {
    tag: 'Developer Data API',
    access: 'public',
    curated: false,
    summary: 'Checkpoint of the receipt log, for programs that follow it',
    description:
      'The same bytes as /api/v1/data/receipts/checkpoint, at the address that C2SP tlog-tiles gives it. The year is the last part of the name of the log.',
    question: question({ year: logYear }),
    media_type: plainText,
    served_from: 'pg',
    cache: 'live',
    example: '/receipts/2026/checkpoint',
  }),
  operation('get_receipt_log_tile', 'GET /receipts/{year}/tile/{level}/{tile}', {
    rest: 'tile',
    tag: 'Developer Data API',
    access: 'public',
    curated: false,
    summary: 'Hashes and entries of the receipt log',
    description:
      'Static files of C2SP tlog-tiles: tile/LEVEL/INDEX has 256 hashes of the Merkle tree, tile/entries/INDEX the entries, each behind its length in two bytes. INDEX.p/WIDTH is a part of a file that is not full. With them, everyone can read the whole log and compute its root.',
    question: question({
      year: logYear,
      level: shaped('level of the tile, or entries', /^(entries|\d{1,2})$/, 'a level from 0 to 63, or entries', '0'),
      tile: shaped(
        'index of the tile in groups of three digits',
        /^(x\d{3}\/){0,5}\d{3}(\.p\/\d{1,3})?$/,
        'an index such as 000, x001/234 or 000.p/12',
        '000',
      ),
    }),
    media_type: 'application/octet-stream',
    served_from: 'file',
    cache: 'file',
    example: '/receipts/2026/tile/0/000.p/1',
  }),
  operation('list_receipt_keys', 'GET /api/v1/receipts/keys', {
    tag: 'Reference',
    access: 'public',
    curated: false,
    summary: 'Public keys of the receipts',
    description: 'JSON Web Keys of every key that ever signed a receipt, with its state. Retired keys stay listed permanently.',
    answer: KeySet,
    rows: 'keys',
    served_from: 'pg',
    cache: 'steady',
    repeat_ms: 5000,
  }),
] as const

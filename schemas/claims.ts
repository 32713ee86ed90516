// The answer of `POST /api/v1/receipts/check`: each figure of a text with the value of a signed answer that it is bound to, or why there is none.
import { z } from 'zod'
import { ReceiptId } from './answer.ts'
import { JsonPointer } from './assistant.ts'
import { plainText } from './plain-text.ts'
import { Instant, Release, Text } from './values.ts'

const maxText = 16_000
const maxReceipts = 20
export const ReceiptCheckRequest = z.strictObject({
  text: plainText(maxText).min(1).describe(`the text, of at most ${maxText} characters`),
  receipts: z.array(ReceiptId).min(1).max(maxReceipts).describe('ids of the signed answers that the text may take figures from'),
})
export type ReceiptCheckRequest = z.infer<typeof ReceiptCheckRequest>

/** Why a figure has its status, by status. */
const codes = {
  supported: ['value', 'rounded', 'count', 'date', 'identifier', 'quoted'],
  ambiguous: ['several_places', 'other_field', 'denied', 'parentheses'],
  unsupported: [
    'absent',
    'not_a_number',
    'other_unit',
    'other_scale',
    'other_sign',
    'other_rounding',
    'other_count',
    'other_subject',
    'other_time',
    'comparison',
  ],
} as const
export const ClaimCode = z.enum([...codes.supported, ...codes.ambiguous, ...codes.unsupported])
export type ClaimCode = z.infer<typeof ClaimCode>

export const ClaimPlace = z.strictObject({
  receipt_id: ReceiptId.nullable().describe('null: an answer without a receipt'),
  pointer: JsonPointer.describe('place in the payload of the receipt (RFC 6901); of a count, the list or the member that counts'),
  value: Text.describe('the value as the payload prints it, at most 200 characters; of a list, its length'),
  unit: Text.nullable().describe('unit that the payload states or that its field has: USD, shares, %, bps, g/t, m …; null: none'),
})
export type ClaimPlace = z.infer<typeof ClaimPlace>

export const ClaimFigure = z.strictObject({
  text: Text.describe('the figure as the text prints it'),
  start: z.int().describe('offset of its first UTF-16 unit in the text'),
  end: z.int(),
  kind: z.enum(['number', 'amount', 'percent', 'date', 'identifier', 'multiple']),
  unit: Text.nullable().describe('unit that the text prints; $ if the country is not printed'),
  status: z
    .enum(['supported', 'ambiguous', 'unsupported'])
    .describe(
      'supported: bound to one value; ambiguous: several places or another field may be meant, and candidates lists them; unsupported: no value of the receipts is this figure',
    ),
  code: ClaimCode,
  reason: Text,
  binding: ClaimPlace.nullable().describe('the value that supports it; null unless supported'),
  candidates: z.array(ClaimPlace).max(5).describe('other values that it may be, or that are near but differ, as code states'),
  candidates_count: z.int().min(0),
})
export type ClaimFigure = z.infer<typeof ClaimFigure>

export const ClaimName = z.strictObject({
  text: Text.describe('a company, person or symbol as the text prints it'),
  start: z.int(),
  end: z.int(),
  status: z.enum(['supported', 'unsupported']).describe('unsupported: no answer of the receipts mentions it'),
  places: z
    .array(z.strictObject({ receipt_id: ReceiptId.nullable(), pointer: JsonPointer }))
    .max(5)
    .describe('the objects of the payloads that have the name'),
  places_count: z.int().min(0),
})
export type ClaimName = z.infer<typeof ClaimName>

export const ClaimCheck = z.strictObject({
  figures: z.array(ClaimFigure),
  names: z.array(ClaimName),
  supported: z.int().min(0),
  ambiguous: z.int().min(0),
  unsupported: z.int().min(0),
})
export type ClaimCheck = z.infer<typeof ClaimCheck>

/** The receipts of a check, in the order of the request, each once. */
export const CheckedReceipt = z.strictObject({
  receipt_id: ReceiptId,
  question: Text.describe('the question of the signed answer'),
  release: Release,
  as_of: Instant,
  payload: z
    .enum(['stored', 'made_again'])
    .describe('made_again: the answer was not stored, and was made from the files of its release; in both cases its bytes have the signed SHA-256'),
})
export type CheckedReceipt = z.infer<typeof CheckedReceipt>

export const ReceiptCheckAnswer = z.strictObject({ ...ClaimCheck.shape, receipts: z.array(CheckedReceipt) })
export type ReceiptCheckAnswer = z.infer<typeof ReceiptCheckAnswer>

// The members of every answer, the format of errors, and the output form of a dataset's facts.
import { z } from 'zod'
import { AccessionNumber, Decimal, Instant, IsoDate, Release, Sha256, Symbol, Text } from './values.ts'

/** A decimal on the wire: a JSON number that keeps the digits its source printed (`1000.50` stays `1000.50`). */
export const Amount = z.number().describe('JSON number with the digits that the source printed')

/** In `coverage` of a symbol that is not loaded. */
export const NearestSymbols = z
  .array(Symbol)
  .optional()
  .describe('with not_loaded: the listed symbols of the nearest spelling, at most 3; empty if none is near')

/** One source of an answer: a filing, or an upstream with the time of retrieval. */
export const Source = z.strictObject({
  name: Text.describe('upstream or document, e.g. SEC EDGAR'),
  accession: AccessionNumber.nullable().describe('cite this where figures of a filing are republished'),
  url: Text.nullable(),
  retrieved_at: Instant.nullable(),
  sha256: Sha256.nullable().describe('of the raw bytes as received'),
})
export type Source = z.infer<typeof Source>

/** `r1_` and the 256 bits of the SHA-256 of the canonical statement in 52 characters. The last one has a single bit, so it is `a` or `q`. */
export const ReceiptId = z
  .string()
  .regex(/^r1_[a-z2-7]{51}[aq]$/, 'expected a receipt id: r1_ and 52 letters or digits 2-7, the last one a or q')
  .meta({ column: 'VARCHAR' })

/** Why an answer that is usually signed, or was requested with `receipt=1`, has no receipt. */
export const UnsignedReason = z.enum(['no_signing_key', 'not_signed_in_time'])
export type UnsignedReason = z.infer<typeof UnsignedReason>

/** Top-level members of every data answer, in addition to those of the specification. */
export const envelope = {
  as_of: Instant.describe('nothing that became known after this instant is in the answer'),
  release: Release.nullable().describe('the release that answered; ask for it again with release=; null if nothing was released yet'),
  sources: z.array(Source).describe('from what the answer was made'),
  receipt_id: ReceiptId.optional().describe('the signed receipt of exactly these bytes, if the answer is signed'),
  unsigned_reason: UnsignedReason.optional().describe(
    'why there is no receipt_id where one is usual: no_signing_key (the service has no usable signing key; the operator was notified), not_signed_in_time (request it again). The answer itself is the same',
  ),
}

/** The edition of a calculator's ruleset that answered. */
export const rulesetUsed = { ruleset: Text, ruleset_valid_from: IsoDate, ruleset_valid_to: IsoDate.nullable() }

/** `next_cursor` of a list: pass it back as `cursor`; null on the last page. */
export const NextCursor = Text.nullable().describe('pass back as cursor for the next page; null on the last')

/** The error of every non-2xx answer. */
export const ErrorAnswer = z
  .strictObject({
    detail: z.union([
      z.string(),
      z
        .array(z.strictObject({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }))
        .describe('validation failures of a body (422): where, what, which rule'),
    ]),
    code: z
      .string()
      .optional()
      .describe(
        'stable and machine-readable: bad_request, not_found, rate_limited, upstream_unavailable; additions of this service: validation_error, unauthorized, forbidden, tier_required, conflict, method_not_allowed, not_acceptable, payload_too_large, uri_too_long, unsupported_media_type, internal_error',
      ),
    hint: z.string().optional().describe('what to change to make the call succeed'),
    docs: z.string().optional().meta({ format: 'uri', description: 'the description of the operation' }),
    required_tier: z.string().optional().describe('with code tier_required: the lowest tier that may'),
  })
  .describe('The one error shape. With Accept: application/problem+json the same values come as RFC 9457.')
export type ErrorAnswer = z.infer<typeof ErrorAnswer>

type Shape = Readonly<Record<string, z.ZodType>>

/** A dataset's facts as an answer prints them: every `Decimal` (a string in the code) is a JSON number. */
export function wireFacts<const S extends Shape>(facts: z.ZodObject<S>): WireShape<S> {
  return Object.fromEntries(Object.entries(facts.shape).map(([name, schema]) => [name, onWire(schema)])) as WireShape<S>
}
type WireShape<S extends Shape> = { -readonly [Name in keyof S]: Extract<OnWire<S[Name]>, z.ZodType> }
/** The type of `onWire`. */
type OnWire<S> = S extends { readonly isDecimal: true }
  ? typeof Amount
  : S extends z.ZodNullable<infer Inner>
    ? z.ZodNullable<Extract<OnWire<Inner>, z.ZodType>>
    : S extends z.ZodArray<infer Item>
      ? z.ZodArray<Extract<OnWire<Item>, z.ZodType>>
      : S extends z.ZodObject<infer Inner extends Shape>
        ? z.ZodObject<WireShape<Inner>>
        : S

function onWire(schema: z.ZodType): z.ZodType {
  if (schema === Decimal) return Amount
  if (schema instanceof z.ZodNullable) return onWire(schema.unwrap() as z.ZodType).nullable()
  if (schema instanceof z.ZodArray) return z.array(onWire(schema.element as z.ZodType))
  if (schema instanceof z.ZodObject) return z.object(wireFacts(schema as z.ZodObject<Shape>) as Shape)
  return schema
}

// The formats of a receipt: the signed statement (in-toto Statement v1), the published key set, the bundle, and the answer of `verify`. All
// are strict: signed data has no unchecked members.

import { z } from 'zod'
import { ReceiptId } from './answer.ts'
import { AccessionNumber, Instant, Release, Sha256 } from './values.ts'

/** JWK thumbprint (RFC 7638) of an Ed25519 key: 32 bytes in base64url. */
const KeyId = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected a JWK thumbprint')
const Base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'expected base64')
/** A versioned name, such as `form4/2`. */
const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@/:+-]{0,127}$/, 'expected a name of at most 128 letters, digits and ._@/:+-')
const Url = z
  .string()
  .max(1024)
  .regex(/^https?:\/\/[!-~]+$/, 'expected a web address in ASCII')

/** An upstream as its sources name it, such as `SEC EDGAR`. */
const UpstreamName = z.string().regex(/^[!-~][ -~]{0,127}$/, 'expected a name of at most 128 printable ASCII characters')
const FilingSource = z.strictObject({ accession: AccessionNumber, url: Url.optional(), sha256: Sha256 })
const UpstreamSource = z.strictObject({ source: UpstreamName, url: Url.optional(), sha256: Sha256 })
/** One source document of an answer: a filing, or a response of an upstream. */
export const ReceiptSource = z.union([FilingSource, UpstreamSource])
export type ReceiptSource = z.infer<typeof ReceiptSource>

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PREDICATE_TYPE = 'urn:crossfile:receipt:v1'
/** Above this number, the statement contains the number of sources and a digest of their list. */
export const MAX_LISTED_SOURCES = 256

/**
 * How the answer can be reproduced: `documents` from the raw documents that the statement lists; `release` from the files of the release,
 * because there are too many documents to list; `none` because only a hash of the request is stored.
 */
export const ReproductionLevel = z.enum(['documents', 'release', 'none'])
export type ReproductionLevel = z.infer<typeof ReproductionLevel>
/** What an answer was reproduced from; `stored_model`: from the stored build of a model, whose rows were not computed again. */
export const ReproducedFrom = z.enum(['documents', 'release', 'stored_model'])
export type ReproducedFrom = z.infer<typeof ReproducedFrom>

const Predicate = z
  .strictObject({
    v: z.literal(1),
    release: Release,
    manifest_sha256: Sha256.optional(),
    as_of: Instant,
    sources: z.array(ReceiptSource).max(MAX_LISTED_SOURCES).optional(),
    sources_count: z
      .int()
      .min(MAX_LISTED_SOURCES + 1)
      .optional(),
    sources_sha256: Sha256.optional(),
    schema: Name,
    transform: Name,
    /** Absent in statements that are older than the member. */
    reproduction: ReproductionLevel.optional(),
    payload: z.strictObject({
      bytes: z.int().min(2),
      media_type: z.string().regex(/^[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64}$/, 'expected a media type without parameters'),
    }),
  })
  .refine(
    p => (p.sources !== undefined) !== (p.sources_count !== undefined) && (p.sources_count === undefined) === (p.sources_sha256 === undefined),
    'expected either sources, or sources_count with sources_sha256',
  )

export const Statement = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: z
    .array(
      z.strictObject({
        name: z
          .string()
          .max(4096)
          .regex(/^(GET|POST) \/[!-~]*$/, 'expected a question such as GET /api/v1/data/form4?ticker=…'),
        digest: z.strictObject({ sha256: Sha256 }),
      }),
    )
    .length(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: Predicate,
})
export type Statement = z.infer<typeof Statement>

export const KeyStatus = z.enum(['pending', 'active', 'retired', 'compromised'])
export type KeyStatus = z.infer<typeof KeyStatus>

/** A public key as published: a JWK (RFC 8037, `alg` by RFC 9864) with its validity in releases and log indexes. */
export const PublicKeyEntry = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  alg: z.literal('Ed25519'),
  use: z.literal('sig'),
  kid: KeyId,
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected 32 bytes in base64url'),
  status: KeyStatus,
  /** The newest release when the key began to sign; it may sign answers from older ones. */
  valid_from: Release.nullable(),
  /** The newest release when it stopped signing; it cannot have signed a newer one. */
  valid_to: Release.nullable(),
  /** Range in the receipt log: the size when it began to sign; the last index that counts if it was revoked. */
  from_index: z.int().min(0).nullable(),
  to_index: z.int().min(0).nullable(),
})
export type PublicKeyEntry = z.infer<typeof PublicKeyEntry>
export const KeySet = z.strictObject({ keys: z.array(PublicKeyEntry).max(1000) })
export type KeySet = z.infer<typeof KeySet>

/** Format 1 has no log proof; format 2 has one. A verifier of format 1 refuses format 2, and so never skips a proof. */
export const BUNDLE_FORMAT = 'crossfile-receipt/1'
export const LOGGED_BUNDLE_FORMAT = 'crossfile-receipt/2'
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
/** The text of a proof: index, hashes and signed checkpoint. */
const LogProofText = z.string().max(16_384).startsWith('c2sp.org/tlog-proof@v1\n')
/** A `*.receipt.json` file. `sha256` covers the canonical form of all other members and distinguishes damage from forgery. */
export const ReceiptBundle = z.strictObject({
  format: z.enum([BUNDLE_FORMAT, LOGGED_BUNDLE_FORMAT]).describe('crossfile-receipt/2 has a log proof, crossfile-receipt/1 none'),
  receipt_id: ReceiptId,
  envelope: z.strictObject({
    payload: Base64,
    payloadType: z.literal(PAYLOAD_TYPE),
    signatures: z
      .array(z.strictObject({ keyid: KeyId, sig: Base64 }))
      .length(1)
      .describe('signatures of the statement'),
  }),
  keys: KeySet.shape.keys,
  payload: Base64.nullable(),
  log: LogProofText.nullable().describe('C2SP tlog-proof with its checkpoint; null as long as the receipt waits for its place in the log'),
  sha256: Sha256,
})
export type ReceiptBundle = z.infer<typeof ReceiptBundle>

export const FailureReason = z.enum([
  'statement_not_canonical',
  'statement_malformed',
  'id_mismatch',
  'key_unknown',
  'signature_wrong',
  'key_pending',
  'key_compromised',
  'key_out_of_range',
  'inclusion_wrong',
  'checkpoint_wrong',
  'cosignature_wrong',
  'cosignatures_missing',
  'payload_mismatch',
])
export type FailureReason = z.infer<typeof FailureReason>

const logCheck = (description: string) =>
  z
    .union([z.boolean(), z.literal('not_logged')])
    .describe(`${description}; not_logged: the receipt waits for its place in the log, or the files of the log are damaged on this server`)
export const ReceiptChecks = z.strictObject({
  canonical: z.boolean().describe('the statement is canonical JSON (RFC 8785) of the described shape'),
  id: z.boolean().describe('the id is the SHA-256 of the statement'),
  signature: z.boolean().describe('the Ed25519 signature holds'),
  key_in_range: z.boolean().describe('the key might sign for that release'),
  inclusion: logCheck('the proof leads from the statement to the root of the checkpoint'),
  checkpoint: logCheck('a valid key of the log signed the checkpoint'),
  cosignatures: z
    .union([z.boolean(), z.enum(['none', 'not_checked'])])
    .describe(
      'enough of the given witnesses cosigned the checkpoint (C2SP tlog-cosignature), and none of their cosignatures is wrong; none: no witness has cosigned a checkpoint that covers the receipt; not_checked: no key of a witness was given',
    ),
  payload_available: z.boolean().describe('we still hold the signed bytes'),
  payload_hash: z.boolean().nullable().describe('those bytes have the signed SHA-256; null if we do not hold them'),
})
export type ReceiptChecks = z.infer<typeof ReceiptChecks>

/** Where a receipt is in the log. */
export const LogPlace = z.strictObject({
  origin: z.string().max(255).describe('name of the log, as in its checkpoints'),
  index: z.int().min(0),
  size: z.int().min(1).describe('size of the tree of the checkpoint in the proof'),
})
export type LogPlace = z.infer<typeof LogPlace>

/** A witness that cosigned a checkpoint. */
export const WitnessedBy = z.strictObject({
  witness: z.string().max(512).describe('verifier key of the witness (C2SP signed-note): name, key id and key'),
  cosigned_at: Instant.describe('time of the cosignature, by the clock of the witness'),
})
export type WitnessedBy = z.infer<typeof WitnessedBy>

/** The list of files of a release, as the log names it. */
export const NamedManifest = z.strictObject({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of `manifests/N.json` of the release, from the entry of the log'),
  bytes: z.int().min(1),
  log_index: z.int().min(0).describe('index of the entry of the release in the log'),
  holds: z.boolean().describe('the manifest on this server has that SHA-256'),
})
export type NamedManifest = z.infer<typeof NamedManifest>

/** A document that the statement lists, and what it is. */
export const ReceiptDocument = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z
    .string()
    .max(64)
    .nullable()
    .describe('such as `dividend list of a symbol`; null: this service does not have the document, or has not read it'),
})
export type ReceiptDocument = z.infer<typeof ReceiptDocument>

/** The answer of `GET /api/v1/data/receipts/{receipt_id}/verify` and of its alias without a key. */
export const VerifyAnswer = z.strictObject({
  receipt_id: ReceiptId,
  valid: z.boolean(),
  checks: ReceiptChecks,
  reproduced: z
    .boolean()
    .nullable()
    .describe('the answer was made again and gave the signed payload; null: not tried. False makes the receipt not valid'),
  reproduced_from: ReproducedFrom.nullable().describe(
    'documents: parser and query were run again over the raw bytes; release: the query over the files of the release, each checked against its SHA-256; stored_model: the query over the stored build of a model; null: not tried',
  ),
  reproduction: ReproductionLevel.nullable().describe(
    'what the signed statement allows: documents, release, none (made from a posted body of which only the hash is kept); null: it is older than the member',
  ),
  reproduced_reason: z.string().nullable().describe('why it was not reproduced, or not tried'),
  reason: FailureReason.nullable().describe('the first check that failed'),
  statement: Statement.nullable(),
  key_id: z.string(),
  log: LogPlace.nullable().describe('its place in the log; null as long as it waits'),
  cosignatures: z
    .array(WitnessedBy)
    .max(64)
    .describe('witnesses that cosigned a checkpoint that covers the receipt; the bundle has that checkpoint with their lines'),
  manifest: NamedManifest.nullable().describe(
    'the files of the release of the answer; null: the entry of the release is not in the log yet, or older than manifests',
  ),
  documents: z.array(ReceiptDocument).describe('what the documents in `sources` of the statement are, in that order; not part of what is signed'),
  proof: LogProofText.nullable().describe('C2SP tlog-proof: always the same bytes for a receipt, until a key of the log is revoked'),
})
export type VerifyAnswer = z.infer<typeof VerifyAnswer>

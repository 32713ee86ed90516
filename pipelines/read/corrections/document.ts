// The raw document that `crossfile correct` stores: the operator's decision with everything that follows from it, so that a rebuild from raw
// and a receipt's reproduction give the same corrections.
import { z } from 'zod'
import { isCorrectable, whyFixed } from '#schemas/corrections.ts'
import { Unreadable } from '#schemas/errors.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { Instant, Sha256 } from '#schemas/values.ts'
import type { Fact, Parsed, RawDocument, Reader } from '../parsed.ts'

export const correctionSource = 'operator'
const prefix = 'operator:corrections/'

/** One value. `filed` and `value` are JSON; `value` is null if the filed value applies again (`undone`). */
export const Change = z.strictObject({
  dataset: z.string().refine(isCorrectable, 'no dataset of filings that can be corrected'),
  row_key: z.string(),
  field: z.string(),
  filed: z.string().refine(isJson, 'no JSON'),
  value: z.string().refine(isJson, 'no JSON').nullable(),
  undone: z.boolean(),
  follows: z.string().nullable(),
  document_sha256: Sha256,
})
export type Change = z.infer<typeof Change>
export const CorrectionDocument = z.strictObject({
  crossfile: z.literal('correction'),
  version: z.literal(1),
  filing: z.string().min(1),
  /** Makes two corrections with the same content two documents. */
  corrected_at: Instant,
  reason: z.string().min(1),
  evidence: z.string(),
  changes: z.array(Change).min(1),
})
export type CorrectionDocument = z.infer<typeof CorrectionDocument>

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The address of a correction in the raw store. */
export const correctionUrl = (filing: string, at: string): string => `${prefix}${filing}/${at}`

/** Throws `Unreadable` if the bytes are no correction, or name a field or value that its dataset does not have. */
function parse(document: RawDocument): Parsed {
  const read = readDocument(document)
  const facts = read.changes.map((change): Fact<'filing_corrections'> => {
    const { document_sha256, ...rest } = change
    return { filing: read.filing, ...rest, reason: read.reason, evidence: read.evidence, document_sha256 }
  })
  return { facts: { filing_corrections: facts }, refused: [], skipped: {}, follow: [] }
}

function readDocument(document: RawDocument): CorrectionDocument {
  const fail = (detail: string, cause?: unknown): Unreadable => new Unreadable('not_a_correction', `${document.url}: ${detail}`, { cause })
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(document.body).toString('utf8'))
  } catch (cause) {
    throw fail('no JSON document', cause)
  }
  const read = CorrectionDocument.safeParse(json)
  if (!read.success) throw fail(`${read.error.issues[0]?.path.join('.')}: ${read.error.issues[0]?.message}`, read.error)
  for (const { dataset: name, field, value } of read.data.changes) {
    const dataset = datasetOf(name as DatasetName)
    const schema = dataset.facts.shape[field]
    if (!schema || dataset.key.includes(field) || dataset.order[0] === field)
      throw fail(`${name}.${field} cannot be corrected: ${schema ? whyFixed(dataset, field) : 'no such field'}`)
    if (value !== null && !schema.safeParse(JSON.parse(value)).success) throw fail(`${name}.${field} cannot be ${value.slice(0, 80)}`)
  }
  return read.data
}

export const correctionReaders: readonly Reader[] = [
  {
    name: 'operator.corrections',
    source: correctionSource,
    dataset: 'filing_corrections',
    reads: url => url.startsWith(prefix),
    recognise: () => null,
    parse,
  },
]

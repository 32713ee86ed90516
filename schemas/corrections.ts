// Corrections of single values of filings by the operator. A correction does not overwrite: the row keeps the filed value, and reads of a
// dataset replace it by the newest correction (warehouse/store/lake/corrected.ts).
import { z } from 'zod'
import { type DatasetDefinition, defineDataset, type RowOf, terms } from './dataset.ts'
import { Flag, Instant, Sha256, Text } from './values.ts'

export const filingCorrections = defineDataset('filing_corrections', 'Corrections of filings', terms('with each correction', 'yours'), {
  description:
    'One row per value of a filing that the operator corrected, with the filed value, the reason and the evidence. The newest row of a filing, dataset, row and field applies from known_from on; undone: the filed value applies again.',
  facts: {
    filing: Text.describe('filing_id or accession of the corrected row'),
    dataset: Text.describe('Dataset of the corrected row, e.g. holdings'),
    row_key: Text.describe('The other key columns of the corrected row, e.g. its line; empty if the filing has one row'),
    field: Text, // the corrected column
    filed: Text.describe('The value as filed, as JSON'),
    value: Text.nullable().describe('The corrected value, as JSON; null if the correction is undone'),
    undone: Flag, // true: the operator withdrew the correction
    follows: Text.nullable().describe('dataset.field that was corrected, where this value follows from it by rule'),
    reason: Text, // the operator's reason
    evidence: Text.describe('Address of a document that shows the correct value'),
    document_sha256: Sha256.describe('The raw document from which the corrected row was read'),
  },
  rows: { key: ['filing', 'dataset', 'row_key', 'field'], time: 'filing' },
})
export type FilingCorrection = RowOf<typeof filingCorrections>

/** A correction as an answer shows it with the corrected row. `filed` and `value` have the type of the field; numbers keep their digits. */
const ShownCorrection = z.object({
  field: Text,
  filed: z.unknown().describe('the value as filed'),
  value: z.unknown().describe('the value that the operator put in its place'),
  reason: Text,
  evidence: Text.describe('address of a document that shows the correct value'),
  known_from: Instant.describe('an as_of before it gives the value as filed'),
})
/** Member of rows of filings; omitted if nothing in the row is corrected. */
export const corrected = z.array(ShownCorrection).optional().describe('values of this row that the operator corrected; omitted if there are none')
/** Member of rows that combine several lines of filings: each correction names its line. */
export const correctedLines = z
  .array(
    z.object({
      filing_id: Text,
      dataset: Text,
      line: Text.describe('the line of the filing; empty for the filing itself'),
      ...ShownCorrection.shape,
    }),
  )
  .optional()
  .describe("values of this row's source lines that the operator corrected; omitted if there are none")

/** Fields that no correction may change, with the reason, in datasets whose rows belong to a filing. */
const fixedFields: Readonly<Record<string, string>> = {
  accession: 'names the filing',
  filing_id: 'names the filing',
  line: 'names the row',
  cik: 'names the issuer, by which the row is found',
  issuer_cik: 'names the issuer, by which the row is found',
  issuer_key: 'is what the row is found by; it follows from the name',
  manager_cik: 'names the manager, by which the row is found',
  quarter: 'is what the row is found by',
  use_of_proceeds_text: 'is the text of the document',
  use_of_proceeds_sha256: 'is computed from the text of the document',
  use_of_proceeds_start: 'is a place in the document',
  use_of_proceeds_end: 'is a place in the document',
  start: 'is a place in the document',
  end: 'is a place in the document',
  evidence: 'quotes the document',
}
/** Datasets whose rows are values from one filing that EDGAR has as XML. */
export const datasetsOfXmlForms = [
  'insider_filings',
  'insider_transactions',
  'insider_holdings',
  'holdings_reports',
  'holdings',
  'ownership_schedules',
  'ownership_persons',
] as const
/** Datasets whose rows are values from one filing. */
const correctableNames: readonly string[] = [...datasetsOfXmlForms, 'offerings', 'offering_financials']
export const isCorrectable = (dataset: string): boolean => correctableNames.includes(dataset)

/** Columns of the key that name the filing and, joined by a blank, the row within it. */
export const filingKey = (dataset: DatasetDefinition): { readonly filing: string; readonly rest: readonly string[] } => {
  const [filing = '', ...rest] = dataset.key
  return { filing, rest }
}
/** Why a field of a correctable dataset cannot be corrected; null if it can. */
export function whyFixed(dataset: DatasetDefinition, field: string): string | null {
  if (dataset.key.includes(field)) return fixedFields[field] ?? 'names the row'
  // The range of the first order column decides which files of the lake are opened.
  if (dataset.order[0] === field) return fixedFields[field] ?? 'is what the row is found by'
  return fixedFields[field] ?? null
}
/** The fields of a dataset that a correction may change, in the order of its columns. */
export const correctableFields = (dataset: DatasetDefinition): readonly string[] =>
  Object.keys(dataset.facts.shape).filter(field => whyFixed(dataset, field) === null)

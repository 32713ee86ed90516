// Corrections of filings by an administrator: the values that can be corrected, a correction, and the list of all.
import { z } from 'zod'
import { isCorrectable } from './corrections.ts'
import { datasetNames } from './index.ts'
import { Count, Flag, Instant, Text } from './values.ts'

const dataset = z.enum(datasetNames.filter(isCorrectable) as [string, ...string[]])
const Value = z.unknown().meta({ description: 'has the type of the field; null if there is none' })

export const FilingValues = z.strictObject({
  filing: Text,
  datasets: z.array(
    z.strictObject({
      dataset: Text,
      rows: Count,
      first_line: Text,
      last_line: Text,
      fields: z.array(Text).meta({ description: 'fields that can be corrected' }),
    }),
  ),
  count: Count.meta({ description: 'rows shown, at most 50 of those that the request names' }),
  of: Count.meta({ description: 'rows that the request names' }),
  rows: z.array(
    z.strictObject({
      dataset: Text,
      line: Text.meta({ description: 'the line of the row; empty if the filing has one row' }),
      fields: z.array(z.strictObject({ field: Text, filed: Value, value: Value, corrected: Flag })),
    }),
  ),
})

export const CorrectionIn = z.strictObject({
  filing: z.string().min(1).max(100).meta({ description: 'accession number, or filing_id of an answer' }),
  dataset: dataset.nullable().optional().meta({ description: 'needed if several datasets have the field' }),
  line: z.string().max(100).nullable().optional().meta({ description: 'needed if the filing has several rows with the field' }),
  field: z.string().min(1).max(64),
  value: z.string().max(10_000).nullable().meta({
    description: 'the correct value as text, decimals with their digits; the text null if the filing gives none; null: the filed value applies again',
  }),
  reason: z.string().min(1).max(1000).meta({ description: 'why the filed value is wrong; answers show it' }),
  evidence: z
    .string()
    .max(2000)
    .nullable()
    .optional()
    .meta({ description: 'address of a document that shows the correct value; answers show it. Needed unless value is null' }),
  dry_run: z.boolean().default(false).meta({ description: 'true: only show what would change' }),
})
const CorrectedChange = z.strictObject({
  dataset: Text,
  line: Text,
  field: Text,
  filed: Value,
  before: Value.optional().meta({ description: 'the value before; omitted if the worker was interrupted after it applied the correction' }),
  value: Value,
  undone: Flag.meta({ description: 'the filed value applies again' }),
  follows: Text.nullable().meta({ description: 'dataset.field that was corrected, where this value follows from it by rule' }),
})
export const CorrectionOut = z.strictObject({
  state: z.enum(['preview', 'sent', 'applied']).meta({ description: 'preview: nothing was written; sent: a worker applies it' }),
  filing: Text,
  release: Count.nullable().meta({ description: 'the release that has the correction' }),
  changes: z.array(CorrectedChange),
})

export const Corrections = z.strictObject({
  count: Count,
  of: Count.meta({ description: 'all corrections and withdrawals; the newest are shown' }),
  corrections: z.array(
    z.strictObject({
      filing: Text,
      dataset: Text,
      line: Text,
      field: Text,
      filed: Value,
      value: Value,
      undone: Flag,
      follows: Text.nullable(),
      reason: Text,
      evidence: Text,
      known_from: Instant.meta({ description: 'an as_of before it gives the value before' }),
      release: Count,
    }),
  ),
})

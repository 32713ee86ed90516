// The curated pairs of Toronto and United States lines: pairs.json, checked once when the module is read.
import { z } from 'zod'
import { Confidence } from '#schemas/dual-listings.ts'
import { parseOnce } from '#schemas/once.ts'
import { Decimal, IsoDate, Symbol } from '#schemas/values.ts'
import table from './pairs.json' with { type: 'json' }

const Row = z.strictObject({
  /** The order of the table: tracked are the first 59 that qualify (`tracked_rule`). */
  rank: z.int().min(1),
  tsx_symbol: Symbol,
  us_symbol: Symbol,
  us_mic: z.string().regex(/^[A-Z]{4}$/),
  issuer: z.string().min(2),
  /** Toronto shares per one US share. */
  ratio: Decimal,
  /** First and last day of these symbols and this venue; null: open. */
  valid_from: IsoDate.nullable(),
  valid_to: IsoDate.nullable(),
  tracked: z.boolean(),
  evidence: z.array(z.string()).min(1),
  confidence: Confidence,
  last_verified: IsoDate.nullable(),
  /** What remains to be verified; a pair with a doubt is never tracked. */
  doubt: z.string().nullable(),
  note: z.string().nullable(),
})

const Table = z.strictObject({
  ruleset: z.string(),
  valid_from: IsoDate,
  source: z.string(),
  tracked_rule: z.string(),
  evidence: z.record(z.string(), z.string()),
  pairs: z.array(Row).min(1),
  not_pairs: z.array(z.strictObject({ tsx_symbol: Symbol, us_symbol: Symbol.nullable(), why: z.string() })),
  notes: z.array(z.string()),
})
export const curated = parseOnce(Table, table)

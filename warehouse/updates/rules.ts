// The rules of updates: data, with an edition that each update names.
import { z } from 'zod'
import written from './rules.json' with { type: 'json' }

const Rules = z.strictObject({
  id: z.string().regex(/^updates@\d{4}-\d{2}$/),
  valid_from: z.iso.date(),
  note: z.string(),
  forms: z.array(z.string()),
  restating_forms: z.array(z.string()),
  current_forms: z.array(z.string()),
  /** Items of current reports that are stated, and their subjects. */
  items: z.record(z.string(), z.string()),
  restating_items: z.array(z.string()),
  items_source: z.string(),
  insider_cluster: z.strictObject({ code: z.string(), owners: z.int().min(2), days: z.int().min(1) }),
  /** Days ahead for which newly confirmed report days are stated. */
  ahead_days: z.int(),
  /** Actions whose ex-date is longer ago are history that was loaded, not news. */
  recent_days: z.int(),
  restated_days: z.int(),
  /** Maximum statements of one rule on one day; the rest is named as a request. */
  most_of_a_rule: z.int(),
})
export type UpdateRules = z.infer<typeof Rules>
export const updateRules: UpdateRules = Rules.parse(written)

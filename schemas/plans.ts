// The limits of each tier. `/api/v1/data/plans` publishes this table and the limiter enforces it.
import { z } from 'zod'
import { IsoDate } from './values.ts'

/**
 * The limit class of a request: `reads` precomputed pages, `queries` DuckDB over the lake, `files` whole files, `agents` messages of the
 * agent endpoints.
 */
export const LimitClass = z.enum(['reads', 'queries', 'files', 'agents'])
export type LimitClass = z.infer<typeof LimitClass>

/** `anonymous` counts per address and needs no key; the others count per API key. In ascending order: each tier includes the one before it. */
export const Tier = z.enum(['anonymous', 'free', 'core', 'trader', 'alpha', 'apex', 'prime'])
export type Tier = z.infer<typeof Tier>

/**
 * A rate: `limit` units per `window_seconds`, spread evenly, of which `burst` may be used immediately. Over any sliding window at most
 * limit + burst units pass. `daily` is a second limit per UTC day; null: none.
 */
export const Rate = z.strictObject({
  limit: z.int().min(1),
  window_seconds: z.int().min(1),
  burst: z.int().min(1),
  daily: z.int().min(1).nullable(),
})
export type Rate = z.infer<typeof Rate>

export const Plan = z.strictObject({
  tier: Tier,
  title: z.string(),
  counted_per: z.enum(['address', 'key']).describe('address: one IPv4 address or one IPv6 /64'),
  rates: z.record(LimitClass, Rate),
  symbols_per_quote_call: z.int().min(1),
  assistant_queries_per_day: z.int().min(0),
  receipt_watches: z.int().min(0).describe('signed answers that a user can watch at the same time'),
  history: z.string(),
  commercial_use: z.boolean(),
})
export type Plan = z.infer<typeof Plan>

export const Plans = z.strictObject({
  ruleset: z.string(),
  valid_from: IsoDate,
  source: z.string(),
  note: z.string(),
  classes: z.record(LimitClass, z.string()),
  plans: z.array(Plan).min(1),
})
export type Plans = z.infer<typeof Plans>

// What each tier may do. One table: `/api/v1/data/plans` publishes it and the limiter enforces it.
import { z } from 'zod'
import { IsoDate } from './values.ts'

/** What a request weighs on: `reads` precomputed pages, `queries` DuckDB over the lake, `files` whole files, `agents` messages of the agent endpoints. */
export const LimitClass = z.enum(['reads', 'queries', 'files', 'agents'])
export type LimitClass = z.infer<typeof LimitClass>

/** `anonymous` is per address and needs no key; the others go by API key. Order: each tier holds all that the one before holds. */
export const Tier = z.enum(['anonymous', 'free', 'core', 'trader', 'alpha', 'apex', 'prime'])
export type Tier = z.infer<typeof Tier>

/**
 * A rate: `limit` units per `window_seconds`, spread evenly, of which `burst` may come at once. Over any sliding window
 * at most limit + burst units pass. `daily` is a second cap over one UTC day; null: none.
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
  counted_per: z.enum(['address', 'key']).meta({ description: 'address: one IPv4 address or one IPv6 /64' }),
  rates: z.record(LimitClass, Rate),
  symbols_per_quote_call: z.int().min(1),
  assistant_queries_per_day: z.int().min(0),
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

// Tier and payment of a user, and the requests that an administrator fulfils (the specification's records).
import { z } from 'zod'
import { Instant, Text } from './values.ts'

export const assignableTiers = ['core', 'trader', 'alpha', 'apex', 'prime'] as const
export const paidTiers = ['trader', 'alpha', 'apex', 'prime'] as const
export type PaidTier = (typeof paidTiers)[number]
export const intervals = ['monthly', 'yearly'] as const
export type BillingInterval = (typeof intervals)[number]
const requestKinds = ['change_tier', 'cancel'] as const

const note = z.string().max(500).nullable().optional()
export const ChangeTierIn = z.strictObject({
  target_tier: z.enum(assignableTiers).describe('the requested tier'),
  note: note.describe('for the administrator who fulfils the request'),
})
export const CancelIn = z.strictObject({ reason: note.describe('the reason, for the operator; optional') })
export const CheckoutIn = z.strictObject({ tier: z.enum(paidTiers), interval: z.enum(intervals) })

export const AccountRequestRow = z.strictObject({
  id: z.int(),
  user_id: Text,
  email: Text,
  kind: z.enum(requestKinds).describe('change_tier, or cancel: back to the free tier'),
  note: Text.nullable(),
  target_tier: Text.nullable(),
  received_at: Instant,
  fulfilled_at: Instant.nullable(),
  fulfilled_by: Text.nullable().describe('user_id of the administrator, or stripe'),
  days_until_eligible: z.int().min(0).nullable().describe('whole days until it may be fulfilled; 0: now; null: it is fulfilled'),
})
export type AccountRequestRow = z.infer<typeof AccountRequestRow>

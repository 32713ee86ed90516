// Referrals: codes and the accounts that registered with them.
import { z } from 'zod'
import { plainText } from './plain-text.ts'
import { Count, Flag, Instant, Text } from './values.ts'

const UserId = plainText(64).min(1)
export const AttributePayload = z.strictObject({
  code: plainText(64).min(1).describe('of the account that brought this one'),
  new_user_id: UserId.describe('id of the account that is signed in'),
})
export const ConvertPayload = z.strictObject({
  referred_user_id: UserId,
  tier: z.enum(['core', 'trader', 'alpha', 'apex', 'prime']),
})
export const ReferralCodeOut = z.object({
  code: Text,
  referred: Count.describe('accounts that came by it'),
  converted: Count.describe('of these, those that took a tier that is paid for'),
})
export const AttributionOut = z.object({ status: z.literal('attributed'), code: Text, attributed_at: Instant })
export const ConversionOut = z.object({
  status: z.literal('converted'),
  referred_user_id: Text,
  tier: Text.describe('of the first conversion'),
  converted_at: Instant,
  first: Flag.describe('false if it was converted before'),
})

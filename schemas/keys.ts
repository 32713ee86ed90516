// API keys as their owner makes and sees them.
import { isIP } from 'node:net'
import { z } from 'zod'
import { type Scope, scopes } from './operations/operation.ts'
import { LimitClass } from './plans.ts'
import { GivenInstant, Instant, IsoDate, Text } from './values.ts'

export const maxKeys = 10
/** Days for which an expired key is still listed. */
export const expiredKeyDays = 30

/** An address or a CIDR range of `allowed_addresses`: no zone, and IPv4 as IPv4. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const kind = isIP(address)
  if (kind === 0 || rest.length > 0 || address.includes('%') || /^::ffff:/i.test(address)) return false
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128))
}

export const KeyName = z
  .string({ error: 'expected a text' })
  .trim()
  .min(1, 'expected 1 to 100 characters')
  .max(100, 'expected 1 to 100 characters')
  .refine(name => !/\p{Cc}/u.test(name), 'expected a text without control characters')
  .describe('what the key is for, such as the program that uses it')
const Scopes = z
  .array(z.enum(scopes, { error: `expected one of ${scopes.join(', ')}` }), { error: 'expected a list of scopes' })
  .min(1, 'expected one scope or more')
  .max(scopes.length, `expected at most ${scopes.length} scopes`)
  .transform(requested => scopes.filter(scope => requested.includes(scope)))
  .describe('allowed uses; data:read reads everything, market:read what a session reads too')
const AllowedAddresses = z
  .array(z.string().trim().max(64).refine(isAddressRange, 'expected an address or a range such as 192.0.2.0/24'), { error: 'expected a list' })
  .max(20, 'expected at most 20 addresses')
  .describe('addresses and CIDR ranges that may use it; empty: any')

export const KeyRequest = z.strictObject({
  name: KeyName,
  scopes: Scopes.default((): Scope[] => ['data:read', 'market:read']),
  allowed_addresses: AllowedAddresses.default((): string[] => []),
  expires_in_days: z
    .int({ error: 'expected a whole number of days' })
    .min(1, 'expected 1 to 3650 days')
    .max(3650, 'expected 1 to 3650 days')
    .nullable()
    .default(365)
    .describe('days until it expires; null: never'),
})
export type KeyRequest = z.output<typeof KeyRequest>

export const KeyPatch = z
  .strictObject({
    name: KeyName.optional(),
    scopes: Scopes.optional(),
    allowed_addresses: AllowedAddresses.optional(),
    expires_at: GivenInstant.optional().describe('sooner than it would expire'),
  })
  .refine(patch => Object.keys(patch).length > 0, 'expected one field or more')
export type KeyPatch = z.output<typeof KeyPatch>

/** A key without its text. */
export const KeyRecord = z.strictObject({
  id: Text.describe('k_ and random letters: what lists and logs name it by'),
  name: Text,
  last4: Text.describe('last four characters of the key'),
  state: z.enum(['live', 'expired']),
  scopes: z.array(z.enum(scopes)),
  tier: Text.describe("its owner's tier, as it is now"),
  allowed_addresses: z.array(Text),
  created_at: Instant,
  expires_at: Instant.nullable().describe('null: never'),
  last_used_at: Instant.nullable().describe('to half a minute; null: never'),
  last_used_as: z.enum(['bearer', 'x-api-key', 'query']).nullable(),
  last_in_query_at: Instant.nullable().describe(
    'when it was last sent in an address, which logs and histories keep: half public from then on; null: never',
  ),
})
export type KeyRecord = z.infer<typeof KeyRecord>

export const KeyMade = KeyRecord.extend({
  key: Text.nullable().describe('the key, shown this once; null if a repeated Idempotency-Key is answered'),
})
export type KeyMade = z.infer<typeof KeyMade>
export const KeyList = z.strictObject({
  count: z.int(),
  keys: z.array(KeyRecord),
  limit: z.int().describe('most keys that may live at the same time'),
})

/** Requests of a key of one class of limits. */
const usageParts = {
  requests: z.int().describe('answered requests'),
  units: z.int().describe('units of the limit that the successful ones cost; an answer of 304 counts too'),
  limited: z.int().describe('of the requests, those answered with 429: the limit was reached'),
  refused: z.int().describe('of the requests, those answered with another 4xx status'),
  failed: z.int().describe('of the requests, those answered with a 5xx status'),
}
export const KeyUsage = z.strictObject({
  from: IsoDate.describe('first day of the list, UTC'),
  to: IsoDate.describe('last day, today in UTC'),
  count: z.int(),
  usage: z.array(
    z.strictObject({
      key_id: Text,
      name: Text.describe('name of the key'),
      last4: Text,
      class: LimitClass.describe('class of limits: reads, queries, files or agents'),
      ...usageParts,
      days: z.array(z.strictObject({ day: IsoDate, ...usageParts })).describe('one entry per day, days without requests too'),
    }),
  ),
})
export type KeyUsage = z.infer<typeof KeyUsage>

// Consent, erasure and the policy.
import { z } from 'zod'
import { NextCursor } from './answer.ts'
import { Count, Instant, Int, Text } from './values.ts'

/**
 * Letters and digits of any script, published without `\p{L}`, which needs the `u` flag that many clients do not set: the pattern excludes
 * the ASCII punctuation.
 */
const wordPattern = '^[^\\x00-\\x1f!-,;-@\\[-\\^`{-\\x9f]+$'
const word = (description: string, most: number) =>
  z
    .string({ error: 'expected a text' })
    .min(1, 'expected a text that is not empty')
    .max(most, `expected at most ${most} characters`)
    .refine(text => /^[\p{L}\p{N} ._:/-]+$/u.test(text), 'expected letters, digits, spaces and . _ : / -')
    .meta({ description, pattern: wordPattern })

/** Both names of the second field are accepted; if both are sent, they must agree. */
export const ConsentRequest = z
  .strictObject({
    consent_type: word('the purpose, such as analytics or marketing', 64),
    consent_action: word('one of granted, denied, withdrawn or updated', 32).optional(),
    action: word('the other name of consent_action', 32).optional(),
    session_id: z.string().min(1).max(128).nullish().describe("the page's own id of a visitor who is not signed in; its hash alone is kept"),
    consent_version: word('version of the text that was shown', 32).default('1.0'),
    privacy_policy_version: word('version of the policy that held', 32).default('2026.04'),
    language: z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'expected a language tag such as en or fr-CA')
      .default('en')
      .describe('of the text that was shown'),
  })
  .check(({ value, issues }) => {
    const { consent_action, action } = value
    if (consent_action === undefined && action === undefined)
      issues.push({ code: 'custom', message: 'expected granted, denied, withdrawn or updated', path: ['consent_action'], input: value })
    else if (consent_action !== undefined && action !== undefined && consent_action !== action)
      issues.push({ code: 'custom', message: 'differs from consent_action: send one of the two', path: ['action'], input: value })
  })
export type ConsentRequest = z.output<typeof ConsentRequest>

export const ConsentResponse = z.object({ id: Text, consent_type: Text, consent_action: Text, created_at: Instant, consent_version: Text })
export const ConsentHistory = z.object({
  count: Count,
  entries: z
    .array(
      ConsentResponse.extend({
        privacy_policy_version: Text,
        language: Text,
        address_prefix: Text.describe('/24 or /48 of the address'),
        agent: Text.describe('family of the browser'),
        previous_id: Text.nullable().describe('the entry of the same type before it'),
      }),
    )
    .describe('newest first'),
  next_cursor: NextCursor,
})

export const DeleteRequest = z.strictObject({
  confirm: z.literal(true, { error: 'expected true: the account and everything in it are erased after 30 days' }),
  reason: z
    .string()
    .max(500, 'expected at most 500 characters')
    .nullish()
    .describe('accepted, and not kept: nothing that you write here outlives the request'),
})
export const ErasureQueued = z.object({
  status: z.literal('queued'),
  requested_at: Instant,
  erase_after: Instant,
  grace_days: Int,
  ends: z.array(Text).describe('what has ended with the request'),
  cancel: Text.describe('how the account is kept'),
  cancelling: Text.describe('what cancelling restores, and what it does not'),
})
export const ErasureCancelled = z.object({ status: z.literal('cancelled') })

const Listed = z.object({ id: Text, text: Text })
export const Policy = z.object({
  ruleset: Text,
  version: Text,
  controller: z.object({ name: Text, contact: Text.nullable() }),
  purposes: z.array(Listed),
  rights: z.array(z.object({ id: Text, law: Text, text: Text, how: Text })),
  data: z
    .array(z.object({ table: Text, about: Text, category: Text, basis: Text, retention: Text, exported: z.boolean(), erased: Text }))
    .describe('every table with a reference to a person, from the same list that export and erasure are made from'),
  without_account: z.array(z.object({ what: Text, basis: Text, retention: Text })),
  subprocessors: z.array(z.object({ name: Text, purpose: Text, data: Text })).describe('those that this installation is configured with'),
  transfers: Text,
  retention_after_erasure: Text,
  automated_decisions: Text,
  children: Text,
  regulators: Text,
  complaints: Text,
})

// The parts of the privacy policy that complement the inventory of tables: purposes, rights and how to use them, retention.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { dated, RuleSource } from '../editions.ts'
import edition2026 from './2026.json' with { type: 'json' }

const Ruleset = z.strictObject({
  ruleset: z.string().regex(/^privacy@\d{4}$/),
  version: z.string(),
  published: IsoDate,
  valid_from: IsoDate,
  valid_to: IsoDate.nullable(),
  sources: z.array(RuleSource),
  purposes: z.array(z.strictObject({ id: z.string(), text: z.string(), ...dated })),
  rights: z.array(z.strictObject({ id: z.string(), law: z.string(), text: z.string(), how: z.string(), ...dated })),
  without_account: z.array(z.strictObject({ what: z.string(), basis: z.string(), retention: z.string(), ...dated })),
  transfers: z.string(),
  retention_after_erasure: z.string(),
  automated_decisions: z.string(),
  children: z.string(),
  regulators: z.string(),
  complaints: z.string(),
})
export type PrivacyRules = z.infer<typeof Ruleset>

export const privacyRules: PrivacyRules = parseOnce(Ruleset, edition2026)

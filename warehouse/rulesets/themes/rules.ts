// Themes as data: fourteen sets of rules over known facts of a listing. Checked once, when the module loads.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { InstrumentType } from '#schemas/symbols.ts'
import { Currency, Exchange, IsoDate } from '#schemas/values.ts'
import table from './themes.json' with { type: 'json' }

const Sic = z.string().regex(/^\d{4}(-\d{4})?$/, 'expected a SIC code or a range of them')
/** Capitals and digits, as names are compared: one word, or several in a row. */
const Words = z.array(z.string().regex(/^[A-Z0-9]+( [A-Z0-9]+)*$/)).min(1)
/** Every member that is stated has to hold. */
const Rule = z.strictObject({
  rule: z.string().regex(/^[a-z][a-z_]*$/),
  because: z.string().min(10),
  confidence: z.enum(['high', 'medium', 'low']),
  sic: z.array(Sic).min(1).optional(),
  words: Words.optional(),
  not_words: Words.optional(),
  exchanges: z.array(Exchange).min(1).optional(),
  /** `shares` is the list of that name: the securities that an owner of the business holds. */
  types: z.union([z.literal('shares'), z.array(InstrumentType).min(1)]).optional(),
  currency: Currency.optional(),
  /** A Canadian line, or an issuer that EDGAR has as incorporated in Canada. */
  country: z.literal('CA').optional(),
  interlisted: z.literal(true).optional(),
  /** Ex-dates of cash dividends in this many days up to the requested day. */
  dividends: z.strictObject({ at_least: z.int().min(1), days: z.int().min(1) }).optional(),
})
export type ThemeRule = z.infer<typeof Rule>
const Theme = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  title: z.string(),
  description: z.string(),
  rules: z.array(Rule).min(1),
})
export type Theme = z.infer<typeof Theme>
const Themes = z.strictObject({
  ruleset: z.string(),
  valid_from: IsoDate,
  source: z.string(),
  canadian_states: z.array(z.string()),
  shares: z.array(InstrumentType),
  themes: z.array(Theme).length(14),
})
export const themeRules = parseOnce(Themes, table)

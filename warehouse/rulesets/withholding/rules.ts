// The rulesets of dividend withholding between Canada and the United States, one file per edition, checked when the module loads: accounts,
// the effect of each form, and the rules of payers, wrappers and payments in the order in which they are tried.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { dated, editionOf, RuleSource } from '../editions.ts'
import edition202611 from './2026-11.json' with { type: 'json' }

const Rate = z.string().regex(/^(100|\d{1,2})(\.\d{1,4})?$/, 'expected a percentage from 0 to 100')
export const Country = z.enum(['US', 'CA'])
export type Country = z.infer<typeof Country>
const Recoverable = z.enum(['full', 'partial', 'none', 'not_applicable', 'unknown'])
/** Whether the account's own exemption reaches the payment. */
const Exemption = z.enum(['granted', 'none', 'contested', 'uncertain'])
const Certainty = z.enum(['settled', 'uncertain', 'contested'])
/** The kind of an account under the treaty; rules are written for kinds. */
const Kind = z.enum(['individual', 'trust', 'retirement', 'registered', 'corporate', 'charity'])
const Article = z.strictObject({ article: z.string(), paragraph: z.string() })

const Account = z.strictObject({
  holder_country: Country,
  account_type: z.string().regex(/^[a-z0-9_]{2,40}$/),
  title: z.string().min(3),
  kind: Kind,
  aliases: z.array(z.string()),
  rate_pct: Rate,
  recoverable: Recoverable,
  recovery_mechanism: z.string().nullable(),
  treaty_articles: z.array(Article),
  /** Forms that unlock the rate. */
  forms: z.array(z.string()).min(1),
  account_exemption: Exemption,
  certainty: Certainty,
  conditions: z.array(z.string()),
  note: z.string().nullable(),
  ...dated,
})
export type Account = z.infer<typeof Account>

const Level = z.strictObject({
  /** I: by the country of the underlying company; II: by the United States on the payout of a fund listed there. */
  level: z.enum(['I', 'II']),
  withheld_by: z.enum(['US', 'CA', 'underlying']),
  /** A percentage; or that of the account, of the law without a treaty, or of the underlying company's country. */
  rate: z.union([Rate, z.enum(['account', 'statutory', 'underlying'])]),
  recoverable: z.union([Recoverable, z.literal('account')]),
  about: z.string(),
})
const Rule = z.strictObject({
  id: z.string(),
  issuer_country: Country,
  instrument: z.array(z.string()).min(1),
  payment: z.string(),
  kinds: z.array(Kind).min(1),
  underlying: z.enum(['us', 'foreign']).nullable(),
  held_via: z.enum(['direct', 'us_listed_etf']).nullable(),
  min_ownership_pct: Rate.nullable(),
  over_ownership_pct: Rate.nullable(),
  levels: z.array(Level).min(1),
  /** Null: as for the account. */
  recoverable: Recoverable.nullable(),
  recovery_mechanism: z.string().nullable(),
  treaty_articles: z.array(Article).nullable(),
  domestic_law: z.array(z.string()).nullable(),
  /** False: neither the holder's form nor its lack changes the rate. */
  form_matters: z.boolean(),
  account_exemption: Exemption.nullable(),
  certainty: Certainty.nullable(),
  conditions: z.array(z.string()),
  exceptions: z.array(z.string()),
  note: z.string().nullable(),
  ...dated,
})
export type Rule = z.infer<typeof Rule>

const CountryRules = z.strictObject({
  issuer_country: Country,
  holder_country: Country,
  statutory_rate_pct: Rate,
  domestic_law: z.array(z.string()).min(1),
  no_form_recovery: z.string(),
  form_sentence: z.string(),
  person_form: z.string().nullable(),
  ...dated,
})
export type CountryRules = z.infer<typeof CountryRules>

const Ruleset = z
  .strictObject({
    ruleset: z.string().regex(/^withholding@\d{4}-\d\d$/),
    published: IsoDate,
    valid_from: IsoDate,
    valid_to: IsoDate.nullable(),
    rounding: z.string(),
    treaty: z.strictObject({ name: z.string(), url: z.string(), articles: z.record(z.string(), z.string()) }),
    sources: z.array(RuleSource),
    assumptions: z.array(z.string()),
    not_covered: z.array(z.string()),
    person: z.strictObject({ note: z.string(), law: z.array(z.string()), ...dated }),
    countries: z.array(CountryRules).length(2),
    accounts: z.array(Account),
    rules: z.array(Rule),
  })
  .check(({ value, issues }) => {
    const fault = (message: string): void => void issues.push({ code: 'custom', message, input: value })
    const sources = new Set(value.sources.map(source => source.id))
    for (const row of [...value.countries, ...value.accounts, ...value.rules, value.person])
      for (const id of row.source) if (!sources.has(id)) fault(`source ${id} is not listed`)
    const names = value.accounts.flatMap(({ holder_country, account_type, aliases }) =>
      [account_type, ...aliases].map(name => `${holder_country} ${name}`),
    )
    for (const name of names) if (names.indexOf(name) !== names.lastIndexOf(name)) fault(`account ${name} occurs twice`)
    for (const { treaty_articles } of [...value.accounts, ...value.rules])
      for (const { article } of treaty_articles ?? []) if (!(article in value.treaty.articles)) fault(`article ${article} has no title`)
  })
export type WithholdingRules = z.infer<typeof Ruleset>

/** Every edition, the newest first. */
export const withholdingRulesets: readonly WithholdingRules[] = [parseOnce(Ruleset, edition202611)]

/** The edition of a name, the newest without one; throws `BadRequest` that lists them. */
export const withholdingRules = (name: string | undefined): WithholdingRules => editionOf(withholdingRulesets, name)

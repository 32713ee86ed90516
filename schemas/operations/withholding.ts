// Dividend withholding between Canada and the United States: rates by account, payer and form.
import { z } from 'zod'
import { Amount, envelope, rulesetUsed } from '../answer.ts'
import { Count, Flag, IsoDate, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { edition, oneOf, shaped } from './parameters.ts'

const Article = z.object({ article: Text, paragraph: Text, text_ref: Text })
const Level = z.object({
  level: z
    .enum(['I', 'II'])
    .describe("I: withheld by the underlying company's country; II: by the United States on distributions of a fund listed there"),
  withheld_by: Text,
  rate_pct: Amount.nullable().describe('null: not known to the ruleset; give underlying_rate_pct'),
  recoverable: Text,
  about: Text,
})
const row = {
  issuer_country: z.enum(['US', 'CA']),
  holder_country: z.enum(['US', 'CA']).describe('country of residence of the holder'),
  account_type: Text,
  account_title: Text,
  instrument: Text,
  payment: Text,
  rate_pct: Amount.nullable().describe(
    "withheld by the issuer's country, in percent of the gross amount; of a depositary receipt the home country's rate, null if unknown",
  ),
  rate_without_form_pct: Amount.nullable().describe('the same if no valid form is on file'),
  statutory_rate_pct: Amount.describe("of the issuer's law, before any treaty"),
  effective_rate_pct: Amount.nullable().describe('all levels together, 1 - (1 - w1)(1 - w2), in percent; null if one of them is not known'),
  recoverable: z.enum(['full', 'partial', 'none', 'not_applicable', 'unknown']),
  recovery_mechanism: Text.nullable(),
  account_exemption: z.enum(['granted', 'none', 'contested', 'uncertain']),
  certainty: z.enum(['settled', 'uncertain', 'contested']),
  us_person_flag: Flag.describe('the holder is a US person: not a foreign person of the withholding law'),
  treaty_articles: z.array(Article),
  domestic_law: z.array(Text),
  levels: z.array(Level),
  conditions: z.array(Text).describe('conditions for the rate'),
  exceptions: z.array(Text),
  note: Text.nullable(),
  confidence: z.enum(['primary', 'secondary', 'general_knowledge']).describe('of the least certain rule that the row depends on'),
  source_ids: z.array(Text).describe('of the ruleset; sources has their names and addresses'),
  valid_from: IsoDate,
}
const money = {
  gross_amount: Amount.optional().describe('the requested amount'),
  withheld_amount: Amount.nullable().optional().describe('at effective_rate_pct, rounded half up to cents; null if the rate is not known'),
  net_amount: Amount.nullable().optional(),
}
const Row = z.object({ ...row, ...money })

const WithholdingAnswer = z.object({
  ...rulesetUsed,
  form: Text.describe('the form assumed to be on file'),
  underlying: Text,
  held_via: Text,
  ...Row.partial().shape,
  count: Count,
  rows: z
    .array(Row)
    .describe('one entry if account and issuer are determined, and its members are then also at the top level; otherwise every open combination'),
  rounding: Text,
  assumptions: z.array(Text),
  not_covered: z.array(Text),
  not_advice: z.literal(true),
  ...envelope,
})

const word = (description: string, example: string) =>
  shaped(description, /^[a-z0-9_]{1,40}$/, 'a word of letters, digits and _', example, raw => raw.trim().toLowerCase().replaceAll(/[- ]+/g, '_'))
/** A pattern in place of a word list: with two countries, the error lists both instead of the nearest. */
const country = (description: string) => shaped(description, /^(?:CA|US)$/, 'CA or US', 'US', raw => raw.trim().toUpperCase())
const percent = (description: string, example: string) =>
  shaped(description, /^(?:100(?:\.0{1,4})?|\d{1,2}(?:\.\d{1,4})?)$/, 'a percentage from 0 to 100, at most four decimals', example)

export const withholdingOperations = [
  operation('get_withholding', 'GET /api/v1/data/withholding', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Canada-US dividend withholding by account type',
    description:
      'The rate at which the issuer’s country withholds on a payment to an account in the other country, both ways, with treaty articles, recovery, the levels of funds, forms and special payers. Without account_type, the whole table is returned. Rules come from a dated ruleset; confidence marks rules that depend on general knowledge.',
    question: dataQuestion({
      issuer_country: country('country of the paying issuer').optional(),
      account_type: word('account that holds the security, such as tfsa, rrsp, non_registered, ira, us_taxable', 'tfsa').optional(),
      holder_country: country('residence of the holder, if the account type does not determine it').optional(),
      instrument: word(
        'common, preferred, reit, mlp, etf_us_listed, etf_ca_listed, trust_unit, split_share or adr (default: common)',
        'etf_ca_listed',
      ).optional(),
      payment: oneOf(
        'the kind of payment',
        ['dividend', 'interest', 'return_of_capital', 'capital_gain', 'sale_proceeds', 'substitute', 'fund_interest_related'],
        'dividend',
      ).default('dividend'),
      underlying: oneOf('what a fund holds: shares of the United States, or of another country', ['us', 'foreign'], 'us').default('us'),
      held_via: oneOf('how a Canadian fund holds foreign shares', ['direct', 'us_listed_etf'], 'us_listed_etf').default('us_listed_etf'),
      form: oneOf(
        'the form on file: valid (the form that the account needs), none, or one by name',
        ['valid', 'none', 'w8ben', 'w8ben_e', 'w8exp', 'w8imy', 'w9', 'nr301'],
        'valid',
      ).default('valid'),
      ownership_pct: percent('of the votes (of the class, for a REIT) that the holder owns', '10').optional(),
      underlying_rate_pct: percent("rate of the underlying company's country, if there is one", '15').optional(),
      amount: shaped(
        'gross amount, for which the tax is calculated',
        /^\d{1,15}(?:\.\d{1,6})?$/,
        'an amount of 0 or more, such as 1000.00',
        '1000.00',
      ).optional(),
      ruleset: edition('withholding').optional(),
    }),
    answer: WithholdingAnswer,
    rows: 'rows',
    data: true,
    served_from: 'pure',
    freshness: 'with each edition of the ruleset',
    agents: [research('cross_border', 'withholding', ['issuer_country', 'account_type', 'instrument', 'payment', 'amount'])],
    example: '/api/v1/data/withholding?issuer_country=US&account_type=tfsa&amount=1000.00',
  }),
] as const

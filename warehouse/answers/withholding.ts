// Dividend withholding: the ruleset's rows as an answer. It reads no dataset; its day is the day on which its ruleset was published.
import { midnight } from '#schemas/days.ts'
import { productOf, quotientOf, roundedDecimal } from '#schemas/decimals.ts'
import { type Built, digits, type ReleaseContext } from '../context/answer.ts'
import { citedSources } from '../rulesets/editions.ts'
import { Country, withholdingRules } from '../rulesets/withholding/rules.ts'
import { evaluateWithholding, minus, type WithholdingRow } from '../rulesets/withholding/withhold.ts'
import { underRuleset } from './complete.ts'
import type { Answers, QuestionOf } from './types.ts'

async function buildWithholding(_context: ReleaseContext, question: QuestionOf<'get_withholding'>): Promise<Built> {
  const rules = withholdingRules(question.ruleset)
  const body = withholdingBody(question)
  return {
    body,
    sources: citedSources(
      rules.sources,
      body.rows.map(row => ({ source: row.source_ids })),
    ),
    origins: [],
    datasets: [],
    as_of: midnight(rules.published),
  }
}

/** The body of the answer, also used by the command line. */
export function withholdingBody(question: QuestionOf<'get_withholding'>) {
  const rules = withholdingRules(question.ruleset)
  const { issuer_country, holder_country, amount, ...rest } = question
  const requested = { ...rest, issuer_country: countryOf(issuer_country), holder_country: countryOf(holder_country) }
  const rows = evaluateWithholding(rules, requested).map(row => ({ ...onWire(row), ...amounts(row, amount) }))
  const single = rows.length === 1 && question.account_type !== undefined ? rows[0] : undefined
  return {
    ruleset: rules.ruleset,
    ruleset_valid_from: rules.valid_from,
    ruleset_valid_to: rules.valid_to,
    form: question.form,
    underlying: question.underlying,
    held_via: question.held_via,
    ...single,
    count: rows.length,
    rows,
    rounding: rules.rounding,
    assumptions: [...rules.assumptions, ...(question.form === 'valid' ? ['the form that the account needs is on file and valid'] : [])],
    not_covered: rules.not_covered,
    not_advice: true as const,
  }
}

const countryOf = (text: string | undefined): Country | undefined => (text === undefined ? undefined : Country.parse(text))

const onWire = (row: WithholdingRow) => ({
  ...row,
  rate_pct: digits(row.rate_pct),
  rate_without_form_pct: digits(row.rate_without_form_pct),
  statutory_rate_pct: digits(row.statutory_rate_pct),
  effective_rate_pct: digits(row.effective_rate_pct),
  levels: row.levels.map(level => ({ ...level, rate_pct: digits(level.rate_pct) })),
})

type Amounts =
  | Record<string, never>
  | { readonly gross_amount: object | null; readonly withheld_amount: object | null; readonly net_amount: object | null }
/** Tax and remainder of a gross amount, in the currency of the amount. */
export function amounts(row: Pick<WithholdingRow, 'effective_rate_pct'>, gross: string | undefined): Amounts {
  if (gross === undefined) return {}
  const amount = gross.replace(/^0+(?=\d)/, '')
  if (row.effective_rate_pct === null) return { gross_amount: digits(amount), withheld_amount: null, net_amount: null }
  const withheld = quotientOf(productOf(amount, row.effective_rate_pct), '100', 2)
  // Half a cent rounds up, but the tax on an amount below a cent does not exceed the amount.
  const capped = minus(amount, withheld).startsWith('-') ? amount : withheld
  return { gross_amount: digits(amount), withheld_amount: digits(capped), net_amount: digits(roundedDecimal(minus(amount, capped), 6)) }
}

export const withholdingAnswers = {
  get_withholding: { build: buildWithholding, complete: underRuleset(withholdingRules(undefined).ruleset) },
} satisfies Answers

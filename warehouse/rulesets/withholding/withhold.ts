// Dividend withholding between Canada and the United States: one question and a ruleset in, one row or the table out. No I/O.
import { compareDecimals, productOf, quotientOf, roundedDecimal, signedSum } from '#schemas/decimals.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { Account, Country, CountryRules, Rule, WithholdingRules } from './rules.ts'

export type WithholdingQuestion = {
  readonly issuer_country?: Country | undefined
  readonly holder_country?: Country | undefined
  readonly account_type?: string | undefined
  readonly instrument?: string | undefined
  readonly payment: string
  readonly underlying: 'us' | 'foreign'
  readonly held_via: 'direct' | 'us_listed_etf'
  /** `valid`: the form that the account needs is on file; `none`; or a form by name. */
  readonly form: string
  readonly ownership_pct?: string | undefined
  readonly underlying_rate_pct?: string | undefined
}
type LevelRow = {
  readonly level: 'I' | 'II'
  readonly withheld_by: string
  readonly rate_pct: string | null
  readonly recoverable: string
  readonly about: string
}
/** One combination of issuer, account, payer and payment. Percentages are decimals in text; null: unknown. */
export type WithholdingRow = {
  readonly issuer_country: Country
  readonly holder_country: Country
  readonly account_type: string
  readonly account_title: string
  readonly instrument: string
  readonly payment: string
  readonly rate_pct: string | null
  readonly rate_without_form_pct: string | null
  readonly statutory_rate_pct: string
  readonly effective_rate_pct: string | null
  readonly recoverable: string
  readonly recovery_mechanism: string | null
  readonly account_exemption: string
  readonly certainty: string
  readonly us_person_flag: boolean
  readonly treaty_articles: readonly { readonly article: string; readonly paragraph: string; readonly text_ref: string }[]
  readonly domestic_law: readonly string[]
  readonly levels: readonly LevelRow[]
  readonly conditions: readonly string[]
  readonly exceptions: readonly string[]
  readonly note: string | null
  readonly confidence: string
  readonly source_ids: readonly string[]
  readonly valid_from: string
}

/** The rows that match a request: one if account and issuer are given, else every combination that it leaves open. */
export function evaluateWithholding(rules: WithholdingRules, question: WithholdingQuestion): WithholdingRow[] {
  const accounts = accountsOf(rules, question)
  const rows = accounts.flatMap(account => {
    const issuers = question.issuer_country ? [question.issuer_country] : [account.holder_country === 'CA' ? ('US' as const) : ('CA' as const)]
    return issuers.flatMap(issuer =>
      instrumentsOf(rules, issuer, question).flatMap(instrument => rowOf(rules, issuer, account, instrument, question)),
    )
  })
  if (rows.length === 0) throw noRule(rules, question)
  return rows
}

function accountsOf(rules: WithholdingRules, { account_type, holder_country, issuer_country }: WithholdingQuestion): readonly Account[] {
  if (account_type === undefined) {
    const holder = holder_country ?? (issuer_country === undefined ? undefined : other(issuer_country))
    return rules.accounts.filter(account => holder === undefined || account.holder_country === holder)
  }
  const named = rules.accounts.filter(account => account.account_type === account_type || account.aliases.includes(account_type))
  if (named.length === 0) {
    const known = (country: Country): string => accountNames(rules, country).join(', ')
    throw new BadRequest(`account_type ${account_type} is not known`, { hint: `of holders in CA: ${known('CA')}; of holders in US: ${known('US')}` })
  }
  // `taxable` is an account of either country: the issuer's country decides.
  const wanted = holder_country ?? (named.length > 1 && issuer_country !== undefined ? other(issuer_country) : undefined)
  const found = named.filter(account => wanted === undefined || account.holder_country === wanted)
  if (found.length > 0) return found
  throw new BadRequest(`account_type ${account_type} is no account of holders resident in ${wanted}`, {
    hint: `of holders in ${wanted}: ${accountNames(rules, wanted as Country).join(', ')}`,
  })
}

export const accountNames = (rules: WithholdingRules, country: Country): string[] =>
  rules.accounts.filter(account => account.holder_country === country).map(account => account.account_type)

const other = (country: Country): Country => (country === 'US' ? 'CA' : 'US')

/** One account without an instrument means ordinary shares; the table has every instrument that pays so. */
function instrumentsOf(rules: WithholdingRules, issuer: Country, { instrument, account_type, payment }: WithholdingQuestion): readonly string[] {
  if (instrument !== undefined) return [instrument]
  const known = [...new Set(rules.rules.filter(rule => rule.issuer_country === issuer && rule.payment === payment).flatMap(rule => rule.instrument))]
  return account_type === undefined || !known.includes('common') ? known : ['common']
}

function rowOf(rules: WithholdingRules, issuer: Country, account: Account, instrument: string, question: WithholdingQuestion): WithholdingRow[] {
  const country = rules.countries.find(each => each.issuer_country === issuer) as CountryRules
  if (account.holder_country === issuer) return [domestic(country, account, instrument, question)]
  const rule = rules.rules.find(each => applies(each, issuer, account, instrument, question))
  if (!rule) return []
  const applied = { rules, country, account, rule, instrument, question }
  if (country.person_form !== null && question.form === country.person_form) return [personRow(applied)]
  return [crossBorder(applied)]
}

function applies(rule: Rule, issuer: Country, account: Account, instrument: string, question: WithholdingQuestion): boolean {
  const owned = question.ownership_pct ?? '0'
  return (
    rule.issuer_country === issuer &&
    rule.payment === question.payment &&
    rule.instrument.includes(instrument) &&
    rule.kinds.includes(account.kind) &&
    (rule.underlying === null || rule.underlying === question.underlying) &&
    (rule.held_via === null || rule.held_via === question.held_via) &&
    (rule.min_ownership_pct === null || compareDecimals(owned, rule.min_ownership_pct) >= 0) &&
    (rule.over_ownership_pct === null || compareDecimals(owned, rule.over_ownership_pct) > 0)
  )
}

/** What every kind of row shares. */
const rowHead = (country: CountryRules, account: Account, instrument: string, question: WithholdingQuestion) => ({
  issuer_country: country.issuer_country,
  holder_country: account.holder_country,
  account_type: account.account_type,
  account_title: account.title,
  instrument,
  payment: question.payment,
})

/** A rule of a country that applies to an account and an instrument. */
type Applied = {
  readonly rules: WithholdingRules
  readonly country: CountryRules
  readonly account: Account
  readonly rule: Rule
  readonly instrument: string
  readonly question: WithholdingQuestion
}
function crossBorder({ rules, country, account, rule, instrument, question }: Applied): WithholdingRow {
  const accepted = question.form === 'valid' || account.forms.includes(question.form)
  const unlocked = accepted || !rule.form_matters
  const levels = (documented: boolean): LevelRow[] =>
    rule.levels.map(level => ({
      level: level.level,
      withheld_by: level.withheld_by === 'underlying' ? "the underlying company's country" : level.withheld_by,
      rate_pct: levelRate(level.rate, rule, account, country, documented, question),
      recoverable: level.recoverable === 'account' ? account.recoverable : level.recoverable,
      about: level.about,
    }))
  const requested = levels(unlocked)
  const without = levels(!rule.form_matters)
  const articles = unlocked ? (rule.treaty_articles ?? account.treaty_articles) : []
  const exempt = rule.account_exemption ?? account.account_exemption
  return {
    ...rowHead(country, account, instrument, question),
    rate_pct: rateBy(country.issuer_country, rule, requested, instrument),
    rate_without_form_pct: rateBy(country.issuer_country, rule, without, instrument),
    statutory_rate_pct: country.statutory_rate_pct,
    effective_rate_pct: compounded(requested),
    recoverable: unlocked ? (rule.recoverable ?? account.recoverable) : 'partial',
    recovery_mechanism: unlocked ? (rule.recoverable === null ? account.recovery_mechanism : rule.recovery_mechanism) : country.no_form_recovery,
    account_exemption: unlocked ? exempt : 'none',
    certainty: rule.certainty ?? account.certainty,
    us_person_flag: false,
    treaty_articles: articles.map(({ article, paragraph }) => ({ article, paragraph, text_ref: textRef(rules, article, paragraph) })),
    domestic_law: rule.domestic_law ?? country.domestic_law,
    levels: requested,
    conditions: [
      ...(rule.form_matters && unlocked ? [`on file: ${country.form_sentence}`] : []),
      // If the payer has a separate rule, the account's conditions unlock nothing.
      ...(unlocked && rule.account_exemption === null ? account.conditions : []),
      ...rule.conditions,
    ],
    exceptions: [...rule.exceptions, ...(accepted ? [] : [formSentence(question.form, account, rule)])],
    note: [rule.note, account.note].filter(note => note !== null).join('; ') || null,
    confidence: weakest([rule.confidence, account.confidence]),
    source_ids: [...new Set([...rule.source, ...account.source])],
    valid_from: [rule.valid_from, account.valid_from, country.valid_from].reduce((a, b) => (a > b ? a : b)),
  }
}

function formSentence(form: string, account: Account, rule: Rule): string {
  if (!rule.form_matters) return `form ${form}: the holder's form does not change this rate`
  if (form === 'none') return 'without a valid form the rate of the law applies, whatever the treaty says'
  return `form ${form} is not one that unlocks the treaty rate of this account (${account.forms.join(', ')}): the rate of the law applies`
}

function levelRate(rate: string, rule: Rule, account: Account, country: CountryRules, documented: boolean, q: WithholdingQuestion): string | null {
  if (rate === 'underlying') return q.underlying_rate_pct ?? null
  if (rate === 'statutory' || (rule.form_matters && !documented)) return country.statutory_rate_pct
  return rate === 'account' ? account.rate_pct : rate
}

/** The tax of the issuer's country; for a depositary receipt, the home country's rate replaces it. */
function rateBy(issuer: Country, rule: Rule, levels: readonly LevelRow[], instrument: string): string | null {
  const at = rule.levels.findIndex(level => level.withheld_by === issuer)
  if (at >= 0) return levels[at]?.rate_pct ?? null
  return instrument === 'adr' ? (levels[0]?.rate_pct ?? null) : '0'
}

/** `1 - (1 - w1)(1 - w2)` in percent; null if one of the rates is unknown. */
function compounded(levels: readonly Pick<LevelRow, 'rate_pct'>[]): string | null {
  let kept = '1'
  for (const { rate_pct } of levels) {
    if (rate_pct === null) return null
    kept = productOf(kept, quotientOf(minus('100', rate_pct), '100', 8))
  }
  return roundedDecimal(productOf('100', minus('1', kept)), 4)
}
export const minus = (left: string, right: string): string =>
  signedSum([
    { sign: 1, value: left },
    { sign: -1, value: right },
  ])

function personRow(applied: Applied): WithholdingRow {
  const { rules, country, rule, question } = applied
  const row = crossBorder({ ...applied, question: { ...question, form: 'valid' } })
  const levels = row.levels.filter((_, at) => rule.levels[at]?.withheld_by !== country.issuer_country)
  // A Canadian fund is itself a foreign person, regardless of its holders.
  if (!rule.form_matters && rule.treaty_articles?.length) return { ...row, us_person_flag: true }
  return {
    ...row,
    rate_pct: '0',
    rate_without_form_pct: row.rate_without_form_pct,
    effective_rate_pct: compounded(levels),
    recoverable: 'not_applicable',
    recovery_mechanism: null,
    account_exemption: 'none',
    us_person_flag: true,
    treaty_articles: [],
    domestic_law: rules.person.law,
    levels,
    conditions: ['on file: form W-9'],
    exceptions: [],
    note: rules.person.note,
    confidence: rules.person.confidence,
    source_ids: rules.person.source,
  }
}

/** Holder and issuer of one country: the law taxes non-residents only. */
function domestic(country: CountryRules, account: Account, instrument: string, question: WithholdingQuestion): WithholdingRow {
  return {
    ...rowHead(country, account, instrument, question),
    rate_pct: '0',
    rate_without_form_pct: '0',
    statutory_rate_pct: country.statutory_rate_pct,
    effective_rate_pct: '0',
    recoverable: 'not_applicable',
    recovery_mechanism: null,
    account_exemption: 'none',
    certainty: 'settled',
    us_person_flag: country.issuer_country === 'US',
    treaty_articles: [],
    domestic_law: country.domestic_law,
    levels: [],
    conditions: [`the holder is resident in ${country.issuer_country}`],
    exceptions: [],
    note: 'issuer and holder are of one country: the tax on payments to non-residents does not apply',
    confidence: country.confidence,
    source_ids: country.source,
    valid_from: country.valid_from,
  }
}

const textRef = (rules: WithholdingRules, article: string, paragraph: string): string =>
  `${rules.treaty.name}, Article ${article} (${rules.treaty.articles[article]}), paragraph ${paragraph}`

const confidences = ['primary', 'secondary', 'general_knowledge']
/** A chain of rules is as certain as its weakest. */
const weakest = (all: readonly string[]): string => all.reduce((a, b) => (confidences.indexOf(a) > confidences.indexOf(b) ? a : b))

function noRule(rules: WithholdingRules, question: WithholdingQuestion): BadRequest {
  const issuer = question.issuer_country
  const fitting = rules.rules.filter(rule => issuer === undefined || rule.issuer_country === issuer)
  const known = [...new Set(fitting.flatMap(rule => rule.instrument.map(instrument => `${instrument} (${rule.payment})`)))].sort()
  return new BadRequest(
    `no rule for ${question.payment} of ${question.instrument ?? 'any instrument'}${issuer ? ` of an issuer in ${issuer}` : ''}`,
    {
      hint: `instrument and payment are one of ${known.join(', ')}`,
    },
  )
}

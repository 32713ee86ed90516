// Dividends, splits and the withholding tax on a dividend.
import { exchangeOf } from '#schemas/spelling.ts'
import type { Result } from '../calls.ts'
import {
  countOf,
  date,
  difference,
  type Figure,
  given,
  money,
  must,
  name,
  percent,
  percentOf,
  plain,
  product,
  quoted,
  read,
  rounded,
  sum,
  word,
} from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { type Company, findCompanies, findCompany, labelOf, otherLineOf, subjectOf } from '../subjects.ts'
import { countedOf, type Prose, t, words } from '../writer.ts'
import { type Ask, itemsOf, type TopicAnswer, tableOf, valueAt } from './topic.ts'

const cash = new Set(['dividend', 'special_dividend', 'return_of_capital', 'capital_gain', 'reinvested_distribution'])
/** Distributions that are paid or announced, each once, newest first, without reports that another source confirms or that were held back. */
function distributionsOf(result: Result): string[] {
  return itemsOf(result, '/actions').filter(row => {
    const status = valueAt(result, `${row}/applied/status`)
    return (
      cash.has(valueAt(result, `${row}/kind`) ?? '') &&
      (status === 'applied' || status === 'waiting') &&
      valueAt(result, `${row}/cancelled`) !== 'true'
    )
  })
}
const amountOf = (result: Result, row: string): Figure | null => read(result, `${row}/amount`, money(valueAt(result, `${row}/currency`)))
const exDay = (result: Result, row: string): string => valueAt(result, `${row}/ex_date`) ?? ''

export const dividends: TopicAnswer = async ask => {
  const { calls, understood, conversation } = ask
  const companies = await findCompanies(calls, understood, conversation, 'line')
  const [company = await findCompany(calls, understood, conversation, 'line')] = companies
  for (const each of companies.length > 1 ? companies.slice(0, 3) : [company]) await sayDividends(ask, each)
  return { subject: subjectOf(company) }
}
async function sayDividends(ask: Ask, company: Company): Promise<void> {
  const { calls, understood, conversation, writer, today } = ask
  const result = await calls.get('list_corporate_actions', { symbol: company.line.symbol })
  const all = distributionsOf(result)
  const label = labelOf(company.line)
  if (all.length === 0) {
    writer.say(t`No dividend of ${label} is held.`, writer.cite(result))
    return
  }
  const period = spanOf(understood.periods) ?? (understood.carried ? (conversation?.period ?? null) : null)
  const coming = all.filter(row => exDay(result, row) > today)
  const past = all.filter(row => exDay(result, row) <= today)
  if (period !== null) {
    const inside = all.filter(
      row => (period.from === null || exDay(result, row) >= period.from) && (period.to === null || exDay(result, row) <= period.to),
    )
    sayPeriod(ask, result, label, inside)
    const oldest = all.at(-1)
    if (oldest !== undefined && inside.length > 0 && (period.from === null || period.from < exDay(result, oldest)))
      writer.say(t`The dividends that are held begin with the ex-date ${must(result, `${oldest}/ex_date`, date)}; earlier ones are not counted.`)
    return
  }
  const next = coming.at(-1)
  const last = past[0]
  const sentences: Prose[] = []
  if (next !== undefined)
    sentences.push(
      t`The next dividend of ${label} that is announced: ${amountOf(result, next) ?? words('an amount that is not stated')} a share, ex-date ${must(result, `${next}/ex_date`, date)}${datesOf(result, next)}.`,
    )
  else sentences.push(t`No coming dividend of ${label} is announced in what is held.`)
  if (last !== undefined)
    sentences.push(
      t`The last one was ${amountOf(result, last) ?? words('an amount that is not stated')}, ex-date ${must(result, `${last}/ex_date`, date)}${datesOf(result, last)}.`,
    )
  const paid = next ?? last
  const each = paid === undefined ? null : amountOf(result, paid)
  if (understood.shares !== null && each !== null && paid !== undefined) {
    const shares = given(understood.shares, plain)
    sentences.push(t`For ${shares} shares that is ${product(shares, each, money(valueAt(result, `${paid}/currency`)))} before tax.`)
  }
  writer.say(...sentences, writer.cite(result))
  actionTable(ask, result, all.slice(0, 8))
}
/** The period of a question; for "2024 and 2025" the years from the first to the last. */
function spanOf(periods: Ask['understood']['periods']): Pick<Ask['understood']['periods'][number], 'from' | 'to'> | null {
  const years = periods.filter(each => each.kind === 'year')
  const days = years.flatMap(each => [each.from ?? '', each.to ?? '']).sort()
  return years.length > 1 ? { from: days[0] ?? null, to: days.at(-1) ?? null } : (periods[0] ?? null)
}
function datesOf(result: Result, row: string): Prose {
  const [record, pay] = [read(result, `${row}/record_date`, date), read(result, `${row}/pay_date`, date)]
  return t`${record === null ? t`` : t`, record date ${record}`}${pay === null ? t`` : t`, pay date ${pay}`}`
}
function sayPeriod(ask: Ask, result: Result, label: Prose, inside: readonly string[]): void {
  const { writer, today } = ask
  const past = inside.filter(row => exDay(result, row) <= today)
  const ahead = inside.length - past.length
  const amounts = past.flatMap(row => amountOf(result, row) ?? [])
  const days = past.map(row => exDay(result, row)).sort()
  const split = itemsOf(result, '/actions').find(
    row =>
      ['split', 'stock_dividend'].includes(valueAt(result, `${row}/kind`) ?? '') &&
      valueAt(result, `${row}/applied/status`) === 'applied' &&
      exDay(result, row) > (days[0] ?? '') &&
      exDay(result, row) <= (days.at(-1) ?? ''),
  )
  if (inside.length === 0) {
    writer.say(t`No dividend of ${label} with an ex-date in this period is held.`, writer.cite(result))
    return
  }
  const currencies = new Set(past.map(row => valueAt(result, `${row}/currency`)))
  const [over, under] = split === undefined ? [null, null] : [read(result, `${split}/numerator`), read(result, `${split}/denominator`)]
  const total =
    split !== undefined
      ? t` A split${over === null || under === null ? t`` : t` of ${over} for ${under}`} took effect on ${must(result, `${split}/ex_date`, date)}: amounts before and after it are of different shares and are not added up.`
      : currencies.size === 1 && past.length > 0
        ? t` Together they are ${sum(amounts, money([...currencies][0] ?? null))} a share.`
        : t``
  writer.say(
    t`${label} had ${countedOf(countOf(past.map(row => must(result, `${row}/ex_date`, date))), 'dividend')} with an ex-date in this period.${total}`,
    ahead === 0
      ? t``
      : t`${countedOf(countOf(inside.filter(row => !past.includes(row)).map(row => must(result, `${row}/ex_date`, date))), 'more', 'more')} announced, with an ex-date ahead.`,
    writer.cite(result),
  )
  actionTable(ask, result, inside.slice(0, 12))
}
function actionTable({ writer }: Ask, result: Result, rows: readonly string[]): void {
  tableOf(writer, result, rows, {
    'Ex-date': ['ex_date', date],
    Kind: ['kind', word],
    'Amount a share': row => amountOf(result, row),
    'Pay date': ['pay_date', date],
  })
}

export const splits: TopicAnswer = async ({ calls, understood, conversation, writer, today }) => {
  const company = await findCompany(calls, understood, conversation, 'line')
  const result = await calls.get('list_corporate_actions', { symbol: company.line.symbol })
  const kinds = new Set(['split', 'stock_dividend', 'spinoff', 'renamed', 'moved', 'delisted', 'acquired'])
  const confirmed = itemsOf(result, '/actions').filter(
    row => kinds.has(valueAt(result, `${row}/kind`) ?? '') && !['confirms', 'held'].includes(valueAt(result, `${row}/applied/status`) ?? ''),
  )
  const label = labelOf(company.line)
  if (confirmed.length > 0 && /\bsplit/i.test(understood.question) && !confirmed.some(row => valueAt(result, `${row}/kind`) === 'split'))
    writer.say(t`No split of ${label} is held.`, writer.cite(result))
  if (confirmed.length === 0) writer.say(t`No split, consolidation or spin-off of ${label} is held.`, writer.cite(result))
  for (const row of confirmed.slice(0, 8)) {
    const [over, under] = [read(result, `${row}/numerator`), read(result, `${row}/denominator`)]
    const ratio = over === null || under === null ? t`` : t`, ${over} for ${under}`
    const ahead = exDay(result, row) > today ? words(' (announced)') : t``
    writer.say(
      t`${label}: ${must(result, `${row}/kind`, word)}${ratio}, effective ${must(result, `${row}/ex_date`, date)}${ahead}.`,
      writer.cite(result),
    )
  }
  return { subject: subjectOf(company) }
}

/** Country of the issuer: that of a Canadian line if there is one, else the United States. */
async function issuerCountry({ calls }: Ask, { line, lines }: Company): Promise<'CA' | 'US'> {
  if (lines.some(each => exchangeOf(each.symbol) !== 'US')) return 'CA'
  return (await otherLineOf(calls, line.symbol)) === null ? 'US' : 'CA'
}

/** Accounts of a table if the question names none. */
const usual = new Set(['rrsp', 'tfsa', 'non_registered', 'fhsa', 'rrif', 'us_taxable', 'ira', 'roth_ira'])

export const dividendTax: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  const companies = await findCompanies(calls, understood, conversation, 'line')
  const company = companies[0] ?? null
  const account = understood.accounts[0] ?? conversation?.inputs['account'] ?? null
  const named = understood.countries.find(each => each === 'CA' || each === 'US') ?? conversation?.inputs['issuer_country'] ?? null
  const country = company !== null ? await issuerCountry(ask, company) : named
  if (country === null)
    throw new Refusal('incomplete', 'the question names neither a company nor the country of the payer', {
      parts: words('Please name the company that pays the dividend, or its country (Canada or the United States).').parts,
    })
  const from = company === null ? (country === 'CA' ? words('a Canadian issuer') : words('an issuer of the United States')) : labelOf(company.line)
  const inputs = { issuer_country: country, ...(account === null ? {} : { account }) }
  if (account === null) {
    const table = await calls.get('get_withholding', { issuer_country: country })
    const rows = itemsOf(table, '/rows').filter(
      row =>
        usual.has(valueAt(table, `${row}/account_type`) ?? '') &&
        valueAt(table, `${row}/instrument`) === 'common' &&
        valueAt(table, `${row}/payment`) === 'dividend',
    )
    writer.say(t`Withheld on a dividend of ${from}, by account (ruleset ${must(table, '/ruleset', name)}):`, writer.cite(table))
    tableOf(writer, table, rows.slice(0, 10), {
      Account: ['account_title', name],
      'Holder in': ['holder_country', name],
      Withheld: ['effective_rate_pct', percent],
      Recoverable: ['recoverable', word],
    })
    writer.say(words('General rules, not tax advice.'))
    return { subject: company === null ? null : subjectOf(company), inputs }
  }
  const result = await calls.get('get_withholding', { issuer_country: country, account_type: account })
  const rate = read(result, '/effective_rate_pct', percent)
  const title = read(result, '/account_title', name) ?? given(account, word)
  if (rate === null) throw new Refusal('no_data', `the ruleset has no single rate for ${account} and an issuer of ${country}`)
  const why = read(result, '/treaty_articles/0/text_ref', quoted)
  writer.say(
    t`On a dividend of ${from} in this account (${title}), ${rate} is withheld (ruleset ${must(result, '/ruleset', name)}).`,
    why === null ? t`` : t`Basis: ${why}.`,
    writer.cite(result),
  )
  const note = read(result, '/note', quoted)
  if (note !== null) writer.say(t`Note: ${note}.`)
  const mechanism = read(result, '/recovery_mechanism', quoted)
  if (mechanism !== null) writer.say(t`Recovery: ${mechanism}.`)
  const conditions = itemsOf(result, '/conditions', 3)
  if (conditions.length > 0) {
    writer.say(words('It holds on these conditions:'))
    writer.list(conditions.map(row => t`${must(result, row, quoted)}`))
  }
  if (company !== null) await sayNet(ask, company, rate)
  writer.say(words('General rules, not tax advice.'))
  return {
    subject: company === null ? null : subjectOf(company),
    inputs: { ...inputs, ...(understood.shares === null ? {} : { shares: understood.shares }) },
  }
}

async function sayNet({ calls, writer, understood, conversation, today }: Ask, company: Company, rate: Figure): Promise<void> {
  const actions = await calls.try('list_corporate_actions', { symbol: company.line.symbol })
  if (!actions.ok) return
  const all = distributionsOf(actions)
  const row = all.findLast(each => exDay(actions, each) > today) ?? all[0]
  const currency = row === undefined ? null : valueAt(actions, `${row}/currency`)
  const gross = row === undefined ? null : amountOf(actions, row)
  if (row === undefined || gross === null) {
    writer.say(t`No dividend of ${labelOf(company.line)} is held to apply it to.`)
    return
  }
  const withheld = percentOf(gross, rate, rounded(6, currency))
  writer.say(
    t`The dividend of ${gross} a share with ex-date ${must(actions, `${row}/ex_date`, date)} leaves ${difference(gross, withheld, rounded(6, currency))} a share after ${withheld} is withheld.`,
    writer.cite(actions),
  )
  const count = understood.shares ?? conversation?.inputs['shares'] ?? null
  if (count === null) return
  const shares = given(count, plain)
  const total = product(shares, gross, money(currency))
  const taken = percentOf(total, rate, money(currency))
  writer.say(t`For ${shares} shares that is ${total} before and ${difference(total, taken, money(currency))} after.`)
}

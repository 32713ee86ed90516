// Amounts that a holder of shares should donate: by the dividends received and by the shares held, separately.
import { BadRequest } from '#schemas/errors.ts'
import { type Built, digits, originsOf, type ReleaseContext } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { factorOrigins, findFactors, spansOf } from '../datasets/bars/bars.ts'
import { findActions } from '../datasets/corporate-actions/corporate-actions.ts'
import { actionLabel } from '../datasets/prices/actions.ts'
import { fxLookup } from '../datasets/prices/fx.ts'
import { numberOf, over, ratioOf, times } from '../datasets/prices/ratio.ts'
import { evaluateBusiness } from '../rules/sharia/business.ts'
import { figureOf } from '../rules/sharia/figures.ts'
import {
  byDividends,
  byHolding,
  type Dividend,
  type DividendDue,
  type HoldingDue,
  type ImpureYear,
  impureYear,
  totalsOf,
} from '../rules/sharia/purification.ts'
import { findFactorActions, findRates } from '../rules/sharia/sharia.ts'
import { currentRuleset, shariaInputs } from '../rulesets/sharia/rules.ts'
import { filedAtOf } from './sharia.ts'
import { amount, type FiledAt } from './sharia-print.ts'
import { type Screened, screenedOf, shariaDatasets } from './sharia-subject.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = [...shariaDatasets, 'corporate_actions'] as const
const { purification, ruleset } = shariaInputs
const places = purification.decimals
const cash = new Set(['dividend', 'special_dividend'])

const yearBefore = (day: string): string => {
  const shifted = `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`
  return shifted.endsWith('-02-29') ? `${shifted.slice(0, 8)}28` : shifted
}

function printedYear(year: ImpureYear, filedAt: FiledAt): object {
  const { position, income, total, ratio, missing } = year
  const parts = (['interest_income', 'revenue'] as const).flatMap(name => figureOf(position, name)?.parts ?? [])
  return {
    fiscal_year: position.fiscal_year,
    period_start: position.period_start,
    period_end: position.period_end,
    currency: position.currency,
    interest_income: digits(figureOf(position, 'interest_income')?.value),
    impermissible_income: amount(income, places),
    total_income: amount(total, places),
    ratio: ratio && rounded(numberOf(ratio)),
    missing,
    inputs: parts.map(({ concept, value, accession, period_end }) => ({
      concept,
      value: digits(value),
      accession,
      period_end,
      filed_at: filedAt.get(accession) ?? null,
    })),
  }
}

type Rated = { readonly rate: string; readonly date: string } | null
function printedDividend(due: DividendDue, rate: Rated, own: boolean, currency: string | null): object {
  const { dividend, shares, received, year, provisional, purify } = due
  const inPrice = purify && (own ? purify : rate && times(purify, ratioOf(rate.rate)))
  return {
    ex_date: dividend.ex_date,
    kind: dividend.kind,
    pay_date: dividend.pay_date,
    amount: digits(dividend.amount),
    currency: dividend.currency,
    shares: amount(shares, places),
    received: amount(received, places),
    fiscal_year_end: year?.position.period_end ?? null,
    provisional,
    ratio: year?.ratio ? rounded(numberOf(year.ratio)) : null,
    purify: amount(purify, places),
    price_currency: currency,
    rate: own ? null : digits(rate?.rate),
    rate_date: own ? null : (rate?.date ?? null),
    purify_in_price_currency: amount(inPrice, places),
    missing: year ? year.missing : ['fiscal_year'],
  }
}

function printedHolding({ year, count, shares, per_share, purify, missing }: HoldingDue): object {
  return {
    fiscal_year: year.position.fiscal_year,
    period_end: year.position.period_end,
    currency: year.position.currency,
    impermissible_income: amount(year.income, places),
    shares_outstanding: digits(count?.value),
    shares_at: count?.at ?? null,
    shares_basis: count?.basis ?? null,
    accession: count?.accession ?? null,
    shares: amount(shares, places),
    // An amount per share is small: it keeps the digits that twelve decimals hold.
    per_share: amount(per_share, 12),
    purify: amount(purify, places),
    missing,
  }
}

type Range = { readonly from: string; readonly to: string; readonly asOf: string | null }

/** Cash dividends with an ex-date in the range, accepted or only reported; and every split. */
async function findPaid({ lake, symbols }: ReleaseContext, symbol: string, { from, to, asOf }: Range, today: string) {
  const spans = spansOf(symbols, symbol)
  const [actions, factors, labels] = await Promise.all([
    findActions(lake, spans, { from, to, kind: null, as_of: asOf }),
    findFactors(lake, spans, today, asOf),
    findFactorActions(lake, spans, asOf),
  ])
  // Two sources may report one dividend, and vendors sometimes report false ones: the accepted ones are part of a factor.
  const held = new Map(labels.map(each => [each.ex_date, new Set(each.actions)]))
  const paid = actions.filter(action => cash.has(action.kind) && !action.cancelled)
  const effective = paid.filter(action => held.get(action.ex_date)?.has(actionLabel(action))).toReversed()
  return {
    effective,
    dividends: effective.flatMap(({ ex_date, kind, amount: value, currency, pay_date }): Dividend[] =>
      value !== null && currency !== null ? [{ ex_date, kind, amount: value, currency, pay_date }] : [],
    ),
    unconfirmed: paid.filter(action => !held.has(action.ex_date)),
    splits: factors
      .filter(each => each.split_numerator !== each.split_denominator)
      .map(each => ({ ex_date: each.ex_date, ratio: over(ratioOf(each.split_numerator), ratioOf(each.split_denominator)) })),
    origins: async () => [...actions, ...(await factorOrigins(lake, spans, factors, asOf))],
  }
}

/** The fiscal years with their impermissible income. The share of the review applies to the whole income, as in AAOIFI's clause on income. */
function impureYears({ state, subject }: Screened): ImpureYear[] {
  const { share } = evaluateBusiness(currentRuleset('aaoifi'), { type: subject.type, review: state.review, industry: null })
  return state.figures.years.map(position => impureYear(position, share))
}

const totals = (items: Parameters<typeof totalsOf>[0]): object[] =>
  totalsOf(items).map(each => ({ currency: each.currency, amount: amount(each.amount, places) }))

async function buildShariaPurification(context: ReleaseContext, question: QuestionOf<'get_sharia_purification'>): Promise<Built> {
  const { lake, symbols } = context
  const { symbol, shares } = question
  const asOf = question.as_of ?? null
  const screened = await screenedOf(context, symbol, asOf, 'screen', question.from)
  const { state, subject } = screened
  const today = state.at.slice(0, 10)
  const to = question.to ?? today
  const from = question.from ?? yearBefore(to)
  if (from > to) throw new BadRequest(`from ${from} is after to ${to}`, { hint: 'from and to are days, both included' })
  const paid = await findPaid(context, symbol, { from, to, asOf }, today)
  const years = impureYears(screened)
  const price = subject.market.closes.currency.at(-1) ?? symbols.find(symbol)?.currency ?? null
  const rates = await findRates(lake, [...new Set([...paid.dividends.map(each => each.currency), ...(price ? [price] : [])])], asOf)
  const fx = fxLookup(rates)
  const due = byDividends(paid.dividends, years, shares, to, paid.splits).map(each => {
    const own = each.dividend.currency === price
    return { due: each, own, rate: own || price === null ? null : fx(each.dividend.currency, price, each.dividend.ex_date) }
  })
  const owed = byHolding(years, state.figures.counts, shares, from, to, paid.splits)
  const shown = years.filter(each => due.some(one => one.due.year === each) || owed.some(one => one.year === each))
  const filedAt = filedAtOf(screened)
  return {
    body: {
      ...headOf(screened, shares, from, to),
      fiscal_years: shown.map(each => printedYear(each, filedAt)),
      dividend_method: {
        rule: 'dividends received times impermissible over total income of their fiscal year; shares before a split are those of shares_at carried back over it',
        count: due.length,
        dividends: due.map(each => printedDividend(each.due, each.rate, each.own, price)),
        unconfirmed: paid.unconfirmed.map(({ ex_date, kind, amount: value, currency, source_name }) => ({
          ex_date,
          kind,
          amount: digits(value),
          currency,
          source_name,
        })),
        totals: totals(due.map(each => ({ currency: each.due.dividend.currency, amount: each.due.purify }))),
      },
      holding_method: {
        rule: 'impermissible income per share outstanding, on the shares held at the end of each fiscal year in the range, whether or not a dividend was paid',
        clause: '3/4/6',
        count: owed.length,
        years: owed.map(printedHolding),
        totals: totals(owed.map(each => ({ currency: each.year.position.currency ?? '', amount: each.purify }))),
      },
    },
    sources: screened.sources(paid.effective),
    origins: async () => {
      const used = rates.filter(rate => due.some(each => each.rate?.date === rate.date))
      return [...(await screened.origins()), ...originsOf([...(await paid.origins()), ...used])]
    },
    datasets,
  }
}

function headOf({ symbol, issuer, company, coverage, state: { review } }: Screened, shares: string, from: string, to: string): object {
  return {
    symbol,
    cik: issuer?.cik ?? null,
    company,
    coverage,
    ruleset,
    shares: digits(shares),
    shares_at: to,
    from,
    to,
    rounding: purification.note,
    review: review && { status: review.status, reviewed_at: review.reviewed_at, reviewer: review.reviewer },
    impermissible_revenue_pct: digits(review?.impermissible_revenue_pct),
  }
}

export const purificationAnswers = {
  get_sharia_purification: { build: buildShariaPurification },
} satisfies Answers

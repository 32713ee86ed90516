// Corporate actions of a symbol, and the ledger of what they restated.
import { type CorporateAction, cashKinds, type ListingEvent } from '#schemas/corporate-actions.ts'
import { type Built, digits, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { factorOrigins, findBars, spansOf } from '../datasets/bars/bars.ts'
import {
  type FactorOfDay,
  findActions,
  findListingEvents,
  findRevisions,
  findVerdicts,
  type VerdictRow,
} from '../datasets/corporate-actions/corporate-actions.ts'
import { type ListingChange, listingChanges } from '../datasets/corporate-actions/listing-changes.ts'
import { actionKey, actionLabel } from '../datasets/prices/actions.ts'
import { decimalOf, plus, ratioOf, times } from '../datasets/prices/ratio.ts'
import { convention } from './eod.ts'
import { symbolCoverage } from './listed.ts'
import { actionsPage } from './paged/corporate-actions.ts'
import type { Answers, QuestionOf } from './types.ts'

type Statement = { readonly status: string; readonly reason: string | null; readonly detail: string | null }
type Listed = {
  readonly date: string
  readonly kind: string
  readonly source_name: string
  readonly status: Statement['status']
  /** For an action that pays cash: the amount and the currency. */
  readonly cash: { readonly amount: string; readonly currency: string | null } | null
  readonly printed: object
}

/** The effect of an action on prices: the stored verdict, else the entry in the factor of its day. */
function statedOf(action: CorporateAction, verdict: VerdictRow | undefined, factor: FactorOfDay | undefined): Statement {
  if (verdict) return { status: verdict.status, reason: verdict.reason, detail: verdict.detail }
  if (factor?.actions.includes(actionLabel(action))) return { status: 'applied', reason: 'in_factor', detail: null }
  return { status: 'waiting', reason: 'no_bars', detail: `no bar of ${action.symbol} is held by which it could be judged` }
}

/** The rate of the ex-date, if the action was declared in another currency than the price and is in the factor. */
function conversionOf(action: CorporateAction, statement: Statement, factor: FactorOfDay | undefined, currency: string | null): object | null {
  if (statement.status !== 'applied' || !factor?.fx_rate || action.amount === null || action.currency === currency) return null
  const amount = decimalOf(times(ratioOf(action.amount), ratioOf(factor.fx_rate)))
  return { rate: digits(factor.fx_rate), rate_date: factor.fx_rate_date, currency, amount: digits(amount) }
}

function printedAction(action: CorporateAction, statement: Statement, factor: FactorOfDay | undefined, currency: string | null): object {
  const applied = statement.status === 'applied' ? factor : undefined
  return {
    symbol: action.symbol,
    kind: action.kind,
    ex_date: action.ex_date,
    source_name: action.source_name,
    record_date: action.record_date,
    pay_date: action.pay_date,
    declared_date: action.declared_date,
    numerator: digits(action.numerator),
    denominator: digits(action.denominator),
    amount: digits(action.amount),
    currency: action.currency,
    amount_basis: action.amount_basis,
    cancelled: action.cancelled,
    successor: null,
    predecessor: null,
    terms: null,
    applied: {
      ...statement,
      price_factor: applied ? rounded(applied.price_factor) : null,
      previous_close: applied?.previous_close ?? null,
      previous_close_date: applied?.previous_close_date ?? null,
    },
    fx: conversionOf(action, statement, factor, currency),
    known_from: action.known_from,
    known_basis: action.known_basis,
  }
}

const noPrice = { status: 'no_price_effect', reason: null, detail: null, price_factor: null, previous_close: null, previous_close_date: null }
const noDates = { record_date: null, pay_date: null, declared_date: null }
function printedEvent(event: ListingEvent): object {
  const { symbol, kind, date: ex_date, source_name, currency, cancelled, successor, terms, known_from, known_basis } = event
  return {
    symbol,
    kind,
    ex_date,
    source_name,
    ...noDates,
    numerator: digits(event.numerator),
    denominator: digits(event.denominator),
    amount: digits(event.amount),
    currency,
    amount_basis: null,
    cancelled,
    successor,
    predecessor: null,
    terms,
    applied: noPrice,
    fx: null,
    known_from,
    known_basis,
  }
}
function printedChange({ symbol, kind, date, successor, predecessor, terms, row }: ListingChange): object {
  return {
    symbol,
    kind,
    ex_date: date,
    source_name: row.source,
    ...noDates,
    numerator: null,
    denominator: null,
    amount: null,
    currency: null,
    amount_basis: null,
    cancelled: false,
    successor,
    predecessor,
    terms,
    applied: noPrice,
    fx: null,
    known_from: row.known_from,
    known_basis: row.known_basis,
  }
}

const isCashKind = (kind: string): boolean => (cashKinds as readonly string[]).includes(kind)

/** The applied cash of a list by currency: every distribution is applied in the version of one source only. */
function cashApplied(listed: readonly Listed[]): object[] {
  const paid = listed.flatMap(({ status, cash }) => (status === 'applied' && cash ? [cash] : []))
  return [...Map.groupBy(paid, cash => cash.currency)]
    .sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1))
    .map(([currency, some]) => ({
      currency,
      count: some.length,
      sum: digits(decimalOf(some.map(cash => ratioOf(cash.amount)).reduce(plus))),
    }))
}

/** Why a list is empty: no source reports an event, or no data of the symbol is loaded. */
async function coverageOf(context: ReleaseContext, symbol: string, keys: readonly string[], found: number): Promise<object> {
  if (found > 0) return { status: 'read', sentence: `Reports of ${symbol} were read; each says what became of it.` }
  if (await context.lake.holds('bars', keys))
    return { status: 'none', sentence: `Bars of ${symbol} are held and no source that was read reports an action of it.` }
  return { status: 'not_loaded', sentence: `Neither bars nor actions of ${symbol} were loaded, so it cannot be said whether there were any.` }
}

const order = (a: Listed, b: Listed): number =>
  a.date !== b.date ? (a.date < b.date ? 1 : -1) : a.kind !== b.kind ? (a.kind < b.kind ? -1 : 1) : a.source_name < b.source_name ? -1 : 1

async function buildCorporateActions(context: ReleaseContext, question: QuestionOf<'list_corporate_actions'>): Promise<Built> {
  const spans = spansOf(context.symbols, question.symbol)
  const listing = context.symbols.find(question.symbol)
  const filter = { from: question.from ?? null, to: question.to ?? null, as_of: question.as_of ?? null }
  const requested = question.type ?? null
  const kind = requested === 'cash' ? null : requested
  const [actions, evaluated, events] = await Promise.all([
    findActions(context.lake, spans, { ...filter, kind }),
    findVerdicts(context.lake, spans, filter),
    findListingEvents(context.lake, spans, { ...filter, kind }),
  ])
  const inRange = (date: string): boolean => (filter.from === null || filter.from <= date) && (filter.to === null || date <= filter.to)
  const changes = listingChanges(context.symbols, listing ? context.symbols.history(listing.instrument_id) : []).filter(
    change => inRange(change.date) && (requested === null || change.kind === requested),
  )
  const verdictOf = new Map(evaluated.verdicts.map(row => [actionKey(row), row]))
  const factorOf = new Map(evaluated.factors.map(row => [`${row.symbol} ${row.ex_date}`, row]))
  const noCash = { status: noPrice.status, cash: null }
  const found: Listed[] = [
    ...actions.map(action => {
      const factor = factorOf.get(`${action.symbol} ${action.ex_date}`)
      const statement = statedOf(action, verdictOf.get(actionKey(action)), factor)
      return {
        date: action.ex_date,
        kind: action.kind,
        source_name: `${action.source_name} ${action.sequence}`,
        status: statement.status,
        cash: isCashKind(action.kind) && action.amount !== null ? { amount: action.amount, currency: action.currency } : null,
        printed: printedAction(action, statement, factor, listing?.currency ?? null),
      }
    }),
    ...events.map(event => ({ date: event.date, kind: event.kind, source_name: event.source_name, ...noCash, printed: printedEvent(event) })),
    ...changes.map(change => ({ date: change.date, kind: change.kind, source_name: change.row.source, ...noCash, printed: printedChange(change) })),
  ]
  const listed = found
    .filter(each => requested !== 'cash' || isCashKind(each.kind))
    .filter(each => question.status === undefined || each.status === question.status)
    .sort(order)
  const keys = [...new Set(spans.map(span => span.symbol))]
  const rows = [...actions, ...events, ...changes.map(change => change.row)]
  const exDates = actions.map(action => ({ ...action, fx_rate_date: factorOf.get(`${action.symbol} ${action.ex_date}`)?.fx_rate_date ?? null }))
  return {
    body: {
      symbol: question.symbol,
      currency: listing?.currency ?? null,
      count: listed.length,
      actions: listed.map(each => each.printed),
      cash_applied: cashApplied(listed),
      coverage: await coverageOf(context, question.symbol, keys, found.length),
    },
    sources: upstreamSources(rows),
    // The outcome of an action depends on the bars around its ex-date, on every other report and on the rate of the day.
    origins: async () =>
      originsOf([
        ...rows,
        ...evaluated.verdicts,
        ...evaluated.factors,
        ...(exDates.length === 0 ? [] : await factorOrigins(context.lake, spans, exDates, filter.as_of)),
      ]),
    datasets: [...actionDatasets, ...(found.length === 0 ? (['bars'] as const) : [])],
  }
}
const actionDatasets = ['corporate_actions', 'action_verdicts', 'adjustment_factors', 'listing_events', 'symbols'] as const

async function buildRevisions(context: ReleaseContext, question: QuestionOf<'list_eod_revisions'>): Promise<Built> {
  const spans = spansOf(context.symbols, question.symbol)
  const asOf = question.as_of ?? null
  const bars = await findBars(context.lake, spans, { from: null, to: null }, asOf)
  const rows = await findRevisions(context.lake, spans, bars, {
    from: question.from ?? null,
    to: question.to ?? null,
    limit: question.limit,
    as_of: question.as_of ?? null,
  })
  const revisions = rows.map(row => ({
    ex_date: row.ex_date,
    split_numerator: digits(row.split_numerator),
    split_denominator: digits(row.split_denominator),
    cash_amount: digits(row.cash_amount),
    price_factor: row.price_factor,
    previous_close: row.previous_close,
    previous_close_date: row.previous_close_date,
    fx_rate: digits(row.fx_rate),
    fx_rate_date: row.fx_rate_date,
    spinoff: row.spinoff,
    actions: row.actions,
    reason: row.reason,
    known_from: row.known_from,
    known_basis: row.known_basis,
    release: row.release_from,
    withdrawn: row.withdrawn,
    first_date: row.first_date,
    last_date: row.last_date,
    bars_restated: row.bars_restated,
  }))
  return {
    body: {
      symbol: question.symbol,
      convention,
      count: revisions.length,
      revisions,
      coverage: symbolCoverage(context, question.symbol, bars.length),
    },
    sources: upstreamSources(rows),
    // The number of bars that a factor restates depends on every bar.
    origins: async () => originsOf([...rows, ...bars, ...(await factorOrigins(context.lake, spans, rows, asOf))]),
    datasets: ['adjustment_factors', 'bars', 'symbols'],
  }
}

export const corporateActionAnswers = {
  list_eod_revisions: { build: buildRevisions, needs_symbol: true },
  list_corporate_actions: { build: buildCorporateActions, page: actionsPage, needs_symbol: true },
} satisfies Answers

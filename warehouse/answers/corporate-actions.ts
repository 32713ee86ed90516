// Corporate actions of a symbol, and the ledger of what they restated.
import type { CorporateAction } from '#schemas/corporate-actions.ts'
import { factorOrigins, findBars, spansOf } from '../bars/bars.ts'
import { findActions, findRevisions } from '../corporate-actions/corporate-actions.ts'
import { type Built, digits, type Ground, originsOf, upstreamSources } from './answer.ts'
import { convention } from './eod.ts'
import type { QuestionOf } from './types.ts'

function printedAction(action: CorporateAction): object {
  return {
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
    known_from: action.known_from,
    known_basis: action.known_basis,
  }
}

export async function buildCorporateActions(ground: Ground, question: QuestionOf<'list_corporate_actions'>): Promise<Built> {
  const actions = await findActions(ground.lake, spansOf(ground.symbols, question.symbol), {
    from: question.from ?? null,
    to: question.to ?? null,
    kind: question.type ?? null,
    as_of: question.as_of ?? null,
  })
  return {
    body: { symbol: question.symbol, count: actions.length, actions: actions.map(printedAction) },
    sources: upstreamSources(actions),
    origins: originsOf(actions),
    datasets: ['corporate_actions', 'symbols'],
  }
}

export async function buildRevisions(ground: Ground, question: QuestionOf<'list_eod_revisions'>): Promise<Built> {
  const spans = spansOf(ground.symbols, question.symbol)
  const asOf = question.as_of ?? null
  const rows = await findRevisions(ground.lake, spansOf(ground.symbols, question.symbol), {
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
    body: { symbol: question.symbol, convention, count: revisions.length, revisions },
    sources: upstreamSources(rows),
    // How many bars a factor restates hangs on every bar there is.
    origins: async () =>
      originsOf([
        ...rows,
        ...(await findBars(ground.lake, spans, { from: null, to: null }, asOf)),
        ...(await factorOrigins(ground.lake, spans, rows, asOf)),
      ]),
    datasets: ['adjustment_factors', 'bars', 'symbols'],
  }
}

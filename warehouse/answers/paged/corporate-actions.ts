// Stored pages of corporate actions: one for each symbol.
import { spansOf } from '../../datasets/bars/bars.ts'
import { changedValues, distinct, hasOnly, releaseOf } from './changed.ts'
import type { StoredPage } from './stored-page.ts'

export const actionsPage: StoredPage = {
  from: ['corporate_actions', 'action_verdicts', 'adjustment_factors', 'listing_events'],
  standard: question => hasOnly(question, 'symbol'),
  // An instrument's actions are requested under every symbol that it had.
  changed: (rows, context) =>
    distinct(
      changedValues(rows, ['corporate_actions', 'action_verdicts', 'adjustment_factors', 'listing_events'], 'symbol').flatMap(symbol => [
        symbol,
        ...context.symbols.spans(context.symbols.find(symbol)?.instrument_id ?? '').map(span => span.symbol),
      ]),
    ).map(symbol => ({ symbol })),
  parts: (questions, context) => {
    const symbols = distinct(questions.flatMap(question => spansOf(context.symbols, String(question['symbol'])).map(span => span.symbol)))
    return { corporate_actions: symbols, action_verdicts: symbols, adjustment_factors: symbols, listing_events: symbols, bars: symbols }
  },
  // Each receipt lists the bars around its ex-dates: if there are more than a few, the page is built on request.
  atOnce: 25,
  // An unknown symbol stays unknown until something is loaded.
  isCurrent: (payload, _question, context) =>
    !payload.subarray(0, 200).includes('"count":0,') ||
    context.lake.versionOf(['bars', 'corporate_actions', 'listing_events']).release <= releaseOf(payload),
}

// Corporate actions as reported by a source, and the adjustment factors from the accepted ones.
import { z } from 'zod'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { Currency, Decimal, Flag, IsoDate, Real, Symbol, Text } from './values.ts'

export const ActionKind = z
  .enum(['split', 'dividend', 'special_dividend', 'stock_dividend', 'return_of_capital', 'spinoff', 'reinvested_distribution', 'capital_gain'])
  .meta({ column: 'VARCHAR' })

/** Kinds that pay cash out of the company or fund. A spin-off pays shares. */
export const cashKinds = ['dividend', 'special_dividend', 'return_of_capital', 'capital_gain'] as const satisfies readonly z.infer<
  typeof ActionKind
>[]

/** An action and a verdict on it have the same key. */
const actionFacts = {
  symbol: Symbol,
  kind: ActionKind, // the kind of action
  ex_date: IsoDate, // the first session without the right to the distribution
  /** 0 unless one source reports several actions of one kind on one day. */
  sequence: z.int().min(0).meta({ column: 'BIGINT' }),
  source_name: Text, // the source that reported it: two sources that agree confirm each other
}
const actionRows = {
  key: ['symbol', 'kind', 'ex_date', 'sequence', 'source_name'],
  order: ['symbol', 'ex_date', 'kind', 'source_name', 'sequence'],
  time: 'ex_date',
} as const

export const corporateActions = defineDataset('corporate_actions', 'Corporate actions', terms('26 hours', 'as of each source'), {
  description:
    'The ledger of what sources reported: one row per action and source, repeated, doubtful and cancelled ones included, amounts and currency as declared. To add up payments, use the view dividends. numerator/denominator: new shares per old (2/1 doubles). A cancelled or amended action is a later row of the same key.',
  facts: {
    ...actionFacts,
    record_date: IsoDate.nullable(), // the day on which holders are determined
    pay_date: IsoDate.nullable(), // the day of payment
    declared_date: IsoDate.nullable(), // the day of declaration
    numerator: Decimal.nullable(), // shares after
    denominator: Decimal.nullable(), // for shares before
    amount: Decimal.nullable(), // cash, or value distributed, per share
    currency: Currency.nullable(),
    amount_basis: z.enum(['post_split', 'pre_split', 'split_adjusted_unknown']).meta({
      column: 'VARCHAR',
      description:
        'per new share (post_split) or per old share (pre_split) where a split shares the ex-date; split_adjusted_unknown: divided by later splits that are not all known, as the bars of the same document',
    }),
    cancelled: Flag, // true: the source withdrew the action
  },
  rows: actionRows,
})
export type CorporateAction = RowOf<typeof corporateActions>

export const splitHistories = defineDataset('split_histories', 'Split histories', terms('26 hours', 'as of each source'), {
  description:
    'Days of which a source listed every split of a symbol: no split with an ex-date after from_date and up to to_date is missing among its corporate actions. Bars that a source divided by later splits are taken back to what was traded where such days reach from the bar to its retrieval.',
  facts: {
    symbol: Symbol,
    source_name: Text,
    from_date: IsoDate, // splits after this day are listed
    to_date: IsoDate, // splits up to this day are listed
  },
  rows: { key: ['symbol', 'source_name', 'from_date'], order: ['symbol', 'from_date', 'source_name'], time: 'to_date' },
})

/** The effect of an evaluated action on prices: see `action_verdicts`. */
export const VerdictStatus = z.enum(['applied', 'confirms', 'held', 'left_out', 'waiting']).meta({ column: 'VARCHAR' })

export const actionVerdicts = defineDataset('action_verdicts', 'Verdicts on corporate actions', terms('26 hours', 'derived'), {
  description:
    'One row per reported action that was held against prices. applied: in the factor of its ex-date; confirms: another source reported it first; held: waits for a second source or the operator (reason, detail); left_out: changes no price; waiting: for its ex-date, a bar or a rate.',
  facts: {
    ...actionFacts,
    status: VerdictStatus, // the effect on prices, as in the description
    reason: Text, // in_factor, needs_second_source, duplicate, ex_date_ahead …
    detail: Text.nullable(), // the reason with its figures; null if none is needed
  },
  rows: actionRows,
})
export type ActionVerdict = RowOf<typeof actionVerdicts>

/** Events of a listing, as opposed to actions on a share's price. */
export const ListingEventKind = z.enum(['listing', 'rename', 'move', 'merger', 'delisting']).meta({ column: 'VARCHAR' })

export const listingEvents = defineDataset('listing_events', 'Listing events', terms('26 hours', 'as of each source'), {
  description:
    'Mergers, delistings, renames, moves and listings that a source states outright, with their terms. They change no factor. What directories show (a symbol that vanished, a symbol that took another one’s place) is in symbols.',
  facts: {
    symbol: Symbol,
    kind: ListingEventKind, // the kind of event
    date: IsoDate, // first day on which it applies
    source_name: Text,
    successor: Symbol.nullable(), // the symbol that holders have afterwards
    numerator: Decimal.nullable(), // shares of the successor received
    denominator: Decimal.nullable(), // for so many of these
    amount: Decimal.nullable(), // cash received per share: of a delisting its value
    currency: Currency.nullable(),
    terms: Text.nullable(), // as the source words them
    cancelled: Flag, // true: the source withdrew the event
  },
  rows: { key: ['symbol', 'kind', 'date', 'source_name'], order: ['symbol', 'date', 'kind', 'source_name'], time: 'date' },
})
export type ListingEvent = RowOf<typeof listingEvents>

export const adjustmentFactors = defineDataset('adjustment_factors', 'Adjustment factors', terms('26 hours', 'derived'), {
  description:
    'One row per symbol and ex-date: bars before ex_date are multiplied by price_factor (adjusted close) and by split_denominator/split_numerator (split-adjusted). The rows of all releases are the restatement ledger.',
  facts: {
    symbol: Symbol,
    ex_date: IsoDate, // bars before this day are multiplied
    convention: z.enum(['yahoo_crsp']).meta({ column: 'VARCHAR' }), // the rule of the price factor
    split_numerator: Decimal, // product of the day's ratios, in integers
    split_denominator: Decimal, // product of the day's ratios, old shares
    cash_amount: Decimal.nullable(), // sum of the day's cash, in the price's currency, per share after the split
    /** (denominator / numerator) * (1 - cash * numerator / denominator / previous close). */
    price_factor: Real,
    previous_close: Real.nullable(), // the last close before the ex-date, in the currency of the price
    previous_close_date: IsoDate.nullable(), // the session of previous_close
    fx_rate: Decimal.nullable(), // the rate that converted the amount to the currency of the price; null if they are the same
    fx_rate_date: IsoDate.nullable(), // the day of fx_rate
    spinoff: Flag, // true: the factor contains a spin-off
    actions: z.array(Text), // kind:source_name:sequence of each action in it
    reason: Text, // what made this row: action, action_cancelled, action_amended, previous_close_corrected …
  },
  rows: { key: ['symbol', 'ex_date', 'convention'], order: ['symbol', 'ex_date'], time: 'ex_date' },
})
export type AdjustmentFactor = RowOf<typeof adjustmentFactors>
/** The facts of a factor row, without provenance. */
export type FactorFacts = z.infer<typeof adjustmentFactors.facts>

// Analyst ratings of a listing, counted by the source, and only if the operator enabled a source.
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { Count, Currency, Decimal, Symbol, Text } from './values.ts'

const consensusTerms = terms('8 days', 'as of each source; none grants redistribution')

export const analystConsensus = defineDataset('analyst_consensus', 'Analyst consensus', consensusTerms, {
  description:
    'One row per listing, source and month: how many analysts give each of five ratings, and the price targets, as the source prints them. The counts are the source’s; Crossfile rates nothing. An earlier state of a month is a version of the same key.',
  facts: {
    symbol: Symbol,
    source_name: Text,
    month: Text.describe('YYYY-MM: the month that the counts are of, counted back from the day of retrieval if the source states 0m, -1m …'),
    strong_buy: Count.nullable(), // the number of analysts
    buy: Count.nullable(), // the number of analysts
    hold: Count.nullable(), // the number of analysts
    sell: Count.nullable(), // the number of analysts
    strong_sell: Count.nullable(), // the number of analysts
    rating_mean: Decimal.nullable(), // the mean rating, on rating_scale
    rating_scale: Text.nullable().describe('Which end of rating_mean is which, e.g. 1 strong buy to 5 strong sell'),
    target_low: Decimal.nullable(), // the lowest price target
    target_mean: Decimal.nullable(), // the mean price target
    target_median: Decimal.nullable(), // the median price target
    target_high: Decimal.nullable(), // the highest price target
    target_currency: Currency.nullable().describe('Null if the source does not state it'),
    analysts: Count.nullable().describe('Behind the targets'),
  },
  rows: { key: ['symbol', 'source_name', 'month'], time: 'month' },
})
export type AnalystConsensus = RowOf<typeof analystConsensus>

// Daily bars, as traded. They are not rewritten for a corporate action: adjustments are applied when they are read.
import { z } from 'zod'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { Count, Currency, IsoDate, Real, Symbol, Text } from './values.ts'

/** The basis of the prices of a bar: see the description of `bars.basis`. */
export const BarBasis = z.enum(['as_traded', 'reconstructed', 'split_adjusted_unknown']).meta({ column: 'VARCHAR' })
export type BarBasis = z.infer<typeof BarBasis>

/** What a bar of any length states; prices are unadjusted. */
export const pricesOfBar = {
  open: Real.nullable(),
  high: Real.nullable(),
  low: Real.nullable(),
  close: Real,
  volume: Count.nullable(),
  currency: Currency,
}
const barFacts = {
  symbol: Symbol,
  date: IsoDate, // the session in the venue's time zone
  ...pricesOfBar,
  basis: BarBasis.meta({
    description:
      'as_traded: prices as they were paid; reconstructed: the source divided them by later splits, and all of these are known and were taken back; split_adjusted_unknown: divided by splits that are not all known',
    // For files from before the column: prices of Yahoo may be divided by splits, other sources count as traded.
    absent: "case when source = 'yahoo' then 'split_adjusted_unknown' else 'as_traded' end",
  }),
}

const barTerms = terms('26 hours', 'as of each source; most grant no redistribution')

export const bars = defineDataset('bars', 'Daily bars', barTerms, {
  description:
    'One unadjusted OHLCV row per symbol and session, as traded unless basis states otherwise. A single row that was corrected later is superseded in bar_corrections.',
  facts: barFacts,
  rows: { key: ['symbol', 'date'], time: 'date', appended_once: true },
})
export type Bar = RowOf<typeof bars>
/** The facts of a bar, without provenance. */
export type BarFacts = z.infer<typeof bars.facts>

export const barCorrections = defineDataset('bar_corrections', 'Bar corrections', barTerms, {
  description:
    'Single bars that a source changed after they were settled, or whose basis became known later, with the reason. The newest correction of a symbol and date takes the place of the bar.',
  facts: { ...barFacts, reason: Text, previous_close: Real },
  rows: { key: ['symbol', 'date'], time: 'date' },
})

// Daily bars, raw as traded. Never rewritten for a corporate action: adjustments are applied when read.
import type { z } from 'zod'
import { defineDataset, type RowOf } from './dataset.ts'
import { Count, Currency, IsoDate, Real, Symbol, Text } from './values.ts'

const barFacts = {
  symbol: Symbol,
  date: IsoDate, // the session in the venue's time zone
  open: Real.nullable(),
  high: Real.nullable(),
  low: Real.nullable(),
  close: Real,
  volume: Count.nullable(),
  currency: Currency,
}

export const bars = defineDataset({
  name: 'bars',
  title: 'Daily bars',
  description: 'One unadjusted OHLCV row per symbol and session, as traded. A single row that was corrected later is superseded in bar_corrections.',
  facts: barFacts,
  key: ['symbol', 'date'],
  order: ['symbol', 'date'],
  time: 'date',
  appended_once: true,
  freshness: '26 hours',
  licence: 'as of each source; most grant no redistribution',
})
export type Bar = RowOf<typeof bars>
/** The facts of a bar, without provenance. */
export type BarFacts = z.infer<typeof bars.facts>

export const barCorrections = defineDataset({
  name: 'bar_corrections',
  title: 'Bar corrections',
  description:
    'Single bars that a source changed after they were settled, with the reason. The newest correction of a symbol and date takes the place of the bar.',
  facts: { ...barFacts, reason: Text, previous_close: Real },
  key: ['symbol', 'date'],
  order: ['symbol', 'date'],
  time: 'date',
  freshness: '26 hours',
  licence: 'as of each source; most grant no redistribution',
})
export type BarCorrection = RowOf<typeof barCorrections>

// Macro series as their publishers print them: the description of a series, and every published value by the day that it is about.
import { z } from 'zod'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { Decimal, IsoDate, Text } from './values.ts'

const word = { column: 'VARCHAR' }
const licence =
  'as of each source: FRED (single series may be copyrighted), Bank of Canada terms, Statistics Canada Open Licence, CC BY 4.0 (World Bank)'

export const Frequency = z.enum(['daily', 'weekly', 'monthly', 'quarterly', 'semiannual', 'annual', 'other']).meta(word)
export type Frequency = z.infer<typeof Frequency>

/**
 * What `vintage` is: `released` the release day stated by the source; `seen` a day on which the value was published, which may
 * be later; `none` the source keeps no vintages, and only `known_from` distinguishes versions.
 */
export const VintageBasis = z.enum(['released', 'seen', 'none']).meta(word)

export const macroSeries = defineDataset('macro_series', 'Macro series', terms('9 days', licence), {
  description: 'One row per series of a source: title, units, frequency, seasonal adjustment and the terms of use of the source, as printed.',
  facts: {
    series: Text.describe('Source and its own name of the series: fred:UNRATE, statcan:v41690973, bank-of-canada:V39079'),
    title: Text, // as the source prints it
    units: Text.nullable(), // as the source prints them
    scale: Text.nullable().describe('What values are multiplied by to be in units: thousands, millions; null if the units say it'),
    frequency: Frequency.nullable(), // the length of a period
    seasonal_adjustment: Text.nullable(), // as the source prints it
    observation_start: IsoDate.nullable(), // the first period of the series
    observation_end: IsoDate.nullable(), // the last period of the series
    last_updated: Text.nullable().describe('As printed by the source'),
    table_id: Text.nullable().describe('The table, group or release that the series belongs to'),
    notes: Text.nullable(), // as the source prints them
    copyright: Text.nullable().describe('What the notes say of rights in the series; null if they say nothing'),
  },
  rows: { key: ['series'], time: 'series' },
})
export type MacroSeries = RowOf<typeof macroSeries>

export const macroObservations = defineDataset('macro_observations', 'Observations of macro series', terms('4 days', licence), {
  description:
    'One row per series, period and vintage: the value as printed, null if the source marks it as missing. A revision adds a row and never changes one; periods that a source omits have no row.',
  facts: {
    series: Text, // the series, as in macro_series
    date: IsoDate.describe('First day of the period'),
    vintage: IsoDate.nullable().describe('Day of the value by vintage_basis; null if the source keeps none'),
    vintage_basis: VintageBasis, // the meaning of vintage
    value: Decimal.nullable(), // as printed; null: the source has no value for the period
    status: Text.nullable().describe("The source's mark on the value: p preliminary, r revised, E use with caution, x confidential, withdrawn"),
  },
  rows: { key: ['series', 'date', 'vintage'], time: 'date' },
})
export type MacroObservation = RowOf<typeof macroObservations>

// Listings: which instrument traded under which symbol, on which venue and from when to when. An instrument stays the same through renames,
// and a reused symbol refers to another instrument.
import { z } from 'zod'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { Cik, Count, Currency, Exchange, Flag, IsoDate, Symbol, Text } from './values.ts'

export const InstrumentType = z
  .enum(['common', 'preferred', 'etf', 'fund', 'adr', 'unit', 'warrant', 'right', 'note', 'trust_unit', 'capital_pool', 'other'])
  .meta({ column: 'VARCHAR' })
export const EndReason = z.enum(['renamed', 'delisted', 'moved', 'unknown']).meta({ column: 'VARCHAR' })

export const symbols = defineDataset('symbols', 'Symbols', terms('26 hours', 'as of each source; no redistribution grant from the exchanges'), {
  description:
    'One row per interval in which an instrument was listed under a symbol. valid_from is the first and valid_to the last day on which a directory showed it; valid_to null: still listed.',
  facts: {
    instrument_id: Text, // i_ and 16 hex digits, from the first symbol and day; survives renames
    symbol: Symbol,
    exchange: Exchange,
    mic: Text.nullable(), // ISO 10383 of the listing venue, null if the directory does not say
    name: Text, // as the directory prints it
    issuer: Text.nullable(), // the issuer's name, if the directory lists it separately from the instrument's
    type: InstrumentType, // the kind of instrument
    currency: Currency,
    cik: Cik.nullable(),
    valid_from: IsoDate, // the first day on which a directory showed the listing
    valid_to: IsoDate.nullable(), // the last day; null: still listed
    end_reason: EndReason.nullable(), // why the listing ended; null: still listed
    successor: Symbol.nullable(), // the next symbol of the instrument
    predecessor: Symbol.nullable(), // the previous symbol of the instrument
    etf: Flag, // true for an exchange-traded fund
    /** The spelling in the source, if it differs from the canonical one. */
    source_symbol: Text,
  },
  rows: { key: ['symbol', 'valid_from'], time: 'valid_from' },
})
export type SymbolInterval = RowOf<typeof symbols>

/** When each source last listed a venue, so that a symbol that is missing from the next list is an event with a last day. */
export const directorySightings = defineDataset('directory_sightings', 'Directory sightings', terms('26 hours', 'derived'), {
  description: 'One row per source and venue: the day of its newest directory and how many listings it showed. A later day supersedes.',
  facts: {
    source_name: Text,
    venue: Text, // a MIC, or an exchange code if the directory does not state the venue
    date: IsoDate,
    listings: Count, // the number of listings in the directory
    complete: Flag, // true: the directory claims to list the whole venue
  },
  rows: { key: ['source_name', 'venue'], time: 'date' },
})
export type DirectorySighting = RowOf<typeof directorySightings>

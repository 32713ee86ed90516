// Lines of one issuer on both sides of the border: the operator's pairs, and those of TMX's interlisted file. The curated
// table itself is a ruleset (warehouse/rulesets/dual-listings).
import { z } from 'zod'
import { defineDataset, terms } from './dataset.ts'
import { Decimal, Flag, IsoDate, Symbol, Text } from './values.ts'

export const Confidence = z.enum(['high', 'medium', 'low']).meta({ column: 'VARCHAR' })

export const dualListings = defineDataset({
  name: 'dual_listings',
  title: 'Dual listings of the operator',
  description:
    "The operator's own Toronto and United States pairs, from the drop-in folder. A row takes the place of the curated pair of the same two symbols; ratio is Toronto shares per one US share.",
  facts: {
    tsx_symbol: Symbol,
    us_symbol: Symbol,
    us_mic: Text.nullable(),
    issuer: Text.nullable(),
    ratio: Decimal,
    valid_from: IsoDate.nullable(),
    valid_to: IsoDate.nullable(),
    tracked: Flag,
    evidence: Text.nullable(), // in the operator's words
    last_verified: IsoDate.nullable(),
    note: Text.nullable(),
  },
  rows: { key: ['tsx_symbol', 'us_symbol'], time: 'tsx_symbol' },
  ...terms('as the operator writes it', 'the operator’s own files'),
})

export const interlistings = defineDataset({
  name: 'interlistings',
  title: 'Interlisted issuers of TMX',
  description:
    "One row per Canadian symbol that TMX's interlisted file names as listed abroad too, with the other symbol and market if the file states them. A symbol that left the file keeps its row.",
  facts: {
    symbol: Symbol,
    name: Text,
    other_symbol: Text.nullable(), // as printed; not every market is in the United States
    market: Text.nullable(),
  },
  rows: { key: ['symbol'], time: 'symbol' },
  ...terms('26 hours', 'undocumented; no right to redistribute'),
})

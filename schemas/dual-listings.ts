// Lines of one issuer on both sides of the border: the operator's pairs, and those of TMX's interlisted file. The curated
// table itself is a ruleset (warehouse/rulesets/dual-listings).
import { z } from 'zod'
import { defineDataset, terms } from './dataset.ts'
import { Decimal, Flag, IsoDate, Symbol, Text } from './values.ts'

const operatorTerms = terms('as the operator writes it', 'the operator’s own files')
const interlistingTerms = terms('26 hours', 'undocumented; no right to redistribute')

export const Confidence = z.enum(['high', 'medium', 'low']).meta({ column: 'VARCHAR' })

export const dualListings = defineDataset('dual_listings', 'Dual listings of the operator', operatorTerms, {
  description:
    "The operator's own Toronto and United States pairs, from the drop-in folder. A row takes the place of the curated pair of the same two symbols; ratio is Toronto shares per one US share.",
  facts: {
    tsx_symbol: Symbol, // the Toronto line
    us_symbol: Symbol, // the United States line
    us_mic: Text.nullable(), // the ISO 10383 code of the US venue
    issuer: Text.nullable(), // the issuer's name
    ratio: Decimal, // Toronto shares per US share
    valid_from: IsoDate.nullable(), // the first day of the pair; null: no limit
    valid_to: IsoDate.nullable(), // the last day of the pair; null: still valid
    tracked: Flag, // true: quotes of both lines are fetched
    evidence: Text.nullable(), // in the operator's words
    last_verified: IsoDate.nullable(), // the day on which the operator last checked the pair
    note: Text.nullable(), // a remark of the operator
  },
  rows: { key: ['tsx_symbol', 'us_symbol'], time: 'tsx_symbol' },
})

export const interlistings = defineDataset('interlistings', 'Interlisted issuers of TMX', interlistingTerms, {
  description:
    "One row per Canadian symbol that TMX's interlisted file names as listed abroad too, with the other symbol and market if the file states them. A symbol that left the file keeps its row.",
  facts: {
    symbol: Symbol,
    name: Text, // the issuer's name, as printed
    other_symbol: Text.nullable(), // as printed; not every market is in the United States
    market: Text.nullable(), // the other market, as printed
  },
  rows: { key: ['symbol'], time: 'symbol' },
})

// Reviews of a company's business: the operator's curated table for Sharia screening.
import { z } from 'zod'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { AccessionNumber, Decimal, IsoDate, Symbol, Text } from './values.ts'

export const ActivityStatus = z.enum(['clean', 'prohibited', 'questionable']).meta({ column: 'VARCHAR' })

const reviewTerms = terms('as the operator keeps it', 'the operator’s own file')

export const businessActivities = defineDataset('business_activities', 'Business activities', reviewTerms, {
  description:
    "One row per review of a company's business, from the operator's own list: a later review takes the place of the one before. A company without a row is not reviewed, which is never the same as clean.",
  facts: {
    symbol: Symbol,
    reviewed_at: IsoDate, // the day of the review
    status: ActivityStatus, // the result of the review
    categories: z.array(Text).describe('What the review found, in the words of the rulesets: alcohol, gambling, …'),
    impermissible_revenue_pct: Decimal.nullable().describe('Share of revenue from these categories, in percent, interest aside; null: not measured'),
    quote: Text.nullable().describe('The sentence that supports the review; every row that is not clean has one'),
    source_url: Text.nullable(), // the address of the document that supports the review
    accession: AccessionNumber.nullable().describe('The filing that contains the quote'),
    reviewer: Text, // who made the review
  },
  rows: { key: ['symbol', 'reviewed_at'], time: 'reviewed_at' },
})
export type BusinessActivity = RowOf<typeof businessActivities>

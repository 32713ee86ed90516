// Filers of the SEC, as EDGAR describes an entity.
import { defineDataset, edgarTerms } from './dataset.ts'
import { Cik, Text } from './values.ts'

export const issuers = defineDataset('issuers', 'Issuers', edgarTerms('26 hours'), {
  description:
    "One row per CIK: the entity's name, industry (SIC), state and fiscal year end as EDGAR has them, from its submissions file or the header of a report. EDGAR assigns the SIC code; it is no classification by revenue. Persons and entities without a SIC code have no row.",
  facts: {
    cik: Cik,
    name: Text.nullable().describe('Null if only headers of reports were read: filings has the name of the day'),
    sic: Text.describe('Four digits, Standard Industrial Classification'),
    sic_title: Text.nullable(), // the title of the industry code, as EDGAR prints it
    state_of_incorporation: Text.nullable().describe("EDGAR's state and country codes: A0 to A9 and B0 to B3 are Canada's provinces"),
    fiscal_year_end: Text.nullable().describe('MMDD'),
  },
  rows: { key: ['cik'], time: 'cik' },
})

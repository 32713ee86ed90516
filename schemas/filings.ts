// Index metadata of filings: one row per filing and entity, so that every CIK of a joint or co-registrant filing finds it.
import { z } from 'zod'
import { defineDataset, edgarTerms, type RowOf } from './dataset.ts'
import { AccessionNumber, Cik, Count, Flag, Instant, IsoDate, Sha256, Text } from './values.ts'

export const FilingRole = z.enum(['filer', 'issuer', 'reporting_owner', 'subject_company', 'filed_by']).meta({ column: 'VARCHAR' })

export const filings = defineDataset('filings', 'Filings', edgarTerms('30 minutes'), {
  description: 'One row per EDGAR filing and entity named in it. accepted_at is null if only an index of days was read.',
  facts: {
    accession: AccessionNumber,
    cik: Cik,
    role: FilingRole.nullable(), // null: the index does not state it
    company: Text.nullable(), // the entity's name
    form: Text,
    filed_date: IsoDate,
    accepted_at: Instant.nullable(),
    period_of_report: IsoDate.nullable(),
    items: z.array(Text), // 8-K item numbers, as the index or header lists them
    act: Text.nullable(), // the securities act, as EDGAR prints it: 33, 34, 40
    file_number: Text.nullable(), // EDGAR's file number of the registrant
    film_number: Text.nullable(), // EDGAR's film number of the filing
    primary_document: Text.nullable(), // file name of the main document
    primary_description: Text.nullable(), // the filer's description of the main document
    size_bytes: Count.nullable(), // the size of the submission
    xbrl: Flag.nullable(), // true if the filing contains XBRL
    url: Text, // the filing's address on sec.gov
    documents: z.array(Sha256), // every raw document that the row was completed from: an index line, a header, a filer's list
  },
  rows: { key: ['accession', 'cik'], order: ['cik', 'filed_date', 'accession'], time: 'filed_date' },
})
export type Filing = RowOf<typeof filings>

/** CIK to symbol as the SEC maps them (`company_tickers_exchange.json`). */
export const issuerTickers = defineDataset('issuer_tickers', 'Issuer tickers', edgarTerms('26 hours'), {
  description: "The SEC's map of CIK to ticker and exchange, one row per pair. It lists current tickers only.",
  facts: { cik: Cik, symbol: Text, name: Text, exchange_name: Text.nullable() },
  rows: { key: ['symbol', 'cik'], time: 'symbol' },
})

// Figures that companies report (XBRL company facts), and statements in filings about report days (earnings evidence).
import { z } from 'zod'
import { defineDataset, edgarTerms, type RowOf } from './dataset.ts'
import { AccessionNumber, Cik, Decimal, Int, IsoDate, Text } from './values.ts'

const concept = {
  cik: Cik,
  taxonomy: Text.describe('us-gaap, ifrs-full, dei, srt and the like'),
  concept: Text.describe('Name of the element in its taxonomy, e.g. NetIncomeLoss'),
}

export const companyFacts = defineDataset('company_facts', 'Company facts', edgarTerms('26 hours'), {
  description:
    'One row per value that a filing tags in XBRL, without segments, digits as filed. A fact has one row per filing that states it, so that a restatement and the restated value are both kept. Known from 22:00 Eastern of the filed day; the dataset filings has the acceptance.',
  facts: {
    ...concept,
    unit: Text.describe('USD, CAD, shares, USD/shares, pure …'),
    period_start: IsoDate.nullable().describe('First day of what the value is about; null for an instant'),
    period_end: IsoDate.describe('Last day, or the instant'),
    value: Decimal, // as filed
    fy: Int.nullable().describe('Fiscal year of the filing that states it, not of the value'),
    fp: Text.nullable().describe('FY, Q1, Q2, Q3: the period of the filing, not of the value'),
    form: Text,
    filed_date: IsoDate,
    frame: Text.nullable().describe(
      'The frame (CY2023Q3, CY2023Q3I) in which the SEC shows this row; it moves to a later filing that repeats the fact',
    ),
    accession: AccessionNumber,
    place: Int.describe('1, unless one filing states the same fact several times'),
  },
  rows: {
    key: ['cik', 'taxonomy', 'concept', 'unit', 'period_start', 'period_end', 'accession', 'place'],
    order: ['cik', 'taxonomy', 'concept', 'unit', 'period_end', 'period_start', 'accession', 'place'],
    time: 'period_end',
  },
})
export type CompanyFact = RowOf<typeof companyFacts>

export const companyConcepts = defineDataset('company_concepts', 'Company concepts', edgarTerms('26 hours'), {
  description:
    'One row per XBRL concept that a company uses, with its standard label. What a concept means is in its taxonomy; the values are company_facts.',
  facts: { ...concept, company: Text.nullable(), label: Text.nullable().describe('Null if the taxonomy of the day no longer has the concept') },
  rows: { key: ['cik', 'taxonomy', 'concept'], time: 'cik' },
})

/** `results_released`: the filing contains results; `report_announced`: it states the day of the results. */
const EvidenceKind = z.enum(['results_released', 'report_announced']).meta({ column: 'VARCHAR' })
/** The time on the announced day, in the issuer's words. */
export const ReportTime = z.enum(['before_open', 'during_market', 'after_close']).meta({ column: 'VARCHAR' })

export const earningsEvidence = defineDataset('earnings_evidence', 'Earnings evidence', edgarTerms('30 minutes'), {
  description:
    'One row per statement of an 8-K, a 6-K or their exhibits that results are out, or will be on a named day, quoted with its place in the document. Nothing is inferred from earlier years.',
  facts: {
    accession: AccessionNumber,
    line: Int,
    cik: Cik,
    form: Text,
    filed_date: IsoDate,
    items: z.array(Text).describe('8-K items that the header announces'),
    kind: EvidenceKind, // what the filing states
    period_end: IsoDate.nullable().describe('End of the period of the results, if the document states it'),
    announced_date: IsoDate.nullable().describe('report_announced: the day named'),
    announced_time: ReportTime.nullable(), // the time of day, if it is named
    document: Text.nullable().describe('File name'),
    document_type: Text, // the type of the document, as filed
    quote: Text.nullable().describe('The sentence; null if only the item states it'),
    source_start: Int.nullable().describe('Character offset of the quote in the document as filed'),
    source_end: Int.nullable(), // the end of the quote in the document
    flags: z.array(Text).describe('year_not_printed: the year follows from the filing day and the weekday; approximate: on or about; preliminary'),
  },
  rows: { key: ['accession', 'line'], order: ['cik', 'accession', 'line'], time: 'filed_date' },
})
export type EarningsEvidence = RowOf<typeof earningsEvidence>

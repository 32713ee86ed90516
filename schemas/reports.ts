// Items of periodic and current reports (10-K, 10-Q, 20-F, 40-F, 8-K, 6-K): the text of each item and its place in the document.
import { z } from 'zod'
import { defineDataset, edgarTerms, type RowOf } from './dataset.ts'
import { AccessionNumber, Cik, Count, Flag, Int, IsoDate, Sha256, Text } from './values.ts'

/**
 * The content under an item's heading. `update`: only new or changed factors of a 10-Q; `cross_reference`: only pages or places of
 * the same document; `not_required`: the filer states that no answer is required; `empty`: a heading without text; `omitted`: the report
 * prints no heading of it.
 */
export const ItemStatus = z
  .enum(['full', 'update', 'no_material_change', 'incorporated_by_reference', 'cross_reference', 'not_required', 'empty', 'omitted', 'not_present'])
  .meta({ column: 'VARCHAR' })
export type ItemStatus = z.infer<typeof ItemStatus>

/** How the item was found: by the contents table's link, by its heading, or through the index that maps items to pages or titles. */
export const LocatedBy = z.enum(['anchor', 'heading', 'cross_reference_index']).meta({ column: 'VARCHAR' })
export type LocatedBy = z.infer<typeof LocatedBy>

const filing = { accession: AccessionNumber, cik: Cik, form: Text, filed_date: IsoDate }
/** The filing that a row was read from. */
export const reportFacts = { ...filing, period_of_report: IsoDate.nullable() }

export const reportItems = defineDataset('report_items', 'Items of reports', edgarTerms('30 minutes'), {
  description:
    'One row per item of a 10-K, 10-Q, 20-F, 40-F (annual information form) or 8-K: its text, words and status, and its place in the document. The text of a stub is the stub: only status `full` and `update` hold content.',
  facts: {
    ...reportFacts,
    /** Place in the document's order: 1, 2, 3 … */
    line: Int,
    part: z.enum(['I', 'II', 'III', 'IV']).nullable().meta({ column: 'VARCHAR' }), // the part of the form
    item: Text.describe('Canonical number: 1A, 7, 3.D, 2.02; risk_factors for an annual information form'),
    title: Text.nullable().describe('As printed after the number'),
    status: ItemStatus, // the form in which the item is present
    reason: Text.nullable().describe('For every status but full: the words of the filing that say so'),
    words: Count.describe('Words from the heading to the end, the heading counted'),
    text: Text.nullable().describe('Visible text, heading included; null if the item is not present'),
    text_sha256: Sha256.nullable(), // SHA-256 of text
    document: Text.nullable().describe('File name of the document that contains the item'),
    document_type: Text, // the type of the document, as filed
    source_start: Int.nullable().describe('Character offset in the document as filed'),
    source_end: Int.nullable(), // the end of the item in the document
    located: LocatedBy.nullable(), // how the item was found
    anchor: Text.nullable().describe('Place name that the contents table links to'),
    flags: z.array(Text).describe('What to look at; points_to:START-END is the place in the document that a cross reference points to'),
  },
  rows: { key: ['accession', 'line'], order: ['cik', 'accession', 'line'], time: 'filed_date' },
})
export type ReportItem = RowOf<typeof reportItems>

export const reportExhibits = defineDataset('report_exhibits', 'Exhibits of reports', edgarTerms('30 minutes'), {
  description:
    'One row per exhibit that a periodic or current report carries (EX-99.1 and the like): file name, type, description and words. An earnings release is the EX-99 of an 8-K that announces item 2.02 (before 2004-08-23: 12).',
  facts: {
    ...filing,
    line: Int,
    type: Text.describe('As filed: EX-99.1, EX-13, EX-21'),
    document: Text.nullable(), // file name of the exhibit
    description: Text.nullable(), // the filer's description
    title: Text.nullable().describe('First line of its visible text'),
    words: Count.nullable().describe('Words of its visible text; null if it is no text'),
    is_earnings_release: Flag, // true for a release of results
  },
  rows: { key: ['accession', 'line'], order: ['cik', 'accession', 'line'], time: 'filed_date' },
})
export type ReportExhibit = RowOf<typeof reportExhibits>

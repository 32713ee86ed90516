// Risk factors of periodic reports and registration statements, one by one: Item 1A, Item 3.D of a 20-F, the section of a
// prospectus or of an annual information form, split into its factors.

import { z } from 'zod'
import { defineDataset, edgarTerms, type RowOf } from './dataset.ts'
import { reportFacts } from './reports.ts'
import { Count, Int, Sha256, Text } from './values.ts'

export const riskFactors = defineDataset('risk_factors', 'Risk factors', edgarTerms('30 minutes'), {
  description:
    'One row per risk factor of a filing, in reading order: its group, heading, body, words, SHA-256, and its place in the document. Excludes the summary of risk factors, running heads and page numbers; text between the section heading and the first factor belongs to none.',
  facts: {
    ...reportFacts,
    /** Place in the section: 1, 2, 3 … */
    rank: Int,
    group_heading: Text.nullable().describe('The heading of its group of factors, as printed; null if there is none'),
    heading: Text.describe('As printed; of a factor without a heading its first sentence'),
    body: Text.describe('Visible text after the heading, paragraphs separated by line feeds'),
    words: Count.describe('Words of heading and body'),
    text_sha256: Sha256.describe('Of heading, line feed, body'),
    document: Text.nullable().describe('File name of the document that contains it'),
    source_start: Int.describe('Character offset in the document as filed'),
    source_end: Int, // the end of the factor in the document
    /** Oddities that were kept: heading_is_first_sentence, absorbed_short_factor … */
    flags: z.array(Text),
  },
  rows: { key: ['accession', 'rank'], order: ['cik', 'accession', 'rank'], time: 'filed_date' },
})
export type RiskFactor = RowOf<typeof riskFactors>

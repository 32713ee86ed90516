// The rows of `risk_factors` that a located section gives.
import { createHash } from 'node:crypto'
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import type { Fact } from '../parsed.ts'
import type { Span } from './lines.ts'
import { splitFactors } from './split.ts'

export type SectionOf = Pick<Fact<'risk_factors'>, 'accession' | 'cik' | 'form' | 'filed_date' | 'period_of_report' | 'document'>

/**
 * One row per factor. `section.start` is after the section's heading (`LocatedItem.headingEnd`). Call it only for sections whose status is
 * `full` or `update`: a stub has no factors.
 */
export function riskFactorRows(prose: Prose, section: Span, filing: SectionOf): Fact<'risk_factors'>[] {
  return splitFactors(prose, section).factors.map(factor => ({
    accession: filing.accession,
    cik: filing.cik,
    form: filing.form,
    filed_date: filing.filed_date,
    period_of_report: filing.period_of_report,
    rank: factor.rank,
    group_heading: factor.group,
    heading: factor.heading,
    body: factor.body,
    words: factor.words,
    text_sha256: createHash('sha256').update(`${factor.heading}\n${factor.body}`).digest('hex'),
    document: filing.document,
    source_start: prose.sourceOffset(factor.start),
    source_end: prose.sourceOffset(factor.end - 1) + 1,
    flags: [...factor.flags],
  }))
}

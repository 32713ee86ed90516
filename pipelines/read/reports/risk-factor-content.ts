// The risk factors of registration statements: S-1, F-1, S-11, F-10 and their amendments. Those of periodic reports come with the items of
// the report (../reports/content.ts).
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { countWords, type Prose, readProse } from '#warehouse/documents/prose/prose.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import type { Submission } from '../filings/sgml.ts'
import { outlineOf, plainTitle, type Section } from '../offerings/sections.ts'
import { riskFactorRows } from '../risk-factors/rows.ts'
import { reportIn } from './content.ts'

const isRegistration = (form: string): boolean => /^(?:S-1|F-1|S-11|F-10)(?:\/A)?$/.test(form.trim())
/** A shorter section is the line in the summary that refers to the section. */
const leastWords = 300

/** The section with the risk factors of a prospectus: the longest with that title before a base prospectus; null without one. */
function riskSectionOf(prose: Prose): Section | null {
  const outline = outlineOf(prose)
  let best: { section: Section; words: number } | null = null
  for (const section of outline.sections) {
    if (!/^riskfactors/.test(plainTitle(section.title)) || section.start >= outline.baseStart) continue
    const words = countWords(prose.text, section.bodyStart, section.end)
    if (words >= leastWords && (best === null || words > best.words)) best = { section, words }
  }
  return best?.section ?? null
}

function readRiskFactors(submission: Submission, context: FilingContext): ContentRead {
  const part = reportIn(submission, context.form)
  if (part === null) return { facts: {}, refused: [], skipped: { no_prospectus: 1 } }
  const cik = context.subject_cik ?? context.filer_cik
  if (cik === null) throw new Unreadable('filer_missing', `risk factors ${context.accession}: the header names no filer`)
  const prose = readProse(decodeText(part.bytes))
  const section = riskSectionOf(prose)
  // Amendments that file an exhibit, and statements that incorporate by reference, print none.
  if (section === null) return { facts: {}, refused: [], skipped: { no_risk_factors: 1 } }
  const { accession, form, filed_date, period_of_report } = context
  const about = { accession, cik, form, filed_date, period_of_report, document: part.filename }
  return { facts: { risk_factors: riskFactorRows(prose, { start: section.bodyStart, end: section.end }, about) }, refused: [], skipped: {} }
}

export const riskFactorContent: ContentReader = { name: 'risk-factors', takes: isRegistration, dataset: 'risk_factors', read: readRiskFactors }

// Registration statements and prospectuses inside a submission: selects the document that is the prospectus.
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import type { Submission, SubmissionDocument } from '../filings/sgml.ts'
import { isOfferingForm, mayHoldProspectus } from './forms.ts'
import { parseProspectus } from './parse.ts'
import { instanceFacts } from './xbrl.ts'

const isText = (part: SubmissionDocument): boolean =>
  part.bytes.byteLength > 0 &&
  part.wrapper !== 'PDF' &&
  !/^(?:GRAPHIC|ZIP|EXCEL|JSON|COVER|XML|EX-10[014]|EX-FILING)/i.test(part.type) &&
  !/\.(?:xml|xsd|jpg|gif|png|pdf|json|xlsx|zip)$/i.test(part.filename ?? '')
const isProspectusExhibit = (part: SubmissionDocument): boolean =>
  /^EX-(?:99|1)\b/i.test(part.type) &&
  /prospectus/i.test(`${part.description ?? ''} ${decodeText(part.bytes.subarray(0, 6000))}`) &&
  /use of proceeds/i.test(decodeText(part.bytes))

/** The document of the form, which is the first of the submission; for an annual report, its exhibit that is a prospectus. */
function prospectusIn({ documents }: Submission, form: string): SubmissionDocument | null {
  const texts = documents.filter(isText)
  if (mayHoldProspectus(form)) return texts.find(isProspectusExhibit) ?? null
  return texts.find(part => part.type === form) ?? texts.find(part => !/^EX-/i.test(part.type)) ?? texts[0] ?? null
}

function readOffering(submission: Submission, context: FilingContext): ContentRead {
  const part = prospectusIn(submission, context.form)
  if (part === null) {
    if (mayHoldProspectus(context.form)) return { facts: {}, refused: [], skipped: { no_prospectus_exhibit: 1 } }
    throw new Unreadable('no_text', `prospectus ${context.accession}: none of ${submission.documents.length} documents is text`)
  }
  const cik = context.subject_cik ?? context.filer_cik
  if (cik === null) throw new Unreadable('issuer_missing', `prospectus ${context.accession}: the header names no filer`)
  const entity = submission.header.entities.find(each => each.cik === cik)
  const about = {
    accession: context.accession,
    cik,
    company: entity?.name ?? null,
    form: context.form,
    filed_date: context.filed_date,
    file_number: entity?.file_number ?? null,
    document: part.filename,
  }
  const read = parseProspectus(decodeText(part.bytes), about)
  const financials = read.financials.some(row => row.taken_from === 'xbrl')
    ? read.financials
    : [...instanceFacts(submission, about), ...read.financials]
  return {
    facts: { offerings: [read.offering], offering_financials: financials.map((row, index) => ({ ...row, line: index + 1 })) },
    refused: read.refused,
    skipped: {},
  }
}

export const offeringContent: ContentReader = {
  name: 'offerings',
  takes: form => isOfferingForm(form) || mayHoldProspectus(form),
  dataset: 'offerings',
  read: readOffering,
}

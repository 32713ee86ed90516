// FACTS.md, `offering/`: terms, amounts in whole dollars and the section Use of Proceeds of a prospectus.
import { sumOf } from '#schemas/decimals.ts'
import { Unreadable } from '#schemas/errors.ts'
import { parseSubmission, type Submission } from '../../filings/sgml.ts'
import { decodeText } from '../../filings/text.ts'
import { offeringContent } from '../../offerings/content.ts'
import { parseProspectus } from '../../offerings/parse.ts'
import type { Fact, RawDocument } from '../../parsed.ts'
import { isEqual } from '../accuracy-equality.ts'
import { type Comparisons, compare, type Judge, within } from './compare.ts'

type Offering = Fact<'offerings'>
const amounts = ['gross', 'private_placement', 'total', 'underwriting', 'offering_expenses', 'trust', 'net', 'net_approx'] as const

/** A whole submission, or a prospectus by itself: then its own words say of which rule it is. */
function offeringIn(document: RawDocument): Offering {
  let submission: Submission
  try {
    submission = parseSubmission(document.body)
  } catch (error) {
    if (!(error instanceof Unreadable && error.reason === 'not_a_submission')) throw error
    const text = decodeText(document.body)
    const rule = /\bRule\s+424\s?\(b\)\s?\((\d)\)/i.exec(text.slice(0, 200_000))?.[1]
    return parseProspectus(text, {
      accession: '0000000000-00-000000',
      cik: '0000000000',
      company: null,
      form: rule === undefined ? 'S-1' : `424B${rule}`,
      filed_date: '1970-01-01',
      file_number: null,
      document: null,
    }).offering
  }
  const { header } = submission
  const read = offeringContent.read(submission, {
    accession: header.accession ?? '0000000000-00-000000',
    form: header.form ?? '',
    filed_date: header.filed_date ?? '1970-01-01',
    accepted_at: header.accepted_at,
    period_of_report: header.period,
    subject_cik: header.entities.find(entity => entity.cik !== null)?.cik ?? '0000000000',
    filer_cik: null,
    url: document.url,
  })
  const [offering] = read.facts.offerings ?? []
  if (offering === undefined) throw new Unreadable('no_prospectus', 'no document of the submission is a prospectus')
  return offering
}

/** FACTS.md gives whole dollars: cents that a document prints are rounded, half a dollar up. */
function equalDollars(expected: unknown, got: unknown): boolean {
  if (isEqual(expected, got)) return true
  if (typeof expected !== 'number' || !Number.isInteger(expected) || typeof got !== 'string' || !/^\d+\.\d+$/.test(got)) return false
  return isEqual(expected, sumOf([got, '0.5']).split('.')[0])
}
const words = (text: string): string => text.replace(/\s+/g, ' ').trim()
const begins = (expected: unknown, got: unknown): boolean =>
  typeof expected === 'string' && typeof got === 'string' && words(got).startsWith(words(expected))
const comparisons: Comparisons = {
  ...Object.fromEntries(amounts.flatMap(name => [name, `${name}_with_option`]).map(name => [name, equalDollars])),
  use_of_proceeds_words: within(0.03, 0),
  first_words: begins,
}

export const offering: Judge = ({ document }, entry, fields) => {
  const read = offeringIn(document)
  const text = read.use_of_proceeds_text
  const heading = read.use_of_proceeds_heading ?? ''
  return compare(
    {
      ...read,
      first_words:
        text === null
          ? null
          : text
              .slice(text.startsWith(heading) ? heading.length : 0)
              .trim()
              .slice(0, 400),
    },
    entry,
    fields,
    comparisons,
  )
}

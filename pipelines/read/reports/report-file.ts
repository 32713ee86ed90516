// A report as a file: inside its submission, whose header states the form and announces items, or alone, with the form on its cover.
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { type Prose, readProse } from '#warehouse/documents/prose/prose.ts'
import { parseSubmission, type Submission } from '../filings/sgml.ts'
import { informationForm, isCurrentForm, reportIn } from './content.ts'
import { locateCurrentItems } from './current-items.ts'
import { locateItems } from './locate.ts'
import type { LocatedItem } from './located.ts'

export type ReportFile = {
  readonly prose: Prose
  readonly form: string
  /** The origin of the form. */
  readonly form_from: 'header' | 'cover' | 'given'
  /** File name of the document inside its submission. */
  readonly document: string | null
  readonly announced: readonly string[] | null
}

const named =
  /\bform\s{0,3}(10)\s{0,2}[-‐‑–—]?\s{0,2}(k\s?sb|k405|kt|k|q)\b|\bform\s{0,3}(20|40)\s{0,2}[-‐‑–—]?\s{0,2}f\b|\bform\s{0,3}([68])\s{0,2}[-‐‑–—]?\s{0,2}k\b/i

/** The form that a cover names first; null if it names none of these. */
export function namedForm(prose: Prose): string | null {
  const cover = prose.text.slice(0, 8000)
  const found = named.exec(cover)
  if (found !== null) {
    if (found[4] !== undefined) return `${found[4]}-K`
    return found[1] === undefined ? `${found[3] ?? '20'}-F` : `10-${(found[2] ?? 'K').replace(/\s/g, '').toUpperCase()}`
  }
  if (/annual information form/i.test(cover)) return '40-F'
  return /quarterly report/i.test(cover) ? '10-Q' : null
}

function submissionOf(body: Uint8Array): Submission | null {
  try {
    return parseSubmission(body)
  } catch (error) {
    if (error instanceof Unreadable && error.reason === 'not_a_submission') return null
    throw error
  }
}

/** Reads the report; null if a bare document names no form and none is given. Throws `Unreadable` for a truncated submission. */
export function readReportFile(body: Uint8Array, given: string | null = null): ReportFile | null {
  const submission = submissionOf(body)
  const form = given ?? submission?.header.form ?? null
  if (submission !== null && form !== null) {
    const main = reportIn(submission, submission.header.form ?? form)
    const own = main === null ? null : { part: main, prose: readProse(decodeText(main.bytes)) }
    // For a 40-F, the annual information form is read, which may be an exhibit.
    const place = main !== null && /^40-?F/i.test(form) ? (informationForm(submission, main)[0] ?? own) : own
    const from = given === null ? 'header' : 'given'
    return { prose: place?.prose ?? readProse(''), form, form_from: from, document: place?.part.filename ?? null, announced: submission.header.items }
  }
  const prose = readProse(decodeText(body))
  const onCover = given ?? namedForm(prose)
  return onCover === null ? null : { prose, form: onCover, form_from: given === null ? 'cover' : 'given', document: null, announced: null }
}

/** The items of a report of any form; a 6-K has no numbers. */
export function locateReportItems({ prose, form, announced }: ReportFile): LocatedItem[] {
  if (/^6-?K/i.test(form)) return []
  return isCurrentForm(form) ? locateCurrentItems(prose, announced) : locateItems(prose, form)
}

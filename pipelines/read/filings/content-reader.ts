// What reads the documents of a submission: one reader for each kind of form.
import type { Parsed, Refused } from '../parsed.ts'
import type { Submission } from './sgml.ts'

/** The values of the submission's header, for readers of its documents. */
export type FilingContext = {
  readonly accession: string
  readonly form: string // as filed, e.g. `SC 13D/A`
  readonly filed_date: string
  readonly accepted_at: string | null
  readonly period_of_report: string | null
  /** CIK of the issuer, subject company or filer: whom the filing is about. */
  readonly subject_cik: string | null
  /** CIK of the filer, if that is another entity. */
  readonly filer_cik: string | null
  /** The address that the submission was read from. */
  readonly url: string
}
/** Facts without known_from: every row gets the filing's own. */
export type ContentRead = {
  readonly facts: Parsed['facts']
  readonly refused: readonly Refused[]
  readonly skipped: Readonly<Record<string, number>>
}
export type ContentReader = {
  readonly name: string // of the noun, e.g. `insider`
  /** True for the forms that it takes; more than one reader may take a form. */
  readonly takes: (form: string) => boolean
  /** The dataset that a document which could not be read would have fed. */
  readonly dataset: Refused['dataset']
  /** Pure. A thrown `CrossfileError` becomes a refusal of the filing's content: the filing stays listed. */
  readonly read: (submission: Submission, context: FilingContext) => ContentRead
}

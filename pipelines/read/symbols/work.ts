import type { Refused } from '../parsed.ts'
import type { Book } from './book.ts'
import type { Candidate } from './match.ts'
import type { Sightings } from './seen.ts'

/** The state that the steps share while one document is processed. */
export type Work = {
  readonly source: string
  readonly book: Book
  readonly sightings: Sightings
  readonly refused: Refused[]
  readonly candidates: Candidate[]
  readonly count: (name: string, by?: number) => void
  /** Whether an operator released the list that shrank, by the refusal's subject. */
  readonly acceptsShrunk: (subject: string) => boolean
}

// Shared by the comparisons of every folder: an entry of the facts file, the document at its path, and the comparison field by field.
import type { RawDocument, Reader } from '../../read/parsed.ts'
import { isEqual } from '../accuracy-equality.ts'

export type Entry = Readonly<Record<string, unknown>>
export type Found = {
  readonly document: RawDocument
  readonly reader: Reader | null
  /** Another document of the same folder by its key, for facts about pairs, or a sentence if it cannot be read. */
  readonly other: (key: string) => Found | string
}
export type Outcome = {
  readonly field: string
  readonly equal: boolean
  readonly expected: unknown
  readonly got: unknown
  /** Reported but not counted. */
  readonly hint?: boolean
  /** Words of the document by which a value that is not printed as such was read: a section's heading, a sentence. */
  readonly quotes?: readonly string[]
  /** The form that the document was read as, if its facts do not name it. */
  readonly form?: string
}
/** The value read for each fact of an entry, and whether it is equal. Throws `Unreadable` if the document cannot be read. */
export type Evaluator = (found: Found, entry: Entry, fields: readonly string[]) => readonly Outcome[]
/** The same for documents that are read in a separate process. */
export type SlowEvaluator = (...given: Parameters<Evaluator>) => Promise<readonly Outcome[]>
export type Comparisons = Readonly<Record<string, (expected: unknown, got: unknown) => boolean>>

/** Compares a record of what was read field by field; a field that was not read is unequal. */
export function compare(read: Readonly<Record<string, unknown>>, entry: Entry, fields: readonly string[], comparisons: Comparisons = {}): Outcome[] {
  return fields.map(field => {
    const [expected, got] = [entry[field], read[field]]
    const equal = got !== undefined && (comparisons[field] ?? isEqual)(expected, got)
    return { field, equal, expected, got: got === undefined ? 'not read' : got }
  })
}

/** Equal within a share of the expected number or an absolute allowance, whichever is larger; null equals only null. */
export function within(share: number, allowance: number): (expected: unknown, got: unknown) => boolean {
  return (expected, got) => {
    if (typeof expected !== 'number' || typeof got !== 'number') return expected === got
    return Math.abs(expected - got) <= Math.max(Math.abs(expected) * share, allowance)
  }
}

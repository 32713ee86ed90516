// The input of a topic, and its state for the next question.
import type { Conversation, Profile, Subject } from '#schemas/assistant.ts'
import type { Calls, Result } from '../calls.ts'
import { read, type Style } from '../claims.ts'
import { lengthAt, textOf } from '../json-values.ts'
import type { Topic } from '../lexicon.ts'
import type { Understanding } from '../understand.ts'
import type { Cell, Writer } from '../writer.ts'

export type Ask = {
  readonly calls: Calls
  readonly understood: Understanding
  readonly conversation: Conversation | null
  readonly profile: Profile
  /** The data clock's day. */
  readonly today: string
  readonly writer: Writer
}
/**
 * The state for a follow-up; `inputs` are those that the answer used, `topic` the one that answered if it differs from the one that was
 * understood.
 */
export type Continuation = {
  readonly subject: Subject | null
  readonly inputs?: Readonly<Record<string, string | undefined>>
  readonly topic?: Topic
}
export type TopicAnswer = (ask: Ask) => Promise<Continuation>

/** Pointers of the items of a list. */
export const itemsOf = (result: Result, list: string, most = 1000): string[] =>
  Array.from({ length: Math.min(lengthAt(result.tree, list), most) }, (_, index) => `${list}/${index}`)
export const valueAt = (result: Result, pointer: string): string | null => textOf(result.tree, pointer)

/** A column: the member of a row that it shows, with the style if it is not that of a number; or what a row's pointer gives. */
type Column = string | readonly [member: string, style: Style] | ((row: string) => Cell)
/** Writes rows of an answer, given by their pointers, as a table: its columns by their headings. */
export function tableOf(writer: Writer, result: Result, rows: readonly string[], columns: Readonly<Record<string, Column>>): void {
  const cellOf = (row: string, column: Column): Cell => {
    if (typeof column === 'function') return column(row)
    return typeof column === 'string' ? read(result, `${row}/${column}`) : read(result, `${row}/${column[0]}`, column[1])
  }
  writer.table(
    Object.keys(columns),
    rows.map(row => Object.values(columns).map(column => cellOf(row, column))),
  )
}

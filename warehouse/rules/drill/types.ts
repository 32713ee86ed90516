// The pieces of a drill result as read from a text, before any calculation. Decimals are strings, digits as printed.
import type { GradeUnit } from '../../rulesets/drill/rules.ts'

/** A place in the text: UTF-16 units, `end` exclusive. */
export type Span = { readonly start: number; readonly end: number }
export type LengthUnit = 'm' | 'ft'
export type Length = { readonly value: string; readonly unit: LengthUnit; readonly span: Span }
export type Qualifier = '<' | '>' | '~'
export type Grade = {
  /** Null if the text does not name the metal and nothing before it does. */
  readonly metal: string | null
  readonly value: string
  /** `oz/t`: troy ounces per ton, with an unspecified ton. */
  readonly unit: GradeUnit | 'oz/t'
  readonly qualifier: Qualifier | null
  /** `AuEq` and the like. */
  readonly equivalent: boolean
  /** A second figure of the same metal with high assays cut. */
  readonly capped: boolean
  readonly span: Span
}
/** How an interval refers to the one that contains it. */
export type Relation = 'top' | 'including' | 'and_including' | 'and' | 'containing'
export type RawInterval = {
  hole: string | null
  length: Length | null
  /** The length is a true width, not a core length. */
  readonly isTrueWidth: boolean
  from: Length | null
  to: Length | null
  trueWidth: Length | null
  /** Angle between core axis and plane in degrees, as printed. */
  coreAngle: string | null
  grades: readonly Grade[]
  readonly relation: Relation
  readonly origin: 'text' | 'table' | 'intervals'
  readonly span: Span | null
}
export type Unread = { readonly reason: UnreadReason; readonly span: Span | null; readonly detail: string }
export type UnreadReason =
  | 'grade_without_length'
  | 'length_without_grade'
  | 'number_without_unit'
  | 'range'
  | 'sum'
  | 'surface_sample'
  | 'up_to'
  | 'cut_off'
  | 'top_cut'
  | 'tonnage'
  | 'table_row'
  | 'table_column'
  | 'no_result'
  | 'member'
  | 'too_many'

/** One end of a range, a limit to which assays were cut, a sum of several metals. */
export type NotSingle = 'range' | 'top_cut' | 'sum'

/** A piece of running text; `at` is the token at which it begins. */
export type Element =
  | { readonly kind: 'length'; readonly length: Length; readonly isTrue: boolean; readonly at: number }
  /** `from`: explicit (or by a dash between two depths without other words); `to` null: only the start is given. */
  | { readonly kind: 'depth'; readonly from: Length; readonly to: Length | null; readonly explicit: boolean; readonly at: number }
  /** `notSingle`: why it is not a grade of one metal over an interval. */
  | { readonly kind: 'grade'; readonly grade: Grade; readonly at: number; readonly notSingle: NotSingle | null }
  | { readonly kind: 'hole'; readonly hole: string; readonly trailing: boolean; readonly at: number }
  | { readonly kind: 'angle'; readonly degrees: string; readonly at: number }
  | {
      readonly kind: 'ties' | 'over' | 'within' | 'including' | 'and' | 'comma' | 'open' | 'close' | 'stop' | 'break' | 'paragraph' | 'capped'
      readonly at: number
    }
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
/** An element and the token after it. */
export type FoundElement = { readonly element: Element | null; readonly next: number }

// Compares the figures of a text with the values of given answers. Values are compared as numbers with their unit and their field, not as
// digits: a 5 inside a receipt's id supports nothing, and "5 transactions" needs a list of five transactions.
import type { FigureCheck, TextCheck } from '#schemas/assistant.ts'
import type { ClaimCheck, ClaimFigure, ClaimName, ClaimPlace, ReceiptCheckAnswer } from '#schemas/claims.ts'
import { type Mention, mentionsIn, namesOf, ofNamed } from './attribution.ts'
import { checkFigure, dateFits, type Finding, lastEnd, longWordsAround, type Rows, rowDate, rowsOf } from './check-figure.ts'
import { type Placed, placeFigures } from './check-places.ts'
import { type CheckedAnswer, type Value, valuesOf } from './check-values.ts'
import { type FigureToken, figuresOfProse } from './figures.ts'
import { indexOf } from './value-index.ts'

export type { CheckedAnswer } from './check-values.ts'

/** Maximum number of citations of an answer. */
const mostMarks = 12
const mostCandidates = 5
const mostPrinted = 200

/**
 * Binds every figure of a text to a value of the answers, or states why there is none. An answer with a receipt is its payload. Pure.
 * Throws 422 for a text that needs more than `mostComparisons`, `SyntaxError` for an answer that is not JSON.
 */
export function checkClaims(requested: string, answers: readonly CheckedAnswer[]): ClaimCheck {
  // Marks of citations are skipped: a larger number in brackets is a figure.
  const text = requested.replaceAll(/\[(\d{1,2})\]/g, (mark, n: string) => (Number(n) <= mostMarks ? mark : ` ${n} `))
  const list = answers.flatMap((answer, index) => valuesOf(answer, index + 1))
  const values = indexOf(list, longWordsAround)
  const rows = rowsOf(list)
  const days = [...new Set(list.flatMap(each => (rowDate.test(each.field) ? [each.value] : [])))]
  const all = figuresOfProse(text)
  const mentions = mentionsIn(text, namesOf(answers))
  const doubt = { text, all, mentions, rows, days }
  const found = all.map(figure => ({ figure, sentence: sentenceOf(text, figure), finding: foundOf(figure, text, answers, values, doubt) }))
  const figures = placeFigures(found, text, answers).map(placed => figureOf(placed, answers))
  const of = (status: ClaimFigure['status']): number => figures.filter(figure => figure.status === status).length
  return {
    figures,
    names: mentions.map(mention => nameOf(mention, answers)),
    supported: of('supported'),
    ambiguous: of('ambiguous'),
    unsupported: of('unsupported'),
  }
}

/** A text that cites one of the receipts names it, not a value of it. */
function foundOf(
  figure: FigureToken,
  text: string,
  answers: readonly CheckedAnswer[],
  values: ReturnType<typeof indexOf<Value>>,
  doubt: Doubt,
): Finding {
  const cited = figure.kind === 'identifier' ? answers.findIndex(each => each.receipt_id === figure.value) : -1
  if (cited < 0) return doubted(checkFigure(figure, text, values, doubt.rows), figure, doubt)
  const printed = figure.value ?? ''
  const whole = {
    answer: cited + 1,
    pointer: '',
    value: printed,
    printed,
    kind: 'identifier',
    unit: null,
    scaled: null,
    words: new Set<string>(),
    field: '',
  } as const
  return { status: 'supported', code: 'identifier', reason: 'one of the given receipts', matches: [whole] }
}

function figureOf({ figure, finding, binding, candidates }: Placed, answers: readonly CheckedAnswer[]): ClaimFigure {
  const { text, start, end, kind, unit } = figure
  const { status, code, reason } = finding
  const place = ({ answer, pointer, printed, unit: own }: Value): ClaimPlace => ({
    receipt_id: answers[answer - 1]?.receipt_id ?? null,
    pointer,
    value: printed.slice(0, mostPrinted),
    unit: own,
  })
  return {
    ...{ text, start, end, kind, unit, status, code, reason },
    binding: binding === null ? null : place(binding),
    candidates: candidates.slice(0, mostCandidates).map(place),
    candidates_count: candidates.length,
  }
}

function nameOf({ text, start, end, places }: Mention, answers: readonly CheckedAnswer[]): ClaimName {
  const held = [...(places ?? [])].sort((a, b) => a.split('/').length - b.split('/').length)
  return {
    ...{ text, start, end },
    status: places === null ? 'unsupported' : 'supported',
    places: held.slice(0, mostCandidates).map(place => {
      const [, answer = '', pointer = ''] = /^(\d+)(.*)$/s.exec(place) ?? []
      return { receipt_id: answers[Number(answer) - 1]?.receipt_id ?? null, pointer }
    }),
    places_count: held.length,
  }
}

/** As `checkClaims`, in the words of the assistant: a figure of another company or time is ambiguous, one with several places supported. */
export function checkText(requested: string, answers: readonly CheckedAnswer[]): TextCheck {
  return textCheckOf(checkClaims(requested, answers), answers)
}
/** The answer of `check_assistant_text` for checked receipts. */
export function assistantCheckOf({ receipts, ...claims }: ReceiptCheckAnswer): object {
  const named = receipts.map(({ receipt_id, question, release }, at) => ({ answer: at + 1, receipt_id, question, release }))
  return { ...textCheckOf(claims, receipts), receipts: named }
}

function textCheckOf(claims: ClaimCheck, answers: readonly { readonly receipt_id: string | null }[]): TextCheck {
  const figures = claims.figures.map(({ text, start, end, kind, status, code, reason, binding, candidates }): FigureCheck => {
    const loose = code === 'other_subject' || code === 'other_time'
    return {
      ...{ text, start, end, kind, reason },
      status: code === 'several_places' ? 'supported' : loose ? 'ambiguous' : status,
      matches: (binding === null ? candidates : [binding]).map(({ receipt_id, pointer, value }) => ({
        answer:
          Math.max(
            0,
            answers.findIndex(each => each.receipt_id === receipt_id),
          ) + 1,
        ...{ receipt_id, pointer, value },
      })),
    }
  })
  const of = (status: FigureCheck['status']): number => figures.filter(figure => figure.status === status).length
  return { figures, supported: of('supported'), ambiguous: of('ambiguous'), unsupported: of('unsupported') }
}

type Doubt = {
  readonly text: string
  readonly all: readonly FigureToken[]
  readonly mentions: readonly Mention[]
  readonly rows: Rows
  /** Dates of rows, of every answer. */
  readonly days: readonly string[]
}
const negation = /\b(?:not|never|neither|nor|n't|cannot|no longer)\b|n't\b/i
/** A supported figure is not supported if its sentence is about another company or person, or names the day or year of another row, and ambiguous if the sentence denies it. */
function doubted(finding: Finding, figure: FigureToken, doubt: Doubt): Finding {
  if (finding.status !== 'supported' || figure.kind === 'identifier') return finding
  const { text, all, mentions, rows, days } = doubt
  const [from, to] = sentenceOf(text, figure)
  if (negation.test(text.slice(from, figure.start))) return { ...finding, status: 'ambiguous', code: 'denied', reason: 'a negation precedes it' }
  const sentence = {
    text,
    from,
    to,
    line: text.lastIndexOf('\n', figure.start - 1) + 1,
    figures: all.filter(each => each.start >= from && each.end <= to),
  }
  const named = ofNamed(finding.matches, figure, sentence, mentions)
  if (named.foreign !== null)
    return {
      ...finding,
      status: 'unsupported',
      code: 'other_subject',
      reason:
        named.foreign.places === null ? `the answers do not mention ${named.foreign.text}` : `the value does not belong to ${named.foreign.text}`,
    }
  const matches = named.fitting
  if (figure.kind === 'date') return { ...finding, matches }
  const when = dateOf(figure, sentence.figures, text)
  if (when === null) return { ...finding, matches }
  const fitting = matches.filter(match => {
    const own = datesOf(match, when, rows)
    return own.length === 0 || own.some(each => dateFits(when, each))
  })
  if (fitting.length > 0) return { ...finding, matches: fitting }
  if (!days.some(each => dateFits(when, each))) return { ...finding, matches }
  const [first] = matches
  const own = first === undefined ? [] : datesOf(first, when, rows)
  return {
    ...finding,
    matches,
    status: 'unsupported',
    code: 'other_time',
    reason: `the value is of ${own[0] ?? 'another time'}, not of ${when.replace(/^--/, '')}`,
  }
}
/** The date of a figure: the one right after it ("in 2024"), else the one before it, else the only one of the sentence. */
function dateOf(figure: FigureToken, figures: readonly FigureToken[], text: string): string | null {
  const dates = figures.filter(each => each.kind === 'date' && each.value !== null)
  if (
    /\b(?:from|against|versus|vs\.?|than|previous|prior|before|compared (?:with|to))\s*(?:[A-Z]{3}\s*|[$€£]\s*)?$/i.test(text.slice(0, figure.start))
  )
    return behind(figure, figures, text)
  return (
    behind(figure, figures, text) ??
    dates.findLast(each => each.end <= figure.start)?.value ??
    (dates.length === 1 ? (dates[0]?.value ?? null) : null)
  )
}
function behind(figure: FigureToken, figures: readonly FigureToken[], text: string): string | null {
  const next = figures.find(each => each.start >= figure.end)
  if (next === undefined || next.kind !== 'date') return null
  return /^[^.;,\d]{0,30}\b(?:in|for|on|of|at|to|during)\s+(?:the\s+)?(?:fiscal\s+)?(?:year|quarter|month|week|period)?(?:\s+(?:to|of|ended|ending))?\s*$/i.test(
    text.slice(figure.end, next.start),
  )
    ? next.value
    : null
}
/** The dates of the object that a value is in, or of the nearest one around it that has any. A year is compared with what a row is of alone. */
function datesOf(value: Value, when: string, rows: Rows): string[] {
  const isDay = /^(?:\d{4}|-)-\d\d-\d\d$/.test(when)
  for (let pointer = value.pointer; pointer !== ''; ) {
    pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    const row = rows.get(`${value.answer}${pointer}`) ?? []
    if (!row.some(each => rowDate.test(each.field))) continue
    return row.flatMap(each => ((each.kind === 'date' && isDay) || rowDate.test(each.field) ? [each.value] : []))
  }
  return []
}
function sentenceOf(text: string, { start, end }: FigureToken): readonly [number, number] {
  const line = text.lastIndexOf('\n', start - 1) + 1
  const from = line + lastEnd(text.slice(line, start))
  const stop = /\n|[.!?](?=\s|$)/.exec(text.slice(end))?.index ?? text.length - end
  return [from, end + stop]
}

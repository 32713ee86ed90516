// The words of a question with their places: as written, without the ending of a plural, and by their stem.
import { stemEnglish } from '../datasets/transcripts/stem-english.ts'
import { spelledOut } from './spellings.ts'

/** A part of a question that was read as one thing: a symbol, a period, an account. */
export type Marked = { readonly start: number; readonly end: number; readonly mark: string }
export type Span = Marked & { readonly value: string }

export type Token = {
  /** In lower case, without the ending of a plural. */
  readonly word: string
  /** By the Porter2 algorithm: `reported`, `reporting` and `reports` have one. */
  readonly root: string
  /** The word of a phrase that a misspelled word probably means. */
  readonly meant: string | null
  /** Of a mark: the words that it was read from. */
  readonly spelled: string | null
  readonly start: number
  readonly end: number
  readonly mark: string | null
  readonly capital: boolean
  readonly inName: boolean
}

/** Without the ending of a plural. */
export const stem = (word: string): string =>
  word.length > 3 && word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)
      ? word.slice(0, -1)
      : word
export const rootOf = (word: string): string => stemEnglish(word.replace(/'s?$/, ''))

/** The text with what was read blanked out, of the same length. */
export function blanked(text: string, spans: readonly Marked[]): string {
  return spans.reduce((left, { start, end }) => left.slice(0, start) + ' '.repeat(end - start) + left.slice(end), text)
}

/** The words between the spans and the marks of the spans, in the order of the question. Words of a name stay words. */
export function tokensOf(question: string, spans: readonly Span[], meantBy: (word: string) => string | null): Token[] {
  const tokens: Token[] = []
  const pattern = /[\p{L}\d][\p{L}\d&/.'-]*[\p{L}\d]|[\p{L}\d]/gu
  const text = blanked(
    question,
    spans.filter(each => each.mark !== '<name>'),
  )
  for (const match of text.matchAll(pattern)) {
    const lower = match[0].toLowerCase()
    const inName = spans.some(each => each.mark === '<name>' && match.index >= each.start && match.index < each.end)
    const written = Object.hasOwn(spelledOut, lower) ? (spelledOut[lower] as string) : lower.replace(/'s?$/, '').replace(/'(?:re|ve|ll|d|m)$/, '')
    for (const word of inName ? [lower.replace(/'s?$/, '')] : written.split(' '))
      tokens.push({
        word: stem(word),
        root: rootOf(word),
        meant: inName ? null : meantBy(word),
        spelled: null,
        start: match.index,
        end: match.index + match[0].length,
        mark: null,
        capital: /^\p{Lu}/u.test(match[0]),
        inName,
      })
  }
  for (const span of spans)
    if (span.mark !== '<name>')
      tokens.push({
        word: span.mark,
        root: span.mark,
        meant: null,
        // Words of a form or an account count as words too: "annual report" is both.
        spelled: stem(question.slice(span.start, span.end).toLowerCase()),
        start: span.start,
        end: span.end,
        mark: span.mark,
        capital: false,
        inName: false,
      })
  return tokens.sort((a, b) => a.start - b.start)
}

// The parameters of a search, shared by both ways of searching (the lake's, the index's).
import { isCalendarDay } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { baseForm } from '#schemas/form-titles.ts'
import { queryWords } from './search-words.ts'

export type Place = { readonly filed_date: string; readonly accession: string; readonly cik: string }
export type FilingQuestion = {
  /** Null: every entity. */
  readonly ciks: readonly string[] | null
  /** Exact forms, and prefixes of forms; both empty: every form. */
  readonly forms: readonly string[]
  readonly prefixes: readonly string[]
  readonly amendments: 'any' | 'exclude' | 'only'
  readonly from: string
  readonly to: string
  /** Any of them; empty: with or without. */
  readonly items: readonly string[]
  /** Each of them; empty: no matter. */
  readonly words: readonly string[]
  /** The last filing of the previous page. */
  readonly after: Place | null
  readonly as_of: string | null
  readonly limit: number
}

export type RequestedFilings = {
  readonly form?: string | undefined
  readonly amendments?: 'include' | 'exclude' | 'only' | undefined
  readonly items?: string | undefined
  readonly q?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/**
 * Reads a search's filters. `form` is a list of exact types; a type that ends with a star is a prefix (`10-K*`). With `amendments` a type
 * covers the form and its amendments: `include` returns both, `exclude` the form only, `only` the amendments.
 */
export function readFilingQuestion(requested: RequestedFilings): Omit<FilingQuestion, 'ciks' | 'after' | 'as_of' | 'limit'> {
  const types = listOf(requested.form).map(type => type.toUpperCase())
  const { amendments } = requested
  const whole = types.filter(type => !type.endsWith('*'))
  return {
    forms: [...new Set(amendments === undefined ? whole : whole.flatMap(type => formsOf(baseForm(type), amendments)))].sort(),
    prefixes: [...new Set(types.filter(type => type.endsWith('*')).map(type => type.slice(0, -1)))].sort(),
    amendments: amendments === undefined || amendments === 'include' ? 'any' : amendments,
    from: requested.from ?? '0001-01-01',
    to: requested.to ?? '9999-12-31',
    items: listOf(requested.items),
    words: wordsOf(requested.q),
  }
}

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

const formsOf = (form: string, amendments: 'include' | 'exclude' | 'only'): string[] =>
  amendments === 'include' ? [form, `${form}/A`] : amendments === 'only' ? [`${form}/A`] : [form]

function wordsOf(text: string | undefined): string[] {
  if (text === undefined) return []
  const words = queryWords(text)
  if (words.length > 0) return words
  throw new BadRequest(`q "${text.slice(0, 40)}" holds no letter and no digit`, { hint: 'give words of a company name, a form or a heading' })
}

/** The position of a cursor's key. Throws `BadRequest` if it is of another kind. */
export function placeOf(key: readonly (string | number | null)[]): Place {
  const [filed_date, accession, cik] = key.map(String)
  if (filed_date === undefined || !isCalendarDay(filed_date) || !/^\d{10}-\d\d-\d{6}$/.test(accession ?? '') || !/^\d{10}$/.test(cik ?? '')) {
    throw new BadRequest('cursor is of another listing', { hint: 'leave cursor out to start again' })
  }
  return { filed_date, accession: accession as string, cik: cik as string }
}

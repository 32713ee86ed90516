// How text becomes the words that a search finds it by: the same cut in the index, in the lake's own search, and in questions.
import { formTitle } from '#schemas/form-titles.ts'

/** Raised when the cut or the forms' titles change: the worker then fills the index anew. */
export const wordsVersion = 1
/** A question of more words is cut: each further one only narrows. */
const mostAsked = 12
const longestWord = 64

/** The different words of a text in lower case, letters and digits of any script; `10-K` is two. `find-filings.sql` cuts alike. */
export function searchWords(text: string): string[] {
  return [
    ...new Set(
      text
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter(word => word !== '' && word.length <= longestWord),
    ),
  ]
}

export const askedWords = (text: string): string[] => searchWords(text).slice(0, mostAsked)

type Named = { readonly company: string | null; readonly form: string; readonly primary_description: string | null }
/** What a filing is found by: company, form and its title, description of its main document. */
export const filingText = ({ company, form, primary_description }: Named): string =>
  [company, form, formTitle(form), primary_description].filter(part => part !== null).join(' ')

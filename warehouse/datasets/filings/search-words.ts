// Tokenizes text for search: identically in the index, in the lake's search, and in requests.
import { formTitle } from '#schemas/form-titles.ts'

/** Raised when tokenization or the forms' titles change: the worker then refills the index. */
export const wordsVersion = 1
/** Longer queries are truncated: each further word only narrows. */
const mostRequested = 12
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

export const queryWords = (text: string): string[] => searchWords(text).slice(0, mostRequested)

type Named = { readonly company: string | null; readonly form: string; readonly primary_description: string | null }
/** The searchable text of a filing: company, form and its title, description of its main document. */
export const filingText = ({ company, form, primary_description }: Named): string =>
  [company, form, formTitle(form), primary_description].filter(part => part !== null).join(' ')

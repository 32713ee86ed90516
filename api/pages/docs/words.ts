import { sentence } from '../words.ts'

/** A description as a sentence. A first word that is a name of the API, such as `next_cursor`, keeps its letters. */
export const explained = (text: string): string =>
  /^[a-z]\w*_\w|^[a-z]\w*=/.test(text) ? `${text}${/[.!?]$/.test(text) ? '' : '.'}` : sentence(text)

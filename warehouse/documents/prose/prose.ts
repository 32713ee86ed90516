// The visible text of a filing's document, HTML or plain, in one pass over its source: the text that a reader of the page sees, the
// markup of each line, and the mapping to the source, so that every figure can be shown at its position.
import { readHtml } from './html.ts'
import { readPlain } from './plain.ts'
import type { Prose } from './text.ts'

export { type Block, blockAt, countWords, type Prose, wordsOf } from './text.ts'

/** HTML has one of these within its first part; the tags of SEC's plain text (PAGE, TABLE, CAPTION, S, C) are no HTML. */
const htmlSigns = /<(?:html|body|div|p|font|center|br|span|h[1-6]|a|title|meta|hr|td|tr)\b/i

export const isHtmlText = (source: string): boolean => htmlSigns.test(source.slice(0, 200_000))

/** Reads a document. Never throws: unknown content is text; unclosed markup ends with its parent. */
export const readProse = (source: string): Prose => (isHtmlText(source) ? readHtml(source) : readPlain(source))

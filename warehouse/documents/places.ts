// The text of a page with the positions of its lines, and its running text.

export type Role = 'text' | 'heading' | 'table' | 'running'
export type PlacedLine = { readonly start: number; readonly end: number; readonly role: Role }
export type PageText = { readonly page: number; readonly text: string; readonly lines: readonly PlacedLine[] }
/** A sentence of running text: `text` has the length of its range, with spaces for line feeds and tabs. */
export type Sentence = { readonly page: number; readonly start: number; readonly text: string }

/** Abbreviations, whose full stop does not end a sentence. */
const shortened =
  /(?:\b(?:Inc|Corp|Ltd|Co|No|Nos|Mr|Mrs|Ms|Dr|St|vs|etc|approx|Fig|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|P\.Geo|P\.Eng|Ph\.D|incl|ca|cf)|\b[A-Z]|\b[A-Z]\.[A-Z])\.$/

/** The running text of a page (neither tables nor headers and footers) in sentences. Linear in the length of the text. */
export function sentencesOf({ page, text, lines }: PageText): Sentence[] {
  const sentences: Sentence[] = []
  const blocks: { start: number; end: number }[] = []
  let open = false
  for (const line of lines) {
    const isText = line.role === 'text'
    const last = blocks.at(-1)
    // A blank line between two lines ends a paragraph, and so does everything that is not running text.
    if (isText && open && last && !text.slice(last.end, line.start).includes('\n\n')) last.end = line.end
    else if (isText) blocks.push({ start: line.start, end: line.end })
    else if (line.role === 'heading') blocks.push({ start: line.start, end: line.end })
    open = isText
  }
  for (const block of blocks) {
    const whole = text.slice(block.start, block.end).replace(/[\n\t]/g, ' ')
    let from = 0
    for (const match of whole.matchAll(/[.!?]["”’)]?\s+(?=["“‘(]?[A-Z0-9À-Þ])/g)) {
      const end = match.index + match[0].trimEnd().length
      if (match[0].startsWith('.') && shortened.test(whole.slice(Math.max(from, match.index - 8), match.index + 1))) continue
      sentences.push({ page, start: block.start + from, text: whole.slice(from, end) })
      from = match.index + match[0].length
    }
    if (from < whole.length) sentences.push({ page, start: block.start + from, text: whole.slice(from) })
  }
  return sentences
}

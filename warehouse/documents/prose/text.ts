// The result of reading a document (prose.ts), and how its words are counted.

/** One line of the page: a paragraph, a heading, or a row of a table. Offsets are in `Prose.text`. */
export type Block = {
  readonly start: number
  readonly end: number
  /** 0 outside of tables; else the table's number, counted from 1 in the order of the document (nested ones have their own). */
  readonly table: number
  /** Visible characters that are so styled. `bold === end - start` less blanks means all of it. */
  readonly bold: number
  readonly italic: number
  readonly underline: number
  /** Visible characters without spaces: the basis of the three counts above. */
  readonly inked: number
  readonly centred: boolean
  /** Largest font size in points that the markup states; 0 if it states none. */
  readonly size: number
  /** 1 to 6 for h1 to h6, else 0. */
  readonly level: number
  /** Plain text: blank lines before this one. HTML: 0. */
  readonly gap: number
  /** Plain text: blanks at its beginning. HTML: 0. */
  readonly indent: number
}
/** A link to a place in the same document. */
export type InnerLink = { readonly start: number; readonly end: number; readonly target: string }
export type Prose = {
  /** Blocks joined by a line feed, cells of a table's row by a tab; every other run of blanks is one blank. */
  readonly text: string
  readonly blocks: readonly Block[]
  /** Place names (`id`, `name`) to the offset of the first visible character at or after them. */
  readonly anchors: ReadonlyMap<string, number>
  readonly links: readonly InnerLink[]
  /** Offsets at which a printed page ends. */
  readonly pageBreaks: readonly number[]
  readonly html: boolean
  /** The offset in the source string of the character at an offset of `text`. */
  sourceOffset(at: number): number
}

/** Words: runs without blanks (a bullet, an ampersand or a page number is one). */
export function wordsOf(text: string): string[] {
  const found = text.match(/\S+/g)
  return found ?? []
}

/** How many words; without making them. */
export function countWords(text: string, from = 0, to = text.length): number {
  let count = 0
  let inside = false
  for (let at = from; at < to; at += 1) {
    const blank = isBlank(text.charCodeAt(at))
    if (!blank && !inside) count += 1
    inside = !blank
  }
  return count
}

/** Blanks as FACTS and browsers see them: ASCII white space, the non-breaking ones and Unicode's spaces. */
export const isBlank = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  code === 0xa0 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000

/** The block that contains an offset, or the last one before it; -1 before the first. Binary search. */
export function blockAt(prose: Pick<Prose, 'blocks'>, offset: number): number {
  let low = 0
  let high = prose.blocks.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if ((prose.blocks[middle] as Block).start <= offset) low = middle + 1
    else high = middle - 1
  }
  return high
}

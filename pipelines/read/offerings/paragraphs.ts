// Plain text has a line feed at the end of each line: the lines of a paragraph are joined into one block, so that sentences can be read.
// Offsets stay the same.
import type { Block, Prose } from '#warehouse/documents/prose/prose.ts'

/** A line of dashes or a row of an untagged table, whose dots lead to a number: neither continues a paragraph. */
const isRule = (text: string): boolean => /^[-=_\s]{3,}$/.test(text)
const isRow = (text: string): boolean => /(?:\.{3,}|(?:\. ){3,})\s*[$(]?\s?[\d.][\d,.%]*(?:\D|$)/.test(text.slice(0, 400))

/** A continued line: no blank line, heading, list mark or table between it and the next. */
function goesOn(text: string, line: Block, next: Block): boolean {
  if (next.gap > 0 || line.table > 0 || next.table > 0 || line.centred || next.centred) return false
  if ([line, next].map(each => text.slice(each.start, each.end)).some(shown => isRule(shown) || isRow(shown))) return false
  const isListItem = /^(?:\(?\w{1,3}[).]|[•o*-])\s/.test(text.slice(line.start, line.start + 8))
  if (line.end - line.start < 45 || next.indent > line.indent + (isListItem ? 8 : 1) || /^[=_-]{3}/.test(text.slice(next.start, next.start + 4)))
    return false
  return !/^(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[).]|[•o*-])\s/.test(text.slice(next.start, next.start + 8))
}

/** HTML is returned unchanged; plain text as paragraphs. */
export function paragraphsOf(prose: Prose): Prose {
  if (prose.html) return prose
  const blocks: Block[] = []
  const joins: number[] = []
  let last: Block | null = null
  for (const block of prose.blocks) {
    const open = blocks.at(-1)
    if (last !== null && open !== undefined && goesOn(prose.text, last, block)) {
      joins.push(last.end)
      blocks[blocks.length - 1] = { ...open, end: block.end, inked: open.inked + block.inked }
    } else blocks.push(block)
    last = block
  }
  const characters = prose.text.split('')
  for (const at of joins) characters[at] = ' '
  return { ...prose, text: characters.join(''), blocks, sourceOffset: at => prose.sourceOffset(at) }
}

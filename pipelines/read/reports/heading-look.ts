// The look of lines: highlighted headings, names of parts, and continued sentences.
import type { Block, Prose } from '#warehouse/documents/prose/prose.ts'
import type { Part } from './form-items.ts'

export const textOf = (prose: Prose, block: Block): string => prose.text.slice(block.start, block.end)

const parts: Readonly<Record<string, Part>> = {
  ...{ i: 'I', 1: 'I', one: 'I', ii: 'II', 2: 'II', two: 'II', iii: 'III', 3: 'III', three: 'III', iv: 'IV', 4: 'IV', four: 'IV' },
}
export const partOf = (text: string | undefined): Part | null => (text === undefined ? null : (parts[text.toLowerCase()] ?? null))

/** The part that a line begins (`PART II`, `Part II — Other Information`); null if none. */
export function partLine(line: string): Part | null {
  if (line.length > 90) return null
  const match = /^[^\p{L}\p{N}"“”]{0,6}part\s{0,3}(iv|i{1,3}|[1-4]|one|two|three|four)\b(?!\s?,?\s?items?\b)[\s.,:;|–—―-]{0,8}(.{0,60})$/iu.exec(line)
  if (
    match === null ||
    /[a-z]{3,}\.\s|\bof\b.{0,20}\bform\b|^(?:is|are|of|and|or|to|in|will|was|has|have|shall|which|that|hereof|below|above|information\srequired)\b/u.test(
      match[2] ?? '',
    )
  )
    return null
  return partOf(match[1])
}

/** Whether the letters of a heading differ from those of the body. */
export function isOutlier(block: Block, head: string, body: number): boolean {
  let ink = 0
  let capitals = 0
  let small = 0
  for (let at = 0; at < head.length; at += 1) {
    const code = head.charCodeAt(at)
    if (code > 32) ink += 1
    if (code >= 65 && code <= 90) capitals += 1
    else if (code >= 97 && code <= 122) small += 1
  }
  const enough = ink * 0.6
  const marked = block.bold >= enough || block.underline >= enough || block.italic >= enough
  const inCapitals = capitals >= 5 && small <= capitals / 6
  const isLarge = body > 0 && block.size > body + 0.9
  return marked || inCapitals || isLarge || block.level > 0 || (block.centred && block.inked < 120)
}

/** Of several sizes, the one that most headings have; of equally common ones the largest. 0 for none. */
export function commonest(sizes: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const size of sizes) counts.set(size, (counts.get(size) ?? 0) + 1)
  let best = 0
  for (const [size, count] of counts) {
    const most = counts.get(best) ?? 0
    if (count > most || (count === most && size > best)) best = size
  }
  return best
}

/** The font size of most of the text, to recognise headings. */
export function bodySize(prose: Prose): number {
  const inked = new Map<number, number>()
  for (const block of prose.blocks) inked.set(block.size, (inked.get(block.size) ?? 0) + block.inked)
  let best = 0
  let most = -1
  for (const [size, ink] of inked) if (ink > most) [best, most] = [size, ink]
  return best
}

/** A line of plain text that continues the sentence of the line above. */
export function isInsideParagraph(prose: Prose, at: number): boolean {
  const [before, block] = [prose.blocks[at - 1], prose.blocks[at]]
  if (prose.html || before === undefined || block === undefined || block.gap > 0) return false
  return before.end - before.start >= 40 && !/[.:!?]$/.test(prose.text.slice(before.end - 1, before.end))
}

/** A line of dashes, equals signs or underscores only; the first may be separate, as in mail programs of the nineties. */
const rule = /^(?:-\s)?[-=_~*\u2013\u2014](?:\s?[-=_~*\u2013\u2014]){2,200}$/u
/** A short line directly above a rule, which underlines a heading in plain text. */
export function isRuled(prose: Prose, at: number): boolean {
  const [block, next] = [prose.blocks[at], prose.blocks[at + 1]]
  if (block === undefined || next === undefined || next.gap > 0 || next.end - next.start > 160) return false
  return block.end - block.start <= 120 && rule.test(textOf(prose, next))
}

/** A short line of plain text between blank lines. */
export function isAlone(prose: Prose, at: number): boolean {
  const [block, next] = [prose.blocks[at], prose.blocks[at + 1]]
  if (prose.html || block === undefined || block.end - block.start > 80) return false
  return (at === 0 || block.gap > 0) && (next === undefined || next.gap > 0)
}

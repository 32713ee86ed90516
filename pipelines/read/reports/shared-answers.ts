// Headings without text that are answered elsewhere: by a footnote that their asterisk refers to, by words above them or below the last of
// them, or by the sentence that introduces a list of omitted items.
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'
import { partLine, textOf } from './heading-look.ts'
import type { LocatedItem } from './located.ts'
import { itemVerdict, type Verdict } from './status.ts'

/** Words of one sentence that answers several items. */
const several =
  /\bitems?\s(?:\d|[a-z]{3,9}\b)[^.]{0,60}(?:,|\band\b|\bthrough\b|\bto\b|[-–])|\b(?:these|those|foregoing|following|such|above)\sitems\b|\b(?:this\s)?part\s(?:iv|i{1,3})\b/i
const leavesOut = /\b(?:omitted|not\s(?:required|applicable|included)|incorporated)\b/i
const longestAnswer = 1600

/** Each empty item with the answer that applies to it; others unchanged. In the order of the document. */
export function withSharedAnswers(prose: Prose, items: readonly LocatedItem[]): LocatedItem[] {
  const noted = items.map(item => {
    const note = footnoteOf(prose, item)
    return note === null ? item : { ...item, ...note, flags: [...item.flags, 'answered_in_footnote'] }
  })
  return noted.map((item, at) => {
    if (item.status !== 'empty' || item.end <= item.start || /^[\s[(]*reserved/i.test(item.title ?? '')) return item
    const above = answerAbove(prose, item)
    if (above !== null) return { ...item, ...above, flags: [...item.flags, 'answered_above'] }
    const below = answerBelow(prose, noted, at)
    return below === null ? item : { ...item, ...below.verdict, flags: [...item.flags, `answered_with_${below.item.item}`] }
  })
}

const stub = (text: string): Verdict | null => {
  const verdict = itemVerdict(text, null)
  return verdict.status === 'incorporated_by_reference' || verdict.status === 'not_required' ? verdict : null
}

/** `*` at the end of the title, or alone after it: the footnote with the same number of asterisks. Null if the item has text. */
function footnoteOf(prose: Prose, item: LocatedItem): Verdict | null {
  if (item.end <= item.start || item.words > 60) return null
  const heading = prose.text.slice(item.start, item.headingEnd)
  const body = prose.text.slice(item.headingEnd, item.end)
  const mark = /(\*{1,4})\W{0,3}$/.exec(heading)?.[1] ?? /^\W{0,4}?(\*{1,4})\W{0,4}$/.exec(body)?.[1]
  // The last of the items may contain the note.
  if (mark === undefined || /\p{L}/u.test(body.replace(/(?:^|\n)\s{0,4}\*[\s\S]*$/u, ''))) return null
  for (let at = blockAt(prose, item.headingEnd - 1) + 1; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    const line = prose.text.slice(block.start, Math.min(block.end, block.start + longestAnswer))
    const own = /^\W{0,3}?(\*{1,4})[\s)\t]{0,4}(\p{L}[\s\S]*)$/u.exec(line)
    if (own === null || own[1] !== mark) continue
    return stub(prose.html ? (own[2] ?? '') : paragraphFrom(prose, at).replace(/^\W+/u, ''))
  }
  return null
}

/** A paragraph of plain text from its first line on. */
function paragraphFrom(prose: Prose, first: number): string {
  let last = first
  while (!prose.html && prose.blocks[last + 1]?.gap === 0 && last - first < 20) last += 1
  return prose.text.slice((prose.blocks[first] as Block).start, (prose.blocks[last] as Block).end)
}

/** The words above a run of empty headings: `The following items have been omitted …`, or the statement of a part about all of its items. */
function answerAbove(prose: Prose, item: LocatedItem): Verdict | null {
  let chars = 0
  for (let at = blockAt(prose, item.start) - 1; at >= 0 && chars < 2600; at -= 1) {
    const block = prose.blocks[at] as Block
    const line = textOf(prose, block)
    chars += line.length
    if (partLine(line) !== null) return null
    const first = firstLineOf(prose, at)
    const paragraph = paragraphFrom(prose, first)
    if (paragraph.length <= longestAnswer && /^\p{Lu}/u.test(paragraph) && !/^\W{0,4}item/i.test(paragraph)) {
      return several.test(paragraph) && leavesOut.test(paragraph) ? stub(paragraph) : null
    }
    // Other headings of the same list come between.
    if (!/^\W{0,4}item/i.test(line) && line.length > 160) return null
  }
  return null
}
function firstLineOf(prose: Prose, at: number): number {
  let first = at
  while (!prose.html && first > 0 && prose.blocks[first]?.gap === 0) first -= 1
  return first
}

/** The answer of the last heading of a run that names several items. */
function answerBelow(prose: Prose, items: readonly LocatedItem[], at: number): { readonly verdict: Verdict; readonly item: LocatedItem } | null {
  for (const item of items.slice(at + 1, at + 8)) {
    if (item.part !== items[at]?.part) return null
    if (item.status === 'empty') continue
    const body = prose.text.slice(item.headingEnd, item.end)
    // The headings of part III are often listed below each other, with one answer for all.
    if (item.part === 'III' && item.flags.includes('answered_in_footnote')) return { verdict: { status: item.status, reason: item.reason }, item }
    const verdict = body.length <= longestAnswer && (several.test(body) || item.part === 'III') ? stub(body) : null
    return verdict === null ? null : { verdict, item }
  }
  return null
}

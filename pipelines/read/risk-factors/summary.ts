// The summary of risk factors that Regulation S-K, Item 105(b), wants ahead of a long section: a list of what follows, not factors.
import type { Line } from './lines.ts'

const title =
  /^(?:(?:\d+\.?|[a-z]\.)\s+)?(?:summary (?:of )?(?:(?:the|our|principal|material|key|selected|certain|major|significant) |and )*risks?(?: factors?)?(?: and uncertainties)?|(?:principal |material |key )?risk factors? summary|risk factors?:? (?:a )?summary|summary)(?: (?:associated with|relating to|related to|affecting|of) .{0,60})?[.:]?$/i
const sameTitle = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
const long = 40

/**
 * The lines without the summary. It ends at the second occurrence of the section's title, at a repeated heading of a group, or at a heading
 * that a paragraph follows rather than a list.
 */
export function withoutSummary(lines: readonly Line[]): { readonly lines: readonly Line[]; readonly words: number } {
  const from = lines.findIndex((line, at) => at < 60 && line.words <= 14 && (line.mark !== null || line.words <= 6) && title.test(line.text))
  if (from < 0) return { lines, words: 0 }
  const to = endOfSummary(lines, from)
  if (to === null) return { lines, words: 0 }
  const words = lines.slice(from, to).reduce((sum, line) => sum + line.words, 0)
  return { lines: [...lines.slice(0, from), ...lines.slice(to)], words }
}

function endOfSummary(lines: readonly Line[], from: number): number | null {
  const headings = new Set<string>()
  for (let at = from + 1; at < lines.length; at += 1) {
    const line = lines[at] as Line
    if (line.bullet) continue
    const name = sameTitle(line.text)
    if (/^(?:the )?risk factors$/.test(name)) return at
    if (line.lead && line.words >= 2 * long) return at
    if (!line.mark) continue
    if (headings.has(name)) return at
    const next = lines[at + 1]
    const isFactor = next !== undefined && !next.mark && !next.bullet && next.words >= long
    // A heading above one that a paragraph follows is the group's.
    if (isFactor) return at > from + 1 && isGroupAbove(lines[at - 1] as Line) ? at - 1 : at
    headings.add(name)
  }
  return null
}
const isGroupAbove = (line: Line): boolean => line.mark !== null && line.words <= 12

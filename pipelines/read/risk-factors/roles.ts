// The role of each line of a section: the heading of a group, the heading of a factor, or text. Filers have no common style, so the reader
// first finds the section's own: the style of most headings that a paragraph follows.
import type { Line, Mark } from './lines.ts'

/** `lead_…`: the heading runs into its paragraph; `sentence`: the paragraph's first sentence serves as a heading. */
export type Role = 'group' | 'factor' | 'lead_factor' | 'lead_group' | 'sentence' | 'text'

const groupWords = 12
const headingWords = 80
/** In the very look of the other headings: filers put whole paragraphs in bold. */
const longHeadingWords = 150
const groupText =
  /\brisks?\s+(?:factors?\s+)?(?:related|relating)\s+to\b|\brisks?\s+associated\s+with\b|\brisks?\s+(?:of|from|in|concerning|inherent|affecting|arising|specific|regarding|pertaining)\b/i
const groupName = /^(?:[\w,&'’/-]+\s){0,6}risks?(?:\s+factors?)?[.:]?$/i
/** The title of several risks: short, no sentence, and nothing that may happen in it. */
export const isGroupText = (text: string, words: number): boolean =>
  words <= groupWords &&
  !/[.?!]$/.test(text) &&
  !/\b(?:may|could|might|would|will|can)\b/i.test(text) &&
  (groupText.test(text) || groupName.test(text))

/** The roles of the lines, one each. */
export function rolesOf(lines: readonly Line[]): Role[] {
  const heads = lines.map(line => line.mark !== null && isHeading(line))
  const leads = leadStyles(lines)
  const ledFactors = lines.filter(line => line.lead && leads.has(line.lead.mark.key)).length
  const alone = heads.filter((is, at) => is && isText(lines, heads, at + 1)).length
  // Italic beginnings inside factors with their own headings are their parts; headings that hardly ever precede text are groups.
  return ledFactors >= 3 && ledFactors > 2 * alone ? rolesByLead(lines, heads, leads) : rolesByHeading(lines, heads)
}

function isHeading({ text, words, mark }: Line): boolean {
  if (!mark || words > longHeadingWords || /[:;,]$/.test(text) || !/[A-Za-z]{2}/.test(text)) return false
  // A row of a table with figures is not a heading, in any font weight.
  return !(text.includes('\t') && /\d/.test(text.slice(text.indexOf('\t'))))
}
const isText = (lines: readonly Line[], heads: readonly boolean[], at: number): boolean => at < lines.length && heads[at] !== true

function leadStyles(lines: readonly Line[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { lead } of lines) if (lead) counts.set(lead.mark.key, (counts.get(lead.mark.key) ?? 0) + 1)
  return new Set([...counts].filter(([, count]) => count >= 3).map(([key]) => key))
}

function rolesByLead(lines: readonly Line[], heads: readonly boolean[], leads: ReadonlySet<string>): Role[] {
  const names = lines.map(line => (line.lead ? line.text.slice(0, line.lead.at) : ''))
  const inCapitals = names.filter(name => name !== '' && isCapitals(name)).length
  const mostlyCapitals = inCapitals * 2 > names.filter(name => name !== '').length
  return lines.map((line, at) => {
    if (heads[at]) return line.words <= groupWords || !isText(lines, heads, at + 1) || lines[at + 1]?.lead ? 'group' : 'factor'
    if (!line.lead || !leads.has(line.lead.mark.key)) return 'text'
    const name = (names[at] as string).replace(/[\s.:–—-]+$/, '')
    return (isCapitals(name) && !mostlyCapitals) || (isGroupText(name, name.split(' ').length) && lines[at + 1]?.lead) ? 'lead_group' : 'lead_factor'
  })
}
const isCapitals = (text: string): boolean => /[A-Z]/.test(text) && !/[a-z]/.test(text)

function rolesByHeading(lines: readonly Line[], heads: readonly boolean[]): Role[] {
  const styles = stylesOf(lines, heads)
  const roles: Role[] = lines.map(() => 'text')
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    if (!heads[at]) continue
    const line = lines[at] as Line
    const above = roles[at + 1] === 'factor' || roles[at + 1] === 'group'
    if (above) roles[at] = line.words <= groupWords ? 'group' : 'text'
    else if (at + 1 < lines.length) roles[at] = roleAboveText(line, styles)
  }
  return roles
}

type Styles = { readonly main: Mark | null; readonly mainWords: number; readonly factors: ReadonlySet<string> }

/** The look of the section's factor headings: of the looks above text, the most frequent one, in sentences rather than in words. */
function stylesOf(lines: readonly Line[], heads: readonly boolean[]): Styles {
  const looks = new Map<string, { mark: Mark; count: number; words: number }>()
  for (const [at, line] of lines.entries()) {
    if (!heads[at] || !isText(lines, heads, at + 1) || !line.mark) continue
    const look = looks.get(line.mark.key) ?? { mark: line.mark, count: 0, words: 0 }
    looks.set(line.mark.key, { mark: look.mark, count: look.count + 1, words: look.words + line.words })
  }
  const score = ({ count, words }: { count: number; words: number }): number => count * Math.min(words / count, groupWords)
  const ranked = [...looks.values()].sort((a, b) => score(b) - score(a) || (a.mark.key < b.mark.key ? -1 : 1))
  const [main] = ranked
  if (!main) return { main: null, mainWords: 0, factors: new Set() }
  const mainWords = main.words / main.count
  const sentences = ranked.filter(look => look.words / look.count >= Math.min(8, mainWords))
  return { main: main.mark, mainWords, factors: new Set(sentences.map(look => look.mark.key)) }
}

function roleAboveText(line: Line, { main, mainWords, factors }: Styles): Role {
  const mark = line.mark as Mark
  if (!main) return 'text'
  const isMain = mark.key === main.key
  if (line.words > headingWords) return isMain ? 'factor' : 'text'
  if (isGroupText(line.text, line.words) && (!isMain || mainWords >= 8)) return 'group'
  if (isMain || factors.has(mark.key)) return 'factor'
  // Short words in a stronger look than the factors' precede several of them; in a weaker one they divide one.
  return line.words <= groupWords && mark.weight > main.weight ? 'group' : 'text'
}

/** Tests whether a heading describes a risk: that something may happen, or is a danger, a limit, a dependence. */
const modal =
  /\b(?:may|could|might|depends?|dependent|would|will|can|cannot|subject to|unable|adversely|no assurance|risks?|rel(?:y|ies)|restricts?|limits?|harms?|fails?|failure|loss|los(?:e|es)|fac(?:e|es)|competition|compete|uncertain(?:ty|ties)?|difficult|volatile|exposed?)\b/i

/**
 * Roles without markup (plain text, or one style for everything): a sentence in its own line that begins with a capital and has a modal,
 * above a paragraph; a short line in capitals above one of those is a group.
 */
export function rolesBySentence(lines: readonly Line[]): Role[] {
  const roles: Role[] = lines.map(() => 'text')
  for (let at = lines.length - 2; at >= 0; at -= 1) {
    const line = lines[at] as Line
    const next = lines[at + 1] as Line
    if (line.bullet || !/^["“'(]?[A-Z]/.test(line.text) || /[:;,]$/.test(line.text)) continue
    const above = roles[at + 1] === 'factor' || roles[at + 1] === 'group'
    if (above) {
      if (line.words <= groupWords && (line.mark !== null || isGroupText(line.text, line.words))) roles[at] = 'group'
      continue
    }
    const one = !/[.?!]\s+[A-Z]/.test(line.text)
    const isFactor = line.words >= 4 && line.words <= headingWords && one && (modal.test(line.text) || line.mark !== null)
    if (isFactor && !next.bullet && next.words >= 20 && next.words > line.words / 2) roles[at] = 'factor'
  }
  return roles
}

/** Roles without marked headings: every paragraph that is long enough is one, and what follows it belongs to it. */
export function rolesByParagraph(lines: readonly Line[]): Role[] {
  return lines.map((line, at) => {
    const follows = lines[at - 1]?.text.endsWith(':') ?? false
    return line.words >= paragraphWords && !line.bullet && !line.continues && !follows ? 'sentence' : 'text'
  })
}
/** The minimum body of a factor (leastBodyWords): here it has no separate heading. */
const paragraphWords = 40

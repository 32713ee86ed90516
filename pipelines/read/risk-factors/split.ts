// A section of risk factors, split into its factors: the ruleset rfdiff@1, step 3.
import { countWords, type Prose } from '#warehouse/documents/prose/prose.ts'
import { type Line, linesOf, type Span } from './lines.ts'
import { isGroupText, type Role, rolesByParagraph, rolesBySentence, rolesOf } from './roles.ts'
import { withoutSummary } from './summary.ts'

type SplitFactor = {
  readonly rank: number
  readonly group: string | null
  readonly heading: string
  readonly body: string
  /** Of heading and body. */
  readonly words: number
  /** Offsets in the prose's text. */
  readonly start: number
  readonly end: number
  readonly flags: readonly string[]
}
export type FactorSplit = {
  readonly factors: readonly SplitFactor[]
  /** Words of the dropped summary. */
  readonly summary_words: number
  /** Words between the section's heading and its first factor or group. */
  readonly introduction_words: number
}

/** A factor with fewer words of body is not separate (rfdiff@1): it belongs to the previous one. */
const leastBodyWords = 40
/** Above it a section is no list of risk factors: what follows stays in the last one. The longest seen has about 150. */
const mostFactors = 2_000
/** An introduction with this many words counts as content. */
const longIntroduction = 250
/** Longer factors on the average mean that the headings were not seen. */
const mostWordsEach = 2_500

type Draft = { group: string | null; heading: string; body: string; start: number; end: number; flags: readonly string[] }

/** Splits a section; `section.start` is after the section's own heading. Linear in its length. */
export function splitFactors(prose: Prose, section: Span): FactorSplit {
  const { lines, words } = withoutSummary(linesOf(prose, section))
  const collected = collect(lines, factorRoles(lines, prose.html))
  const factors = absorbed(collected.drafts).map((draft, at) => ({
    rank: at + 1,
    ...draft,
    words: countWords(draft.heading) + countWords(draft.body),
  }))
  return { factors, summary_words: words, introduction_words: collected.introduction }
}

/** The section's own headings; if they are too few for its length, sentences in lines of their own; otherwise its paragraphs. */
function factorRoles(lines: readonly Line[], html: boolean): Role[] {
  const words = lines.reduce((sum, line) => sum + line.words, 0)
  const tries = html ? [rolesOf, rolesBySentence] : [rolesBySentence, rolesOf]
  for (const roles of tries.map(each => each(lines))) {
    const factors = roles.filter(role => role === 'factor' || role === 'lead_factor').length
    if (factors > 0 && words / factors <= mostWordsEach) return roles
  }
  return rolesByParagraph(lines)
}

function collect(lines: readonly Line[], roles: readonly Role[]): { readonly drafts: Draft[]; readonly introduction: number } {
  const drafts: Draft[] = []
  let [group, current, introduction] = [null as string | null, null as Draft | null, 0]
  let waiting: Line[] = []
  let title: Line | null = null
  const flush = (): void => {
    // Text above the first factor of a group introduces the factors; a long introduction is kept as content.
    const words = waiting.reduce((sum, line) => sum + line.words, 0)
    if (title && words >= leastBodyWords) drafts.push(underTitle(title, waiting))
    else if (words >= longIntroduction) drafts.push(fromSentence(waiting, group))
    else introduction += words
    waiting = []
    title = null
  }
  for (const [at, line] of lines.entries()) {
    const role = drafts.length < mostFactors ? (roles[at] as Role) : 'text'
    if (role === 'text') {
      if (current) append(current, line)
      else waiting.push(line)
      continue
    }
    if (role === 'group' && group !== null && sameTitle(line.text) === sameTitle(group)) continue // printed again on the next page
    flush()
    if (role === 'group' || role === 'lead_group') {
      // Under a short heading that names no group of risks, text of a factor's length is a factor.
      if (role === 'group' && !isGroupText(line.text, line.words)) title = line
      group = role === 'group' ? line.text : nameOf(line)
      current = null
      if (role === 'lead_group') waiting.push(behindLead(line))
    } else {
      current =
        role === 'sentence'
          ? fromSentence([line], group)
          : { group, heading: role === 'factor' ? line.text : nameOf(line), body: '', start: line.start, end: line.end, flags: [] }
      if (role === 'lead_factor') append(current, behindLead(line))
      drafts.push(current)
    }
  }
  flush()
  return { drafts, introduction }
}

const sameTitle = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\W*\bcontinued\b\W*$/, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()

function underTitle(title: Line, lines: readonly Line[]): Draft {
  const draft: Draft = { group: null, heading: title.text, body: '', start: title.start, end: title.end, flags: ['short_heading'] }
  for (const line of lines) append(draft, line)
  return draft
}

function append(draft: Draft, line: Line): void {
  draft.body += `${draft.body === '' ? '' : line.continues ? ' ' : '\n'}${line.text}`
  draft.end = line.end
}

const nameOf = (line: Line): string => line.text.slice(0, line.lead?.at ?? 0).replace(/[\s:–—-]+$/, '')
const behindLead = (line: Line): Line => ({ ...line, text: line.text.slice(line.lead?.at ?? 0).replace(/^[\s:–—-]+/, ''), continues: false })

/** A factor without a heading: its first sentence serves as one. */
function fromSentence(lines: readonly Line[], group: string | null): Draft {
  const [first] = lines as [Line]
  const end = /[.?!:]["”’)]?(?=\s)/.exec(first.text.slice(0, 600))
  const cut = end ? end.index + end[0].length : first.text.length <= 600 ? first.text.length : first.text.lastIndexOf(' ', 600)
  const draft: Draft = {
    group,
    heading: first.text.slice(0, cut),
    body: '',
    start: first.start,
    end: first.end,
    flags: ['heading_is_first_sentence'],
  }
  for (const line of [{ ...first, text: first.text.slice(cut).trimStart() }, ...lines.slice(1)]) if (line.text !== '') append(draft, line)
  return draft
}

/** Factors with too short a body, added to the one above in the same group; at the beginning of a group to the one below. */
function absorbed(drafts: readonly Draft[]): Draft[] {
  const out: Draft[] = []
  let carried: Draft | null = null
  for (const draft of drafts) {
    const taken: Draft = carried && carried.group === draft.group ? joinedDrafts(carried, draft) : draft
    if (carried && taken === draft) out.push(carried)
    carried = null
    const above = out.at(-1)
    if (bodyWords(taken) >= leastBodyWords) out.push(taken)
    else if (above && above.group === taken.group) out[out.length - 1] = joinedDrafts(above, taken)
    else carried = taken
  }
  if (carried) out.push(carried)
  return out
}

/** A sentence that serves as a heading is also part of the body. */
const bodyWords = ({ heading, body, flags }: Draft): number =>
  countWords(body) + (flags.includes('heading_is_first_sentence') ? countWords(heading) : 0)

const joinedDrafts = (above: Draft, below: Draft): Draft => ({
  ...above,
  body: [above.body, below.heading, below.body].filter(text => text !== '').join('\n'),
  end: below.end,
  flags: above.flags.includes('absorbed_short_factor') ? above.flags : [...above.flags, 'absorbed_short_factor'],
})

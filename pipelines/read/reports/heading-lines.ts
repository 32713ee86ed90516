// Lines of a report that may be the heading of an item: `Item` and a number at the beginning, with the title on the same line, in the next
// cell or on the next line. Contents lines, running heads and references are recognised later, or here by the words after the title.
import type { Block, Prose } from '#warehouse/documents/prose/prose.ts'
import { type FormItems, type ItemSlot, isLetter, type Part, titleIn } from './form-items.ts'
import { bodySize, isAlone, isInsideParagraph, isOutlier, isRuled, partLine, partOf, textOf } from './heading-look.ts'
import { readTitle, stubBeginning, tidy } from './heading-titles.ts'

export type HeadingLine = {
  readonly slot: ItemSlot
  /** Other items with the same heading (`Items 1 and 2. Business and Properties`). */
  readonly also: readonly ItemSlot[]
  readonly block: number // index in prose.blocks
  readonly start: number
  /** After the title. */
  readonly end: number
  readonly title: string | null
  /** `numbered` Item and number; `bare` only the number; `titled` only the title. */
  readonly kind: 'numbered' | 'bare' | 'titled'
  /** The title is one that the form prints. */
  readonly canonical: boolean
  /** The text of the item begins on the same line. */
  readonly runIn: boolean
  /** Bold, underlined, centred, large, or all in capitals. */
  readonly styled: boolean
  /** The line states that it continues an item (`(continued)`). */
  readonly continued: boolean
  readonly numberDiffers: boolean
}

/** Numbers in words, up to the highest item of any form. */
const spelled = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
  ' ',
)
const inWords = String.raw`(?:${spelled.toReversed().join('|')})(?!\p{L})`
const romans = 'I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI'.split(' ')
/** A number in digits, without leading zero, or in words. */
const numberOf = (text: string): string => {
  const at = spelled.indexOf(text.toLowerCase())
  return at < 0 ? String(Number(text)) : String(at + 1)
}

/** `Part II,` before it, `Table of Contents` of a page's head, or the letter of a list (`(a) Item 1. Business`). */
const before = String.raw`(?:table\sof\scontents\s?)?(?:\([a-z]\)\s{1,4})?[^\p{L}\p{N}"“”'‘’]{0,8}(?:part\s{0,3}(iv|i{1,3}|[1-4])\b[\s.,:;|–—―-]{0,12})?`
/** Not the beginning of a longer number (`Item 1114 of Regulation AB`) or of a decimal one (`Item 5.02`). */
const digits = String.raw`\d{1,2}(?!\d|\.\d)`
const letter = String.raw`[A-Ka-k](?![\p{L}\p{N}])`
/**
 * `Item 1A`, `ITEM 1.A.`, `Item 1-A`, `Item IV`, `Part II, Item 7`, `Items 1 and 2`, `Item No. 5`, `Item IA` (a letter in place of the
 * digit), `Item 9A(T)`, `ITEM SEVEN`, `Item - 5`.
 */
const numberedSource = String.raw`^${before}(i\s?t\s?e\s?m(?:\s?s(?!\p{L}))?)[\s.:#,–—-]{0,4}(?:no\.?\s{0,2}|number\s)?(?:(${digits}|${inWords})|([IVX]{1,4})(?![\p{L}\p{N}])|([Il])(?=[\s.]?\(?${letter}))(?:[\s.-]?\(?(${letter})\)?)?(?:\s?\(T\))?`
const numbered = new RegExp(numberedSource, 'u')
/** The next of several numbers. Decimal ones: current-items.ts. */
const further = new RegExp(
  String.raw`^[\s.,]{0,4}(?:and|&|,|through|to|-|–|\/)\s{0,4}(?:items?\s{0,3})?(${digits}|${inWords})\s?\(?([A-Ka-k])?(?![\p{L}\p{N}])\)?`,
  'iu',
)
const bareNumber = /^(\d{1,2})(?:\.?([A-K])(?!\p{L}))?[.):\t\s][\s.]{0,6}/u
/** `D.`, `5.2`, `ITEM 5:` before a title, if the numbers are those of the filer. */
const ownNumber = /^(?:(?:item|section|part)\s)?(?:\d{1,2}(?:\.\d{1,2}){0,2}|\(?[A-Ha-h]\)?|[IVX]{1,5})[.):\s–—-]{1,6}/iu
const separators = /^[\s.:;|)\]–—―‐‑−/\u2022·_*-]{0,16}/u
const trailingNumber = /(?:\(|[–—-]\s)\s?(?:part\s(?:iv|i{1,3}),?\s)?items?\s(\d{1,2}[A-C]?)\s?\)?[\s.)]{0,4}$/iu

/**
 * All lines that may be the heading of an item, in the order of the document. Linear: only the first few hundred characters of each line
 * are used.
 */
export function headingLines(prose: Prose, form: FormItems): HeadingLine[] {
  const found: HeadingLine[] = []
  const body = bodySize(prose)
  let part: Part | null = null
  for (let at = 0; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    const line = prose.text.slice(block.start, Math.min(block.end, block.start + 700))
    part = partLine(line) ?? part
    const first = line.charCodeAt(0)
    const isNumber = first >= 48 && first <= 57
    if (isNumber && !form.ownNumbers) {
      const bare = bareLine(prose, form, at, line, part, body)
      if (bare !== null) found.push(bare)
      continue
    }
    const heading =
      (isNumber ? bareLine(prose, form, at, line, part, body) : numberedLine(prose, form, at, line, part, body)) ??
      titledLine(prose, form, at, line, part, body)
    if (heading !== null) found.push(heading)
  }
  return found
}

function slotOf(form: FormItems, item: string, part: Part | null, rest: string): { slot: ItemSlot; differs: boolean } | null {
  const slots = form.byNumber.get(item)
  const fits = slots?.filter(slot => titleIn(rest, slot.titles) !== null) ?? []
  if (fits.length === 1) return { slot: fits[0] as ItemSlot, differs: false }
  const candidates = fits.length > 0 ? fits : (slots ?? [])
  if (fits.length === 0) {
    // A wrong number: the title is completely that of another item.
    const meant = form.slots.filter(
      slot =>
        titleIn(
          rest,
          slot.titles.filter(title => !title.endsWith('*')),
        )?.whole === true,
    )
    const only = meant.find(slot => slot.part === part) ?? meant[0]
    if (only !== undefined && Number.parseInt(only.item, 10) === Number.parseInt(item, 10)) return { slot: only, differs: true }
  }
  const chosen = candidates.find(slot => slot.part === part) ?? candidates.at(-1)
  return chosen === undefined ? null : { slot: chosen, differs: false }
}

/** The number of an item at the beginning of a line, and the numbers of those that it lists: `Items 1 and 2.`. */
type ItemNumber = {
  /** `Item` as printed. */
  readonly word: string
  readonly isRoman: boolean
  readonly own: Part | null
  readonly number: string
  readonly more: string[]
  /** The first character behind the numbers. */
  readonly from: number
}
function readNumber(form: FormItems, line: string, part: Part | null): ItemNumber | null {
  // Most lines have another beginning; the pattern runs only for those that may match.
  if (!/item|i\s?t\s?e\s?m/i.test(line.slice(0, 40))) return null
  const match =
    numbered.exec(line) ??
    (/^(?:\([a-z]\)|\W{0,8}(?=[A-Z]))\s{0,4}(?:PART|Part|ITEM|Item|T(?:able|ABLE)\s)/.test(line) ? numberedAny.exec(line) : null)
  if (match === null) return null
  const [head, partText, word = '', printed, roman, oneAsLetter, letterBehind] = match
  const own = partOf(partText) ?? part
  const whole = roman === undefined ? (printed === undefined ? '1' : numberOf(printed)) : `${romans.indexOf(roman.toUpperCase()) + 1}`
  // `Item 6. (a) Exhibits`: the letter of a paragraph, if the form has no such item.
  const suffix = letterBehind !== undefined && form.byNumber.has(`${whole}${letterBehind.toUpperCase()}`) ? letterBehind : undefined
  const number = `${whole}${(suffix ?? '').toUpperCase()}`
  if (oneAsLetter !== undefined && suffix === undefined) return null
  let from = head.length
  const more: string[] = []
  for (let next = further.exec(line.slice(from)); next !== null && more.length < 8; next = further.exec(line.slice(from))) {
    more.push(`${numberOf(next[1] ?? '')}${(next[2] ?? '').toUpperCase()}`)
    from += next[0].length
  }
  if (more.length > 0 && !/^[\s]{0,3}(?:[.:;|–—―\t-]|$|\p{Lu})/u.test(line.slice(from))) return null
  return { word, isRoman: roman !== undefined, own, number, more, from }
}

function numberedLine(prose: Prose, form: FormItems, at: number, line: string, part: Part | null, body: number): HeadingLine | null {
  const read = readNumber(form, line, part)
  if (read === null) return null
  const { word, isRoman, own, number, more, from } = read
  let gap = separators.exec(line.slice(from))?.[0].length ?? 0
  const paragraph = /^\(?[a-h]\)[\s.:–—-]{1,4}/iu.exec(line.slice(from + gap))?.[0] ?? ''
  const isTitleBehind = paragraph !== '' && slotOf(form, number, own, line.slice(from + gap + paragraph.length)) !== null
  if (isTitleBehind) gap += paragraph.length
  let rest = line.slice(from + gap)
  if (gap === 0 && rest !== '' && isLetter(rest.charCodeAt(0)) && !/^\p{Lu}/u.test(rest)) return null
  const block = prose.blocks[at] as Block
  let end = block.start + from + gap
  let last = at
  if (rest === '') {
    // The title on the next line, or in the next row.
    const next = prose.blocks[at + 1]
    const nextLine = next === undefined ? '' : prose.text.slice(next.start, Math.min(next.end, next.start + 700))
    const known = slotOf(form, number, own, nextLine)
    if (next !== undefined && known !== null && titleIn(nextLine, known.slot.titles) !== null && readTitle(nextLine, known.slot) !== null) {
      rest = nextLine
      end = next.start
      last = at + 1
    }
  }
  const chosen = slotOf(form, number, own, rest)
  if (chosen === null) return null
  const { slot, differs } = chosen
  const continued = /\(?\bcont(?:inued|['’]d|\.|d\b)/iu.test(rest.slice(0, 200))
  // A heading in bold may continue in small letters, like a reference in plain ones.
  const isBold = block.bold >= block.inked * 0.9 || block.level > 0
  const split = rest === '' ? null : overTwoLines(prose, last, rest, slot)
  if (split !== null) {
    rest = split
    last += 1
  }
  const title =
    rest === ''
      ? null
      : split !== null
        ? { length: split.length, canonical: true, runIn: false }
        : (readTitle(rest, slot, isBold) ?? (more.length > 0 ? titlesOfSeveral(form, rest, slot, more) : null))
  if (rest !== '' && title === null) return null
  // `Item IV` may belong to another document; followed by the title of the form, it belongs to this one.
  if (isRoman && title?.canonical !== true) return null
  if (/^\([a-z]\)/u.test(line) && (title?.canonical !== true || title.runIn)) return null
  const second = secondItem(form, rest, slot)
  if (second !== null) more.push(second)
  if (title !== null && split === null && !title.runIn && goesOn(prose, last, rest)) {
    last += 1
    rest = `${rest}\n${textOf(prose, prose.blocks[last] as Block)}`
  }
  const isWhole = (last > at && rest.includes('\n')) || (second !== null && rest.length <= 160)
  const titleLength = isWhole ? rest.length : (title?.length ?? 0)
  const titleEnd = title === null ? block.end : end + titleLength
  const isMarked = isOutlier(block, prose.text.slice(block.start, Math.min(titleEnd, block.end)), body)
  // In a heading on a separate line, only the number may be bold.
  const isOwnLine = title !== null && !title.runIn && isAlone(prose, at)
  const styled = isMarked || isOwnLine || (title?.canonical === true && !title.runIn && block.bold >= from * 0.6) || isRuled(prose, at)
  // `item 7` in small letters is a reference, unless the page prints its headings so.
  if (/^i/.test(word) && !styled) return null
  if (!styled && isInsideParagraph(prose, at)) return null
  const also = more.flatMap(
    other => form.byNumber.get(other)?.find(slot => slot.part === null || slot.part === (own ?? slot.part)) ?? form.byNumber.get(other)?.[0] ?? [],
  )
  return {
    slot,
    also,
    block: at,
    start: block.start,
    end: Math.min(titleEnd, (prose.blocks[last] as Block).end),
    title: title === null ? null : tidy(rest.slice(0, titleLength)),
    kind: 'numbered',
    canonical: title?.canonical ?? false,
    runIn: title?.runIn ?? false,
    styled,
    continued,
    numberDiffers: differs,
  }
}

/** The titles of several items in sequence, with any text in between (`Items 10, 11, 12 and 13.`). */
function titlesOfSeveral(form: FormItems, rest: string, slot: ItemSlot, more: readonly string[]): ReturnType<typeof readTitle> {
  let from = titleIn(rest, slot.titles)?.end ?? -1
  for (const number of more) {
    if (from < 0) return null
    const titles = form.byNumber.get(number)?.flatMap(other => other.titles) ?? []
    const starts = [...rest.slice(from).matchAll(/[;,.\n]\s{0,3}(?:and\s)?/gu)].map(({ index, 0: mark }) => from + index + mark.length)
    const next = starts.map(start => start + (titleIn(rest.slice(start), titles)?.end ?? -start - 1)).find(end => end >= 0)
    from = next ?? -1
  }
  return from < 0 || rest.length - from > 60 ? null : { length: rest.length, canonical: true, runIn: false }
}
const numberedAny = new RegExp(numberedSource, 'iu')

/** `Business and Item 1A. Risk Factors`: another item with its title follows that of the first one. */
function secondItem(form: FormItems, rest: string, slot: ItemSlot): string | null {
  const match = /[\s,;/]{1,3}(?:and|&|\/)?\s{0,2}items?\s{0,3}(\d{1,2})\s?\.?\(?([A-K])?\)?[\s.:–—-]{1,6}/iu.exec(rest.slice(0, 200))
  const known = titleIn(rest, slot.titles)
  if (match === null || known === null || match.index < known.end - 2 || match.index > known.end + 40) return null
  if (/[(“"]|\bsee\b/iu.test(rest.slice(known.end, match.index))) return null
  const number = `${match[1] ?? ''}${(match[2] ?? '').toUpperCase()}`
  const behind = rest.slice(match.index + match[0].length)
  return form.byNumber.get(number)?.some(other => titleIn(behind, other.titles) !== null) === true ? number : null
}

/** Plain text: the line and the one below it are one complete title of the form (`…, and Director` / `Independence`). */
function overTwoLines(prose: Prose, at: number, title: string, slot: ItemSlot): string | null {
  const [block, next, after] = [prose.blocks[at], prose.blocks[at + 1], prose.blocks[at + 2]]
  if (prose.html || block === undefined || next === undefined || next.gap > 0 || next.end - next.start > 90) return null
  if (after !== undefined && after.gap === 0 && !isRuled(prose, at + 1)) return null
  const both = `${title}\n${textOf(prose, next)}`
  const known = titleIn(both, slot.titles)
  return known?.whole === true && known.end > title.length && /^[\s.:;)–—-]*$/u.test(both.slice(known.end)) ? both : null
}

/** A word with which no title ends. */
const unfinished = /(?:,|&|\b(?:of|and|the|for|to|in|on|or|by|with|from|its|our|regarding|concerning|about|certain))$/iu
/** Plain text: the title has two lines, and the line below contains the rest (indented further, or required by the last word). */
function goesOn(prose: Prose, at: number, title: string): boolean {
  const [block, next, after] = [prose.blocks[at], prose.blocks[at + 1], prose.blocks[at + 2]]
  if (prose.html || block === undefined || next === undefined || next.gap > 0 || next.end - next.start > 90) return false
  const line = textOf(prose, next)
  const isShort = after === undefined || after.gap > 0 || unfinished.test(title.trim())
  const isRest = unfinished.test(title.trim()) || (next.indent >= block.indent + 4 && !/[.:]\s*$/.test(title))
  return isShort && isRest && /^\p{L}/u.test(line) && !stubBeginning.test(line) && !/^(?:part|items?)\b/iu.test(line)
}

/** `1A. RISK FACTORS`: the number without `Item`, followed by the title of the form. */
function bareLine(prose: Prose, form: FormItems, at: number, line: string, part: Part | null, body: number): HeadingLine | null {
  const match = bareNumber.exec(line)
  // `… See Item` / `1A. Risk Factors and Item 7 for more.`: a sentence on two lines.
  if (match === null || isInsideParagraph(prose, at)) return null
  const rest = line.slice(match[0].length)
  const fits = form.byNumber.get(`${match[1] ?? ''}${match[2] ?? ''}`)?.filter(candidate => titleIn(rest, candidate.titles) !== null)
  const slot = fits?.find(candidate => candidate.part === part) ?? fits?.[0]
  if (slot === undefined) return null
  const title = readTitle(rest, slot)
  if (title === null || !title.canonical) return null
  const block = prose.blocks[at] as Block
  const end = block.start + match[0].length + title.length
  const styled = isOutlier(block, prose.text.slice(block.start, end), body)
  return {
    ...{ slot, also: [], block: at, start: block.start, end, title: tidy(rest.slice(0, title.length)), kind: 'bare', canonical: true },
    ...{ runIn: title.runIn, styled, continued: /\bcont(?:inued|['’]d)/iu.test(rest.slice(0, 120)), numberDiffers: false },
  }
}

/** A title without a number, complete and styled as a heading; `Risk Factors (Item 1A)` counts as numbered. */
function titledLine(prose: Prose, form: FormItems, at: number, printed: string, part: Part | null, body: number): HeadingLine | null {
  const block = prose.blocks[at] as Block
  const skipped = form.ownNumbers ? (ownNumber.exec(printed)?.[0].length ?? 0) : 0
  const line = printed.slice(skipped)
  const whole = (slot: ItemSlot): boolean => titleIn(line, slot.titles)?.whole === true
  if (!mayBeTitle(line)) return null
  const behind = line.length <= 160 ? trailingNumber.exec(line) : null
  const canonical = form.slots.filter(slot =>
    behind === null ? whole(slot) : slot.item === behind[1]?.toUpperCase() && titleIn(line, slot.titles) !== null,
  )
  const isLoose = canonical.length === 0 && skipped === 0 && line.length <= longestLoose
  const slots = isLoose ? form.slots.filter(slot => (titleIn(line, slot.titles)?.end ?? 0) >= shortestLoose) : canonical
  const slot =
    slots.find(candidate => candidate.part === part && slots.length > 1 && isOwnTitle(line, candidate)) ??
    slots.find(candidate => isOwnTitle(line, candidate)) ??
    slots[0]
  if (slot === undefined) return null
  const length = titleIn(line, slot.titles)?.end ?? 0
  const after = line.slice(length)
  const alone = behind !== null || /^[\s.:;–—-]{0,8}$/u.test(after)
  // `General Dynamics Kilns, Inc.` is a name; `General` on a line is a title.
  if (!alone && /^\W{0,4}(?:general|the\scompany)\b/iu.test(line)) return null
  const title = alone ? { length: line.length, runIn: false } : readTitle(line, slot)
  if (title === null) return null
  const end = block.start + skipped + title.length
  const styled = isOutlier(block, prose.text.slice(block.start, end), body) || isRuled(prose, at)
  // In plain text, a title of mixed case is a heading if nothing else is on its line and around it; in a form whose items have lettered
  // parts, its letter too.
  const lettered = form.ownNumbers && alone && (isAlone(prose, at) || (skipped > 0 && !prose.html && !isInsideParagraph(prose, at)))
  if (!styled && !lettered) return null
  return {
    ...{ slot, also: [], block: at, start: block.start, end: Math.min(end, block.end), title: tidy(line.slice(0, title.length)) },
    ...{ kind: behind === null ? 'titled' : 'numbered', canonical: !isLoose, runIn: title.runIn, styled: true },
    ...{ continued: /\bcont(?:inued|['’]d)/iu.test(after.slice(0, 60)), numberDiffers: false },
  }
}
/** A title by the filer that begins like that of the form: the required part of the form's title, and the maximum length of its line. */
const shortestLoose = 9
const longestLoose = 220
/** A title that the form has had under several numbers belongs to the item that has it first (exhibits: 15, before 2003 14). */
const isOwnTitle = (line: string, slot: ItemSlot): boolean => titleIn(line, slot.titles.slice(0, 4)) !== null

/** First letters of titles, by which most lines are skipped. */
const mayBeTitle = (line: string): boolean => /^[^\p{L}\p{N}]{0,3}[ABCDEFGIKLMNOPQRSTUV]/iu.test(line.slice(0, 8)) && line.length > 5

/** Items that came with the rule on risk factors or later (SEC Release 33-8591, December 2005): a report with one of them is under it. */
export const sinceRiskFactors: ReadonlySet<string> = new Set(['1A', '1B', '1C', '9C', '16'])
export const isUnderRiskRule = (headings: readonly Pick<HeadingLine, 'kind' | 'slot'>[]): boolean =>
  headings.some(({ kind, slot }) => kind !== 'titled' && sinceRiskFactors.has(slot.item))

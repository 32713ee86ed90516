// The text after the number of an item: a title, a title with the text of the item on the same line, or the words of a sentence that only
// names the item.
import { type ItemSlot, titleIn } from './form-items.ts'

export type TitleRead = {
  readonly length: number
  /** One that the form prints. */
  readonly canonical: boolean
  /** The text of the item begins on the same line. */
  readonly runIn: boolean
}

/** Words with which a short answer begins directly after the title, without a full stop. */
export const stubBeginning =
  /^[\s.:;–—-]{0,6}[[(]?\s?(?:not\s(?:applicable|required|appl)|none\b|n\/a\b|see\b|as\sa\ssmaller|smaller\sreporting|we\sare\b|the\sinformation|information\s(?:required|regarding|in|concerning)|omitted|there\s(?:have|has|are|were)|refer\b|this\sitem|incorporated|in\saddition\sto|\[?reserved\b|no\smaterial|pursuant\sto|required\sinformation|the\scompany\s(?:is|has|had|was|does|did|will|may|owns|leases|maintains|incorporates|and\sits|believes|filed)\b)/i
/** How a sentence continues that only names an item. */
const referring = /^\s?(?:[,;”"’')\]]|[a-z])/u
const sentenceWords =
  /\b(?:is|are|was|were|has|have|had|see|refer|contains?|includes?|included|describ\w{1,6}|discussed|set\sforth|below|above|herein|appearing|appears|should|incorporated)\b/i
/** The same within a title that may contain such words. */
const partialSentence = /\b(?:is|are|was|were|see|refer|contains?|should|discussed|described|set\sforth|incorporated)\b/i
const mostTitleWords = 30

/** The text after the number of an item: its title, and whether the text of the item begins on the same line. Null: a reference in a sentence. */
export function readTitle(rest: string, slot: ItemSlot, allStyled = false): TitleRead | null {
  const known = titleIn(rest, slot.titles)
  if (known === null) {
    // A title by the filer is short and not a sentence.
    if (referring.test(rest) || wordCount(rest, 16) > 15 || sentenceWords.test(rest)) return null
    return { length: rest.length, canonical: false, runIn: false }
  }
  const after = rest.slice(known.end)
  if (!/\S/u.test(after) || /^[\s.:;–—\])|-]{0,8}$/u.test(after)) return { length: rest.length, canonical: true, runIn: false }
  // `Exhibits, Financial Statement Schedules,`: the line below contains the rest of the title.
  if (/^\s?[,&]?\s{0,3}(?:and|or|of|the)?\s{0,3}$/iu.test(after)) return { length: rest.length, canonical: true, runIn: false }
  if (stubBeginning.test(after.slice(0, 80))) return { length: known.end, canonical: true, runIn: true }
  if (known.whole && /^[\])]?\s?[.:–—-]/u.test(after)) {
    const body = after.replace(/^[\])]?[\s.:–—-]{1,8}/u, '')
    if (/^[\p{Lu}\d“"(•[]/u.test(body)) return { length: known.end + 1, canonical: true, runIn: true }
    return null
  }
  if (known.whole && /^\s?\(/u.test(after) && after.length < 60) return { length: rest.length, canonical: true, runIn: false }
  // `Exhibits, Financial Statement Schedules`: a title of several parts.
  if (known.whole && /^,\s\p{Lu}/u.test(after) && wordCount(after, 13) <= 12 && !sentenceWords.test(after) && !/\bitem\s/i.test(after)) {
    return { length: rest.length, canonical: true, runIn: false }
  }
  // `Properties of the Registrant`: a complete title followed by a name, not by a sentence.
  const goesOnWithName = /^\s(?:of|for)\s(?:the\s|our\s|its\s)?\p{Lu}/u.test(after) && wordCount(after, 9) <= 8 && !sentenceWords.test(after)
  if (known.whole && goesOnWithName && !/[,;(]/u.test(after)) return { length: rest.length, canonical: true, runIn: false }
  if (known.whole && refers(after, allStyled)) return null
  // A long title followed by the text: the title ends with its sentence.
  const point = /[.:](?:\s{1,3}|\t)(?=[\p{Lu}“"([•])/u.exec(after.slice(0, 400))
  if (point !== null && wordCount(rest.slice(0, known.end + point.index), mostTitleWords + 1) <= mostTitleWords) {
    return { length: known.end + point.index + 1, canonical: true, runIn: true }
  }
  if (wordCount(rest, mostTitleWords + 1) > mostTitleWords || (known.whole ? sentenceWords : partialSentence).test(after)) return null
  return { length: rest.length, canonical: true, runIn: false }
}

/** A complete title that continues like a sentence; a heading in bold may continue in small letters. */
function refers(after: string, allStyled: boolean): boolean {
  if (/^\s?[,;”"’')]/u.test(after)) return true
  return referring.test(after) && !allStyled && !/^\s?(?:and|&)\s/iu.test(after)
}

function wordCount(text: string, most: number): number {
  let count = 0
  let inside = false
  for (let at = 0; at < text.length && count < most; at += 1) {
    const blank = text.charCodeAt(at) <= 32
    if (!blank && !inside) count += 1
    inside = !blank
  }
  return count
}

/** A title as it is stored: one blank between words, without points and bars around it. */
export const tidy = (title: string): string | null => title.replace(/\s+/gu, ' ').replace(/^[\s.:;|–—-]{1,8}|[\s.:;|*–—-]{1,8}$/gu, '') || null

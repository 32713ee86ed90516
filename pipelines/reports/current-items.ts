// Items of a current report (Form 8-K): decimal numbers since 2004-08-23 (SEC Release 33-8400), 1 to 12 before.
import { type Block, countWords, type Prose } from '../documents/prose.ts'
import { findContents } from './contents.ts'
import { type ItemSlot, isLetter, titleIn } from './form-items.ts'
import type { HeadingLine } from './heading-lines.ts'
import { bodySize, standsOut } from './heading-look.ts'
import type { LocatedItem } from './located.ts'

const titles: Readonly<Record<string, string>> = {
  '1.01': 'entryinto* entryofa* amendmentof*',
  '1.02': 'terminationof*',
  '1.03': 'bankruptcy*',
  '1.04': 'minesafety*',
  '1.05': 'materialcyber*',
  '2.01': 'completionof*',
  '2.02': 'resultsof* resultof* disclosureofresults*',
  '2.03': 'creationof*',
  '2.04': 'triggering*',
  '2.05': 'costsassoc* costassoc*',
  '2.06': 'materialimpair*',
  '3.01': 'noticeof* transferof*',
  '3.02': 'unregistered*',
  '3.03': 'materialmodif*',
  '4.01': 'changesin* changein*',
  '4.02': 'nonreliance*',
  '5.01': 'changesin* changein*',
  '5.02': 'departureof* electionof* appointmentof* compensatory* departuresof* resignation*',
  '5.03': 'amendment* changein*',
  '5.04': 'temporarysusp*',
  '5.05': 'amendment* waiver*',
  '5.06': 'changein*',
  '5.07': 'submissionof*',
  '5.08': 'shareholder*',
  '6.01': 'absinform*',
  '6.02': 'changeof*',
  '6.03': 'changein*',
  '6.04': 'failureto*',
  '6.05': 'securitiesact*',
  '6.06': 'staticpool*',
  '6.10': 'alternative*',
  '7.01': 'regulationfd* regfd*',
  '8.01': 'other* otherevent*',
  '9.01': 'financialstatement* exhibit* financialinformation*',
  '1': 'changesin* changein*',
  '2': 'acquisition* disposition*',
  '3': 'bankruptcy*',
  '4': 'changesin* changein*',
  '5': 'other* otherevent*',
  '6': 'resignation*',
  '7': 'financialstatement* exhibit* financialinformation*',
  '8': 'changein* changesin*',
  '9': 'regulationfd* regfd* saleof* salesof*',
  '10': 'amendment* waiver*',
  '11': 'temporarysusp*',
  '12': 'resultsof* disclosureof* financialinf*',
}
const slots = new Map<string, ItemSlot>(
  Object.entries(titles).map(([item, names]) => [item, { part: null, item, order: Math.round(Number(item) * 100), titles: names.split(' ') }]),
)

const numbered =
  /^[^\p{L}\p{N}"“”'‘’]{0,8}(items?)[\s.:#]{0,4}(?:no\.?\s{0,2})?(\d{1,2})(?:\s?\.\s?(\d\d)(?!\d))?(?:\s?\(?[a-h]\)?(?:\s?\(\d\))?(?![\p{L}\p{N}]))?(?:\s?[,&]?\s?(?:and\s)?\(?[a-h]\)(?![\p{L}\p{N}])){0,4}/iu
const further = /^[\s.,;]{0,4}(?:and|&|,|through|-|–)\s{0,4}(?:items?\s{0,3})?(\d{1,2})(?:\s?\.\s?(\d\d)(?!\d))?(?:\s?\([a-h]\)){0,3}/iu
const separators = /^[\s.:;|)\]–—―‐‑−/\u2022·_*-]{0,24}/u
const referring = /^(?:[,;”"’')\]]|(?:of|and|or|to|is|are|was|above|below|in|on|by|as|which|that|under|the|shall|has|have|will)\b)/u

/** Items of a current report in the document's order. Pure; linear in the text. */
export function locateCurrentItems(prose: Prose): LocatedItem[] {
  const all = headingsOf(prose)
  // A report of the newer form may quote `Item 5 of Form 10-Q`: decimal numbers rule where there are any.
  const headings = all.some(({ slot }) => slot.item.includes('.')) ? all.filter(({ slot }) => slot.item.includes('.')) : all
  const contents = findContents(prose, null, headings)
  const body = headings.filter(heading => !contents.blocks.has(heading.block))
  const kept = body.length > 0 ? body : headings
  const found = kept.map((heading, at) => itemAt(prose, heading, kept[at + 1]?.start ?? closing(prose, heading)))
  const answered = new Set(found.filter(({ item }) => item.status !== 'empty').map(({ item }) => item.item))
  // A list of the items on the cover repeats headings that have their text below.
  const items = found.filter(({ item }) => item.status !== 'empty' || !answered.has(item.item))
  return items.flatMap(({ item, also }) => [item, ...also.map(slot => ({ ...item, item: slot.item, flags: [`combined_with_${item.item}`] }))])
}

function headingsOf(prose: Prose): HeadingLine[] {
  const found: HeadingLine[] = []
  const size = bodySize(prose)
  for (const [at, block] of prose.blocks.entries()) {
    const line = prose.text.slice(block.start, Math.min(block.end, block.start + 600))
    if (!/item/i.test(line.slice(0, 16))) continue
    const heading = headingAt(prose, at, line, size)
    if (heading !== null) found.push(heading)
  }
  return found
}

function headingAt(prose: Prose, at: number, line: string, size: number): HeadingLine | null {
  const match = numbered.exec(line)
  if (match === null) return null
  const block = prose.blocks[at] as Block
  const number = (whole: string | undefined, fraction: string | undefined): string =>
    fraction === undefined ? `${Number(whole)}` : `${Number(whole)}.${fraction}`
  const slot = slots.get(number(match[2], match[3]))
  if (slot === undefined) return null
  let from = match[0].length
  const also: ItemSlot[] = []
  for (let next = further.exec(line.slice(from)); next !== null && also.length < 8; next = further.exec(line.slice(from))) {
    const other = slots.get(number(next[1], next[2]))
    if (other === undefined) break
    also.push(other)
    from += next[0].length
  }
  from += separators.exec(line.slice(from))?.[0].length ?? 0
  let rest = line.slice(from)
  let end = block.start + from
  let last = block
  if (rest === '') {
    const next = prose.blocks[at + 1]
    const nextLine = next === undefined ? '' : prose.text.slice(next.start, Math.min(next.end, next.start + 600))
    if (next !== undefined && titleIn(nextLine, slot.titles) !== null) [rest, end, last] = [nextLine, next.start, next]
  }
  const known = [slot, ...also].map(candidate => titleIn(rest, candidate.titles)).find(title => title !== null) ?? null
  const styled = standsOut(block, prose.text.slice(block.start, Math.min(block.end, end + 40)), size)
  if (
    known === null &&
    (rest === '' ? !styled : referring.test(rest) || isLetter(rest.charCodeAt(0)) === /^\p{Ll}/u.test(rest) || (!styled && rest.length > 120))
  )
    return null
  // In plain text a line may begin with the words of a sentence.
  if (!prose.html && known === null && block.gap === 0) return null
  if (/^i/.test(match[1] ?? '') && !styled) return null
  const length = titleLength(rest, known?.end ?? 0)
  return {
    ...{
      slot,
      also,
      block: at,
      start: block.start,
      end: Math.min(end + length, last.end),
      title: rest.slice(0, length).replace(/\s+/g, ' ').trim() || null,
    },
    ...{ kind: 'numbered', canonical: known !== null, runIn: length < rest.length, styled, continued: false, numberDiffers: false },
  }
}

/** Titles of Form 8-K run over many words and semicolons: a title ends with the line, or with its sentence where text follows. */
function titleLength(rest: string, from: number): number {
  const point = /\.(?:\s{1,3}|\t)(?=[\p{Lu}“"([•])/u.exec(rest.slice(from, 420))
  return point === null ? rest.length : from + point.index + 1
}

const signatureLine = /^[^\p{L}]{0,4}(?:s\s?i\s?g\s?n\s?a\s?t\s?u\s?r\s?e\s?s?|exhibit\sindex|index\s(?:to|of)\sexhibits)[^\p{L}]{0,8}$/iu
const signedBy = /^pursuant\sto\sthe\srequirements?\sof\sthe\ssecurities\s(?:and\s)?exchange\sact/i
function closing(prose: Prose, heading: HeadingLine): number {
  for (let at = heading.block + 1; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    const line = prose.text.slice(block.start, Math.min(block.end, block.start + 90))
    if (signatureLine.test(line) || signedBy.test(line)) return block.start
  }
  return prose.text.length
}

function itemAt(prose: Prose, heading: HeadingLine, sectionEnd: number): { item: LocatedItem; also: readonly ItemSlot[] } {
  // The next item may follow the signatures of a report that was put together of several.
  let end = sectionEnd
  while (end > heading.end && prose.text.charCodeAt(end - 1) <= 32) end -= 1
  const empty = countWords(prose.text, heading.end, end) === 0
  return {
    also: heading.also,
    item: {
      ...{ part: null, item: heading.slot.item, title: heading.title, status: empty ? 'empty' : 'full' },
      ...{ reason: empty ? 'nothing stands behind the heading' : null, start: heading.start, headingEnd: heading.end, end },
      ...{ words: countWords(prose.text, heading.start, end), located: 'heading', anchor: null },
      flags: heading.also.map(slot => `combined_with_${slot.item}`),
    },
  }
}

// Items of a current report (Form 8-K): decimal numbers since 2004-08-23 (SEC Release 33-8400), 1 to 12 before.
import { type Block, countWords, type Prose } from '#warehouse/documents/prose/prose.ts'
import { findContents } from './contents.ts'
import { type ItemSlot, isLetter, titleIn } from './form-items.ts'
import type { HeadingLine } from './heading-lines.ts'
import { bodySize, isOutlier, isRuled, textOf } from './heading-look.ts'
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
/** Titles as Form 8-K prints them, for headings without a number. For 5.02 and 3.01, whose titles are long, the beginning is sufficient. */
const printedTitles: Readonly<Record<string, string>> = {
  '1.01': 'entryintoamaterialdefinitiveagreement',
  '1.02': 'terminationofamaterialdefinitiveagreement',
  '1.03': 'bankruptcyorreceivership',
  '1.05': 'materialcybersecurityincidents',
  '2.01': 'completionofacquisitionordispositionofassets',
  '2.02': 'resultsofoperationsandfinancialcondition',
  '2.03': 'creationofadirectfinancialobligationoranobligationunderanoffbalancesheetarrangementofaregistrant',
  '2.04': 'triggeringeventsthataccelerateorincreaseadirectfinancialobligation*',
  '2.05': 'costsassociatedwithexitordisposalactivities',
  '2.06': 'materialimpairments',
  '3.01': 'noticeofdelistingorfailuretosatisfyacontinuedlistingrule*',
  '3.02': 'unregisteredsalesofequitysecurities unregisteredsaleofequitysecurities',
  '3.03': 'materialmodificationtorightsofsecurityholders materialmodificationsofrightsofsecurityholders',
  '4.01': 'changesinregistrantscertifyingaccountant',
  '4.02': 'nonrelianceonpreviouslyissuedfinancialstatements*',
  '5.01': 'changesincontrolofregistrant',
  '5.02': 'departureofdirectorsorcertainofficers* departureofdirectorsorprincipalofficers*',
  '5.03': 'amendmentstoarticlesofincorporationorbylaws*',
  '5.07': 'submissionofmatterstoavoteofsecurityholders',
  '7.01': 'regulationfddisclosure',
  '8.01': 'otherevents',
  '9.01': 'financialstatementsandexhibits',
  '1': 'changesincontrolofregistrant',
  '2': 'acquisitionordispositionofassets',
  '3': 'bankruptcyorreceivership',
  '4': 'changesinregistrantscertifyingaccountant',
  '9': 'regulationfddisclosure',
  '5': 'otherevents othereventsandregulationfddisclosure othereventsandrequiredfddisclosure',
  '7': 'financialstatementsproformafinancialinformationandexhibits financialstatementsandexhibits',
  '12': 'resultsofoperationsandfinancialcondition',
}
const slots = new Map<string, ItemSlot>(
  Object.entries(titles).map(([item, names]) => [item, { part: null, item, order: Math.round(Number(item) * 100), titles: names.split(' ') }]),
)

const spelled = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
/** `Item 2.02`, `ITEM 5.`, `Item - 5.02`, `Item No. 7(c)`, `ITEM FIVE`. Not the beginning of `Item 404(a)` or `Item 10b`. */
const numbered = new RegExp(
  String.raw`^[^\p{L}\p{N}"“”'‘’]{0,8}(items?)[\s.:#–—-]{0,5}(?:no\.?\s{0,2})?(?:(\d{1,2})(?!\d)|(${spelled})(?!\p{L}))(?:\s?\.\s?(\d\d)(?!\d))?(?:\s?\(?[a-h]\)?(?:\s?\(\d\))?(?![\p{L}\p{N}]))?(?:\s?[,&]?\s?(?:and\s)?\(?[a-h]\)(?![\p{L}\p{N}])){0,4}`,
  'iu',
)
const further = /^[\s.,;]{0,4}(?:and|&|,|through|-|–)\s{0,4}(?:items?\s{0,3})?(\d{1,2})(?:\s?\.\s?(\d\d)(?!\d))?(?:\s?\([a-h]\)){0,3}/iu
/** `2.02 Results of Operations`: a decimal number without `Item`, which must have its title. */
const decimal = /^[^\p{L}\p{N}]{0,4}(\d)\.(\d\d)[\s.:–—-]{1,6}/u
const separators = /^[\s.:;|)\]–—―‐‑−/\u2022·_*-]{0,24}/u
/** `(a)`, `(c)` before a title: the paragraph of the item that is answered. */
const paragraphMark = /^\(?[a-h]\)[\s.:–—-]{0,4}/iu
const referring = /^(?:[,;”"’')\]]|(?:of|and|or|to|is|are|was|above|below|in|on|by|as|which|that|under|the|shall|has|have|will)\b)/u

/**
 * Items of a current report in the order of the document. `announced` are the numbers in the header of the submission: a heading of one of
 * them needs less evidence, and one without a heading is listed without a position. Pure; linear in the text.
 */
export function locateCurrentItems(prose: Prose, announced: readonly string[] | null = null): LocatedItem[] {
  const wanted = new Set(announced ?? [])
  const all = headingsOf(prose, wanted)
  // A report of the newer form may quote `Item 5 of Form 10-Q`: decimal numbers take precedence if there are any.
  const numbers = all.some(({ slot }) => slot.item.includes('.')) ? all.filter(({ slot }) => slot.item.includes('.')) : all
  const contents = findContents(prose, null, numbers)
  const isContents = (block: number): boolean => contents.blocks.has(block)
  const body = withTitles(prose, numbers, isContents, wanted)
  const kept = body.length > 0 ? body : withTitles(prose, numbers, () => false, wanted)
  const found = withSharedText(
    prose,
    kept.map((heading, at) => itemAt(prose, heading, kept[at + 1]?.start ?? closing(prose, heading))),
  )
  const answered = new Set(found.filter(({ item }) => item.status !== 'empty').map(({ item }) => item.item))
  // A list of the items on the cover repeats headings that have their text below.
  const items = found.filter(({ item }) => item.status !== 'empty' || !answered.has(item.item))
  const located = items.flatMap(({ item, also }) => [
    item,
    ...also.map(slot => ({ ...item, item: slot.item, flags: [`combined_with_${item.item}`] })),
  ])
  const missing = [...wanted].filter(item => slots.has(item) && !located.some(one => one.item === item))
  return [...located, ...missing.map(notLocated)]
}

type Found = ReturnType<typeof itemAt>
/** Headings of different items directly below each other, with text after the last of them: the text answers all of them. */
function withSharedText(prose: Prose, found: readonly Found[]): Found[] {
  const shared = [...found]
  for (let at = shared.length - 2; at >= 0; at -= 1) {
    const [own, next] = [shared[at], shared[at + 1]] as [Found, Found]
    const isRun = own.item.status === 'empty' && next.item.status === 'full' && own.item.item !== next.item.item
    if (!isRun || own.item.title === null || found.filter(({ item }) => item.item === own.item.item).length > 1) continue
    // A list of the items on the cover is far from the text.
    if (next.item.start - own.item.end > 12) continue
    const { end, status, reason } = next.item
    const words = countWords(prose.text, own.item.start, end)
    const item = { ...own.item, end, status, reason, words, flags: [...own.item.flags, `combined_with_${next.item.item}`] }
    shared[at] = { ...own, item }
  }
  return shared
}

/** An item that the header announces and that has no heading in the document. */
const notLocated = (item: string): LocatedItem => ({
  ...{ part: null, item, title: null, status: 'not_present', reason: 'the header announces this item; the document has no heading of it' },
  ...{ start: 0, headingEnd: 0, end: 0, words: 0, located: null, anchor: null, flags: ['announced_not_located'] },
})

function headingsOf(prose: Prose, wanted: ReadonlySet<string>): HeadingLine[] {
  const found: HeadingLine[] = []
  const size = bodySize(prose)
  for (const [at, block] of prose.blocks.entries()) {
    const next = prose.blocks[at + 1]
    const isWord = next !== undefined && block.end - block.start < 12 && /^\W{0,4}items?\W{0,3}$/iu.test(textOf(prose, block))
    // The word on one line, its number on the next.
    const line = prose.text.slice(block.start, Math.min(isWord ? next.end : block.end, block.start + 600))
    const heading = /item/i.test(line.slice(0, 16))
      ? headingAt(prose, at, isWord ? at + 1 : at, line, size, wanted)
      : decimalAt(prose, at, line, size)
    if (heading !== null) found.push(heading)
  }
  return found
}

const numberOf = (whole: string | undefined, word: string | undefined, fraction: string | undefined): string => {
  const number = word === undefined ? Number(whole) : spelled.split('|').indexOf(word.toLowerCase()) + 1
  return fraction === undefined ? `${number}` : `${number}.${fraction}`
}

const headingOf = (
  slot: ItemSlot,
  block: number,
  own: Pick<HeadingLine, 'also' | 'start' | 'end' | 'title' | 'canonical' | 'runIn' | 'styled'>,
): HeadingLine => ({
  ...{ slot, block, kind: 'numbered', continued: false, numberDiffers: false },
  ...own,
})

/** `from` is the block with the number. */
function headingAt(prose: Prose, at: number, from: number, line: string, size: number, wanted: ReadonlySet<string>): HeadingLine | null {
  const match = numbered.exec(line)
  if (match === null) return null
  const block = prose.blocks[at] as Block
  const slot = slots.get(numberOf(match[2], match[3], match[4]))
  if (slot === undefined) return null
  let behind = match[0].length
  const also: ItemSlot[] = []
  for (let next = further.exec(line.slice(behind)); next !== null && also.length < 8; next = further.exec(line.slice(behind))) {
    const other = slots.get(numberOf(next[1], undefined, next[2]))
    if (other === undefined) break
    also.push(other)
    behind += next[0].length
  }
  behind += separators.exec(line.slice(behind))?.[0].length ?? 0
  let rest = line.slice(behind)
  let end = block.start + behind
  let last = from
  let start = block.start
  let title = rest
  const isBare = rest === ''
  if (isBare) {
    const below = lineAt(prose, from + 1)
    const above = lineAt(prose, at - 1)
    if (titleIn(below, slot.titles) !== null) {
      rest = below
      title = below
      last = from + 1
      end = (prose.blocks[last] as Block).start
    } else if (isTitleAbove(prose, at, slot)) {
      // The title is on the line above: the section begins with it.
      title = above
      start = (prose.blocks[at - 1] as Block).start
    }
  }
  const known = [slot, ...also].map(candidate => titleIn(title.replace(paragraphMark, ''), candidate.titles)).find(found => found !== null) ?? null
  const styled = isOutlier(block, prose.text.slice(block.start, Math.min(block.end, end + 40)), size)
  const isWanted = wanted.has(slot.item)
  const isPointed = /[.:–—-]\s*$/u.test(line.slice(0, behind))
  const opens = isBare ? styled || isWanted || isSeparate(prose, at) : opensItem(rest, styled || isWanted || isPointed)
  if (known === null && !opens) return null
  // In plain text a line may begin with the words of a sentence.
  if (!prose.html && known === null && block.gap === 0) return null
  if (/^i/.test(match[1] ?? '') && !styled) return null
  // The text of the item directly follows its number: it has no title.
  const isText = known === null && rest.length > longestOwnTitle
  const length = isText || (isBare && last === from) ? 0 : titleLength(rest, known?.end ?? 0)
  const printed = title === rest ? rest.slice(0, length) : title
  return headingOf(slot, at, {
    ...{ also, start, end: Math.min(end + length, (prose.blocks[last] as Block).end), title: printed.replace(/\s+/g, ' ').trim() || null },
    ...{ canonical: known !== null, runIn: length < rest.length && !isBare, styled },
  })
}

const lineAt = (prose: Prose, at: number): string => {
  const block = prose.blocks[at]
  return block === undefined ? '' : prose.text.slice(block.start, Math.min(block.end, block.start + 600))
}

/** The line above a bare number that consists of the title of the item. */
function isTitleAbove(prose: Prose, at: number, slot: ItemSlot): boolean {
  const above = prose.blocks[at - 1]
  if (above === undefined || above.end - above.start > 140) return false
  const line = textOf(prose, above)
  return titleIn(line, slot.titles) !== null && !/[,;]$|\.\s\p{Lu}/u.test(line)
}

/** A number on a separate line, in plain text not between the lines of a sentence. */
function isSeparate(prose: Prose, at: number): boolean {
  const [before, block] = [prose.blocks[at - 1], prose.blocks[at] as Block]
  if (prose.html || block.gap > 0 || before === undefined) return true
  return before.end - before.start < 40
}

/** Maximum length of a title by the filer; longer text is the text of the item. */
const longestOwnTitle = 120
/** Whether the text after a number, without a title of the form, begins the item and does not continue a sentence about it. */
function opensItem(rest: string, isMarked: boolean): boolean {
  if (referring.test(rest)) return false
  const isUpper = isLetter(rest.charCodeAt(0)) && !/^\p{Ll}/u.test(rest)
  return isUpper && (isMarked || rest.length <= longestOwnTitle)
}

function decimalAt(prose: Prose, at: number, line: string, size: number): HeadingLine | null {
  const match = decimal.exec(line)
  const slot = match === null ? undefined : slots.get(`${match[1] ?? ''}.${match[2] ?? ''}`)
  if (match === null || slot === undefined) return null
  const block = prose.blocks[at] as Block
  const rest = line.slice(match[0].length)
  const known = titleIn(rest, slot.titles)
  const start = block.start + match[0].length
  if (known === null || !isOutlier(block, prose.text.slice(block.start, Math.min(block.end, start + 40)), size)) return null
  const length = titleLength(rest, known.end)
  return headingOf(slot, at, {
    ...{ also: [], start: block.start, end: start + length, title: rest.slice(0, length).replace(/\s+/g, ' ').trim() },
    ...{ canonical: true, runIn: length < rest.length, styled: true },
  })
}

/** The headings, and for items without a numbered heading a highlighted line that consists of their title, as announced or as the form prints it. */
function withTitles(prose: Prose, all: readonly HeadingLine[], isContents: (block: number) => boolean, wanted: ReadonlySet<string>): HeadingLine[] {
  const headings = all.filter(({ block }) => !isContents(block))
  const has = new Set(headings.flatMap(({ slot, also }) => [slot, ...also].map(({ item }) => item)))
  const missing = [...wanted].flatMap(item => (has.has(item) ? [] : (slots.get(item) ?? [])))
  const isOlder = all.length > 0 && all.every(({ slot }) => !slot.item.includes('.'))
  const printed = Object.entries(printedTitles).filter(([item]) => !has.has(item) && item.includes('.') !== isOlder)
  const size = bodySize(prose)
  const added: HeadingLine[] = []
  const taken = new Set(headings.map(({ block }) => block))
  for (const [at, block] of prose.blocks.entries()) {
    if (block.end - block.start > 200 || block.end - block.start < 8 || isContents(at)) continue
    const line = textOf(prose, block)
    if (!isOutlier(block, line, size) && !isRuled(prose, at)) continue
    if (/^\W*exhibit\s(?:index|no|\d)|^\W*other\s(?!(?:materially\simportant\s)?events)/iu.test(line)) continue
    const isNew = (item: string): boolean => !added.some(other => other.slot.item === item)
    const whole = printed.find(([item, known]) => isNew(item) && isTitleAlone(line, known.split(' ')))?.[0]
    const slot = missing.find(({ titles: known, item }) => titleIn(line, known) !== null && isNew(item)) ?? slots.get(whole ?? '')
    if (slot === undefined || taken.has(at) || taken.has(at + 1)) continue
    const own = { also: [], start: block.start, end: block.end, title: line.replace(/\s+/g, ' ').trim(), canonical: true, runIn: false, styled: true }
    added.push({ ...headingOf(slot, at, own), kind: 'titled' })
  }
  return [...headings, ...added].toSorted((a, b) => a.start - b.start)
}

/** A line that consists of one of these titles. */
function isTitleAlone(line: string, known: readonly string[]): boolean {
  const found = titleIn(line, known)
  return found !== null && (!found.whole || !/[\p{L}\p{N}]/u.test(line.slice(found.end)))
}

/** Titles of Form 8-K are long and contain semicolons: a title ends with the line, or with its sentence if text follows. */
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
  // The next item may follow the signatures of a report that consists of several.
  let end = sectionEnd
  while (end > heading.end && prose.text.charCodeAt(end - 1) <= 32) end -= 1
  const empty = countWords(prose.text, heading.end, end) === 0
  return {
    also: heading.also,
    item: {
      ...{ part: null, item: heading.slot.item, title: heading.title, status: empty ? 'empty' : 'full' },
      ...{ reason: empty ? 'nothing stands behind the heading' : null, start: heading.start, headingEnd: heading.end, end },
      ...{ words: countWords(prose.text, heading.start, end), located: 'heading', anchor: null },
      flags: [...heading.also.map(slot => `combined_with_${slot.item}`), ...(heading.kind === 'titled' ? ['title_only'] : [])],
    },
  }
}

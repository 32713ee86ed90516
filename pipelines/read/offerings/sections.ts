// Sections of a prospectus: by the links of its contents table, else by the look of its headings.
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'

export type Section = {
  readonly title: string
  /** Of the heading, and of the text after it. */
  readonly start: number
  readonly bodyStart: number
  readonly end: number
  readonly found: 'contents' | 'style'
}
export type Outline = {
  readonly sections: readonly Section[]
  /** The end of the cover: the contents table, or the first section. */
  readonly coverEnd: number
  /** The beginning of the base prospectus after a supplement; the length of the text if there is none. */
  readonly baseStart: number
}

/** Titles of the sections of Forms S-1, F-1, S-11 and of prospectuses (Regulation S-K and usage), as plain words. */
const known =
  /^(?:(?:prospectus|offering)?(?:supplement)?summary|(?:the)?offering|theoffer(?:ing)?summary|summary\w*(?:financial|operating|data)\w*|selected\w*(?:financial|data)\w*|riskfactors|\w*forward ?looking\w*|(?:market|industry)(?:and\w+)?data|(?:estimated|supplemental)?usesof(?:the)?(?:net)?proceeds\w*|(?:estimated|supplemental|reasonsfortheofferand|reasonsfortheofferingand)?useof(?:the)?(?:net)?proceeds\w*|(?:market\w*)?dividend(?:s|policy)?\w*|(?:our)?dividendpolicy|distributionpolicy|capitali[sz]ation\w*|(?:consolidated)?capitali[sz]ation|dilution|unaudited\w*proforma\w*|management\w*discussionandanalysis\w*|business|(?:our|corporate)?(?:business|company|industry|history\w*)|management|executivecompensation|(?:executiveanddirector|director)compensation|compensation\w*|certainrelationships\w*|relatedpart\w+|principal\w*(?:share|stock|unit|security)holders?|(?:principaland)?selling\w*holders?|descriptionof\w+|shareseligible\w*|securitieseligible\w*|(?:certain|material|us|unitedstates|canadian)?\w*(?:tax|erisa)\w*|underwrit(?:ing|ers)\w*|planof(?:distribution|operation)\w*|legalmatters?|validityof\w+|legalproceedings|experts|changesinaccountants?\w*|changeinaccountants?\w*|(?:whereyoucan|wheretofind|additional)\w*information|incorporation\w*reference|index(?:to)?\w*statements|exchangerate\w*|determinationofofferingprice|pricerangeof\w+|market(?:price|for)\w+|enforce(?:ability|ment)\w*|expenses(?:of|relatingto|related)\w*|corporatehistory\w*|privateplacement\w*|theprivateplacement|aboutthis(?:prospectus|document)\w*|glossary\w*|tableofcontents|proposedbusiness|concurrentprivateplacement\w*|theconversion\w*|ratioofearnings\w*|earningscoverage\w*|priorsales|tradingpriceandvolume|eligibilityforinvestment|interestsofexperts|auditors?\w*|documentsincorporated\w*|consolidatedcapitali[sz]ation|agentforservice\w*)$/

export const plainTitle = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
export const isUseOfProceeds = (title: string): boolean =>
  /\buses? of (?:the )?(?:net )?(?:offering )?proceeds\b/i.test(title) && title.split(/\s+/).length <= 12 && !/\bsee\b|[.,]$/i.test(title)

const pageNumber = /^(?:[A-Z]{1,2}-)?(?:\d{1,4}|[ivxlc]{1,7})\.?$/i
const longestTitle = 220

type Heading = { readonly at: number; readonly end: number; readonly title: string; readonly block: Block; readonly found: 'contents' | 'style' }

/** The look of a block as one word, to distinguish the levels of headings. */
function lookOf(prose: Prose, block: Block): string {
  const text = prose.text.slice(block.start, block.end)
  const caps = text === text.toUpperCase()
  const all = (inked: number): boolean => inked >= block.inked * 0.9
  return `${caps ? 'A' : 'a'}${all(block.bold) ? 'B' : '-'}${all(block.italic) ? 'I' : '-'}${all(block.underline) ? 'U' : '-'}${block.centred ? 'C' : '-'}${block.size}`
}
const isMarked = (look: string): boolean => /^A|[BUC]/.test(look)

/** The words of a block that may be a title: one cell, short. */
function titleOf(prose: Prose, block: Block): string | null {
  if (block.end - block.start > longestTitle) return null
  const cells = prose.text
    .slice(block.start, block.end)
    .split('\t')
    .map(cell => cell.trim())
    .filter(cell => cell !== '')
  return cells.length === 1 ? (cells[0] as string) : null
}

/** The title of a contents entry: the first cell of its row. Its links are on the title or only on the page. */
function entryTitle(prose: Prose, at: number): string {
  const block = prose.blocks[blockAt(prose, at)]
  if (!block || block.end - block.start > 4000) return ''
  const cells = prose.text.slice(block.start, block.end).split('\t')
  return (cells.find(cell => /[a-z]/i.test(cell) && !pageNumber.test(cell.trim())) ?? '').replace(/[\s.…]+\d*$/, '').trim()
}

/** The block at or soon after an anchor that contains the title. Anchors precede the heading, sometimes by a page. */
function headingNear(prose: Prose, at: number, title: string): Block | null {
  const wanted = plainTitle(title)
  if (wanted === '') return null
  const first = blockAt(prose, at)
  for (let index = Math.max(0, first - 1); index < Math.min(prose.blocks.length, first + 14); index += 1) {
    const block = prose.blocks[index] as Block
    const words = titleOf(prose, block)
    if (words === null) continue
    const plain = plainTitle(words)
    if (plain === wanted || (plain.length >= 6 && wanted.length >= 6 && (plain.startsWith(wanted) || wanted.startsWith(plain)))) return block
  }
  return null
}

/** Sections of a document in order. The cost grows with the number of blocks and links. */
export function outlineOf(prose: Prose): Outline {
  const linked = new Map<number, Heading>()
  let contentsFrom = -1
  const titles = new Set<string>()
  for (const link of prose.links) {
    const target = prose.anchors.get(link.target)
    if (target === undefined || target <= link.end) continue
    const title = entryTitle(prose, link.start)
    if (title.length < 4 || title.length > longestTitle || isPageHeader(title)) continue
    const block = headingNear(prose, target, title)
    if (!block || block.start <= link.end) continue
    if (contentsFrom < 0) contentsFrom = link.start
    titles.add(plainTitle(title))
    if (!linked.has(block.start)) linked.set(block.start, { at: block.start, end: block.end, title: textOf(prose, block), block, found: 'contents' })
  }
  const printed = printedContents(prose)
  for (const title of printed.titles) titles.add(title)
  const headings = [...linked.values(), ...styled(prose, titles, printed, linked)].sort((a, b) => a.at - b.at)
  const contentsAt = [contentsFrom, printed.from].filter(at => at >= 0)
  const coverEnd = Math.min(...contentsAt, headings.find(heading => heading.at > 1500)?.at ?? prose.text.length)
  return { sections: sectionsOf(prose, withLookalikes(prose, headings, titles.size > 0)), coverEnd, baseStart: baseStart(prose) }
}

/** A line of dashes below a line of plain text underlines it. */
const isRuled = (prose: Prose, block: Block): boolean =>
  !prose.html && /^[-=_]{4,}$/.test(textOf(prose, prose.blocks[blockAt(prose, block.start) + 1] ?? block).replaceAll(' ', ''))

/**
 * Without a contents table, headings that are not in the list of usual titles are found by look: a block in capitals, centred or
 * underlined, with the look of the section Use of Proceeds, that occurs only once in the document. Plain text has few looks, and its
 * contents table names few of its headings: there, the first such line after Use of Proceeds ends that section, whatever the contents list.
 */
function withLookalikes(prose: Prose, headings: readonly Heading[], listed: boolean): Heading[] {
  const use = headings.find(heading => isUseOfProceeds(heading.title))
  const look = use ? lookOf(prose, use.block) : ''
  const ruled = use !== undefined && isRuled(prose, use.block)
  if (!use || (listed && prose.html) || !(/^A|C/.test(look) || ruled)) return [...headings]
  const held = new Set(headings.map(heading => heading.at))
  const found = new Map<string, Heading[]>()
  const alike = (block: Block): boolean =>
    ruled
      ? isRuled(prose, block)
      : lookOf(prose, block) === look || (!prose.html && /^A/.test(look) && /^A/.test(lookOf(prose, block)) && block.gap > 0)
  for (const block of prose.blocks) {
    if (held.has(block.start) || block.table > 0 || block.end - block.start > 90 || !alike(block)) continue
    const title = textOf(prose, block)
    if (
      !/[A-Za-z]{4}/.test(title) ||
      /[.;:,]$/.test(title) ||
      isPageHeader(title) ||
      title.split(' ').length > 12 ||
      (!prose.html && /[$\d]/.test(title))
    )
      continue
    const key = plainTitle(title)
    const same = found.get(key)
    const heading: Heading = { at: block.start, end: block.end, title, block, found: 'style' }
    if (same) same.push(heading)
    else found.set(key, [heading])
  }
  const once = [...found.values()].filter(same => same.length === 1).flat()
  const uses = headings.filter(heading => isUseOfProceeds(heading.title))
  const ends = uses.flatMap(heading => once.filter(other => other.at > heading.end).sort((a, b) => a.at - b.at)[0] ?? [])
  return [...headings, ...(listed ? new Set(ends) : once)].sort((a, b) => a.at - b.at)
}

const isPageHeader = (title: string): boolean => /^(?:back to )?(?:table of )?contents$/i.test(title)
const textOf = (prose: Prose, block: Block): string => prose.text.slice(block.start, block.end).trim()

function sectionsOf(prose: Prose, headings: readonly Heading[]): Section[] {
  return headings.map((heading, index) => {
    const next = headings.slice(index + 1, index + 40).find(other => other.at > heading.end)
    return {
      title: heading.title,
      start: heading.at,
      bodyStart: Math.min(heading.end + 1, prose.text.length),
      end: next?.at ?? prose.text.length,
      found: heading.found,
    }
  })
}

type Contents = { readonly from: number; readonly to: number; readonly titles: ReadonlySet<string>; readonly rows: ReadonlySet<number> }

/** Contents tables without links: runs of rows that end with a page number. */
function printedContents(prose: Prose): Contents {
  const titles = new Set<string>()
  const rows = new Set<number>()
  let from = -1
  let to = -1
  const early = Math.max(60_000, prose.text.length / 2)
  for (const block of prose.blocks) {
    if (block.start > early) break
    if (block.end - block.start > longestTitle + 12) continue
    const text = prose.text.slice(block.start, block.end)
    const row = /^(.{4,220}?)(?:\t|[\s.…]{2,}|\s)((?:[A-Z]{1,2}-)?(?:\d{1,3}|[ivxlc]{1,6}))$/i.exec(text)
    if (!row?.[1] || !/[a-z]/i.test(row[1])) continue
    const title = plainTitle(row[1].replace(/[\s.…]+$/, ''))
    if (!known.test(title) && !(to >= 0 && block.start - to < 240 && block.table > 0)) continue
    if (from < 0) from = block.start
    to = block.end
    rows.add(block.start)
    titles.add(title)
  }
  return { from: titles.size >= 4 ? from : -1, to, titles: titles.size >= 4 ? titles : new Set(), rows }
}

/** A row of a plain text table whose cells are separated by blanks, such as the heads of a dealers' table, is not a heading. */
function hasColumns(prose: Prose, block: Block): boolean {
  if (prose.html || block.table === 0) return false
  for (let at = prose.text.indexOf(' ', block.start); at >= 0 && at < block.end; at = prose.text.indexOf(' ', at + 1))
    if (prose.sourceOffset(at + 1) - prose.sourceOffset(at) >= 3) return true
  return false
}

/** Headings by look. The level of the document is the look that most of the known titles share. */
function styled(prose: Prose, titles: ReadonlySet<string>, contents: Contents, linked: ReadonlyMap<number, Heading>): Heading[] {
  const candidates: { block: Block; plain: string; look: string; title: string }[] = []
  const looks = new Map<string, Set<string>>()
  for (const block of prose.blocks) {
    if (contents.rows.has(block.start) || block.start < contents.from) continue
    const title = titleOf(prose, block)
    if (title === null || title.split(' ').length > 25 || /[.;:,]$/.test(title) || hasColumns(prose, block)) continue
    const plain = plainTitle(title)
    if (plain.length < 5 || !(titles.has(plain) || known.test(plain)) || isPageHeader(title)) continue
    const look = lookOf(prose, block)
    if (!isMarked(look) && prose.html) continue
    candidates.push({ block, plain, look, title })
    looks.set(look, (looks.get(look) ?? new Set()).add(plain))
  }
  for (const heading of linked.values()) {
    const look = lookOf(prose, heading.block)
    looks.set(look, (looks.get(look) ?? new Set()).add(plainTitle(heading.title)))
  }
  const main = [...looks].filter(([, held]) => held.size > 1).sort((a, b) => b[1].size - a[1].size || (a[0] < b[0] ? -1 : 1))
  const most = main[0]?.[1].size ?? 0
  // A base prospectus has another look, so a second look counts if it is common enough.
  const usual = new Set(main.filter(([, held]) => held.size >= Math.max(3, most / 3)).map(([look]) => look))
  return candidates
    .filter(({ block, look }) => !linked.has(block.start) && (usual.size === 0 || usual.has(look)))
    .map(({ block, title }) => ({ at: block.start, end: block.end, title, block, found: 'style' as const }))
}

/** The pages of a supplement are numbered S-1, S-2 …: the base prospectus begins after the last of them. */
function baseStart(prose: Prose): number {
  const opening = prose.text.slice(0, 20_000)
  if (
    !/\bprospectus\s+supplement\b/i.test(opening) ||
    !/\(to (?:the )?(?:short form )?(?:base )?(?:shelf )?prospectus(?:es)?\b|accompanying (?:base )?(?:shelf )?prospectus/i.test(opening)
  )
    return prose.text.length
  let last = -1
  for (const block of prose.blocks)
    if (block.end - block.start < 8 && /^S-?\s?(?:\d{1,3}|[ivxl]{1,6})$/.test(prose.text.slice(block.start, block.end))) last = block.end
  if (last >= 0) return last
  const alone = prose.blocks.find(
    block => block.start > prose.text.length / 10 && block.start > 20_000 && /^(?:BASE |SHELF )?PROSPECTUS$/.test(textOf(prose, block)),
  )
  return alone?.start ?? prose.text.length
}

// The sellers of the offering with their roles: from the dealers' table, the grid at the foot of the cover, the line of the terms, and the
// sentences of distribution. Every name is a firm and not a party that does not sell; otherwise the list is empty, with a reason.
import type { z } from 'zod'
import type { Underwriter } from '#schemas/offerings.ts'
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'
import { sentencesIn } from './amounts.ts'
import type { Place } from './cover.ts'
import { mentionsIn, type Part, rolesIn } from './distribution.ts'
import { firmsIn, hasForm, isFirm, isKnown, isPlausible, sameFirm, stem, tidy, withoutForm } from './firms.ts'
import type { Parties } from './parties.ts'
import { isAtTheMarket } from './price.ts'
import { isRoleHead, leads, type Role, roleOf } from './roles.ts'
import { rowsIn } from './rows.ts'
import type { Outline } from './sections.ts'

type Named = z.infer<typeof Underwriter>
type Found = { readonly name: string; readonly role: Role | null; readonly lead: boolean; readonly shares: string | null }
export type Sellers = { readonly named: readonly Named[]; readonly reason: NoSellers | null }
type NoSellers = 'sold_by_holders' | 'left_to_supplement' | 'sold_by_issuer' | 'left_blank' | 'not_found'

type Subject = {
  readonly prose: Prose
  readonly outline: Outline
  readonly cover: Place
  readonly parties: Parties
  /** Only holders sell: firms that are named elsewhere placed the securities that the holders bought. */
  readonly resale: boolean
}

/** Underwriters and agents, lead first, in the order of the document; or the reason of an empty list. */
export function underwritersOf(subject: Subject): Sellers {
  const { prose, cover, parties } = subject
  const page = coverPage(prose, cover)
  const places = sellingPlaces(subject)
  const front = ofCover(prose, page, parties)
  const table = ofTables(prose, places, parties)
  if (table.length > 0) {
    const led = front.some(other => other.lead)
    return {
      named: table.map((row, index) => ({
        ...row,
        role: row.role ?? 'underwriter',
        lead: index === 0 || (led && front.some(other => other.lead && sameFirm(other.name, row.name))),
      })),
      reason: null,
    }
  }
  const inSentences = ofSentences(subject, page, places)
  const found: Found[] = [...front]
  for (const part of inSentences) {
    const at = found.findIndex(other => sameFirm(other.name, part.name) || parties.short.get(other.name.toLowerCase()) === part.name)
    const held = found[at]
    if (held === undefined) {
      // The grid of the cover is complete: firms on later pages sold another offering, or are parties to a loan.
      if (front.length === 0 || part.start < page.end)
        found.push({ name: part.name, role: part.role, lead: found.length === 0 || part.lead, shares: null })
    } else found[at] = { ...held, name: held.name.length < part.name.length ? part.name : held.name, role: held.role ?? part.role }
  }
  if (found.length === 0) return { named: [], reason: reasonOf(subject, page, places) }
  const usual = found.find(each => each.role !== null)?.role ?? roleOnCover(prose.text.slice(page.start, page.end))
  return { named: found.map(each => ({ ...each, name: fullName(prose, each.name, parties), role: each.role ?? usual })), reason: null }
}

/** A name of two words or more with the legal form that the text gives it elsewhere: `Wheatear Partners` is `Wheatear Partners LLC`. */
function fullName(prose: Prose, name: string, parties: Parties): string {
  // `Credit Suisse Securities (USA) LLC (“Credit Suisse”)`
  const defined = parties.short.get(name.toLowerCase())
  const isSameHouse = defined !== undefined && stem(defined).split(' ')[0] === stem(name).split(' ')[0]
  if (defined !== undefined && hasForm(defined) && (isSameHouse || sameFirm(defined, name))) return defined
  if (!name.includes(' ') || (hasForm(name) && !/& (?:Co\.|Company)$/.test(name))) return name
  for (let at = prose.text.indexOf(name), uses = 0; at >= 0 && uses < 100; at = prose.text.indexOf(name, at + name.length), uses += 1) {
    const form =
      /^,? (?:LLC|L\.L\.C\.|Inc\.|Incorporated|L\.P\.|Corp\.|Ltd\.|Limited|& Co\.(?:,? (?:LLC|L\.L\.C\.|Inc\.|L\.P\.|Incorporated))?)(?![\w])/.exec(
        prose.text.slice(at + name.length, at + name.length + 30),
      )?.[0]
    if (form !== undefined && !parties.isParty(`${name}${form}`)) return `${name}${form}`
  }
  return name
}

/** The cover alone, without what follows it in documents without a contents table. */
function coverPage(prose: Prose, cover: Place): Place {
  const most = Math.min(cover.end, cover.start + 16_000)
  for (const block of prose.blocks) {
    if (block.start < cover.start + 800) continue
    if (block.start >= most) break
    const text = prose.text.slice(block.start, Math.min(block.end, block.start + 120))
    if (/^(?:table of contents|terms of the (?:notes|securities)|summary|prospectus summary|about this prospectus)\b.{0,20}$/i.test(text))
      return { start: cover.start, end: block.start }
    if (/^the date of this\b/i.test(text)) return { start: cover.start, end: Math.min(most, block.end + 700) }
  }
  return { start: cover.start, end: most }
}

/** Maximum number of sections about distribution that are read: a supplement has one or two, and those of a base prospectus are skipped. */
const mostPlaces = 8
const sellingTitle =
  /^(?:\d+\.\s*)?(?:supplement(?:al)?(?: to the)? |the )?(?:plan of distribution|underwriting|underwriters|method of distribution|distribution|placement agents?|dealer[- ]managers?)\b[^.]{0,90}$/i

/** The head of a column in capitals above an untagged table, which looks like the title of a section: `NUMBER`, `UNDERWRITER SHARES`. */
const columnHead =
  /^(?:names?|(?:u\.s\. |international )?(?:underwriters?|managers?)|number|principal|amount|shares?)(?:\s+(?:name|number|of|shares|units|amount|principal|notes))*$/i

/** Maximum number of column heads of one table: `NUMBER OF` above `UNDERWRITER` and `SHARES`. */
const mostColumnHeads = 3

/** The ends of the sections by their starts, each after the column heads within it. */
const endsOf = ({ sections }: Outline): ReadonlyMap<number, number> =>
  new Map(
    sections.map((section, at) => {
      let last = at
      while (last < at + mostColumnHeads && columnHead.test(sections[last + 1]?.title ?? '')) last += 1
      return [section.start, sections[last]?.end ?? section.end]
    }),
  )

/** The sections about the sellers, before the base prospectus. */
type Selling = Place & { readonly title: string }
function sellingPlaces({ prose, outline }: Subject): Selling[] {
  const found: Selling[] = []
  const ends = endsOf(outline)
  for (const block of prose.blocks) {
    if (block.start >= outline.baseStart || found.length >= mostPlaces) break
    if (block.end - block.start > 130) continue
    const text = prose.text.slice(block.start, block.end).trim()
    if (!sellingTitle.test(text) || /[\t.…]\s*(?:S-|A-)?\d{1,3}$/.test(text) || text.split(' ').length > 14) continue
    const end = Math.min(ends.get(block.start) ?? prose.text.length, block.end + 60_000, outline.baseStart)
    if (end - block.end > 20) found.push({ title: text, start: block.end, end })
  }
  return found
}

const tableHead =
  /^(?:names? of (?:the )?(?:\w+ )?(?:underwriters?|agents?|dealers?)|names?|(?:the )?(?:managing |several )?underwriters?|placement agents?|(?:selling |sales )?agents?|dealer managers?)(?:\s|:|$)/i
const opposite =
  /\b(?:underwriters?|placement agents?|agents?|dealers?|managers?)\b[^.]{0,400}\b(?:opposite|next to|beside|listed below|named below|set forth (?:below|in the following table)|following table|shown in the table|indicated (?:below|in the following))/i

/** A table of the owners of the securities, also within a section about distribution. */
const ofOwners =
  /\bholders?\b|(?:stock|share|unit|security)holder|\bowne(?:d|rship)\b|\bbeneficial|\bdirectors?\b|\bofficers?\b|\binvestors?\b|\bpurchasers?\b/i

/** The firms of the dealers' table, which a sentence or its head announces. */
function ofTables(prose: Prose, places: readonly Selling[], parties: Parties): Found[] {
  for (const place of places) {
    const rows = rowsIn(prose, place.start, Math.min(place.end, place.start + 30_000))
    for (let at = 0; at < rows.length; at += 1) {
      const head = rows[at]
      if (head === undefined) continue
      const lead = prose.text.slice(Math.max(place.start, head.start - 1600), head.start)
      const announced = opposite.exec(lead)
      const headed = tableHead.test(head.label) && head.numbers.length === 0
      if ((announced === null && !headed) || ofOwners.test([head.label, ...head.cells].join(' '))) continue
      if (headed && /^names?\b/i.test(head.label) && announced === null && !/underwrit|agents?/i.test(`${place.title} ${lead}`)) continue
      const role =
        roleOf(/underwriter|agent|dealer/i.exec(head.label)?.[0] === undefined ? (announced?.[0] ?? 'underwriter') : head.label) ?? 'underwriter'
      const found: Found[] = []
      for (const row of rows.slice(at, at + 90)) {
        if (row.table !== head.table || /^(?:grand )?total/i.test(row.label)) break
        const name = tidy(row.label)
        // A dealer whose name shows neither a form nor a trade has its amount next to it: `BancAmerica Robertson Stephens | 770,000`.
        const isDealer =
          isFirm(name) ||
          (row.numbers.length > 0 &&
            (announced !== null || /underwriter|agent|dealer/i.test(head.label)) &&
            /\s/.test(name) &&
            !/^sub-?\s?total/i.test(name) &&
            isPlausible(name))
        if (name === '' || !isDealer || parties.isParty(name) || found.some(other => withoutForm(other.name) === withoutForm(name))) continue
        found.push({ name, role, lead: found.length === 0, shares: row.numbers[0] ?? null })
      }
      if (found.length > 0) return found
    }
  }
  return []
}

/** Text below a name that identifies it as a party that does not sell. */
const ofParty =
  /^\(?(?:(?:as )?(?:issuing entity|co-issuers?|issuers?|depositor|sponsors?|(?:master |primary )?servicer|sellers?|originators?|guarantors?|(?:indenture |owner )?trustee|registrants?|administrator)(?:,? and |, |\/)?)+\)?$/i
const bareForm = /^(?:INCORPORATED|Incorporated|LLC|L\.L\.C\.|Inc\.|INC\.|L\.P\.|Limited|& Co\.|& Company|N\.A\.|\(USA\) (?:LLC|Inc\.))$/
/** The rest of a name on two lines of a cell: `Huntington Capital` above `Markets`. */
const brokenEnd =
  /^(?:(?:Capital )?Markets|Securities|Partners|Group|Advisors|Advisers|Brothers|Associates|& Co\.|& Company)(?:,? (?:LLC|L\.L\.C\.|Inc\.|Corp\.|L\.P\.|Ltd\.|\(USA\) LLC))?$/
/** Dealers of a cross-border offering by country: `Canada: …`, `United States: …` */
const inCountry = /^(?:in )?(?:the )?(?:canada|united states|u\.s\.|international|europe|united kingdom)\s?: (?=[A-Z])/i
const ofDivision = /^(?:an? )?division of [A-Z]/i
const ofGroup = /^(?:an? [A-Z][\w.& ]{1,40} company|member (?:finra|nyse|sipc|of)|an? affiliate of|global coordinator)/i
const pageEnd =
  /^(?:the date of|prospectus (?:supplement )?dated|pricing supplement dated|dated|table of contents|subject to|[A-Z][a-z]+ \d{1,2}, (?:19|20)\d\d|.{0,20}, (?:19|20)\d\d\.?)/i

/** The grid of the cover: names below or next to the headings of roles; without such a heading, its last lines of firms only. */
function ofCover(prose: Prose, page: Place, parties: Parties): Found[] {
  const found: Found[] = []
  let loose: string[] = []
  let looseAt = -1
  let head: string | null = null
  let since = 0 // blocks after the heading without a name
  const take = (text: string, role: Role | null): boolean => {
    const name = tidy(text)
    if (!(isFirm(name) || (role !== null && isPlausible(name) && isConfirmed(prose, name, page)))) return false
    if (parties.isParty(name)) return true
    if (!found.some(other => sameFirm(other.name, name))) found.push({ name, role, lead: leads(head) || found.length === 0, shares: null })
    return true
  }
  const join = (text: string, separator: string): void => {
    const last = found.at(-1)
    if (last !== undefined) found[found.length - 1] = { ...last, name: `${last.name}${separator}${tidy(text)}` }
    else if (loose.length > 0) loose[loose.length - 1] = `${loose.at(-1)}${separator}${tidy(text)}`
  }
  for (let index = Math.max(0, blockAt(prose, page.start)); index < prose.blocks.length; index += 1) {
    const block = prose.blocks[index] as Block
    if (block.start >= page.end) break
    const cells = cellsOf(prose, block)
    if (cells[0] !== undefined && brokenEnd.test(cells[0]) && followsInCell(prose, index)) join(cells.shift() as string, ' ')
    const text = cells.join(' ')
    if (cells.length === 0) continue
    if (block.end - block.start > 260) head = null
    else if (cells.length > 0 && cells.every(cell => isRoleHead(cell))) [head, since] = [text, 0]
    else if (pageEnd.test(text)) head = null
    else if (head === null && cells.length === 1 && inCountry.test(text)) {
      loose.push(...firmsIn(text.replace(inCountry, '')).map(firm => firm.name))
      looseAt = index
    } else if (cells.length === 1 && bareForm.test(text)) join(text, ' ')
    else if (cells.length === 1 && ofDivision.test(text)) join(text, ', ')
    else if (cells.length === 1 && ofParty.test(text)) loose.pop()
    else if (cells.some(cell => ofGroup.test(cell)) && cells.every(cell => ofGroup.test(cell) || isFirm(tidy(cell)))) {
      if (head !== null) for (const cell of cells) if (!ofGroup.test(cell)) take(cell, roleOf(head))
    } else if (head !== null) {
      const taken = cells.filter(cell => take(cell, roleOf(head ?? ''))).length
      since = taken > 0 ? 0 : since + 1
      if (since > 2 || (taken === 0 && text.length > 70)) head = null
    } else if (cells.length > 0 && cells.every(cell => cell.length < 70 && isFirm(tidy(cell)) && !parties.isParty(tidy(cell)))) {
      if (looseAt >= 0 && index - looseAt > 3) loose = []
      loose.push(...cells)
      looseAt = index
    }
  }
  const headlineEnd = headlineOf(prose, page)
  // A line of firms counts only at the foot of the page: after the text about the offering, not in its headline.
  const foot = looseAt >= 0 ? (prose.blocks[looseAt] as Block).start : -1
  const sure = loose.some(name => isKnown(tidy(name)) || isConfirmed(prose, tidy(name), page))
  if (found.length === 0 && sure && loose.length < 25 && foot >= headlineEnd) for (const name of loose) take(name, null)
  return found
}

/** The block continues with a line of the table's last cell, where a longer row was cut. */
function followsInCell({ blocks }: Prose, index: number): boolean {
  const [before, block] = [blocks[index - 1], blocks[index]]
  return before !== undefined && block !== undefined && block.table > 0 && before.table === block.table && block.gap === 0
}

/** The beginning of the cover's text about the offering: its first long paragraph, or its table of price and proceeds. */
function headlineOf(prose: Prose, page: Place): number {
  for (let index = Math.max(0, blockAt(prose, page.start)); index < prose.blocks.length; index += 1) {
    const block = prose.blocks[index] as Block
    if (block.start >= page.end) break
    const size = block.end - block.start
    if (
      block.start > page.start + 400 ||
      (block.start > page.start &&
        (size > 200 || /^(?:public offering price|price to public)/i.test(prose.text.slice(block.start, block.start + 40))))
    )
      return block.start
  }
  return page.end
}

/** The cells of a row; plain text separates its columns by blanks, which are one in the text and many in the source. */
function cellsOf(prose: Prose, block: Block): string[] {
  const text = prose.text.slice(block.start, block.end)
  const cells: string[] = prose.html || text.length > 260 ? text.split('\t') : []
  if (cells.length === 0) {
    let from = 0
    for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
      if (prose.sourceOffset(block.start + at + 1) - prose.sourceOffset(block.start + at) < 3) continue
      cells.push(text.slice(from, at))
      from = at + 1
    }
    cells.push(text.slice(from))
  }
  return cells.map(cell => cell.trim()).filter(cell => cell !== '')
}

/** Elsewhere the text gives that name a legal form, or states its role in a sentence. */
function isConfirmed(prose: Prose, name: string, page: Place): boolean {
  let uses = 0
  for (let at = prose.text.indexOf(name); at >= 0 && uses < 60; at = prose.text.indexOf(name, at + name.length), uses += 1) {
    const behind = prose.text.slice(at + name.length, at + name.length + 90)
    if (/^,? (?:(?:an? )?division of|LLC|Inc\.|L\.P\.|Corp|& Co|Limited|Ltd|Securities|Capital)/.test(behind)) return true
    if (at < page.start || at > page.end || behind.startsWith(' ')) {
      const around = prose.text.slice(Math.max(0, at - 90), at) + behind
      if (/\b(?:underwriters?|placement agent|sales agent|selling agent|dealer[- ]manager|representative)\b/i.test(around)) return true
    }
  }
  return false
}

/** An at-the-market program in a section about underwriting is another offering. */
const ofProgram = /\bsales agents?\b|\bat[- ]the[- ]market\b|\bsales agreement\b|\bdistribution agreement\b/i

/** Maximum number of parts of one document: the largest syndicate names some sixty firms a few times each. */
const mostParts = 600

const ofSecurities =
  /\b(?:offering|offered|underwrit\w+|placement|shares?|stock|securities|notes|bonds|debentures|units|ADSs?|certificates|warrants|rights|ETNs)\b/i

/** The sellers in sentences and in lines of terms: of the cover, of the sections about distribution, and of a term sheet without sections. */
function ofSentences(subject: Subject, page: Place, places: readonly Selling[]): Part[] {
  const { prose, outline, parties, resale } = subject
  const end = Math.min(outline.baseStart, prose.text.length)
  const shown = resale
    ? places.filter(place =>
        /^underwrit/i.test(
          prose.text
            .slice(Math.max(0, place.start - 120), place.start)
            .split('\n')
            .at(-1) ?? '',
        ),
      )
    : [page, ...places]
  const whole = !resale && (places.length === 0 || outline.sections.length < 6) ? [{ start: page.end, end: Math.min(end, page.end + 250_000) }] : []
  const parts: Part[] = []
  const seen = new Set<number>()
  const atMarket = isAtTheMarket(prose.text.slice(page.start, Math.min(page.end, ...places.map(place => place.start))))
  for (const place of [...shown, ...whole])
    for (const sentence of sentencesIn(prose.text, place.start, place.end)) {
      if (seen.has(sentence.start) || parts.length >= mostParts) continue
      // Outside of the cover and of sections about distribution an agent may be one for goods, taxes or loans.
      if (whole.includes(place) && !ofSecurities.test(sentence.text)) continue
      seen.add(sentence.start)
      const program =
        !atMarket &&
        ofProgram.test(sentence.text) &&
        places.some(section => /^underwrit/i.test(section.title) && section.start <= sentence.start && sentence.start < section.end)
      parts.push(...rolesIn(sentence, parties).filter(part => !(program && part.role === 'agent')))
    }
  if (!resale) parts.push(...ofTerms(prose, end, parties))
  return parts
}

/** Lines of the terms: `Selling Agent: BofAS`, `Agents` next to `TD Securities (USA) LLC`. */
function ofTerms(prose: Prose, end: number, parties: Parties): Part[] {
  const parts: Part[] = []
  prose.blocks.forEach((block, at) => {
    if (block.start >= end || parts.length >= mostParts || block.end - block.start > 900) return
    const text = prose.text.slice(block.start, block.end)
    const line = /^([A-Za-z][\w -]{3,60}?)\s*(?:\t|:\s?\t?)\s*(.+)$/s.exec(text)
    if (line?.[1] === undefined || line[2] === undefined || !isRoleHead(line[1].trim())) return
    const [group] = mentionsIn(line[2].split(/(?<=[a-z]{3})(?<!\b(?:Inc|Corp|Ltd))\.\s/)[0] as string, block.end - line[2].length, parties)
    const role = roleOf(line[1])
    if (group === undefined || role === null || group.start - (block.end - line[2].length) >= 12) return
    const names = group.mentions.map(mention => mention.name)
    // A cell of several lines is several blocks: its further lines are only names.
    for (const next of prose.blocks.slice(at + 1, at + 40)) {
      const name = tidy(prose.text.slice(next.start, Math.min(next.end, next.start + 120)))
      if (next.table !== block.table || block.table === 0 || !isFirm(name) || parties.isParty(name)) break
      names.push(name)
    }
    for (const name of names) parts.push({ name, role, lead: leads(line[1]), start: block.start })
  })
  return parts
}

const roleOnCover = (text: string): Role =>
  /\bplacement agents?\b/i.test(text)
    ? 'placement_agent'
    : /\bdealer[- ]managers?\b/i.test(text)
      ? 'dealer_manager'
      : /\b(?:sales|selling) agents?\b/i.test(text) || isAtTheMarket(text)
        ? 'agent'
        : 'underwriter'

/** Why a document names no firm, by its text. */
function reasonOf({ prose, outline, resale }: Subject, page: Place, places: readonly Selling[]): NoSellers {
  if (resale) return 'sold_by_holders'
  const end = Math.min(outline.baseStart, prose.text.length)
  const text = [page, ...places].map(place => prose.text.slice(place.start, place.end)).join('\n')
  if (
    /\b(?:names?|identif\w+|specif\w+|set forth|describe\w*)\b[^.]{0,160}\b(?:underwriters?|agents?|dealers?)\b[^.]{0,260}\b(?:applicable |accompanying |related |relevant )?prospectus supplement|prospectus supplement[^.]{0,200}\b(?:names?|identif\w+)\b[^.]{0,120}\b(?:underwriters?|agents?)|\bunderwriters?\b[^.]{0,300}\bin (?:the|a|an) (?:applicable|accompanying|related) prospectus supplement/i.test(
      text,
    )
  )
    return 'left_to_supplement'
  if (
    /\bwithout (?:the use of )?(?:an )?underwriters?\b|\bno underwriters?\b|\bnot (?:using|engaged|retained)[^.]{0,40}\b(?:underwriter|placement agent|broker)|\bself-underwritten\b|\bdirectly to (?:the )?(?:public|investors|purchasers)|\bour (?:officers?|directors?|president)[^.]{0,80}\bwill (?:sell|offer)/i.test(
      text === '' ? prose.text.slice(0, end) : text,
    )
  )
    return 'sold_by_issuer'
  return places.some(place =>
    /\bunderwriting agreement\b|\bplacement agency agreement\b|\bunderwriters? named below\b/i.test(prose.text.slice(place.start, place.end)),
  )
    ? 'left_blank'
    : 'not_found'
}

// Who sells the offering: the table of the section Underwriting, else the names at the foot of the cover. A table's head is nobody's name.
import type { z } from 'zod'
import type { Underwriter } from '#schemas/offerings.ts'
import { type Block, blockAt, type Prose } from '../documents/prose.ts'
import type { Place } from './cover.ts'
import { rowsIn } from './rows.ts'

type Named = z.infer<typeof Underwriter>
type Role = Named['role']

const firmWords =
  /\b(?:LLC|L\.L\.C|Inc|Incorporated|Corp|Corporation|L\.P|LP|LLP|Ltd|Limited|Partners|Securities|Capital|Markets?|Bank|Group|& Co|Company|Co|Advisors?|Financial|Global|Brothers|Sachs|Morgan|Stanley|Lynch|Suisse|Barclays|Citigroup|UBS|Jefferies|Cowen|Stifel|Baird|Evercore|Leerink|Sandler|Blair|Lazard|Raymond James|Wells Fargo|Wainwright|Roth|Maxim|Cantor|Oppenheimer|Nomura|Mizuho|BNP|HSBC|RBC|TD|BMO|CIBC|Scotiabank|Canaccord|Needham|BTIG|Guggenheim|KBW|SVB|ThinkEquity|Aegis|EF Hutton|Chardan|EarlyBird\w*|Craig-Hallum|Ladenburg|Northland|Benchmark|Boustead|Kingswood|Spartan|WestPark|Alliance Global|Dawson|Lake Street|Truist|Keefe|Piper|Janney|Hovde|D\.A\. Davidson|Deutsche|Santander|Loop|Siebert\w*|Academy|MUFG|SMBC|ING|PNC|KeyBanc|Fifth Third|Huntington|Regions|Citizens|U\.S\. Bancorp|BofA|Merrill|J\.P)\b/i
/** Heads and sums of the table, and words that are no firm. */
const noName =
  /^(?:name|names?\b.*underwriters?|underwriters?|managing underwriters?|co-?managers?|the underwriters?|total|number|shares?|firm shares|units|adss?|principal amount|notes|representatives?|percent\w*|page|aggregate|dealers?|agents?|placement agents?|initial purchasers?|public offering price|underwriting|proceeds|per (?:share|unit|ads|note)|without|with|no exercise|full exercise|amount|table of contents|assumed|initial public|price|\(?\d.*|prospectus.*|preliminary.*|the date.*|dated.*|.*\b20\d\d)$/i
const isName = (text: string): boolean =>
  text.length >= 3 &&
  text.length <= 90 &&
  /^[A-Z0-9]/.test(text) &&
  !noName.test(text) &&
  !/[:;]|[a-z]{4,}\.\s+[A-Z][a-z]|\b(?:discount|commission|offering|proceeds|expenses|shares of|purchase|shall|will|are|is|the)\b/.test(text)
const clean = (text: string): string =>
  text
    .replace(/\s*(?:\((?:\d|[a-z])\)|[†*]+)\s*$/g, '')
    .replace(/(?:\s*\.){2,}$|[\s…]+$/, '')
    .replace(/\s+/g, ' ')
    .trim()

const roleHead =
  /^(?:(?:sole|joint|lead|left|active|passive|co-?|senior|global|exclusive|qualified independent|book-?|structuring|and|,|\/|&|\s|-)*)(?:book-?\s?running(?: managers?)?(?:,? (?:and )?(?:lead |joint )?(?:managers?|representatives?|underwriters?))?|bookrunners?|(?:lead |co-?|senior )?managers?|(?:lead |sole |co-?)?placement agents?|(?:sales|selling) agents?|underwriters?|representatives?(?: of the (?:several )?underwriters)?|coordinators?|dealer managers?|structuring agents?|financial advisors?)s?$/i

const roleOf = (text: string): Role =>
  /placement/i.test(text)
    ? 'placement_agent'
    : /dealer manager/i.test(text)
      ? 'dealer_manager'
      : /(?:sales|selling) agent/i.test(text)
        ? 'agent'
        : 'underwriter'

/** The firms of the underwriting table in their order, the first as lead. */
function ofTable(prose: Prose, section: Place): Named[] {
  const rows = rowsIn(prose, section.start, Math.min(section.end, section.start + 60_000))
  for (let index = 0; index < rows.length; index += 1) {
    const head = rows[index]
    if (
      !head ||
      !/^(?:names?\b|(?:managing |name of )?(?:the )?underwriters?|placement agents?|initial purchasers?|agents?)\b/i.test(head.label) ||
      head.numbers.length > 0
    )
      continue
    const named: Named[] = []
    for (const row of rows.slice(index + 1, index + 80)) {
      if (row.table !== head.table || /^total/i.test(row.label)) break
      if (row.label === '' || /^(?:names?|underwriters?|number|representatives?|of\b)/i.test(row.label)) continue
      const name = clean(row.label)
      if (!isName(name)) continue
      named.push({ name, role: roleOf(head.label), lead: named.length === 0, shares: row.numbers.length > 0 ? (row.numbers[0] ?? null) : null })
    }
    if (named.length > 0) return named
  }
  return []
}

/** Names below or beside the headings of roles at the foot of the cover; without such a heading, the last line of firms. */
function ofCover(prose: Prose, cover: Place): Named[] {
  const named: Named[] = []
  let head: string | null = null
  const take = (text: string): void => {
    const name = clean(text)
    if (!isName(name) || roleHead.test(name) || named.some(other => other.name === name)) return
    const lead = /sole|lead|book|exclusive|representative|joint/i.test(head ?? '') && !/co-?(?:manager|placement)/i.test(head ?? '')
    named.push({ name, role: roleOf(head ?? ''), lead: lead || named.length === 0, shares: null })
  }
  const from = Math.max(0, blockAt(prose, cover.start))
  let lastFirms: string[] = []
  for (let index = from; index < prose.blocks.length; index += 1) {
    const block = prose.blocks[index] as Block
    if (block.start >= cover.end) break
    if (block.end - block.start > 260) {
      head = null
      continue
    }
    const cells = prose.text
      .slice(block.start, block.end)
      .split('\t')
      .map(cell => cell.trim())
      .filter(cell => cell !== '')
    const text = cells.join(' ')
    if (cells.length === 1 && roleHead.test(text)) head = text
    else if (/^(?:the date of this|prospectus dated|dated|table of contents|subject to)|\b20\d\d\.?$/i.test(text)) head = null
    else if (/^an? (?:division|affiliate|\w+ company|member)|^\(?member|^a .{0,40}company$/i.test(cells[0] ?? '')) {
      if (head !== null) for (const cell of cells.slice(1)) take(cell)
    } else if (head !== null) for (const cell of cells) take(cell)
    else if (cells.length > 0 && cells.every(cell => cell.length < 60 && firmWords.test(cell) && isName(clean(cell))))
      lastFirms = block.start > cover.start + (cover.end - cover.start) / 3 ? [...lastFirms, ...cells] : []
  }
  if (named.length === 0 && lastFirms.length > 0 && lastFirms.length < 25) {
    head = ''
    for (const firm of lastFirms) take(firm)
  }
  return named
}

/** `We have engaged Maxim Group LLC as our exclusive placement agent`: where neither table nor cover names them. */
function ofSentences(text: string): Named[] {
  const match =
    /\b(?:engaged|retained|through|with)\s+((?:[A-Z][\w.&,'’-]*\s+){1,7}?)(?:\([^)]{0,120}\)\s*)?,?\s*(?:to act )?as (?:our )?(?:the )?(?:exclusive|sole|lead|joint|co-)?[\s-]*(placement agent|sales agent|underwriter|representative|dealer manager)/.exec(
      text,
    )
  const name = clean((match?.[1] ?? '').replace(/,\s*$/, ''))
  return match !== null && isName(name) ? [{ name, role: roleOf(match[2] ?? ''), lead: true, shares: null }] : []
}

/** Underwriters and agents, lead first: the table's shares where it has them, the cover's roles. */
export function underwritersOf(prose: Prose, cover: Place, section: Place | null): Named[] {
  const table = section === null ? [] : ofTable(prose, section)
  const front = ofCover(prose, cover)
  if (table.length === 0) return front.length > 0 ? front : ofSentences(prose.text.slice(cover.start, cover.end))
  const key = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
  return table.map(row => {
    const seen = front.find(other => key(row.name).startsWith(key(other.name).slice(0, 12)))
    return seen && front.some(other => other.lead) ? { ...row, lead: seen.lead || row.lead } : row
  })
}

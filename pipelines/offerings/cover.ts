// The prospectus's cover: what is offered, its price, and the table of price, discount and proceeds.
import type { Prose } from '../documents/prose.ts'
import { plainNumber, sentencesIn } from './amounts.ts'
import { type Row, rowsIn } from './rows.ts'
import type { Outline } from './sections.ts'

export type Place = { readonly start: number; readonly end: number }
export type Evident = Place & { readonly field: string }
export type Offered = Place & { readonly security: string; readonly title: string; readonly count: string | null; readonly blank: boolean }
export type PriceTable = {
  readonly price: string | null
  readonly price_pct: string | null
  readonly gross: string | null
  readonly gross_with_option: string | null
  readonly underwriting: string | null
  readonly underwriting_with_option: string | null
  readonly net_before_expenses: string | null
  readonly selling_holder_proceeds: string | null
  readonly blank: boolean
  readonly evidence: readonly Evident[]
}

/** Where the cover of the prospectus stands: behind a registration statement's facing page, before the contents. */
export function coverOf(prose: Prose, outline: Outline): Place {
  const end = Math.min(outline.coverEnd, outline.baseStart, prose.text.length)
  let start = 0
  for (const block of prose.blocks) {
    if (block.start >= end) break
    if (block.end - block.start > 900) continue
    const text = prose.text.slice(block.start, block.end)
    if (
      /^subject to completion\b|^(?:preliminary )?(?:short form )?prospectus(?: supplement)?\b[^.]{0,60}$|^the information in this (?:preliminary )?prospectus|^base prospectus$/i.test(
        text,
      )
    ) {
      start = block.start
      if (/^(?:subject to completion|preliminary prospectus|prospectus)/i.test(text)) break
    }
  }
  return { start, end: Math.max(start, Math.min(end, start + 40_000)) }
}

const nouns: readonly (readonly [RegExp, string])[] = [
  [/american depositary shares?|american depositary receipts?|\bADSs?\b|\bADRs?\b/i, 'ADS'],
  [/depositary shares?/i, 'depositary share'],
  [/\bunits?\b/i, 'unit'],
  [/\bnotes?\b|\bdebentures?\b|\bbonds?\b|\bdebt securities\b/i, 'note'],
  [/\bwarrants?\b/i, 'warrant'],
  [/\b(?:subscription )?rights?\b/i, 'right'],
  [/\bshares?\b|\b(?:common|preferred|capital) stock\b|\btrust units?\b/i, 'share'],
]
/** What a phrase names first; a share that an ADS represents stands behind it. */
export function securityIn(text: string): { readonly security: string; readonly at: number } | null {
  let first: { security: string; at: number; order: number } | null = null
  nouns.forEach(([pattern, security], order) => {
    const at = text.search(pattern)
    if (at >= 0 && (first === null || at < first.at || (at === first.at && order < first.order))) first = { security, at, order }
  })
  return first
}

const counted =
  /^(?:up to |a (?:minimum|maximum) of |minimum (?:of )?|maximum (?:of )?)?(?:an aggregate of )?(\d{1,3}(?:,\d{3})+|\d{1,9})(?![\d.,]*[.%\d])(?!.*\bexchange\b)/i

/** The lines in large letters: `6,820,000 Shares`, `Common Stock`, `4,000,000 Units`, `$500,000,000 5.25% Notes due 2030`. */
export function securitiesOn(prose: Prose, cover: Place): Offered[] {
  const found: Offered[] = []
  for (const block of prose.blocks) {
    if (block.start < cover.start) continue
    if (block.start >= cover.end || block.start > cover.start + 6000) break
    const size = block.end - block.start
    if (size > 400 && found.length > 0) break
    if (size > 180) continue
    const text = prose.text.slice(block.start, block.end).replaceAll('\t', ' ').trim()
    if (
      /prospectus|completion|securities (?:act|and exchange)|offering price|per (?:share|unit|ads|note)\b|proceeds|registration|rule 4|dated|underwrit|nasdaq|nyse|symbol|underlying|issuable|offered (?:by|hereby)$/i.test(
        text,
      ) &&
      !/^(?:up to )?[\d,]+ /i.test(text)
    )
      continue
    const named = securityIn(text)
    if (!named || named.at > 90 || /^(?:per|total|additional|all|each)\b/i.test(text)) continue
    const number = counted.exec(text)?.[1]
    const before = text.slice(0, named.at)
    if (number === undefined && (size > 110 || text.endsWith('.'))) continue
    const isHeadline = number !== undefined || /^\$[\d,. ]+(?:million|billion)?|%|^(?:up to|[_[●•])/i.test(text) || named.at <= 40
    if (!isHeadline || /\b(?:corp|inc|ltd|llc|trust|plc|company|holdings|group)\b\.?,?/i.test(before)) continue
    const title = text.slice(number === undefined ? 0 : text.indexOf(number) + number.length).trim()
    const last = found.at(-1)
    // `6,820,000 Shares` and below it `Common Stock`: one security.
    if (
      last &&
      number === undefined &&
      size < 70 &&
      !/\.$|\b(?:by|the|of|and|to|in)$/.test(text) &&
      block.table === 0 &&
      block.start - last.end < 40 &&
      last.security !== 'warrant' &&
      (named.security === last.security ||
        (named.security === 'share' &&
          /^(?:(?:class [a-z] )?(?:common|ordinary|preferred|subordinate|capital)\b|representing\b|each representing\b)/i.test(text)))
    ) {
      const bare = /^(?:shares?|units?|ADSs?|notes?|warrants?)$/i.test(last.title)
      found[found.length - 1] = { ...last, title: bare && named.security === last.security ? title : `${last.title} ${title}`.trim(), end: block.end }
      continue
    }
    // `Common Stock` and below it `6,820,000 Shares`.
    if (last && last.count === null && last.blank && number !== undefined && named.security === last.security && block.start - last.end < 40) {
      found[found.length - 1] = { ...last, count: plainNumber(number), blank: false, end: block.end }
      continue
    }
    const inside = number === undefined ? /purchase (?:up to )?(\d{1,3}(?:,\d{3})+)/i.exec(text)?.[1] : number
    const count = inside !== undefined && !/^\$/.test(text) && named.security !== 'note' ? plainNumber(inside) : null
    found.push({
      security: named.security,
      title: title === '' ? text : title,
      count,
      blank: count === null && named.security !== 'note' && !/^\$/.test(text),
      start: block.start,
      end: block.end,
    })
  }
  return found
}

/** The same from the sentence that says it, where the cover has no such line. */
export function securitiesSaid(prose: Prose, cover: Place): Offered[] {
  for (const sentence of sentencesIn(prose.text, cover.start, cover.end)) {
    const match =
      /\b(?:offering|offer|selling|sell|issuing|issue|resale of|offering of|distribution of|offer and sale of)\s+(?:for sale\s+)?(?:from time to time,?\s+)?(?:of\s+)?(?:up to\s+)?(?:an aggregate of\s+)?(?:up to\s+)?(\d{1,3}(?:,\d{3})+)\s+(.{0,120})/i.exec(
        sentence.text,
      )
    const named = match?.[2] === undefined ? null : securityIn(match[2])
    if (match?.[1] === undefined || match[2] === undefined || !named || named.at > 60) continue
    const title = match[2].split(/[,;(]|\b(?:to|at|in|pursuant|held|by|from)\b/)[0] ?? ''
    return [{ security: named.security, title: title.trim(), count: plainNumber(match[1]), blank: false, start: sentence.start, end: sentence.end }]
  }
  return []
}

const isPrice =
  /^(?:assumed |initial |combined |total )*(?:(?:public )?offering price|price to (?:the )?public|public price|price to (?:the )?(?:investors?|purchasers?)|purchase price|subscription price)/i
const isDiscount =
  /^(?:total |less:? |estimated |maximum )*(?:underwrit\w+.{0,12}(?:discount|commission|fee)|(?:sales |selling )?(?:agents?|placement agents?)['’]?s?['’]? (?:fee|commission|discount)|(?:selling |sales )?commissions?|discounts? (?:and|or) commissions?|underwriting discount|dealer)/i
const isNet = /^(?:estimated |net |total )*proceeds?\b.{0,60}/i
const ofHolders = /selling|stockholder|shareholder|unitholder|securityholder/i

type Columns = { readonly each: number; readonly total: number; readonly option: number }

/** Which of a row's `count` numbers is per security, which the total, which the total with the option. -1: none. */
function columnsOf(heads: readonly string[], count: number): Columns | null {
  const named = heads.filter(head => /[a-z]/i.test(head))
  if (named.length === count) {
    const each = named.findIndex(head => /\bper\b|\beach\b|price to (?:the )?public/i.test(head))
    const option = named.findIndex(
      head =>
        /\b(?:with|full|maximum)\b.*|over-?allotment|exercise/i.test(head) && !/without|\bno exercise|minimum/i.test(head) && !/\bper\b/i.test(head),
    )
    const total = named.findLastIndex(
      (head, index) => index !== option && /total|aggregate|without|no exercise/i.test(head) && !/\bper\b/i.test(head),
    )
    if (total >= 0 || each >= 0) return { each, total, option }
  }
  if (count === 2) return { each: 0, total: 1, option: -1 }
  if (count >= 3 && /total\W*(?:\(\d\))?$/i.test(named.join(' ').trim())) return { each: 0, total: count - 1, option: -1 }
  return count === 1 && /total/i.test(named.join(' ')) ? { each: -1, total: 0, option: -1 } : null
}

const none: PriceTable = {
  price: null,
  price_pct: null,
  gross: null,
  gross_with_option: null,
  underwriting: null,
  underwriting_with_option: null,
  net_before_expenses: null,
  selling_holder_proceeds: null,
  blank: false,
  evidence: [],
}

/** Price, discount and proceeds, per security and in total, of the cover's table; its rows or its columns may be the three. */
export function priceTable(prose: Prose, cover: Place): PriceTable | null {
  const rows = rowsIn(prose, cover.start, cover.end)
  const first = rows.findIndex(
    (row, index) =>
      isPrice.test(row.label) &&
      row.numbers.length > 0 &&
      rows.slice(index + 1, index + 8).some(other => other.table === row.table && (isDiscount.test(other.label) || isNet.test(other.label))),
  )
  return first >= 0 ? byRows(rows, first) : byColumns(rows)
}

function headsBefore(rows: readonly Row[], index: number): string[] {
  const table = rows[index]?.table
  const heads: string[] = []
  for (let at = index - 1; at >= 0 && at >= index - 6; at -= 1) {
    const row = rows[at] as Row
    if (row.table !== table || row.numbers.length > 0) break
    heads.unshift(...[row.label, ...row.cells].filter(cell => cell.trim() !== ''))
  }
  return heads
}

function byRows(rows: readonly Row[], first: number): PriceTable {
  const table = rows[first]?.table
  const heads = headsBefore(rows, first)
  let found: { -readonly [K in keyof PriceTable]: PriceTable[K] } = { ...none }
  const evidence: Evident[] = []
  for (const row of rows.slice(first, first + 10)) {
    if (row.table !== table) break
    const columns = columnsOf(heads, row.numbers.length)
    if (!columns) continue
    const [each, total, option] = [row.numbers[columns.each] ?? null, row.numbers[columns.total] ?? null, row.numbers[columns.option] ?? null]
    const note = (field: string): unknown => evidence.push({ field, start: row.start, end: row.end })
    if (isPrice.test(row.label) && found.gross === null && found.price === null && found.price_pct === null) {
      const percent = row.cells.some(cell => /\d\s*%/.test(cell))
      const printed = percent ? (/(\d{1,3}(?:\.\d+)?)\s*%/.exec(row.cells.join(' '))?.[1] ?? null) : null
      found = {
        ...found,
        price: percent ? null : each,
        price_pct: printed,
        gross: percent ? lastMoney(row) : total,
        gross_with_option: option,
        blank: row.numbers.includes(null),
      }
      note('price')
      note('gross')
    } else if (isDiscount.test(row.label) && found.underwriting === null) {
      found = { ...found, underwriting: total, underwriting_with_option: option }
      note('underwriting')
    } else if (isNet.test(row.label) && ofHolders.test(row.label)) found = { ...found, selling_holder_proceeds: total }
    else if (isNet.test(row.label) && found.net_before_expenses === null) found = { ...found, net_before_expenses: total }
  }
  return { ...found, evidence }
}

/** The last amount of a row; of a row of percentages the only one with a currency sign. */
const lastMoney = (row: Row): string | null => row.numbers.at(-1) ?? null

/** `Per share | 10.00 | 0.70 | 9.30` and `Total | …`, with price, discount and proceeds at the heads of the columns; of notes percents of principal. */
function byColumns(rows: readonly Row[]): PriceTable | null {
  const percents = (row: Row): string[] => row.cells.join('\t').match(/\d{1,3}(?:\.\d+)?(?=\s*\t?\s*%)/g) ?? []
  const each = rows.findIndex(
    row =>
      /^per (?:\w+ ){0,2}(?:shares?|units?|adss?|notes?|bonds?|debentures?|depositary|combined|security)\b/i.test(row.label) &&
      (row.numbers.length >= 3 || percents(row).length >= 3),
  )
  const row = rows[each]
  if (!row) return null
  const heads = headsBefore(rows, each).join(' ')
  if (!/public|offering price/i.test(heads) || !/discount|commission|fee/i.test(heads)) return null
  const total = rows.slice(each + 1, each + 4).find(other => other.table === row.table && /^total/i.test(other.label) && other.numbers.length >= 3)
  const inPercent = percents(row).length >= 3
  return {
    ...none,
    price: inPercent ? null : (row.numbers[0] ?? null),
    price_pct: inPercent ? (percents(row)[0] ?? null) : null,
    gross: total?.numbers[0] ?? null,
    underwriting: total?.numbers[1] ?? null,
    net_before_expenses: total?.numbers[2] ?? null,
    selling_holder_proceeds: total?.numbers[3] ?? null,
    blank: !inPercent && row.numbers.includes(null),
    evidence: [{ field: 'price', start: row.start, end: row.end }, ...(total ? [{ field: 'gross', start: total.start, end: total.end }] : [])],
  }
}

// The cover's table of price, discount and proceeds, per security and in total. These may be its rows or its columns.
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import type { Evident, Place } from './cover.ts'
import { type Row, rowsIn } from './rows.ts'

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

const isPrice =
  /^(?:assumed |initial |combined |total )*(?:(?:public )?offering price|price to (?:the )?public|public price|price to (?:the )?(?:investors?|purchasers?)|purchase price|subscription price)/i
const isDiscount =
  /^(?:total |less:? |estimated |maximum )*(?:underwrit\w+.{0,12}(?:discount|commission|fee)|(?:sales |selling )?(?:agents?|placement agents?)['’]?s?['’]? (?:fee|commission|discount)|(?:selling |sales )?commissions?|discounts? (?:and|or) commissions?|underwriting discount|dealer)/i
const isNet = /^(?:estimated |net |total )*proceeds?\b.{0,60}/i
const ofHolders = /selling|stockholder|shareholder|unitholder|securityholder/i

type Columns = { readonly each: number; readonly total: number; readonly option: number }

/** Which of a row's `count` numbers is per security, the total, and the total with the option. -1: none. */
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

/** Price, discount and proceeds, per security and in total, from the cover's table. */
export function priceTable(prose: Prose, cover: Place): PriceTable | null {
  const rows = rowsIn(prose, cover.start, cover.end)
  const first = rows.findIndex(
    (row, index) =>
      isPrice.test(row.label) &&
      row.numbers.length > 0 &&
      rows.slice(index + 1, index + 8).some(other => other.table === row.table && (isDiscount.test(other.label) || isNet.test(other.label))),
  )
  return first >= 0 ? byRows(rows, first) : byColumns(prose, rows)
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

/** The last amount of a row; in a row of percentages, the only one with a currency sign. */
const lastMoney = (row: Row): string | null => row.numbers.at(-1) ?? null

/** Characters before a row that can be the heads of its columns: three lines and a rule. */
const mostHeads = 400

/**
 * `Per share | 10.00 | 0.70 | 9.30` and `Total | …`, with price, discount and proceeds in the heads of the columns; for notes, percentages
 * of the principal.
 */
function byColumns(prose: Prose, rows: readonly Row[]): PriceTable | null {
  const percents = (row: Row): string[] => row.cells.join('\t').match(/\d{1,3}(?:\.\d+)?(?=\s*\t?\s*%)/g) ?? []
  const each = rows.findIndex(
    row =>
      /^(?:price )?per (?:\w+ ){0,2}(?:shares?|units?|adss?|notes?|bonds?|debentures?|depositary|combined|security)\b/i.test(row.label) &&
      (row.numbers.length >= 3 ||
        percents(row).length >= 3 ||
        (row.numbers.length === 2 && row.cells.some(cell => /^\(\d{1,2}\)$/.test(cell.trim())))),
  )
  const row = rows[each]
  if (!row) return null
  // The lines above a row of an untagged table are its heads.
  const heads = row.table > 0 ? headsBefore(rows, each).join(' ') : prose.text.slice(Math.max(0, row.start - mostHeads), row.start)
  if (!/public|(?:offering|issue) price/i.test(heads) || !/discount|commission|fee/i.test(heads)) return null
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

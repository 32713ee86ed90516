// The proceeds of the issuer: the statement of the net proceeds in the section Use of Proceeds, and the table that computes them.
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import { type Money, moneyIn, type Sentence, sentencesIn } from './amounts.ts'
import type { Evident, Place } from './cover.ts'
import { type Row, rowsIn } from './rows.ts'

export type Net = {
  readonly amount: Money
  readonly option: Money | null
  readonly approximate: boolean
  readonly sentence: Place
  /** Another sentence of the section states another amount without a condition. */
  readonly disputed: boolean
}

/** The amount directly follows its verb: `will be approximately $66.7 million`, `net proceeds of $4 million`. */
const bound =
  /\b(?:be|are|is|was|were|of|at|receive|equal|totall?ing|total|raise|to)\s+(?:estimated\s+(?:to be|at)\s+)?(?:(?:approximately|about|around|roughly|up to|an aggregate of|a total of|only)\s+)*$/i
const nets =
  /\bnet (?:offering |cash |estimated )?proceeds\b|\bafter (?:deducting|payment of)\b.{0,1500}\b(?:receive|raise)\b|\bproceeds\b.{0,1500}\b(?:after (?:deducting|payment|deduction)|net of)\b/i
/** Sentences about something else: a change of the price, warrants that are exercised later, another sale, amounts received before. */
const others =
  /\b(?:increase|decrease)\b.{0,60}\b(?:assumed|by \$|of \$|in the)|\bif (?:all|any|the) (?:of )?(?:the )?(?:\S+ ){0,6}warrants?\b|\bexercise (?:price|of (?:the |all )?(?:\S+ ){0,4}(?:warrants|options))\b|\bfrom the exercise of\b|\bholders? (?:of|will)\b.{0,40}\bwarrants\b/i
/** Amounts that a figure excludes: `excluding the proceeds, if any, from the exercise of the warrants`. */
const leftOut = /\b(?:excluding|exclusive of|not including|without (?:giving effect to|taking into account)|assuming no)\b(?:[^,;]|, if any,)*/gi
const withOption = /\bexercis|over-?allotment|option to purchase|additional (?:shares|units|ads)/i

/** The net proceeds as the section states them; null without a statement. `amount.value` is null if they are left blank. */
export function netStated(prose: Prose, body: Place): Net | null {
  let first = null as Net | null
  let disputed = false
  for (const sentence of acrossPages(prose, body)) {
    if (!nets.test(sentence.text)) continue
    const monies = moneyIn(sentence.text, sentence.start).filter(money => !money.each && withoutUnit(prose, money))
    const main = monies.find(money => isBound(prose, sentence, money))
    if (!main || others.test(prose.text.slice(sentence.start, main.start).replace(leftOut, ''))) continue
    // The proceeds of an earlier sale: `we received net proceeds of $20 million from our offering of 2023`.
    if (/\b(?:we|the company|us) (?:have |had |has )?(?:previously |already )?received\b/i.test(prose.text.slice(sentence.start, main.start)))
      continue
    const conditional = /^(?:however, |in addition, )?(?:if|assuming|should|in the event)\b/i.test(sentence.text)
    if (first === null) {
      if (conditional && withOption.test(sentence.text.slice(0, 160)) && !/\bno exercise|not exercise/i.test(sentence.text)) continue
      first = { amount: main, option: optionIn(prose, sentence, monies, main), approximate: main.approximate, sentence, disputed: false }
    } else if (withOption.test(sentence.text) && (conditional || /\bin full\b/i.test(sentence.text))) {
      first = first.option === null ? { ...first, option: main } : first
    } else if (
      !conditional &&
      main.value !== null &&
      main.value !== first.amount.value &&
      !/selling|private placement|\bused?\b|portion|remain/i.test(sentence.text)
    )
      disputed = true
  }
  return first === null ? null : { ...first, disputed }
}

/** Page numbers and running heads, after which a sentence may continue. */
const pageFurniture = /^(?:(?:[A-Z]{1,2}-)?\d{1,4}|[ivxlc]{1,7}|table of contents|back to contents)$/i

/** Sentences; one that the end of a page interrupts continues after the page number, with the words in between blanked. */
function acrossPages(prose: Prose, body: Place): Sentence[] {
  const found: Sentence[] = []
  let open: Sentence | null = null
  let skipped = 0
  for (const sentence of sentencesIn(prose.text, body.start, body.end)) {
    if (open !== null && pageFurniture.test(sentence.text) && skipped < 3) {
      skipped += 1
      continue
    }
    if (open !== null && skipped > 0 && /^[a-z$(]/.test(sentence.text) && sentence.end - open.start < 6000) {
      // Of the same length, so that the positions of its amounts stay.
      const gap = ' '.repeat(sentence.start - open.end)
      found[found.length - 1] = { start: open.start, end: sentence.end, text: `${open.text}${gap}${sentence.text}` }
    } else found.push(sentence)
    const last: Sentence = found.at(-1) as Sentence
    open = /[.?!:;”"’)]$/.test(last.text) ? null : last
    skipped = 0
  }
  return found
}

/** The price, the principal or a count that looks like an amount (`$500,000,000 aggregate principal amount of notes`) is skipped. */
function withoutUnit(prose: Prose, money: Money): boolean {
  return !/^\s*(?:in )?(?:aggregate )?(?:principal|stated|face|liquidation)|^\s*of (?:the |our )?(?:notes|shares|common|units|debentures)/i.test(
    prose.text.slice(money.end, money.end + 50),
  )
}

/** Fees and expenses that a sentence deducts are not proceeds: `expenses of $1.2 million`, `fees, which are estimated at $500,000`. */
const deducted =
  /\b(?:expenses?|fees?|discounts?|commissions?|costs?)\b[^,;]{0,60}\b(?:of|at|totall?ing|are|is|were)\s+(?:(?:approximately|about|up to|an aggregate of)\s+)*$|\b(?:expenses?|fees?|discounts?|commissions?|costs?)\b(?:[^;]{0,30},\s+(?:which|that)\b[^;,]{0,60}|\s+estimated\s+(?:at|to be)\b[^;,]{0,30})$/i
/** `of` belongs to the preceding word (`the sale of`, `at a price of`, `an aggregate amount of`); otherwise to the proceeds, at any distance. */
const farOf =
  /\b(?:sales?|issuance|amounts?|prices?|values?|interest|balance|cash|principal|discounts?|commissions?|fees?|expenses?|costs?|payments?|total|sum|increase|decrease|excess|exercise|par|maximum|minimum|estimates?|portion|some|all|any|up to)\s+of\s+(?:(?:approximately|about|up to|an aggregate of)\s+)*$/i

/** Uses of the proceeds: their amounts are not the proceeds. */
const spent =
  /\b(?:to|will|would|may|and|or|for|in part to) (?:\w+ ){0,2}?(?:repay|use|fund|pay|purchase|acquire|redeem|invest|finance|retire|prepay|build|complete|buy|satisfy|refinance|discharge|make)(?:ing)?\b/i

function isBound(prose: Prose, sentence: Place, money: Money): boolean {
  const before = prose.text.slice(sentence.start, money.start)
  const at = before.search(/\bproceeds\b/i)
  if (at < 0) {
    if (!/\b(?:receive|raise|realize)\s+(?:approximately |about |up to )*$/i.test(before)) return false
    return (
      /^\s*(?:in|of) (?:estimated )?net proceeds/i.test(prose.text.slice(money.end, money.end + 40)) ||
      /\bafter (?:deducting|payment|deduction)\b/i.test(before)
    )
  }
  if (!bound.test(before) || deducted.test(before)) return false
  if (/\b(?:use|used|repay|apply|invest|fund)\s+(?:approximately |up to |about )*$/i.test(before)) return false
  if (!/\bof\s+(?:(?:approximately|about|up to|an aggregate of)\s+)*$/i.test(before)) return true
  return !farOf.test(before) && !spent.test(before.slice(at))
}

/** The amount in the same sentence with `if the underwriters exercise their option in full`. */
function optionIn(prose: Prose, sentence: Place, monies: readonly Money[], main: Money): Money | null {
  for (const money of monies) {
    if (money.start <= main.start) continue
    const between = prose.text.slice(main.end, money.start)
    const behind = prose.text.slice(money.end, Math.min(sentence.end, money.end + 240))
    if (/\bor\b|\band\b|[,(]/i.test(between) && between.length < 260 && (withOption.test(behind) || withOption.test(between))) return money
  }
  return null
}

/** `We will not receive any proceeds from the sale by the selling stockholders`, and no proceeds of the issuer. */
export function issuerGetsNothing(prose: Prose, body: Place): boolean {
  return sentencesIn(prose.text, body.start, body.end).some(
    ({ text }) =>
      /^(?:we|the company) will not receive any (?:of the )?proceeds\.$/i.test(text) ||
      (/\b(?:not|nor)\b.{0,30}\b(?:receive|be entitled to)\b.{0,40}\bproceeds\b|\breceive (?:no|none)\b.{0,30}\bproceeds\b|\bno proceeds\b.{0,60}\bto (?:us|the company)\b/i.test(
        text,
      ) &&
        /\bsale|\bsell|\bsold|\bresale|\bdisposition|selling|offered/i.test(text)) ||
      /\ball (?:of )?(?:the )?(?:net )?proceeds\b.{0,120}\bselling (?:stock|share|security|unit)?\s?holders?/i.test(text),
  )
}

/** The issuer offers too, as in a universal shelf that also names selling holders. */
const sells =
  /\b(?:we|the company|the registrant|the issuer)(?: and the selling \w+)? (?:may|are|is|will|intend to|propose to)(?: also)?,?(?: from time to time,?)?(?: in one or more (?:offerings|transactions|series),?)?(?: separately or together,?)?(?: each)?(?: offer| offering| sell| selling| offer and sell| issue and sell| offer, issue and sell)\b|\b(?:issuance|issuance and sale|offer and sale|offer, issuance and sale)\b[^.;]{0,60}\bby us\b|\b(?:securities|shares|stock|units)[^.;]{0,60}\b(?:offered|sold|to be sold) by us\b/i
const uses =
  /\b(?:we|the company) (?:intend|plan|expect|anticipate|currently intend|will|propose)\b[^.;]{0,60}\buse\b[^.;]{0,60}\bproceeds\b[^.;]{0,60}\bfrom (?:the|our|any) (?:sale|sales|offering|issuance)\b/i
/** Proceeds that depend on an exercise or a conversion, and negated ones. */
const notSold =
  /\bexercis|\bupon conversion|\bnot\b|\bneither\b|\bno proceeds\b|\bselling (?:stock|share|security|unit)?\s?holders? (?:is|are|may|will)\b/i

/** `We are not selling any securities under this prospectus`: a sale of the issuer to a holder who resells is another sale. */
const denied =
  /\b(?:we|the company) (?:are|is|will) not (?:offer(?:ing)?|sell(?:ing)?|offering or selling|selling or offering|issuing) any\b[^.;]{0,60}\b(?:securities|shares|stock|units|ads)\b[^.;]{0,60}\b(?:this prospectus|this offering|hereby)\b(?![^.;]{0,80}\b(?:jurisdiction|state|permitted))/i

export const issuerSells = (text: string): boolean =>
  !denied.test(text) &&
  sentencesIn(text, 0, text.length).some(sentence => {
    const at = sells.exec(sentence.text) ?? uses.exec(sentence.text)
    return at !== null && !notSold.test(sentence.text.slice(Math.max(0, at.index - 60), at.index + at[0].length + 40))
  })

const keys = ['gross', 'private_placement', 'total', 'underwriting', 'offering_expenses', 'net', 'trust'] as const
type TableKey = (typeof keys)[number]
export type ProceedsTable = {
  readonly values: Readonly<Partial<Record<TableKey, { readonly value: string | null; readonly option: string | null }>>>
  readonly evidence: readonly Evident[]
  /** Starts of rows that the table used, which are not uses. */
  readonly rows: ReadonlySet<number>
  readonly severalColumns: boolean
}

const gross =
  /^(?:total )?(?:gross (?:offering )?proceeds|gross offering|public offering price|aggregate offering price|offering proceeds|gross amount)\b/i
const rules: readonly (readonly [TableKey, (label: string) => boolean])[] = [
  [
    'trust',
    label =>
      /\b(?:held|deposited|placed) in (?:the |our )?trust|^(?:amount|funds|cash)?\s*(?:held )?in (?:the )?trust account|^trust account/i.test(
        label,
      ) && !/\bnot\b|outside|%|percent|interest/i.test(label),
  ],
  [
    'private_placement',
    label =>
      /private placement|private (?:units|warrants|shares|placement)|sponsor (?:units|warrants|shares)|placement (?:units|warrants)|sale of private/i.test(
        label,
      ) && !/expens|commission/i.test(label),
  ],
  ['total', label => /^total (?:gross )?(?:offering )?proceeds\b|^total gross|^total$/i.test(label)],
  ['gross', label => gross.test(label)],
  [
    'underwriting',
    label =>
      /underwrit\w+.{0,24}(?:commission|discount|fee|compensation)|(?:selling|sales) commissions?|placement agents?['’]? fees?|dealer manager fees?/i.test(
        label,
      ) && !/^total|excluding|other than|deferred/i.test(label.replace(/\([^)]*\)?/g, '')),
  ],
  [
    'offering_expenses',
    label =>
      /^(?:total )?(?:estimated )?(?:other )?(?:offering|issuance|organi[sz]ation and offering|organi[sz]ational and offering) (?:expenses|costs)\b|^total (?:estimated )?(?:offering |other )?(?:expenses|costs)\b|^expenses of (?:the|this) offering/i.test(
        label,
      ),
  ],
  [
    'net',
    label =>
      /^(?:estimated |total )*(?:net (?:offering )?proceeds|(?:net )?proceeds (?:to us )?(?:after|net of)\b|net offering|amount available|proceeds to (?:us|the company|issuer).{0,12}net)/i.test(
        label,
      ) && !/\bnot held|outside|use of/i.test(label),
  ],
]

/**
 * The table that deducts expenses from the gross proceeds (blank cheque companies, best-efforts offerings, conversions): one column, or a
 * second with the over-allotment option. Tables with more columns (minimum, midpoint, maximum) are not read.
 */
export function proceedsTable(prose: Prose, body: Place): ProceedsTable {
  const values: Partial<Record<TableKey, { value: string | null; option: string | null }>> = {}
  const evidence: Evident[] = []
  const taken = new Set<number>()
  let severalColumns = false
  const rows = rowsIn(prose, body.start, body.end)
  for (const row of rows) {
    const key = row.numbers.length === 0 || row.label === '' ? undefined : rules.find(([, rule]) => rule(row.label))?.[0]
    if (key === undefined) continue
    const amounts = withoutPercents(row)
    if (amounts.length === 0) continue
    // A bare `Total` is the sum of the gross proceeds only after them; at the foot of a list of uses, it is the sum of the uses.
    if (/^total$/i.test(row.label) && (values.gross === undefined || values.net !== undefined)) continue
    taken.add(row.start)
    if (amounts.length > 2) {
      severalColumns = true
      continue
    }
    const held = values[key]
    // A total of all expenses after the line without the underwriters' part: the line is used.
    if (held !== undefined && (key !== 'offering_expenses' || !/other than|excluding/i.test(row.label))) continue
    values[key] = { value: amounts[0] ?? null, option: amounts[1] ?? null }
    evidence.push({ field: key, start: row.start, end: row.end })
  }
  // Such a table has both ends; a single line is not one. Heads and expenses before its last line belong to it.
  const whole = values.gross !== undefined || values.total !== undefined || values.net !== undefined || values.trust !== undefined || severalColumns
  const last = Math.max(...taken)
  const tables = new Set(rows.filter(row => taken.has(row.start)).map(row => row.table))
  for (const row of rows) if (tables.has(row.table) && row.start <= last) taken.add(row.start)
  return { values: whole ? values : {}, evidence: whole ? evidence : [], rows: whole ? taken : new Set(), severalColumns }
}

/** The amounts of a row; numbers followed by a percent sign are shares of the whole. */
export function withoutPercents(row: Row): (string | null)[] {
  const percents = row.cells.filter(cell => /%/.test(cell)).length
  if (percents === 0) return [...row.numbers]
  const plain: (string | null)[] = []
  let at = 0
  row.cells.forEach((cell, index) => {
    if (!/\d/.test(cell) || /%/.test(cell)) return
    const number = cell.replace(/[^\d.,]/g, '')
    while (at < row.numbers.length && row.numbers[at] !== number.replaceAll(',', '')) at += 1
    if (at < row.numbers.length && !/^\s*%/.test(row.cells[index + 1] ?? '')) plain.push(row.numbers[at] ?? null)
    at += 1
  })
  return plain
}

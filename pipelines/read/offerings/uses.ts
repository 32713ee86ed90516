// The uses of the proceeds: the items of a Use of Proceeds section, the effect of a change of the price, and the discretion of the
// management.
import type { z } from 'zod'
import type { Sensitivity, UseCategory, UseItem } from '#schemas/offerings.ts'
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'
import { type Money, moneyIn, plainNumber, sentencesIn } from './amounts.ts'
import type { Place } from './cover.ts'
import { withoutPercents } from './proceeds.ts'
import { rowsIn } from './rows.ts'

type Item = z.infer<typeof UseItem>
type Category = z.infer<typeof UseCategory>

/** The purpose that comes first decides; of two at the same position, the first in this list. */
const categories: readonly (readonly [RegExp, Category])[] = [
  [
    /\b(?:repay|repayment|redeem|redemption|refinanc\w+|retire|reduce|pay(?:ing)? (?:down|off))\b.{0,120}\b(?:debt|notes?|loans?|indebtedness|borrowings?|credit|facility|debentures?|obligations?|preferred|principal)\b|\b(?:debt|loan|note|indebtedness) (?:repayment|reduction)|\brepay\w*\b/i,
    'debt_repayment',
  ],
  [
    /\bdividends?\b|\bdistributions? to (?:our )?(?:existing )?(?:stock|share|unit|equity)?\s?holders|\brepurchase\b.{0,60}\b(?:shares|units|interests|stock)|\b(?:purchase|acquire)\b.{0,60}\b(?:units|interests) (?:from|held by)/i,
    'dividends_to_holders',
  ],
  [/\bexploration\b|\bdrilling program|\bdrill\b|\bfeasibility stud|\bmineral (?:property|claims)/i, 'exploration'],
  [/\btax(?:es)?\b(?! advis)/i, 'tax'],
  [
    /\b(?:research|r&d|clinical|preclinical|pre-clinical|phase (?:1|2|3|i|ii|iii)\b|trial|toxicology|ind\b|ind-enabling|nda\b|bla\b|product candidates?|product development|develop(?:ment)? of (?:our )?(?:products?|technolog|platform|software|pipeline)|milestone|engineering)/i,
    'r_and_d',
  ],
  [/\b(?:sales|marketing|commerciali[sz]\w+|advertising|brand|customer acquisition|go-to-market|distribution network)\b/i, 'sales_marketing'],
  [/\b(?:acqui(?:re|ring|sitions?)|in-licens\w+|merger|business combination|strategic (?:investments?|transactions?))\b/i, 'acquisitions'],
  [
    /\b(?:capital expenditures?|capex|construct\w*|facilit(?:y|ies)|equipment|build-?out|plant|manufacturing capacity|new (?:stores|restaurants|locations|hotels)|propert(?:y|ies)|infrastructure|leasehold)\b/i,
    'capex',
  ],
  [/\bworking capital\b/i, 'working_capital'],
  [
    /\bgeneral (?:and )?(?:corporate|business|administrative|partnership|company)\b|\bg&a\b|\bpublic company\b|\bother (?:corporate|general) purposes\b|\bcorporate purposes\b/i,
    'general_corporate',
  ],
]
export function categoryOf(purpose: string): Category {
  const found = categories.map(([pattern, category]) => ({ category, at: purpose.search(pattern) })).filter(({ at }) => at >= 0)
  return found.sort((a, b) => a.at - b.at)[0]?.category ?? 'other'
}

const bullet = /^[•●○◦▪■·–—*-]$|^\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[).]$/i
const bulletStart = /^(?:[•●○◦▪■·]|[–—*-] |\(?(?:[ivx]{1,4}|[a-z]|\d{1,2})\)|\d{1,2}\.)\s*/i
/** A sentence introduces a list of uses; other lists of the section are not uses. */
const leadIn = /\b(?:use|uses|used|using|apply|applied|allocate\w*|expend\w*|proceeds|fund|purposes?)\b[^.]*(?::|as follows.?|following.{0,60})$/i

/** The items in order: from lists, else from tables, else from sentences about intended uses. */
export function usesIn(prose: Prose, body: Place, taken: ReadonlySet<number>): Item[] {
  const listed = listItems(prose, body)
  const tabled = listed.length > 0 ? [] : tableItems(prose, body, taken)
  return listed.length > 0 || tabled.length > 0 ? [...listed, ...tabled] : sentenceItems(prose, body)
}

function itemOf(prose: Prose, place: Place, shown?: string): Item {
  const text = prose.text
    .slice(place.start, Math.min(place.end, place.start + 3000))
    .replace(/\s+/g, ' ')
    .trim()
  const monies = moneyIn(text).filter(money => !money.each)
  const [first, second] = monies
  // `$4 million to $5 million`, `between $4 and $5 million`
  const isRange =
    first?.value !== undefined &&
    first?.value !== null &&
    second?.value != null &&
    /^\s*(?:to|and|[-–—])\s*$/.test(text.slice(first.end, second.start))
  const pct = shareOf(text, first?.end ?? 0)
  const purpose = purposeOf(shown ?? text)
  return {
    purpose,
    category: categoryOf(purpose),
    amount: first?.value ?? null,
    amount_high: isRange ? (second?.value ?? null) : null,
    approximate: first?.approximate ?? false,
    placeholder: first !== undefined && first.value === null,
    pct: pct === undefined ? null : plainNumber(pct),
    text: text.slice(0, 1200),
    start: place.start,
    end: place.end,
  }
}

/** Percent of the proceeds: named so, before the item, or next to its amount. An interest rate does not count. */
function shareOf(text: string, behind: number): string | undefined {
  const named =
    /(\d{1,3}(?:\.\d+)?)\s?%\s*(?:\)\s*)?of (?:the |our |such |these |this )?(?:aggregate |estimated |total |net |gross )*(?:proceeds|offering)/i.exec(
      text,
    )?.[1]
  const opening = /^(?:\([a-z\d]{1,4}\)\s*|[•●]\s*)?(?:up to |approximately |about )*(\d{1,3}(?:\.\d+)?)\s?%/i.exec(text)?.[1]
  return named ?? opening ?? /^\s*[,(]?\s*(?:or )?(?:approximately |about )?(\d{1,3}(?:\.\d+)?)\s?%/i.exec(text.slice(behind, behind + 40))?.[1]
}

/** The item without its amount: `approximately $26.0 million to advance …` is `advance …`. */
function purposeOf(text: string): string {
  const plain = text
    .replace(bulletStart, '')
    .replace(/^(?:and |or )?(?:we (?:currently )?(?:intend|expect|plan|anticipate)(?: to)?(?: use| using)? )?/i, '')
    .replace(
      /^(?:up to |between )?(?:approximately|about|an estimated|roughly)?\s*(?:US|C|A)?[$€£][\s\d.,●•_[\]]*(?:million|billion|thousand)?(?:\s*(?:to|and|[-–])\s*(?:approximately )?(?:US|C|A)?[$€£][\s\d.,]*(?:million|billion|thousand)?)?(?:,?\s*or (?:approximately |about )?\d[\d.]*\s?%,?)?(?: of (?:the |our |such )?(?:net )?proceeds(?: from this offering)?)?\s*(?:to |for |will be (?:used )?(?:to|for) |is expected to be used (?:to|for) |toward )?/i,
      '',
    )
    .replace(
      /^(?:up to |approximately |about )*\d{1,3}(?:\.\d+)?\s?%\s*(?:of (?:the |our |such )?(?:net )?proceeds(?: from this offering)?)?\s*/i,
      '',
    )
    .replace(/^(?:to |for |toward )/i, '')
    .replace(/[;,.]?\s*(?:and|or)?\s*$/i, '')
    .trim()
  return (plain === '' ? text : plain).slice(0, 400)
}

function listItems(prose: Prose, body: Place): Item[] {
  const blocks = prose.blocks
  const items: Item[] = []
  let led = false // the list that is being read was introduced as a list of uses
  let inList = false
  for (let index = blockAt(prose, body.start); index >= 0 && index < blocks.length; index += 1) {
    const block = blocks[index] as Block
    if (block.start >= body.end) break
    if (block.start < body.start) continue
    const text = prose.text.slice(block.start, block.end)
    const cells = text.split('\t')
    let place: Place | null = null
    if (bullet.test(text.trim())) {
      const next = blocks[index + 1]
      if (next && next.start < body.end) {
        place = { start: next.start, end: next.end }
        index += 1
      }
    } else if (cells.length > 1 && bullet.test((cells[0] ?? '').trim()))
      place = { start: block.start + (cells[0] as string).length + 1, end: block.end }
    else if (bulletStart.test(text) && text.length > 12) place = { start: block.start, end: block.end }
    if (place === null) {
      // The end of a page inside a list does not end it.
      if (text.length < 30 && !/[:.]$/.test(text)) continue
      led = leadIn.test(text.slice(-600).trim())
      inList = false
      continue
    }
    if (!inList && items.length > 0 && !led) continue
    inList = true
    if (led) items.push(itemOf(prose, place))
  }
  return items
}

function tableItems(prose: Prose, body: Place, taken: ReadonlySet<number>): Item[] {
  const items: Item[] = []
  for (const row of rowsIn(prose, body.start, body.end)) {
    if (taken.has(row.start) || row.label === '' || /^total|^\(\d+\)$|^%|^use of|^net proceeds|^gross|held in trust|^proceeds/i.test(row.label))
      continue
    const amounts = withoutPercents(row)
    if (row.numbers.length === 0 || row.label.length > 300) continue
    const item = itemOf(prose, { start: row.start, end: row.end }, row.label)
    const pct = /(\d{1,3}(?:\.\d+)?)\s*\t?\s*%/.exec(row.cells.join('\t'))?.[1]
    items.push({
      ...item,
      amount: amounts[0] ?? null,
      amount_high: null,
      placeholder: amounts.length > 0 && amounts[0] === null,
      pct: pct === undefined ? null : plainNumber(pct),
    })
  }
  return items
}

const intends =
  /\b(?:intends?|expects?|plans?|anticipates?|will|proposes?|may|to be|would)\b.{0,80}\b(?:use|used|apply|applied|allocate\w*|contribute\w*|lend|invest)\b/i
const isIdle = /\bpending\b|\bif (?:all|the|any) (?:of )?(?:the )?warrants|short-term|investment[- ]grade|money market|increase|decrease/i

/** Without a list: `We intend to use … for A, B and C`, `approximately $5 million of the net proceeds to …`, `(i) …; (ii) …`. */
function sentenceItems(prose: Prose, body: Place): Item[] {
  const items: Item[] = []
  for (const sentence of sentencesIn(prose.text, body.start, body.end)) {
    if (
      isIdle.test(sentence.text) ||
      /\bnot (?:currently )?(?:know|determined|specif|allocat)|cannot specify|\bno (?:current|present)/i.test(sentence.text)
    )
      continue
    const numbered = [...sentence.text.matchAll(/\((?:[ivx]{1,4}|[a-h]|\d)\)\s/g)]
    if (numbered.length >= 2 && /proceeds|use/i.test(sentence.text.slice(0, numbered[0]?.index ?? 0))) {
      numbered.forEach((mark, at) => {
        const from = sentence.start + mark.index
        items.push(itemOf(prose, { start: from, end: sentence.start + (numbered[at + 1]?.index ?? sentence.text.length) }))
      })
      continue
    }
    const match = /\b(?:proceeds|remainder|balance|remaining)\b/i.exec(sentence.text)
    if (!match || !(intends.test(sentence.text) || /\b(?:proceeds|remainder|balance)\b.{0,60}\bfor\b/i.test(sentence.text))) continue
    const purpose =
      /\b(?:proceeds|remainder|balance|capital|offering|securities|any|cash equivalents|million)\b[^.;]{0,60}?,?\s+(?:primarily |principally |together with [^,]{0,80},? )?(?:for|to|as follows|toward|in connection with)\s+(.{8,700})/i.exec(
        sentence.text,
      )?.[1]
    if (purpose === undefined) continue
    items.push(itemOf(prose, sentence, purpose))
  }
  return items
}

/** `A $1.00 increase in the assumed price would increase the net proceeds by $4.1 million`, and the same of a million shares. */
export function sensitivityIn(prose: Prose, body: Place): z.infer<typeof Sensitivity>[] {
  const found: z.infer<typeof Sensitivity>[] = []
  for (const sentence of sentencesIn(prose.text, body.start, body.end)) {
    if (!/\b(?:increase|decrease)/i.test(sentence.text) || !/\bproceeds\b/i.test(sentence.text)) continue
    const byPrice =
      /\$\s?(\d+(?:\.\d+)?)\s+(?:increase|decrease|change)|(?:increase|decrease|change)\s+(?:\(?or decrease\)?\s+|\(decrease\)\s+)?of \$\s?(\d+(?:\.\d+)?)/i.exec(
        sentence.text,
      )
    const byNumber =
      /(\d{1,3}(?:,\d{3}){1,9}|\d+(?:\.\d+)? million)\s+(?:increase|share|unit|ads|ordinary|common)?.{0,80}?(?:in the number|shares|units|adss?)/i.exec(
        sentence.text,
      )
    if (!byPrice && !byNumber) continue
    const effect = moneyIn(sentence.text).findLast(
      (money: Money) =>
        !money.each &&
        /\b(?:by|of)\s+(?:approximately |about |up to )*$/i.test(sentence.text.slice(0, money.start)) &&
        money.start > (byPrice?.index ?? byNumber?.index ?? 0) + 10,
    )
    if (!effect) continue
    found.push({
      driver: byPrice ? 'price' : 'number',
      change: byPrice
        ? plainNumber(byPrice[1] ?? byPrice[2] ?? '')
        : (byNumber?.[1] ?? '').includes('million')
          ? `${Number.parseFloat(byNumber?.[1] ?? '') * 1_000_000}`
          : plainNumber(byNumber?.[1] ?? ''),
      effect: effect.value,
      approximate: effect.approximate,
      placeholder: effect.value === null,
      text: sentence.text.slice(0, 1000),
      start: sentence.start,
      end: sentence.end,
    })
  }
  return found
}

export const hasBroadDiscretion = (text: string): boolean =>
  /\b(?:broad|significant|considerable|wide|substantial|sole|complete|absolute) (?:discretion|latitude|flexibility)\b|\bdiscretion (?:over|in|as to)\b/i.test(
    text,
  )

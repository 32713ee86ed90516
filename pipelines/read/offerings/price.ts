// The price of a prospectus's offer: a range, a fixed or assumed price, or the market price. Not that of an earlier sale, of the last
// trade, of an exercise or a redemption.
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import { type Money, moneyIn, type Sentence, sentencesIn } from './amounts.ts'
import type { Evident, Place } from './cover.ts'

export type Price = {
  readonly price: string | null
  readonly low: string | null
  readonly high: string | null
  readonly basis: 'fixed' | 'midpoint' | 'assumed' | 'range' | 'market' | null
  readonly evidence: Evident | null
}

/** `between $5.00 and $6.00 per Unit`; both ends must be printed. */
export function rangeIn(prose: Prose, place: Place): Price | null {
  for (const sentence of sentencesIn(prose.text, place.start, place.end)) {
    if (
      !/\bbetween\b|\brange\b|\bfrom\b|\bexpected to be\b/i.test(sentence.text) ||
      !/offering price|price (?:per|range)|public price|\bprice will be between\b|\boffer(?:ed|ing)\b[^.]{0,60}\bprice\b[^.]{0,120}\bbetween\b/i.test(
        sentence.text,
      )
    )
      continue
    // `an increase in the price from $10.00 to $11.50` contains a new price and an old one.
    if (/\b(?:increas|decreas|reduc|chang|rais|lower|adjust)\w*\b[^.]{0,120}\bfrom\b/i.test(sentence.text)) continue
    const [low, high] = moneyIn(sentence.text, sentence.start)
    if (
      low?.value == null ||
      high?.value == null ||
      Number(low.value) >= Number(high.value) ||
      !(high.each || /\bper (?:share|unit|ads|american|ordinary|common|security|note)/i.test(sentence.text))
    )
      continue
    if (!/^\s*(?:and|to|[-–—])\s*$/.test(prose.text.slice(low.end, high.start).replace(/\bper \w+\b/, ''))) continue
    return {
      price: null,
      low: low.value,
      high: high.value,
      basis: 'range',
      evidence: { field: 'price_low', start: sentence.start, end: sentence.end },
    }
  }
  return null
}

/** Words before an amount that make it the price of something else. */
const otherPrice =
  /\b(?:exercise|conversion|closing|sales?|bid|ask|par|trading|book|option|redemption|repurchase|market|strike|call|tender|exchange|hypothetical|initial estimated|floor|trigger|liquidation)\s+(?:price|value|preference)s?\b[^,;]{0,60}$|\bpar value\s*$|\blast (?:reported|sale|trad\w+)\b[^;]{0,120}$|\bstated value\b[^,;]{0,30}$/i
/** A price that the text calls the price of the offering. */
const offeringPrice =
  /\b(?:(?:public |initial |combined |fixed )*(?:offering|subscription|issue) price|price to (?:the )?public|public price|fixed price)\b[^.;$]{0,160}?\b(?:of|is|be|at|to|was|equal to)\s+(?:approximately )?$|\b(?:offering|subscription|fixed) price(?: per \w+)?:?\s*$/i
/** A price that belongs to the offering by the words around it: `at a purchase price of`, `offered at`. */
const somePrice = /\b(?:purchase price|price|offered|offering|sold|selling|distribution)\b[^.;$]{0,90}?\b(?:of|is|be|at|to)\s+(?:approximately )?$/i
/** `All shares are being offered for sale at a price of $10.00 per share`, even if nothing else names this offering. */
const areOffered =
  /\b(?:shares?|stock|units|ADSs|notes|securities)\b[^.;$]{0,80}\b(?:are|is|will be) (?:being |hereby )?(?:offered|sold)(?: for sale)?(?: (?:hereby|by us|by the \w+|to the public|in (?:this|the) offering))*,? at (?:an? )?(?:[\w-]+ ){0,4}?price(?: per \w+)? of $/i
/** `We are offering up to $50,000,000 in shares … at $10.00`: the amount of a headline may come between. */
const weOffer = /\b(?:are|is) (?:hereby )?(?:offering|selling)\b[^.;]{0,300}?\bat (?:an? )?(?:[\w-]+ ){0,4}(?:price )?(?:of )?$/i
const thisOffering =
  /\bthis (?:(?:short form |preliminary |base |shelf ){0,3}prospectus|offering circular|offering|rights offering|best.efforts)|\boffered hereby\b|\bhereby offer|\b(?:we|the company|it|the (?:trust|fund|partnership|issuer)) (?:are|is) (?:hereby )?(?:offering|selling|distributing)\b|\bwill be offered\b|\bwe (?:will|intend to|propose to) (?:offer|sell)\b|\beach (?:whole )?(?:subscription )?right\b|\bsubscription (?:right|privilege)\b/i
/** A completed or private sale: its price is not that of this offering. */
const earlierSale =
  /\bprivate placements?\b|\bprivately placed\b|\b(?:securities|share|stock|note|unit|subscription) (?:purchase|subscription)? ?agreement\b[^.]{0,200}\b(?:sold|issued|purchased)\b|\b(?:we|the company|us|it) (?:have |had |has )?(?:previously )?(?:sold|issued|completed|closed|consummated|priced|raised)\b|\b(?:was|were|had been|have been) (?:originally )?(?:issued|sold|purchased|acquired)\b|\bpurchased (?:by|from|in|pursuant to|under|for|at)\b|\bPIPE\b|\bfounder shares\b|\bin our initial public offering\b|\bpublic float\b|\bnon-?affiliates\b|\baggregate market value\b/i
const byHolders =
  /\bselling (?:stock|share|security|unit)?\s?holders?\b[^.]{0,220}\b(?:will|may|must|shall|intends?)\b[^.]{0,120}\b(?:sell|offer|resell|sold|offered)\b|\b(?:will|may|must) be (?:sold|offered|resold) (?:by|at)\b/i

/** Characters before an amount that are searched for its meaning. */
const nearest = 400

/** The nearest words before the amount are about a completed sale. */
function isEarlier(before: string): boolean {
  const past = [...before.matchAll(new RegExp(earlierSale, 'gi'))].at(-1)
  return (
    past !== undefined &&
    !/\b(?:this offering|offered hereby|(?:offered|offering) by this prospectus)\b/i.test(before.slice(past.index + past[0].length))
  )
}

function isOffered(sentence: Sentence, all: string, resale: boolean): boolean {
  const before = all.slice(-nearest)
  if (otherPrice.test(before)) return false
  const named = offeringPrice.test(before)
  if (resale) return named && byHolders.test(sentence.text) && !/\b(?:private placement|purchased|sold to|issued to)\b/i.test(before)
  if (isEarlier(all.slice(-1500))) return false
  return named || weOffer.test(before) || areOffered.test(before) || (somePrice.test(before) && thisOffering.test(sentence.text))
}

/** The price of this offering in a text: assumed (with or without the midpoint), or fixed. `resale`: only holders sell. */
export function priceIn(prose: Prose, place: Place, resale: boolean): Price | null {
  for (const sentence of sentencesIn(prose.text, place.start, Math.min(place.end, place.start + 60_000))) {
    if (!/\bprice\b|\bat (?:US|U\.S\.|C|Cdn|CAD|A|HK)?\s?\$|offered at|sold at/i.test(sentence.text)) continue
    for (const money of moneyIn(sentence.text, sentence.start)) {
      const before = prose.text.slice(sentence.start, money.start)
      if (money.value === null || !isEach(prose, sentence, money) || !isOffered(sentence, before, resale)) continue
      const assumed = /\bassum\w+\b[^.;]{0,120}$/i.test(before)
      const midpoint = assumed && /\bmid-?point\b/i.test(prose.text.slice(money.end, sentence.end).slice(0, 160))
      return {
        price: money.value,
        low: null,
        high: null,
        basis: midpoint ? 'midpoint' : assumed ? 'assumed' : 'fixed',
        evidence: { field: 'price', start: sentence.start, end: sentence.end },
      }
    }
  }
  return null
}

/** `$4.00 per share`, or `the offering price per share of $4.00`; `per share … and per warrant` are the parts of a unit's price. */
function isEach(prose: Prose, sentence: Sentence, money: Money): boolean {
  if (money.each) return true
  const behind = prose.text.slice(money.end, sentence.end)
  if (/\beach (?:[\w-]+ ){0,3}?(?:unit|share|ads|note|security)\b[^.$]{0,80}\bprice of $/i.test(prose.text.slice(sentence.start, money.start)))
    return true
  return (
    /\bprice (?:per|for each|of each) (?:\w+ ){0,3}(?:share|unit|ads|note|security|right)s?\b[^$]{0,40}$/i.test(
      prose.text.slice(sentence.start, money.start),
    ) && !/^ and an? [^$]{0,80}\bprice per warrant/i.test(behind)
  )
}

/** An offering at the market through a sales agent, at the market price of each day. */
export const isAtTheMarket = (text: string): boolean =>
  (/\bat[- ]the[- ]market\b/i.test(text) ||
    /\baggregate (?:gross )?(?:sales|offering) price of up to\b[^.]{0,120}\bfrom time to time\b/i.test(text)) &&
  /\b(?:sales|distribution|issuance|offering|ATM|open market sale\W{0,3}|agency|equity offering\W{0,3}(?: sales)?) agreement\b/i.test(text) &&
  !/\bin (?:the|any|an) (?:applicable|accompanying) prospectus supplement\b/i.test(text)

const atMarketPrices =
  /\bprevailing market prices?\b|\bmarket prices? prevailing\b|\bat[- ]the[- ]market\b|\bprivately negotiated prices\b|\bat market prices\b/i
/** A shelf leaves its terms, including the price, to a supplement. */
const laterTerms =
  /\b(?:applicable|accompanying|one or more|related|relevant|each|a|any) (?:\w+ )?(?:prospectus )?supplements?\b|\bsupplements? to this prospectus\b|\bin one or more (?:offerings|series|classes|transactions)\b/i

/** Holders, or dealers for the issuer, sell at market prices; a shelf that only permits this has no price yet. */
export const soldAtMarket = (text: string, resale: boolean): boolean => atMarketPrices.test(text) && (resale || !laterTerms.test(text))

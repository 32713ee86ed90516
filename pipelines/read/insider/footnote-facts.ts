// Facts in footnotes: the price range of a weighted average, and the 10b5-1 plan with its adoption date. Every pattern has bounded gaps
// only, so the time is proportional to the length of the text.

import { calendarDay } from '#schemas/days.ts'

const amount = String.raw`(?:US|U\.S\.|C|CAD|USD)?\s?[$€£]?\s?(\d[\d,]{0,14}(?:\.\d{1,10})?)`
const rangePattern = new RegExp(
  String.raw`\b(?:rang(?:e|es|ed|ing)|between|low(?: price)? of|prices? (?:from|of)|from)\b[^.;$€£\d]{0,60}${amount}(?:\s(?:per share|per unit|each))?,?\s*(?:to|and|through|-|–|—)\s*(?:(?:a |the )?(?:high|maximum)(?: price)? of\s|and\s|up to\s)?${amount}`,
  'gi',
)

export type PriceRange = { readonly low: string; readonly high: string }

/**
 * The price ranges that a footnote states ("at prices ranging from $150.35 to $151.34"). A range of bare numbers counts only
 * if the words before it mention a price; share counts, dates and percentages are not prices.
 */
export function priceRanges(text: string): PriceRange[] {
  const found: PriceRange[] = []
  for (const match of text.matchAll(rangePattern)) {
    const [whole, low = '', high = ''] = match
    const before = text.slice(Math.max(0, match.index - 80), match.index)
    const after = text.slice(match.index + whole.length, match.index + whole.length + 20)
    if (!/[$€£]/.test(whole) && !/\bprices?\b/i.test(before + whole)) continue
    if (!/[$€£.,]/.test(whole) && [low, high].every(bare => /^(?:19|20)\d\d$/.test(bare))) continue // years
    if (/^\s*(?:%|percent|shares|units|years|months)/i.test(after)) continue
    const range = { low: low.replaceAll(',', ''), high: high.replaceAll(',', '') }
    if (Number(range.low) > Number(range.high)) continue
    if (!found.some(other => other.low === range.low && other.high === range.high)) found.push(range)
  }
  return found
}

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december']
const monthNames = months.map(name => (name === 'september' ? 'sep(?:t(?:ember)?)?\\.?' : `${name.slice(0, 3)}(?:${name.slice(3)})?\\.?`)).join('|')
const day = String.raw`(?:(${monthNames})\s(\d{1,2})(?:st|nd|rd|th)?,?\s(\d{4})|(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})\b|(\d{4})-(\d{2})-(\d{2}))`
const verb = String.raw`\b(?:adopt(?:ed|ion|s)?|entered into|enter into|established|dated|executed|implemented|put in(?:to)? place)\b`
const adoptedOn = new RegExp(`${verb}[^.;]{0,120}?\\b${day}`, 'gi')
const onAdopted = new RegExp(String.raw`\bon ${day},?[^.;]{0,80}?\b(?:adopted|entered into|established|executed|implemented)\b`, 'gi')
const planPattern = /\b10[bB]-?5[-‑–—]?\s?-?1\b/
const denialPattern = /\bnot\b[^.;]{0,60}\b10b5|10b5[-‑–—]?1[^.;]{0,40}\bwas not\b/i

export type PlanInWords = { readonly mentioned: boolean; readonly dates: readonly string[] }

/**
 * A text's statements about a Rule 10b5-1 plan: whether the trade was made under one, and the different dates on which a plan was adopted.
 * A text that denies a plan ("not pursuant to a Rule 10b5-1 plan") mentions none.
 */
export function planInWords(text: string): PlanInWords {
  if (!/10[bB]/.test(text) || !planPattern.test(text) || denialPattern.test(text)) return { mentioned: false, dates: [] }
  // The points of titles and initials are no ends of sentences.
  const plain = text.replace(/\b(Mr|Mrs|Ms|Dr|Jr|Sr|Inc|Corp|Co|Ltd|No|[A-Z])\./g, '$1').replace(/\s+/g, ' ')
  const dates = new Set<string>()
  for (const pattern of [adoptedOn, onAdopted]) {
    for (const match of plain.matchAll(pattern)) {
      const nearby = plain.slice(Math.max(0, match.index - 250), match.index + match[0].length + 250)
      const date = isoOf(match.slice(1, 10))
      if (date !== null && planPattern.test(nearby)) dates.add(date)
    }
  }
  return { mentioned: true, dates: [...dates].sort() }
}

function isoOf([name, dayOfName, yearOfName, month, dayOfMonth, year, isoYear, isoMonth, isoDay]: readonly (string | undefined)[]): string | null {
  let parts: [number, number, number]
  if (name !== undefined) {
    parts = [Number(yearOfName), months.findIndex(full => full.startsWith(name.slice(0, 3).toLowerCase())) + 1, Number(dayOfName)]
  } else if (month !== undefined) {
    const short = Number(year)
    parts = [short < 100 ? 2000 + short : short, Number(month), Number(dayOfMonth)]
  } else parts = [Number(isoYear), Number(isoMonth), Number(isoDay)]
  return parts[0] >= 1990 ? calendarDay(...parts) : null
}

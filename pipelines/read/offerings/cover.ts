// The cover of the prospectus: its position, and the offered securities.
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import { plainNumber, sentencesIn } from './amounts.ts'
import type { Outline } from './sections.ts'

export type Place = { readonly start: number; readonly end: number }
export type Evident = Place & { readonly field: string }
export type Offered = Place & { readonly security: string; readonly title: string; readonly count: string | null; readonly blank: boolean }
/** The legend of Item 501(b)(7) of Regulation S-K, or the table of price and proceeds: the facing page of a registration statement has neither. */
const coverWords =
  /\bneither the (?:u\.s\. |united states )?securities and exchange commission\b|\b(?:approved or disapproved|passed upon the (?:accuracy|adequacy))\b|^(?:(?:initial )?public offering price|price to (?:the )?public)\b|\b(?:we|the company|it) (?:are|is) (?:hereby )?offering\b|\bthis prospectus(?: supplement)? (?:relates to|covers)\b/im
/** The position of the prospectus's cover: after the facing page of a registration statement, before the contents. */
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
      // After the words that every cover has, `Prospectus dated May 6, 2021` is its last line.
      if (start === 0 && block.start > 300 && coverWords.test(prose.text.slice(0, block.start))) break
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
  [
    /\b(?:linked|structured|enhanced|callable|buffer\w*|yield|return|participation|trigger|growth) securities\b|\bsecurities\b.{0,60}\bdue\b/i,
    'note',
  ],
  [
    /\b(?:pass-through|asset[- ]backed|mortgage[- ]backed|equipment trust|grantor trust|trust|participation|REMIC|lease) (?:[\w-]+ ){0,2}certificates\b/i,
    'note',
  ],
  [/\bwarrants?\b/i, 'warrant'],
  [/\b(?:subscription )?rights?\b/i, 'right'],
  [/\bshares?\b|\b(?:common|preferred|capital) stock\b|\btrust units?\b/i, 'share'],
]
/** The security that a phrase names first; a share that an ADS represents follows it. */
export function securityIn(text: string): { readonly security: string; readonly at: number } | null {
  let first: { security: string; at: number; order: number } | null = null
  nouns.forEach(([pattern, security], order) => {
    const at = text.search(pattern)
    if (at >= 0 && (first === null || at < first.at || (at === first.at && order < first.order))) first = { security, at, order }
  })
  return first
}

const counted =
  /^(?:up to |a (?:minimum|maximum) of |minimum (?:of )?|maximum (?:of )?)?(?:an aggregate of )?(\d{1,3}(?:,\d{3}){1,9}|\d{1,9})(?![\d.,]*[.%\d])(?!.*\bexchange\b)/i

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
    const inside = number === undefined ? /purchase (?:up to )?(\d{1,3}(?:,\d{3}){1,9})/i.exec(text)?.[1] : number
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

/** The same from a sentence, if the cover has no such line. */
export function statedSecurities(prose: Prose, cover: Place): Offered[] {
  for (const sentence of sentencesIn(prose.text, cover.start, cover.end)) {
    const match =
      /\b(?:offering|offer|selling|sell|issuing|issue|resale of|offering of|distribution of|offer and sale of)\s+(?:for sale\s+)?(?:from time to time,?\s+)?(?:of\s+)?(?:up to\s+)?(?:an aggregate of\s+)?(?:up to\s+)?(\d{1,3}(?:,\d{3}){1,9})\s+(.{0,120})/i.exec(
        sentence.text,
      )
    const named = match?.[2] === undefined ? null : securityIn(match[2])
    if (match?.[1] === undefined || match[2] === undefined || !named || named.at > 60) continue
    const title = match[2].split(/[,;(]|\b(?:to|at|in|pursuant|held|by|from)\b/)[0] ?? ''
    return [{ security: named.security, title: title.trim(), count: plainNumber(match[1]), blank: false, start: sentence.start, end: sentence.end }]
  }
  // Asset-backed securities are named by a sentence that describes them, without a number of them.
  for (const sentence of sentencesIn(prose.text, cover.start, cover.end)) {
    const match = /\basset[- ]backed (?:notes|certificates|securities)\b/i.exec(sentence.text)
    if (match === null || !/\b(?:notes|certificates) are\b|\bwill issue\b|\boffer/i.test(sentence.text)) continue
    return [{ security: 'note', title: match[0], count: null, blank: false, start: sentence.start, end: sentence.end }]
  }
  return []
}

// The name of a reporting person out of its row, which also holds tax numbers, notes and, of some filers, an address.
import { type Squeezed, wholeWords } from './labels.ts'

/** The continuation of the label, in the text's letters and digits. */
const tails =
  /or(?=s{0,3}or|irs)|1(?=irs|ssor|identif)|(?:(?:s{1,3}|socialsecurity)(?:or|and)?)?(?:irs)?(?:employer|taxpayer)?identification(?:nos?|numbers?)?s?(?:of)?(?:the)?(?:above|such|each)?(?:reporting)?(?:persons?)?s?|(?:s{0,3}or)?irsnos?(?:of)?(?:the)?(?:above|such)?(?:reporting)?persons?|entit(?:y|ies)only|seeinstructions?|voluntary|optional/y

/** The end of the label's tail in the text: after "S.S. OR I.R.S. IDENTIFICATION NO. OF ABOVE PERSON (ENTITIES ONLY)". */
export function behindTails(text: string, { letters, places }: Squeezed, squeezedEnd: number, labelEnd: number): number {
  let at = squeezedEnd
  let end = labelEnd
  for (let steps = 0; steps < 8; steps += 1) {
    tails.lastIndex = at
    const match = tails.exec(letters)
    if (match === null || match[0] === '') break
    at = wholeWords(text, places, match.index + match[0].length)
    end = (places[at - 1] as number) + 1
  }
  // The bracket or dot that closes the label, "(S)" and the like are the label's own.
  const rest = /^(?:\([sS]\))?[\s).:;,*/†\]-]*/.exec(text.slice(end, end + 80))
  return end + (rest?.[0].length ?? 0)
}

const idNumber = /(?:^|[\s(,;#:–-])\(?(?:\d{2}-\d{7}|[\dX#]{3}-[\dX#]{2}-[\dX#]{4})\)?(?![\d-])/
const idWords =
  /[\s(,;/–-]*(?:\bI\.?\s?R\.?\s?S\.?\s?(?:Identification|Employer|I\.?D\.?|No|#|Tax)|\bE\.?I\.?N\.?\b\s*[:#]?\s*\d|\bF\.?E\.?I\.?N\b|\bI\.D\.? (?:No|#)|\bTax(?:payer)? I\.?D|\bCIK\b|\bS\.S\.\s?(?:No|or|#)|\bEmployer I\.?D|\bIdentification No)/i
const notAName = /^(?:n\/a|none|not applicable|\(?entit(?:y|ies) only\)?\.?|\(?\d{1,2}\)?|[\W_]*|\(?\d{2}-?\d{7}\)?|see instructions.*)$/i
const address =
  /^(?:c\/o\b|\d+\w?\s+\S|suite\b|p\.?\s?o\.?\s?box|one |two |\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4})|,\s*[A-Z]{2}\s+\d{5}|\b(?:street|avenue|road|boulevard|floor)\b/i
const suffix =
  /^(?:[,(]?\s*)?(?:L\.?\s?P\.?|L\.?L\.?[CP]\.?|Inc\.?|Ltd\.?|Limited|Corp(?:oration)?\.?|Company|Co\.?|N\.?\s?V\.?|S\.?\s?[AÀ]\.?|P\.?L\.?C\.?|AG|SE|Trust|Partnership|Fund|GmbH|B\.?V\.?|S\.?à|and |& |of |\(?(?:f\/k\/a|d\/b\/a|formerly))/i
const unfinished = /(?:,|&|\band|\bof|\bthe|\bfor|-|\/|\bas)$/i

/** The name in a row's value, with offsets in the segment. Null if there is none. */
export function nameIn(segment: string, isPlain: boolean): { value: string; start: number; end: number; confidence: number } | null {
  const lines = [...segment.slice(0, 1200).matchAll(/[^\n\t]+/g)].map(match => ({ text: match[0], start: match.index }))
  const kept: string[] = []
  let start = 0
  let end = 0
  for (const line of lines) {
    const lead = /^[\s*:.,;_|-]*/.exec(line.text)?.[0].length ?? 0
    const text = withoutNumbers(line.text.slice(lead)).trim()
    const last = kept.at(-1)
    if (text === '' || notAName.test(text) || !/[A-Za-zÀ-ÿ]/.test(text)) {
      if (last !== undefined) break
      continue
    }
    if (last !== undefined) {
      const follows = suffix.test(text) || unfinished.test(last) || /^[a-z]/.test(text)
      if (address.test(text) || kept.length >= 4 || !(follows || (isPlain && !text.startsWith('(')))) break
    } else start = line.start + lead
    kept.push(text)
    end = line.start + lead + text.length
    if (text.length < line.text.slice(lead).trim().length && idNumber.test(line.text)) break
  }
  if (kept.length === 0) return null
  const value = kept
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/\s*(?:\(\d{1,2}\)|\[\d{1,2}\]|\*{1,3})$/, '')
    .replace(/[\s,;:_-]+$/, '')
    .trim()
  if (value === '' || value.length > 300) return null
  return { value, start, end, confidence: kept.length === 1 ? 0.98 : 0.85 }
}

/** A line up to the tax number that follows the name. */
function withoutNumbers(line: string): string {
  const words = idWords.exec(line)
  const number = idNumber.exec(line)
  const cut = Math.min(words?.index ?? line.length, number?.index ?? line.length)
  return line.slice(0, cut).replace(/[\s(,;–-]+$/, match => (match.includes('(') ? '' : match))
}

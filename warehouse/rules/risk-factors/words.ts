// A factor's text prepared for comparison: folded, split into words, and with everything masked that changes from year to year.

export type Words = {
  /** Dates, years and the filer's name masked; numbers unchanged. */
  readonly dated: readonly string[]
  /** Numbers masked too: decides whether two factors have the same text. */
  readonly masked: readonly string[]
}

const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const year = '(?:19|20)\\d\\d'
const dates = new RegExp(
  [
    `\\b${month} \\d{1,2}(?:st|nd|rd|th)?,? ${year}\\b`,
    `\\b\\d{1,2} ${month} ${year}\\b`,
    `\\b${month},? ${year}\\b`,
    `\\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.? \\d{1,2}\\b(?![,.]?\\d|%)`,
    `\\bmay \\d{1,2}\\b(?=[,.;)]| and | to )`,
    `\\b${year}-\\d\\d-\\d\\d\\b`,
    '\\b\\d{1,2}/\\d{1,2}/\\d{2,4}\\b',
    `\\b(?:fiscal|calendar)(?: years?)? (?:${year}|'?\\d\\d)\\b`,
    `\\bfy ?'?(?:${year}|\\d\\d)\\b`,
    `(?<![$€£,.\\d])${year}(?:[-–/]\\d{2,4})?\\b(?!,\\d|\\.\\d|%)`,
  ].join('|'),
  'g',
)
const pages = /\bpages? \d{1,4}(?:[-–]\d{1,4})?\b/g
const token = /<[a-z]+>|[$€£]?\d[\d,]*(?:\.\d+)?%?|[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu

/** Characters that NFKC may change. Plain text with the usual dashes and quotes is left unchanged, which takes a tenth of the time. */
const composed = /[^\t\n\r -~\u2013\u2014\u2018\u2019\u201c\u201d\u2022]/
/** Unicode NFKC, lower case, one blank, straight apostrophes. */
const folded = (text: string): string =>
  (composed.test(text) ? text.normalize('NFKC') : text).toLowerCase().replace(/[’‘]/g, "'").replace(/\s+/g, ' ').trim()

/** The words of a text. `names` are the filer's names (ownNames). */
export function wordsOfFactor(text: string, names: readonly string[]): Words {
  let plain = folded(text).replace(dates, '<date>').replace(pages, '<page>')
  for (const name of names) plain = plain.replaceAll(name, '<self>')
  const dated = plain.match(token) ?? []
  return { dated, masked: dated.map(word => (isNumber(word) ? '<num>' : word)) }
}
export const isNumber = (word: string): boolean => /^[$€£]?\d/.test(word)

const legal =
  /[,.]? (?:incorporated|inc|corporation|corp|company|co|limited|ltd|llc|lp|l\.p|plc|n\.?v|s\.?a|ag|se|trust|group|holdings?|\/[a-z]{2,3}\/?|the)\.?$/

/** The filer's names for itself, folded, longest first: its name with and without its legal form, and "the company". */
export function ownNames(company: string | null): string[] {
  const names = new Set(['the company', 'the corporation', 'the registrant'])
  for (let name = folded(company ?? ''); name.length >= 3; ) {
    names.add(name)
    const shorter = name.replace(legal, '')
    if (shorter === name) break
    name = shorter
  }
  return [...names].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
}

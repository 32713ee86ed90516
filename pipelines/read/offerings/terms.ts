// Terms that a prospectus states in sentences: the option to buy more, the amounts that issuer and holders sell, the lock-up.
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import { plainNumber, sentencesIn } from './amounts.ts'
import type { Evident, Place } from './cover.ts'

export type Option = { readonly shares: string | null; readonly days: number | null; readonly evidence: Evident }

/** The underwriters' option to buy more: the amount, and the number of days. */
export function optionOf(prose: Prose, place: Place): Option | null {
  for (const sentence of sentencesIn(prose.text, place.start, place.end)) {
    if (
      !/\boption\b|over-?allot|\bright to (?:purchase|acquire)/i.test(sentence.text) ||
      !/\bunderwriter|representative|over-?allot|initial purchaser|agents?\b|manager/i.test(sentence.text)
    )
      continue
    const shares =
      /\b(?:purchase|acquire|buy|sell)\s+(?:from (?:us|the \S+ ?\S*)\s+)?(?:up to\s+)?(?:an? (?:aggregate|additional|maximum)(?: of)?\s+)?(?:of\s+)?(?:up to\s+)?(\d{1,3}(?:,\d{3}){1,9})\s+(?:additional\s+)?(?:[\w-]+\s+){0,3}?(?:shares|units|ads|american|common|ordinary|class|depositary|subordinate)/i.exec(
        sentence.text,
      )?.[1]
    const days =
      /\b(?:within|for|period of|exercisable for|up to)?\s*(?:a |an )?(\d{2})[- ]days?\b|\b(thirty|forty-five|fifteen|sixty)[- ]days?\b/i.exec(
        sentence.text,
      )
    if (shares === undefined && days === null) continue
    const named: Readonly<Record<string, number>> = { fifteen: 15, thirty: 30, 'forty-five': 45, sixty: 60 }
    return {
      shares: shares === undefined ? null : plainNumber(shares),
      days: days === null ? null : days[1] !== undefined ? Number(days[1]) : (named[(days[2] ?? '').toLowerCase()] ?? null),
      evidence: { field: 'overallotment_shares', start: sentence.start, end: sentence.end },
    }
  }
  return null
}

/** Shares that the issuer sells, and those that holders sell, if the document states both or only one of them sells. */
export function sellersIn(prose: Prose, place: Place): { primary: string | null; secondary: string | null } {
  let primary: string | null = null
  let secondary: string | null = null
  for (const { text } of sentencesIn(prose.text, place.start, place.end)) {
    if (/\boption\b|over-?allot|\bwarrants? to purchase/i.test(text)) continue
    const count =
      '(?:up to )?(?:an aggregate of )?(?:up to )?(?<![$\\d,.])(\\d{1,3}(?:,\\d{3})+)\\s+(?:[\\w.$-]+\\s+){0,6}?(?:shares|units|ads|adss|american depositary)'
    const mine = new RegExp(`\\b(?:we|the company|us) (?:are|is) (?:offering|selling|issuing)[^.]{0,40}?${count}`, 'i').exec(text)?.[1]
    const theirs =
      new RegExp(
        `\\bselling (?:stock|share|security|unit)?\\s?holders?[^.]{0,120}?\\b(?:offering|selling|sell|offer|resell)[^.]{0,80}?${count}`,
        'i',
      ).exec(text)?.[1] ??
      new RegExp(`\\b(?:resale|sale|offered)[^.]{0,60}?${count}[^.]{0,160}\\bselling (?:stock|share|security|unit)?\\s?holders?`, 'i').exec(text)?.[1]
    primary ??= mine === undefined ? null : plainNumber(mine)
    secondary ??= theirs === undefined ? null : plainNumber(theirs)
  }
  return { primary, secondary }
}

const periods: Readonly<Record<string, number>> = {
  thirty: 30,
  'forty-five': 45,
  sixty: 60,
  ninety: 90,
  'one hundred eighty': 180,
  'one hundred and eighty': 180,
}
const monthWords: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3, four: 4, six: 6, nine: 9, twelve: 12 }
const locked =
  /lock-?\s?up|\bagreed\b.{0,160}\bnot to\b|\bnot to\b.{0,160}\b(?:offer|sell|pledge|dispose|transfer)|will not\b.{0,160}\b(?:offer|sell|pledge|dispose)/i

/** Days for which holders, and the issuer, may not sell. Two different periods for the same side give no value and a flag. */
export function lockUpIn(
  prose: Prose,
  places: readonly Place[],
): { holders: number | null; issuer: number | null; disputed: boolean; evidence: Evident | null } {
  const holders = new Map<number, Place>()
  const issuer = new Map<number, Place>()
  for (const place of places)
    for (const sentence of sentencesIn(prose.text, place.start, place.end)) {
      // The underwriters' securities are locked up by FINRA's rule, independent of the holders' agreement.
      if (!locked.test(sentence.text) || /\bFINRA\b|\b5110\b|representative['’]s warrant/i.test(sentence.text)) continue
      const days = daysIn(sentence.text)
      if (days === null) continue
      const both = /directors|officers|holders of|stockholders|shareholders|each of (?:us|our)|affiliates|sponsor|founders|insiders/i.test(
        sentence.text,
      )
      if (both) holders.set(days, holders.get(days) ?? sentence)
      if (/\b(?:we|the company|us and|us, )\b/i.test(sentence.text.slice(0, 160))) issuer.set(days, issuer.get(days) ?? sentence)
    }
  const [first] = holders
  const only = (of: ReadonlyMap<number, Place>): number | null => (of.size === 1 ? ([...of.keys()][0] as number) : null)
  return {
    holders: only(holders),
    issuer: only(issuer),
    disputed: holders.size > 1,
    evidence: holders.size === 1 && first ? { field: 'lock_up_days', start: first[1].start, end: first[1].end } : null,
  }
}

/** The first period of a sentence in days; a month counts 30, because 180 days and six months are used for each other. */
function daysIn(text: string): number | null {
  const days = /\b(\d{2,3})\s?-?days?\b|\b(thirty|forty-five|sixty|ninety|one hundred(?: and)? eighty)(?: \(\d+\))?\s?-?days?\b/i.exec(text)
  if (days) return days[1] !== undefined ? Number(days[1]) : (periods[(days[2] ?? '').toLowerCase()] ?? null)
  const months = /\b(?:(\d{1,2})|(one|two|three|four|six|nine|twelve))(?: \(\d+\))?\s?-?months?\b/i.exec(text)
  if (months) return 30 * (months[1] !== undefined ? Number(months[1]) : (monthWords[(months[2] ?? '').toLowerCase()] ?? 0))
  const year = /\bone(?: \(1\))?[- ]year\b/i.test(text)
  return year ? 365 : null
}

export const isInitial = (text: string): boolean | null =>
  /\binitial public offering\b/i.test(text)
    ? true
    : /\blisted on|\btraded on|last reported (?:closing |sale )*price|last reported sale/i.test(text)
      ? false
      : null

// The results in a document: their period, and whether they are results at all.
import { addDays } from '#schemas/days.ts'
import { dayOf, printedDays } from './dates.ts'
import type { Sentence } from './sentences.ts'

const ended = /\b(?:quarters?|months|years?|period|weeks|half)(?: year)?(?: then)? ended[\s:]{1,20}/gi
/** A day is printed within this many characters after `ended`. */
const reach = 40
/** Results are published at most this many days after their period. */
const mostDays = 200

/** The newest period end in the text before the filing's day; the first of equal ones. Null if there is none. */
export function periodEndIn(text: string, from: string): string | null {
  const earliest = addDays(from, -mostDays)
  let found: string | null = null
  let looked = 0
  for (const match of text.matchAll(ended)) {
    looked += 1
    if (looked > 200) break
    const behind = match.index + match[0].length
    const [printed] = printedDays(text.slice(behind, behind + reach))
    const day = printed && printed.start < 12 ? dayOf(printed) : null
    if (day !== null && day <= from && day >= earliest && (found === null || day > found)) found = day
  }
  return found
}

const period =
  '(?:first|second|third|fourth|1st|2nd|3rd|4th|Q[1-4]|quarter|quarterly|half|year|annual|interim|(?:three|six|nine|twelve) months|fiscal|full[- ]year|[1-4]Q)'
const reported =
  /\b(?:reports|reported|reporting|announces|announced|announcing|releases|released|posts|posted|issued)\b.{0,160}?\b(?:results|earnings|net income|net loss)\b/i
const named = new RegExp(`\\b${period}\\b.{0,80}?\\b(?:results|earnings)\\b`, 'i')
const statements = /\b(?:condensed |interim |consolidated |unaudited ){1,4}financial statements\b/i
const ahead = /\b(?:will|to|plans? to|expects? to|scheduled to|shall)(?: be)? (?:report|release|announce|issue|publish|host|hold)/i
const periodWord = new RegExp(`\\b${period}\\b`, 'i')

/** The first sentence of a document's beginning that presents results of a period; null if none does. */
export function resultsSentence(sentences: readonly Sentence[]): Sentence | null {
  for (const sentence of sentences) {
    const { text } = sentence
    if (ahead.test(text)) continue
    if ((reported.test(text) && periodWord.test(text)) || named.test(text) || (statements.test(text) && /\bended\b/i.test(text))) return sentence
  }
  return null
}

/** Figures that the issuer itself calls preliminary. */
export const isPreliminary = (beginning: string): boolean =>
  /\bpreliminary\b.{0,60}\b(?:results|financial|revenues?|earnings|unaudited|estimates?)\b/i.test(beginning)

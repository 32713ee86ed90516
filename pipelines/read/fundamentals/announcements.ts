// When an issuer announces that it will report: sentences such as "will release its third quarter results on Tuesday, November 4, 2025".
// Excludes sentences about a call only, voting or drilling results, and text without a day.
import { daysBetween, weekdayOf } from '#schemas/days.ts'
import { dayAfter, type PrintedDay, printedDays } from './dates.ts'
import type { Sentence } from './sentences.ts'

export type Announcement = {
  readonly date: string
  readonly time: 'before_open' | 'during_market' | 'after_close' | null
  readonly sentence: Sentence
  readonly flags: readonly string[]
}

/** Half a year ahead at most: a later day is from a financial calendar or a misreading. */
const daysAhead = 200

const verb = '(?:report|release|announce|issue|publish|disclose)'
const active = new RegExp(
  `\\b(?:(will|shall)(?: now| also)?|(?:plans?|expects?|intends?|scheduled|expected|due|set)(?: now)? to|to)(?: be)? ${verb}(?:ing)?\\b`,
  'i',
)
const passive =
  /\b(?:will(?: now)? be|(?:(?:is|are)(?: now)? )?(?:scheduled|expected|due|set) to be|to be) (?:report|releas|announc|issu|publish|disclos)ed\b/i
/** After these words, `to report` is not a plan. */
const notPlanned =
  /\b(?:pleased|proud|happy|continues?|continued|required|able|unable|order|fail(?:s|ed|ure)?|obligat(?:ed|ion)|need(?:s|ed)?|ability|necessary|permitted|not|never|elected|agreed|used)(?: \w+)? $/i
const results =
  /\b(?:financial|operating|earnings|quarter(?:ly)?|fiscal|full[- ]year|year[- ]end|half[- ]year|interim|annual)\b.{0,90}?\b(?:results|earnings)\b|\bearnings\b|\bresults (?:for|of) .{0,60}?\b(?:quarter|year|half|months|period)\b/i
const otherResults =
  /\b(?:trials?|clinical|stud(?:y|ies)|phase (?:[1-3]|i{1,3})\b|top-?line|drill(?:ing)?|assays?|exploration|vot(?:e|es|ing)|poll|tender|exchange offer|election)\b/i
const negated = /\b(?:will not|won['’]t|shall not|no longer|do(?:es)? not)\b/i
/** Words before a day that is not the report day: a period's end, or a day that was abandoned. */
const otherDay =
  /(?:\b(?:ended|ending|as of|since|through|until|from|dated|instead of|rather than|not|previously (?:announced|scheduled|planned)(?: date)?(?: of| for)?|originally (?:announced|scheduled|planned)(?: for)?|replay(?: will be available)?)(?: on)?(?: the)? )$/i
const roughly = /\b(?:on or (?:about|around|before|prior to)|approximately|around|about|(?:the )?week of|by|no later than)(?: the)? $/i

/** The announcement in a sentence; null if it names no day after `from` (the day of the filing) for results. */
export function announcementIn(sentence: Sentence, from: string): Announcement | null {
  const { text } = sentence
  const match = passive.exec(text) ?? active.exec(text)
  if (match === null || !results.test(text) || otherResults.test(text) || negated.test(text)) return null
  if (/^to\b/i.test(match[0]) && notPlanned.test(text.slice(Math.max(0, match.index - 40), match.index))) return null
  const days = printedDays(text).filter(day => !otherDay.test(text.slice(Math.max(0, day.start - 60), day.start)))
  const day = days.find(each => each.start > match.index) ?? days[0]
  const when = day === undefined ? null : dayAfter(day, from)
  if (day === undefined || when === null || daysBetween(from, when.date) > daysAhead) return null
  return { date: when.date, time: timeIn(text), sentence, flags: flagsOf(text, day, when) }
}

function flagsOf(text: string, day: PrintedDay, when: { readonly date: string; readonly yearPrinted: boolean }): string[] {
  const flags: string[] = []
  if (!when.yearPrinted) flags.push('year_not_printed')
  if (roughly.test(text.slice(Math.max(0, day.start - 40), day.start))) flags.push('approximate')
  if (day.weekday !== null && day.weekday !== weekdayOf(when.date)) flags.push('weekday_differs')
  return flags
}

const beforeOpen =
  /\b(?:before|prior to|ahead of)\b[^.;]{0,60}\b(?:open|opens|opening)\b|\bpre-?market\b|\bbefore (?:the )?(?:u\.s\. )?(?:stock )?markets?\b/i
const afterClose =
  /\b(?:after|following)\b[^.;]{0,60}\b(?:close|closes|closing)\b|\bafter (?:the )?(?:u\.s\. )?(?:stock )?markets?\b|\bpost-?market\b/i
function timeIn(text: string): Announcement['time'] {
  const early = beforeOpen.test(text)
  const late = afterClose.test(text)
  return early === late ? null : early ? 'before_open' : 'after_close'
}

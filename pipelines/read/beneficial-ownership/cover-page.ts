// The first page of an unstructured Schedule: issuer, class, CUSIP, date of event, amendment number and rules. The form prints each
// value above its label in brackets; some filers print it after the label.

import { isCusip } from '#schemas/cusip.ts'
import { boxesIn, tickedOf } from './boxes.ts'
import { type CoverText, type Evidence, evidenceOf } from './cover-persons.ts'
import { dayIn } from './dates.ts'

const patterns = {
  issuer_name: 'nameof(?:the)?(?:issuer|subjectcompany|company)|issuersname',
  class_title: 'titles?(?:of|and)(?:the)?class(?:es)?(?:of|and)?(?:the)?securit(?:y|ies)|titleofsecurit(?:y|ies)|titleandclassofsecurit(?:y|ies)',
  cusips: 'cusip(?:number|num|no)?s?(?:ofclassofsecurities)?',
  notice: 'persons?authori[sz]edtoreceivenotices?(?:and)?(?:communications?)?',
  event_date: 'dates?of(?:the)?events?(?:(?:which|that)?requir(?:es?|ing)(?:the)?filing(?:of)?(?:this)?(?:statement|schedule)?)?',
} as const
type Field = keyof typeof patterns
const fields = Object.keys(patterns) as readonly Field[]
const anyField = new RegExp(fields.map(field => `(${patterns[field]})`).join('|'), 'g')

type Place = { readonly field: Field; readonly start: number; readonly end: number; readonly above: boolean }
export type CoverPage = {
  readonly issuer_name: string | null
  readonly class_title: string | null
  readonly cusips: readonly string[]
  readonly event_date: string | null
  readonly event_date_printed: string | null
  readonly amendment_number: string | null
  readonly rules: readonly string[]
  readonly previously_filed_13g: boolean | null
  /** As the page names itself, `13G/A`. */
  readonly schedule: '13D' | '13G' | null
  readonly names_amendment: boolean
  readonly evidence: readonly Evidence[]
}

/** Lines of the form's text, which are not values. */
const ofTheForm =
  /securities (?:and|&) exchange|securities exchange act|^\(?(?:final )?amendment\b|schedule\s*13|^under the|washington|commission|^\W*$|united states|^\(?rule 13d|information (?:to be )?(?:included )?in statements|omb (?:number|approval)|pursuant to (?:rule|§)|§\s?240/i

/** Reads the first page: everything before the first person's page, at most 30,000 characters. */
export function coverPageIn(cover: CoverText, firstPage: number): CoverPage {
  const zone = Math.min(firstPage, 30_000, cover.text.length)
  const places = placesIn(cover, zone)
  const evidence: Evidence[] = []
  const head = cover.text.slice(0, Math.min(zone, places[0]?.start ?? 4000))
  const numbered = /amendment\s{0,3}(?:no|number|#)?s?\s{0,3}[.:#]{0,2}\s{0,5}[_(\s]{0,6}(\d{1,3})(?!\d)/i.exec(head)
  if (numbered) evidence.push(evidenceOf('amendment_number', cover, numbered.index, numbered.index + numbered[0].length, 0.95))
  const top = numbered ? numbered.index + numbered[0].length : 0
  const value = (field: Field): { text: string; start: number; end: number } | null => {
    for (const [at, place] of places.entries()) {
      if (place.field !== field) continue
      const found = place.above
        ? valueAbove(cover, places[at - 1]?.end ?? top, place.start)
        : valueBehind(cover, place.end, places[at + 1]?.start ?? zone)
      if (found) return found
    }
    return null
  }
  const addEvidence = (field: string, found: { start: number; end: number } | null, confidence: number): void => {
    if (found) evidence.push(evidenceOf(field, cover, found.start, found.end, confidence))
  }
  const issuer = value('issuer_name')
  addEvidence('issuer_name', issuer, 0.9)
  const title = value('class_title')
  addEvidence('class_title', title, 0.9)
  const date = value('event_date')
  const day = date && dayIn(date.text)
  addEvidence('event_date', day ? date : null, 0.95)
  const cusips = cusipsOf(cover, value('cusips'), evidence)
  return {
    issuer_name: issuer?.text ?? null,
    class_title: title?.text ?? null,
    cusips,
    event_date: day?.day ?? null,
    event_date_printed: date && (day ? date.text.slice(day.start, day.end) : date.text.slice(0, 200)),
    amendment_number: numbered?.[1] ?? null,
    rules: rulesIn(cover, zone, evidence),
    previously_filed_13g: boxBehind(cover, zone, /(?:13d-1\(g\)|or \(4\)),?\s{1,4}check\s{1,4}the\s{1,4}following\s{1,4}box(?!\s{1,4}if a fee)/i),
    ...scheduleIn(cover.text.slice(0, 6000)),
    evidence,
  }
}

function placesIn(cover: CoverText, zone: number): Place[] {
  const { letters, places: at } = cover.squeezed
  const found: Place[] = []
  for (const match of letters.matchAll(anyField)) {
    const start = at[match.index] as number
    if (start >= zone) break
    const field = fields[match.findIndex((group, place) => place > 0 && group !== undefined) - 1] as Field
    const end = (at[match.index + match[0].length - 1] as number) + 1
    found.push({ field, start, end, above: isAbove(cover.text, start, end) })
  }
  return found
}

/** True if the value is above the label: the label is in brackets, or has nothing after it on its line. */
function isAbove(text: string, start: number, end: number): boolean {
  if (/\(\s*$/.test(text.slice(Math.max(0, start - 4), start))) return true
  const rest = text.slice(end, end + 200).split('\n', 1)[0] ?? ''
  return !/^(?:s|\(s\))?[\s.:)*#]*[^\s.:)*#]/.test(rest) && !/^[^\n]{0,4}:/.test(rest)
}

/** The lines above a label, up to the label before, a line of the form, or four of them. */
function valueAbove(cover: CoverText, from: number, start: number) {
  const zone = cover.text.slice(Math.max(from, start - 1500), start)
  const base = start - zone.length
  const lines = [...zone.matchAll(/[^\n\t]+/g)].map(match => ({ text: match[0], at: base + match.index }))
  const kept: { text: string; at: number }[] = []
  for (const line of lines.reverse()) {
    const text = line.text.replace(/^[\s_*=:–—-]+|[\s_*=(:–—-]+$/g, '')
    if (text === '' || /^[)\W]*$/.test(text)) {
      continue
    }
    // What closes the bracket of the label before is that label's.
    if (line.at === base && from > 0 && /^[^(]*\)[\s*]*$/.test(line.text) && lines.length > 1) break
    if (ofTheForm.test(text) || kept.length >= 4) break
    kept.unshift({ text, at: line.at + line.text.indexOf(text) })
  }
  return joined(kept)
}

function joined(kept: readonly { readonly text: string; readonly at: number }[]) {
  const [first] = kept
  const last = kept.at(-1)
  if (!first || !last) return null
  const text = kept
    .map(line => line.text)
    .join(' ')
    .replace(/^[)\s,.:*_–—-]+/, '')
    .replace(/\s+/g, ' ')
  return text === '' ? null : { text: text.slice(0, 500), start: first.at, end: last.at + last.text.length }
}

/** The value after a label, on its line or the next line with text. */
function valueBehind(cover: CoverText, end: number, next: number) {
  const zone = cover.text.slice(end, Math.min(end + 400, Math.max(end, next)))
  const lead = /^(?:s|\(s\))?[\s.:)*#_]*/i.exec(zone)?.[0].length ?? 0
  const line = zone.slice(lead).split(/[\n\t]/, 1)[0] ?? ''
  const text = line.replace(/[\s_*=:–—-]+$/, '')
  return text === '' ? null : { text, start: end + lead, end: end + lead + text.length }
}

/** CUSIPs of the first page's field; else of the line that heads each person's page. */
function cusipsOf(cover: CoverText, found: { text: string; start: number; end: number } | null, evidence: Evidence[]): string[] {
  const own = found === null ? [] : numbersIn(found.text)
  if (found && own.length > 0) {
    evidence.push(evidenceOf('cusips', cover, found.start, found.end, own.every(isCusip) ? 0.98 : 0.8))
    return own
  }
  let looked = 0
  for (const match of cover.text.matchAll(/CUSIP(?:\s{0,3}(?:Numbers?|Nos?|#))?\s{0,3}(?:\(s\))?[\s.:#]{0,12}/gi)) {
    const end = match.index + match[0].length
    const line = (cover.text.slice(end, end + 40).split('\n', 1)[0] ?? '').trimEnd()
    const numbers = numbersIn(line)
    if (numbers.length > 0) {
      evidence.push(evidenceOf('cusips', cover, end, end + line.length, numbers.every(isCusip) ? 0.95 : 0.7))
      return numbers
    }
    looked += 1
    if (looked > 20) break
  }
  return []
}

/** CUSIPs in a line: nine letters and digits, with blanks or dashes between them; by their check digit first. */
export function numbersIn(line: string): string[] {
  const text = line.slice(0, 300).toUpperCase()
  const candidates = [...text.matchAll(/(?<![0-9A-Z])(?=[0-9A-Z]{0,9}\d)[0-9A-Z*@#](?:[ –-]{0,2}[0-9A-Z*@#]){8}(?![0-9A-Z])/g)].map(match =>
    match[0].replace(/[ –-]/g, ''),
  )
  const sure = candidates.filter(isCusip)
  if (sure.length > 0) return [...new Set(sure)]
  const shaped = candidates.filter(each => /^(?:\d{3}|[A-Z]\d{4})[0-9A-Z]*\d$/.test(each))
  if (shaped.length > 0) return [...new Set(shaped)]
  // Without its check digit.
  const short = /(?<![0-9A-Z])\d{3}[0-9A-Z]{3}[ -]?\d{2}(?![0-9A-Z])/.exec(text)
  return short ? [short[0].replace(/[ -]/g, '')] : []
}

const rule = /(?:rule\s{0,3})?13d\s?-\s?1\s?\(\s?([bcd])\s?\)/gi

/** Rules ticked on the first page of a 13G. */
function rulesIn(cover: CoverText, zone: number, evidence: Evidence[]): string[] {
  const head = cover.text.slice(0, zone)
  const promptAt = head.search(/designate the rule/i)
  if (promptAt < 0) return []
  const filed = head.indexOf('is filed', promptAt)
  const from = filed < 0 ? promptAt + 18 : filed + 8
  const text = head.slice(from, from + 900)
  const places = [...text.matchAll(rule)].slice(0, 3).map(match => ({
    name: `Rule 13d-1(${match[1]?.toLowerCase()})`,
    start: match.index,
    end: match.index + match[0].length,
  }))
  const line = text.slice(places.at(-1)?.end ?? 0).split('\n', 1)[0] ?? ''
  return tickedOf(text.slice(0, (places.at(-1)?.end ?? 0) + line.length), places).map(({ name, box }) => {
    evidence.push(evidenceOf('rules', cover, from + box.start, from + box.end, 0.95))
    return name
  })
}

function boxBehind(cover: CoverText, zone: number, phrase: RegExp): boolean | null {
  const head = cover.text.slice(0, zone)
  const match = phrase.exec(head)
  if (match === null) return null
  const [first] = boxesIn(head.slice(match.index + match[0].length, match.index + match[0].length + 60))
  return first === undefined ? null : first.ticked
}

/** Which schedule the page states: the one named first. */
function scheduleIn(head: string): { schedule: '13D' | '13G' | null; names_amendment: boolean } {
  const named = /schedule\s{0,3}13\s?-?\s?([DG])\b(\s?\/\s?A\b)?/i.exec(head)
  const letter = named?.[1]?.toUpperCase()
  return { schedule: letter === 'D' ? '13D' : letter === 'G' ? '13G' : null, names_amendment: named?.[2] !== undefined }
}

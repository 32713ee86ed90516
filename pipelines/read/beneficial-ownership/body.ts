// The items and signatures after the cover pages of an unstructured Schedule.
import { countWords } from '#warehouse/documents/prose/prose.ts'
import type { Fact } from '../parsed.ts'
import { dayIn } from './dates.ts'

type Items = Fact<'ownership_schedules'>['items']
type Signatures = Fact<'ownership_schedules'>['signatures']
type Heading = { readonly number: number; readonly start: number; readonly title: string | null; readonly body: number }

/** An item's heading: its number, then a mark, its title or the line's end; "Item 4 of the Schedule is amended" is a sentence. */
const heading = /^[\s*]{0,4}item\s{0,4}(\d{1,2})\s{0,2}((?:\(\w\)|[a-k](?=[.):\s])){0,2})\s{0,2}([.:)–—-]{0,3})\s{0,4}/i
const sentence = /^(?:of|is|are|was|has|above|below|and|to|in|hereof|herein|set|with|which|shall)\b/i
const amended = /^[\s*]{0,4}items?\s{0,4}(\d{1,2})\b.{0,80}\b(?:hereby\s)?(?:amended|supplemented|restated|deleted)/i

/** Titles by their first words: a filer may continue after one on the same line. */
const titles: readonly RegExp[] = [
  /^security and (?:the )?issuer\b/i,
  /^identity and background\b/i,
  /^sources? and amounts? of (?:funds?|the funds)(?: or other considerations?)?/i,
  /^purpose of (?:the )?transactions?\b/i,
  /^interests? in (?:the )?securities of (?:the )?(?:issuer|company)\b/i,
  /^contracts?,? arrangements?,? understandings? or relationships?(?: with respect to (?:the )?securities of (?:the )?(?:issuer|company))?/i,
  /^materials? to be filed as (?:an )?exhibits?\b/i,
]

const ending = /^[\s*]{0,4}(?:signatures?\b[\s.:*]{0,4}$|after (?:due |reasonable )?(?:inquiry|enquiry) and to the best)/i

/** Ten items with all their lettered parts are some forty. */
const mostHeadings = 400

/** The lines of a part of the text, with their places. */
function* linesIn(text: string, from: number): Generator<{ line: string; start: number }> {
  for (let at = from; at < text.length; ) {
    const feed = text.indexOf('\n', at)
    const end = feed < 0 ? text.length : feed
    yield { line: text.slice(at, end), start: at }
    at = end + 1
  }
}

/** Headings in ascending order after the cover pages, and the start of the signatures. */
function headingsIn(text: string, from: number): { headings: Heading[]; end: number } {
  const headings: Heading[] = []
  let end = text.length
  let last = 0
  for (const { line, start } of linesIn(text, from)) {
    if (line.length < 200 && headings.length > 0 && ending.test(line)) {
      end = start
      break
    }
    const found = headingOf(text, line, start)
    if (found === null || found.number < last || found.number > 10 || (found.number > last + 4 && last > 0)) continue
    if (found.number === last && !/^[\s*]{0,4}item/i.test(line)) continue
    headings.push(found)
    if (headings.length >= mostHeadings) break
    last = found.number
  }
  return { headings, end }
}

function headingOf(text: string, line: string, start: number): Heading | null {
  const match = heading.exec(line.slice(0, 300))
  if (match === null) return null
  // Plain text breaks a title over two lines.
  const head = text.slice(start, start + 400).replaceAll('\n', ' ')
  const rest = head.slice(match[0].length).replace(/^[\s.:–—-]+/, '')
  const marked = match[2] !== '' || match[3] !== ''
  if (!marked && sentence.test(rest)) {
    return amended.test(head) ? { number: Number(match[1]), start, title: null, body: start } : null
  }
  if (marked && /^(?:and|or|of|above|below|hereof)\b/i.test(rest)) return null
  const lead = head.length - rest.length
  const ownLine = line.slice(lead)
  const known = titles.map(title => title.exec(rest)?.[0]).find(title => title !== undefined)
  if (known !== undefined) {
    const behind = /^[\s.:*)–—-]*/.exec(head.slice(lead + known.length))?.[0].length ?? 0
    return { number: Number(match[1]), start, title: known, body: start + lead + known.length + behind }
  }
  // A short line is all title; a long one has its text run in.
  if (line.length > 200) return { number: Number(match[1]), start, title: null, body: start + lead }
  const colon = ownLine.indexOf(':')
  const isRunIn = colon > 0 && ownLine.slice(colon + 1).trim() !== ''
  const title = (isRunIn ? ownLine.slice(0, colon) : ownLine).replace(/[\s.:]+$/, '')
  return { number: Number(match[1]), start, title: title === '' ? null : title, body: isRunIn ? start + lead + colon + 1 : start + line.length }
}

/** The items after the cover pages; parts of one item (1(a), 1(b)) are joined. */
export function itemsIn(text: string, from: number): { items: Items; starts: ReadonlyMap<string, readonly [number, number]>; end: number } {
  const { headings, end } = headingsIn(text, from)
  const parts = new Map<number, { title: string | null; texts: string[]; from: number; to: number }>()
  for (const [at, found] of headings.entries()) {
    const to = headings[at + 1]?.start ?? end
    const body = text.slice(Math.min(found.body, to), to).trim()
    const lead = body === '' ? 0 : text.slice(found.body, to).search(/\S/)
    const held = parts.get(found.number)
    // Parts under letters keep their headings: the letters show what the text answers.
    const own = held === undefined || found.title === null ? body : `${found.title}\n${body}`.trim()
    if (held === undefined)
      parts.set(found.number, { title: found.title, texts: own === '' ? [] : [own], from: found.body + lead, to: found.body + lead + body.length })
    else {
      if (own !== '') held.texts.push(own)
      held.to = found.body + lead + body.length
    }
  }
  const starts = new Map<string, readonly [number, number]>()
  const items = [...parts].map(([number, { title, texts, from: start, to }]) => {
    const joined = texts.join('\n')
    starts.set(String(number), [start, to])
    return {
      item: String(number),
      title,
      text: joined === '' ? null : joined,
      words: joined === '' ? null : countWords(joined),
      not_applicable: null,
    }
  })
  return { items, starts, end }
}

/** Who signed, up to the first exhibit: conformed signatures ("/s/ Name"), their titles, and the day above or below. */
export function signaturesIn(text: string, from: number): Signatures {
  const signatures: { block: number; person: string | null; signature: string; title: string | null; date: string | null }[] = []
  let date: string | null = null
  let person: string | null = null
  let read = 0
  for (const { line } of linesIn(text, from)) {
    read += 1
    if (read > 2000 || /^[\s*]{0,4}(?:exhibit|joint filing agreement|power of attorney|annex|schedule)\b.{0,60}$/i.test(line)) break
    const dated = /\b(?:dated?)\b[\s:.]{0,4}(.{4,60})/i.exec(line.slice(0, 200))
    const day = dated?.[1] === undefined ? null : dayIn(dated[1])
    if (day) {
      date = day.day
      for (const each of signatures) each.date ??= date
    }
    const signed = /(?:\/s\/|^\s*signature:)\s{0,4}([^\t\n/]{2,100})/i.exec(line.slice(0, 400))
    const titled = /^\s*(?:its|title)\s?:\s{0,4}(.{2,120})$/i.exec(line.slice(0, 200))
    const last = signatures.at(-1)
    if (signed?.[1] !== undefined) {
      signatures.push({ block: signatures.length + 1, person, signature: signed[1].replace(/[\s_]+$/, ''), title: null, date })
      person = null
    } else if (titled?.[1] !== undefined && last) last.title ??= titled[1].trim()
    else if (/^[A-Z0-9][A-Z0-9 .,&'()/-]{3,90}$/.test(line.trim()) && !/^\s*(?:by|date|name|title|signatures?)\b/i.test(line)) person = line.trim()
  }
  return signatures
}

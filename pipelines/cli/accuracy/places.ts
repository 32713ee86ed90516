// Where a document prints a value: the line and the surrounding words, found by the spellings that filings use. Pure.
import { decodeEntities } from '#warehouse/documents/prose/entities.ts'

export type Place = { readonly line: number; readonly before: string; readonly printed: string; readonly after: string }
/** A document that was split into lines. */
export type Lines = { readonly text: string; readonly starts: readonly number[] }

const months = 'January February March April May June July August September October November December'.split(' ')
/** Characters shown on either side of a value. */
const around = 70
/** Characters of the source that are read for them: markup takes most of a page. */
const aroundSource = 900
/** Words of a long text that are used to find its beginning. */
const firstWords = 10
/** Words of a quotation, which shows the whole sentence. */
export const quotedWords = 60
/** Values of a list that are searched for. */
const mostValues = 12

export function linesOf(text: string): Lines {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return { text, starts }
}

/** The 1-based line of a position. */
function lineAt({ starts }: Lines, position: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) <= position) low = middle
    else high = middle
  }
  return low + 1
}

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** Between two words of a text: blanks, marks of HTML, references for blanks. */
const gap = '(?:\\s|<[^<>]{0,2000}>|&nbsp;|&#160;|&#xa0;)+'

/** A number as filings print it: plain, or with commas; zeros after the decimal point may be omitted. */
function numberPattern(digits: string): string | null {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits) ?? []
  const plain = whole.replace(/^0+(?=\d)/, '')
  const kept = fraction.replace(/0+$/, '')
  // Shorter ones appear everywhere in a document: a match would prove nothing.
  if ((plain + fraction).replace(/^0+/, '').length < 3) return null
  const grouped = plain.replace(/\B(?=(\d{3})+$)/g, ',?')
  return `(?<![\\p{L}\\d.,_])${sign === '' ? '' : '[-(]?'}0*${grouped}${kept === '' ? (plain.length < 3 ? '\\.0+' : '(?:\\.0+)?') : `\\.${kept}0*`}(?![\\p{L}\\d_]|[.,]\\d)`
}

function datePattern(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-')
  const [m, d] = [Number(month), Number(date)]
  const name = months[m - 1] ?? month
  const spellings = [
    day,
    `${year}${month}${date}`,
    `${name.slice(0, 3)}[a-z.]*\\s+0?${d},?\\s+${year}`,
    `0?${m}/0?${d}/(?:${year}|${year.slice(2)})`,
    `0?${d}\\s+${name.slice(0, 3)}[a-z.]*,?\\s+${year}`,
  ]
  return `(?<!\\d)(?:${spellings.join('|')})(?!\\d)`
}

function patternOf(value: unknown, most: number): string | null {
  if (typeof value === 'number') return numberPattern(String(value))
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return datePattern(text)
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return numberPattern(text)
  // A code of the reader (`full`, `placement_agent`): a document that has the word does not print the fact.
  if (/^[a-z]+(?:_[a-z]+)*$/.test(text)) return null
  const words = text.split(/\s+/).slice(0, most)
  return text.length < 3 ? null : `(?<![\\p{L}\\p{N}])${words.map(wordPattern).join(gap)}(?![\\p{L}\\p{N}])`
}

/** A word as a page or plain text may print it, quotation marks and dashes in either style. */
const wordPattern = (word: string): string =>
  quoted(word)
    .replaceAll('&', '(?:&amp;|&#38;|&)')
    .replace(/[’']/g, "(?:[’']|&#8217;|&#146;|&#x2019;|&rsquo;|&#39;|&apos;)")
    .replace(/[“”"]/g, '(?:[“”"]|&#822[01];|&#14[78];|&#x201[cd];|&[lr]dquo;|&quot;|&#34;)')
    .replace(/[—–]/g, '(?:[—–-]{1,2}|&#821[12];|&#15[01];|&[mn]dash;)')

/** The first match outside of a tag: an identifier or an attribute of the markup is not what a reader sees. */
function matchIn(text: string, pattern: string): RegExpExecArray | null {
  let looks = 0
  for (const match of text.matchAll(new RegExp(pattern, 'giu'))) {
    const open = text.lastIndexOf('<', match.index)
    const inside =
      open >= 0 && match.index - open < 4000 && /^<[a-z!/?]/i.test(text.slice(open, open + 2)) && text.lastIndexOf('>', match.index - 1) < open
    if (!inside) return match
    looks += 1
    if (looks >= mostLooks) return null
  }
  return null
}
/** Matches inside of tags that are passed over before a value counts as not printed. */
const mostLooks = 500

function* scalarsIn(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) for (const part of value) yield* scalarsIn(part)
  else if (typeof value === 'object' && value !== null) for (const [name, part] of Object.entries(value)) yield* scalarsIn([name, part])
  else yield value
}

/** A piece of the source as a reader sees it: without markup, on one line. */
const oneLine = (text: string): string => decodeEntities(text.replace(/<[a-z!/?][^<>]*>|<[a-z!/?][^<>]*$|^[^<>]*>/giu, ' ')).replace(/\s+/g, ' ')

/** The first place of each part of a value that the document prints; none if the value was counted, summed or is too short to identify. */
export function placesOf(document: Lines, value: unknown, words = firstWords): Place[] {
  const places: Place[] = []
  const seen = new Set<string>()
  for (const scalar of scalarsIn(value)) {
    const pattern = patternOf(scalar, words)
    if (pattern === null || seen.has(pattern)) continue
    if (seen.size >= mostValues) break
    seen.add(pattern)
    const match = matchIn(document.text, pattern)
    if (match === null) continue
    const end = match.index + match[0].length
    places.push({
      line: lineAt(document, match.index),
      before: oneLine(document.text.slice(Math.max(0, match.index - aroundSource), match.index)).slice(-around),
      printed: oneLine(match[0]),
      after: oneLine(document.text.slice(end, end + aroundSource)).slice(0, around),
    })
  }
  return places
}

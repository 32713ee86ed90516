// Converts HTML as filers write it to the text that a browser shows. A purpose-built scanner: one pass, no tree, styles looked up by their
// text. bench compares it with cheerio and htmlparser2; html.test.ts lists the required cases.
import { decodeEntities } from './entities.ts'
import { Page, rawTags, voidTags } from './html-page.ts'
import { type InnerLink, isBlank, type Prose } from './text.ts'

const nameEnd = /[\s/>]/g

/** The end of a tag: the next `>` outside quoted values. Quotes that never close do not extend it to the page's end. */
function tagEnds(source: string): (from: number) => number {
  // The next quote is searched once; otherwise a page without quotes would be searched to its end for every tag.
  let known = source.indexOf('"')
  const quoteFrom = (from: number): number => {
    if (known >= 0 && known < from) known = source.indexOf('"', from)
    return known
  }
  return from => {
    const first = source.indexOf('>', from)
    let next = first
    for (let at = from; ; ) {
      // Looked for again only if a quoted value held it, or a tag of quotes would be searched to its end for each.
      if (next < at) next = source.indexOf('>', at)
      if (next < 0) return first
      const open = quoteFrom(at)
      if (open < 0 || open > next) return next
      const shut = quoteFrom(open + 1)
      if (shut < 0 || shut - open > longestValue) return first
      at = shut + 1
    }
  }
}
/** A quoted value longer than this is a quote that was never closed. */
const longestValue = 20_000

export function readHtml(source: string): Prose {
  // An element that hides the rest of the page, because it is never closed, is read again as shown.
  const revealed = new Set<number>()
  for (;;) {
    const page = readPage(source, revealed)
    const hides = page.hiddenFrom()
    if (hides === null || revealed.size >= mostRevealed || source.length - hides < source.length * hiddenShare) {
      page.finish()
      return proseOf(page)
    }
    revealed.add(hides)
  }
}
/** Elements that are opened again; a page that hides more is meant to. */
const mostRevealed = 3
/** Hidden text up to the end of a page is a filer's mistake only if it is much of the page. */
const hiddenShare = 0.2

function readPage(source: string, revealed: ReadonlySet<number>): Page {
  const page = new Page(source, revealed)
  const tagEnd = tagEnds(source)
  const commentEnd = commentEnds(source)
  const neverClosed = new Set<string>()
  for (let at = 0; at < source.length; ) {
    const tag = source.indexOf('<', at)
    if (tag < 0) {
      page.write(at, source.length)
      break
    }
    const next = source.charCodeAt(tag + 1)
    const isTag = next === 47 || next === 33 || next === 63 || (next >= 65 && next <= 90) || (next >= 97 && next <= 122)
    if (!isTag) {
      // `<` that begins no tag is text (`p < 0.05`).
      const following = source.indexOf('<', tag + 1)
      page.write(at, following < 0 ? source.length : following)
      at = following < 0 ? source.length : following
      continue
    }
    page.write(at, tag)
    if (next === 33 && source.startsWith('<!--', tag)) {
      at = commentEnd(tag)
      continue
    }
    const close = tagEnd(tag + 1)
    if (close < 0) break
    at = close + 1
    if (next === 33 || next === 63) continue
    if (next === 47) {
      page.end(
        source
          .slice(tag + 2, close)
          .trim()
          .toLowerCase(),
      )
      continue
    }
    nameEnd.lastIndex = tag + 1
    const nameTo = Math.min(nameEnd.test(source) ? nameEnd.lastIndex - 1 : close, close)
    const name = source.slice(tag + 1, nameTo).toLowerCase()
    const selfClosed = source.charCodeAt(close - 1) === 47
    page.tagAt = tag
    if (name === 'page') page.pageBreaks.push(page.length)
    if (rawTags.has(name) && !selfClosed) {
      const end = endOfRaw(source, name, at, neverClosed)
      at = end
      continue
    }
    // XHTML closes empty elements of any name by a slash, which browsers ignore in HTML; filers mean it.
    if (selfClosed && !voidTags.has(name)) {
      page.open(name, source.slice(nameTo, close - 1))
      page.end(name)
    } else page.open(name, source.slice(nameTo, close))
  }
  return page
}

/** The next place of a word; looked for once, or a page full of openings without an end would be searched to its end for each. */
function nextOf(source: string, word: string): (from: number) => number {
  let known = source.indexOf(word)
  return from => {
    if (known >= 0 && known < from) known = source.indexOf(word, from)
    return known
  }
}

/**
 * Skips a comment. One that is never closed, or only by the next one's end, ends with its own tag (`<!-- Page 12 ->`): otherwise it would
 * hide the text after it.
 */
function commentEnds(source: string): (tag: number) => number {
  const closeFrom = nextOf(source, '-->')
  const openFrom = nextOf(source, '<!--')
  return tag => {
    const close = closeFrom(tag + 2)
    const first = source.indexOf('>', tag + 4)
    const whole = close < 0 ? source.length : close + 3
    if (first < 0 || (close >= 0 && close + 2 <= first)) return whole
    if (source.slice(tag + 4, Math.min(first, tag + 400)).includes('<')) return whole
    const another = openFrom(first)
    return close < 0 || (another >= 0 && another < close) ? first + 1 : whole
  }
}

/** The position where text continues after a style or a script that is never closed. */
const textGoesOn = /<(?:\/head|body|p|div|table|h[1-6]|center)[\s>]/gi

/** The position after the end tag of an element whose content is not markup; without one, after its own tag. */
function endOfRaw(source: string, name: string, from: number, neverClosed: Set<string>): number {
  const endTag = new RegExp(`</${name}`, 'gi')
  endTag.lastIndex = from
  const end = neverClosed.has(name) ? undefined : endTag.exec(source)?.index
  if (end === undefined) {
    neverClosed.add(name)
    if (name !== 'script' && name !== 'style') return from
    textGoesOn.lastIndex = from
    return textGoesOn.exec(source)?.index ?? source.length
  }
  const close = source.indexOf('>', end)
  return close < 0 ? source.length : close + 1
}

function proseOf(page: Page): Prose {
  const { source, pieceStarts, pieceSources, length } = page
  const text = page.pieces.join('')
  const links: InnerLink[] = page.links.filter(link => link.start >= 0)
  return {
    text,
    blocks: page.blocks,
    anchors: page.anchors,
    links,
    pageBreaks: page.pageBreaks,
    html: true,
    sourceOffset(at) {
      if (pieceStarts.length === 0) return 0
      let low = 0
      let high = pieceStarts.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((pieceStarts[middle] as number) <= at) low = middle
        else high = middle - 1
      }
      // Separators between two pieces belong to the next one.
      while (low < pieceSources.length - 1 && (pieceSources[low] as number) < 0) low += 1
      const start = pieceStarts[low] as number
      const begins = pieceSources[low] as number
      if (begins < 0) return source.length
      const raw = source.slice(begins, tagOrEnd(source, begins))
      return begins + sourceLength(raw, Math.max(0, Math.min(at, length) - start))
    },
  }
}
const tagOrEnd = (source: string, from: number): number => {
  const tag = source.indexOf('<', from + 1)
  return tag < 0 ? source.length : tag
}

/** Number of characters of a source's text before its `count`-th shown one: entities are one, runs of blanks one, leading blanks none. */
function sourceLength(raw: string, count: number): number {
  let shown = 0
  let at = 0
  let blank = true // leading blanks are not shown
  while (at < raw.length) {
    let width = 1
    let character = raw.charAt(at)
    if (character === '&') {
      const reference = /^&#?[A-Za-z0-9]{1,31};?/.exec(raw.slice(at, at + 34))?.[0] ?? '&'
      const decoded = decodeEntities(reference)
      // Without its semicolon a reference may end before the run of letters does (`&ampx`).
      if (decoded !== reference) {
        const own = reference.endsWith(';') ? decoded.length : 1
        character = decoded.slice(0, own)
        width = reference.length - (decoded.length - own)
      }
    }
    const isSpace = isBlank(character.charCodeAt(0))
    const adds = isSpace ? (blank ? 0 : 1) : unseenOne.test(character) ? 0 : character.length
    if (adds > 0 && shown >= count) return at
    shown += adds
    if (adds > 0 || isSpace) blank = isSpace
    at += width
  }
  return raw.length
}
const unseenOne = /^[\u00ad\u200b-\u200f\u2060\ufeff]$/

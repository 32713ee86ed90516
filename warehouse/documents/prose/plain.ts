// Plain text of EDGAR's first years (and of text documents since): each line is a block; pages end at <PAGE> or a form feed.
import { type Block, isBlank, type Prose } from './text.ts'

/** Tags of the SEC's text format, which appear in the text and are not part of it (EDGAR Filer Manual, ASCII documents). */
const tag = /<\/?(?:PAGE|TABLE|CAPTION|S|C|FN|F\d+|R)>/gi

export function readPlain(source: string): Prose {
  const blocks: Block[] = []
  const pageBreaks: number[] = []
  const sources: number[] = [] // of each block, the position of its first visible character
  const pieces: string[] = []
  let length = 0
  let gap = 0
  let table = 0
  let tables = 0
  for (let at = 0; at <= source.length; ) {
    const feed = source.indexOf('\n', at)
    const end = feed < 0 ? source.length : feed
    let line = source.slice(at, end)
    if (line.includes('\f')) pageBreaks.push(length)
    if (line.includes('<')) {
      if (/<PAGE>/i.test(line)) pageBreaks.push(length)
      if (/<TABLE>/i.test(line)) {
        tables += 1
        table = tables
      }
      // A tag is replaced by blanks, so that the text after it keeps its column.
      line = line.replace(tag, found => ' '.repeat(found.length))
    }
    let from = 0
    let to = line.length
    while (from < to && isBlank(line.charCodeAt(from))) from += 1
    while (to > from && isBlank(line.charCodeAt(to - 1))) to -= 1
    if (from === to) gap += 1
    else {
      const shown = line.slice(from, to).replace(/[\s\u00a0]+/g, ' ')
      if (length > 0) {
        pieces.push('\n')
        length += 1
      }
      let inked = 0
      for (let i = 0; i < shown.length; i += 1) if (shown.charCodeAt(i) !== 32) inked += 1
      blocks.push({
        start: length,
        end: length + shown.length,
        table,
        bold: 0,
        italic: 0,
        underline: 0,
        inked,
        centred: from >= 12 && from + (to - from) / 2 > 30 && from + (to - from) / 2 < 50,
        size: 0,
        level: 0,
        gap,
        indent: from,
      })
      sources.push(at + from)
      pieces.push(shown)
      length += shown.length
      gap = 0
    }
    if (table > 0 && /<\/TABLE>/i.test(source.slice(at, end))) table = 0
    if (feed < 0) break
    at = end + 1
  }
  const text = pieces.join('')
  return {
    text,
    blocks,
    anchors: new Map(),
    links: [],
    pageBreaks,
    html: false,
    sourceOffset: at => sourceOffset(at, source, blocks, sources),
  }
}

/** The position in the source of a character of the text; `sources`: of each block, the position of its first visible character. */
function sourceOffset(at: number, source: string, blocks: readonly Block[], sources: readonly number[]): number {
  let low = 0
  let high = blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((blocks[middle] as Block).start <= at) low = middle
    else high = middle - 1
  }
  const block = blocks[low]
  if (!block) return 0
  // Runs of blanks were made one: count along the source until as many characters are seen.
  let seen = block.start
  let place = sources[low] as number
  while (seen < at && place < source.length && source.charCodeAt(place) !== 10) {
    const blank = isBlank(source.charCodeAt(place))
    place += 1
    if (!blank || !isBlank(source.charCodeAt(place))) seen += 1
  }
  return place
}

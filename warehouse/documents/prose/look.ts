// How text looks by its tags and styles: bold, italic, underlined, centred, hidden. Styles repeat thousands of times in a
// document, so each distinct one is read once.
import { cacheLimits } from '#schemas/cache-limits.ts'
import { isBlank } from './text.ts'

export type Look = {
  readonly bold: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly centred: boolean
  readonly hidden: boolean
  /** A page ends before or after it. */
  readonly breaks: boolean
  readonly size: number // points; 0 unknown
}
export const plainLook: Look = { bold: false, italic: false, underline: false, centred: false, hidden: false, breaks: false, size: 0 }

type Change = { -readonly [K in keyof Look]?: Look[K] }
const byTag: Readonly<Record<string, Change>> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  u: { underline: true },
  ins: { underline: true },
  center: { centred: true },
}
const h = /^h[1-6]$/

const kept = new Map<string, Change>()
/** Styles are the filer's text: a document with millions of different ones must not be kept indefinitely. */

function styleOf(style: string): Change {
  const known = kept.get(style)
  if (known) return known
  const change: Change = {}
  const lower = style.toLowerCase().replaceAll(' ', '')
  const weight = /font-weight:(bolder|bold|normal|lighter|\d+)/.exec(lower)?.[1]
  if (weight) change.bold = weight.startsWith('bold') || Number(weight) >= 600
  const slant = /font-style:(italic|oblique|normal)/.exec(lower)?.[1]
  if (slant) change.italic = slant !== 'normal'
  if (/text-decoration(?:-line)?:[^;]*underline/.test(lower)) change.underline = true
  const align = /text-align:(center|left|right|justify|start|end)/.exec(lower)?.[1]
  if (align) change.centred = align === 'center'
  if (lower.includes('display:none')) change.hidden = true
  if (/page-break-(?:before|after):always|break-(?:before|after):page/.test(lower)) change.breaks = true
  const size = /font(?:-size)?:[^;]*?(\d{1,3}(?:\.\d{1,3})?)(pt|px)/.exec(lower)
  if (size) change.size = Number(size[1]) * (size[2] === 'px' ? 0.75 : 1)
  // The shorthand: `font:bold 10pt Times`.
  const short = /(?:^|;)font:([^;]*)/.exec(lower)?.[1]
  if (short) {
    if (/bold|[6-9]00/.test(short)) change.bold = true
    if (/italic|oblique/.test(short)) change.italic = true
  }
  if (kept.size >= cacheLimits.styles) kept.clear()
  kept.set(style, change)
  return change
}

/** Points of `<font size=1..7>`, as browsers take them. */
const fontSizes = [0, 7.5, 10, 12, 13.5, 18, 24, 36]

/** The look inside of an element, from its parent's. Page breaks are the element's own. */
export function lookOf(name: string, attributes: string, parent: Look): Look {
  const tag = (Object.hasOwn(byTag, name) ? byTag[name] : undefined) ?? (h.test(name) ? { bold: true } : undefined)
  let change: Change | undefined = tag
  if (attributes.length > 4) {
    const style = attribute(attributes, 'style')
    if (style) change = change ? { ...change, ...styleOf(style) } : styleOf(style)
    if (name === 'font') {
      const size = Number(attribute(attributes, 'size') ?? 0)
      if (size >= 1 && size <= 7) change = { ...change, size: fontSizes[size] as number }
    }
    const align = name === 'span' || name === 'font' ? null : attribute(attributes, 'align')
    if (align) change = { ...change, centred: align.toLowerCase() === 'center' }
  }
  if (!change) return parent.breaks ? { ...parent, breaks: false } : parent
  return { ...parent, breaks: false, ...change }
}

/** The value of an attribute in a tag's text; null without it. */
export function attribute(attributes: string, name: string): string | null {
  for (let at = indexOfIgnoringCase(attributes, name, 0); at >= 0; at = indexOfIgnoringCase(attributes, name, at + 1)) {
    const before = at === 0 ? 32 : attributes.charCodeAt(at - 1)
    if (!isBlank(before) && before !== 34 && before !== 39 && before !== 47) continue
    let next = at + name.length
    while (isBlank(attributes.charCodeAt(next))) next += 1
    if (attributes.charCodeAt(next) !== 61) continue
    next += 1
    while (isBlank(attributes.charCodeAt(next))) next += 1
    const quote = attributes[next]
    if (quote === '"' || quote === "'") {
      const close = attributes.indexOf(quote, next + 1)
      return attributes.slice(next + 1, close < 0 ? attributes.length : close)
    }
    let close = next
    while (close < attributes.length && !isBlank(attributes.charCodeAt(close))) close += 1
    return attributes.slice(next, close)
  }
  return null
}
/** Names are printed small or large; one that is printed both ways in a tag is read as the small one. */
function indexOfIgnoringCase(text: string, name: string, from: number): number {
  const exact = text.indexOf(name, from)
  return exact < 0 ? text.indexOf(name.toUpperCase(), from) : exact
}

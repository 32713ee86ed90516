// The light tree of a small XML form: element names, text, footnote references. Strict: text that is not well-formed is refused.
import { SaxesParser } from 'saxes'
import { Unreadable } from '#schemas/errors.ts'
import type { Element } from './element.ts'
import { parsePlainXml } from './xml-plain.ts'

export type { Element } from './element.ts'

const limits = { bytes: 32 * 1024 * 1024, depth: 256 }

/**
 * The root element. Throws `Unreadable`: `too_large` (32 MiB), `doctype` (external entities and entity bombs need one; no EDGAR
 * form has one), `too_deep` (256 levels), `malformed_xml`.
 */
export function parseXml(subject: string, text: string): Element {
  if (text.length > limits.bytes) throw new Unreadable('too_large', `${subject}: ${text.length} characters of XML, limit ${limits.bytes}`)
  // Some wrappers have empty lines before the XML declaration, which the standard forbids.
  const plain = text.trimStart()
  return parsePlainXml(plain) ?? parseAnyXml(subject, plain)
}

/** Every well-formed document, by saxes; four times slower than the plain way. */
export function parseAnyXml(subject: string, text: string): Element {
  const root: Element = { name: '', id: null, text: '', children: [] }
  const stack: Element[] = [root]
  let current = root
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false })
  parser.on('error', error => {
    throw new Unreadable('malformed_xml', `${subject}: line and column ${error.message.trim()}`)
  })
  parser.on('doctype', () => {
    throw new Unreadable('doctype', `${subject}: has a DOCTYPE, which no EDGAR form has`)
  })
  parser.on('opentag', tag => {
    if (stack.length > limits.depth) throw new Unreadable('too_deep', `${subject}: more than ${limits.depth} levels of elements`)
    const colon = tag.name.indexOf(':')
    const element: Element = {
      name: colon < 0 ? tag.name : tag.name.slice(colon + 1),
      id: tag.attributes['id'] ?? null,
      text: '',
      children: [],
    }
    current.children.push(element)
    stack.push(element)
    current = element
  })
  parser.on('closetag', () => {
    stack.pop()
    current = stack[stack.length - 1] ?? root
  })
  const append = (part: string): void => {
    current.text += part
  }
  parser.on('text', append)
  parser.on('cdata', append)
  parser.write(text).close()
  const [element] = root.children
  if (element === undefined) throw new Unreadable('malformed_xml', `${subject}: no element`)
  return element
}

/** The first child of that name. */
export function child(element: Element | undefined, name: string): Element | undefined {
  if (element === undefined) return undefined
  for (const candidate of element.children) if (candidate.name === name) return candidate
  return undefined
}

/** Trimmed text of an element or of its `<value>`, inner whitespace as one space; null if there is none. */
export function textOf(element: Element | undefined): string | null {
  if (element === undefined) return null
  const inner = (child(element, 'value') ?? element).text.trim()
  if (inner === '') return null
  return /\s\s|[\n\r\t]/.test(inner) ? inner.replace(/\s+/g, ' ') : inner
}

// Checks whether a body is what the address should return, from its bytes, because status and declared type can both be wrong.
import { type Answer, couldNotAsk, type Disguise, type Kind } from './upstream.ts'

const headBytes = 65_536
const tailBytes = 1024

/** `head` and `tail` of a body as text, for classifying it, without a byte order mark. Bytes that are not UTF-8 become U+FFFD; nothing is stored. */
export function windows(body: Uint8Array): { head: string; tail: string } {
  const decoder = new TextDecoder('utf-8')
  return { head: decoder.decode(body.subarray(0, headBytes)), tail: new TextDecoder('utf-8').decode(body.subarray(-tailBytes)) }
}

/** True for a page meant for people. */
export const isHtml = (head: string): boolean => /^\s*(?:<!--[^>]{0,200}-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i.test(head.slice(0, 1024))

/** At most 120 printable characters of a body, for a message. */
export function excerpt(head: string): string {
  const text = head
    .slice(0, 2000)
    .replace(/<(?:style|script)\b[^<]{0,1500}/gi, ' ')
    .replace(/<[^<>]{0,400}>/g, ' ')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return text.length > 120 ? `${text.slice(0, 117)}...` : text
}

/** The members of a small JSON object, or null: for reading an error in JSON. */
export function smallJson(answer: Answer): Record<string, unknown> | null {
  if (answer.body.length > headBytes || !/^\s*\{/.test(answer.head)) return null
  try {
    const value: unknown = JSON.parse(answer.head)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null // not JSON: the shape check below reports it
  }
}

/** The reason why a 2xx body is not of the expected kind, or null. Reads only both ends, so its cost is constant. */
export function misshapen(answer: Answer, kind: Kind): Disguise | null {
  if (answer.body.length === 0) return couldNotAsk('empty_answer', `status ${answer.status} without a body`, { retry: true })
  if (kind === 'any') return null
  const type = (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (kind === 'archive') return archiveShape(answer, type)
  if (/^(?:image|audio|video|font)\//.test(type) || type === 'application/pdf') {
    return couldNotAsk('wrong_type', `content-type ${type} where ${kind} was asked`, { retry: true })
  }
  if (kind === 'html') return null
  if (isHtml(answer.head)) return couldNotAsk('html_instead', `a web page instead of ${kind}: "${excerpt(answer.head)}"`, { retry: true })
  if (answer.head.slice(0, 1024).includes('\0')) return couldNotAsk('binary_instead', `binary data instead of ${kind}`, { retry: true })
  const start = answer.head.trimStart()
  const end = answer.tail.trimEnd()
  if (start === '') return couldNotAsk('empty_answer', `only white space instead of ${kind}`, { retry: true })
  if (kind === 'json') return jsonShape(start, end)
  if (kind === 'xml') return xmlShape(start, end)
  if (start.startsWith('<?xml') && type.endsWith('xml')) return couldNotAsk('xml_instead', `XML where ${kind} was asked: "${excerpt(start)}"`)
  if (kind === 'csv' && /^[{[]/.test(start)) return couldNotAsk('json_instead', `JSON instead of csv: "${excerpt(start)}"`)
  return null
}

function jsonShape(start: string, end: string): Disguise | null {
  const closing = start.startsWith('{') ? '}' : start.startsWith('[') ? ']' : null
  if (closing === null) return couldNotAsk('not_json', `text instead of json: "${excerpt(start)}"`, { retry: true })
  return end.endsWith(closing) ? null : couldNotAsk('cut_json', `the JSON ends in "${excerpt(end.slice(-20))}"`, { retry: true })
}

function xmlShape(start: string, end: string): Disguise | null {
  if (!start.startsWith('<')) return couldNotAsk('not_xml', `text instead of xml: "${excerpt(start)}"`, { retry: true })
  return end.endsWith('>') ? null : couldNotAsk('cut_xml', `the XML ends in "${excerpt(end.slice(-20))}"`, { retry: true })
}

function archiveShape(answer: Answer, type: string): Disguise | null {
  const [a, b] = answer.body
  const known = (a === 0x50 && b === 0x4b) || (a === 0x1f && (b === 0x8b || b === 0x9d))
  return known ? null : couldNotAsk('not_an_archive', `${type || 'untyped'} bytes instead of an archive: "${excerpt(answer.head)}"`, { retry: true })
}

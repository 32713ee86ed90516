// Reads a form with one file (RFC 7578): one part with the expected name and a file name. Other forms are refused with the reason.
import { BadRequest, type BodyFault } from '#schemas/errors.ts'

/** Maximum length of the headers of a part. */
const mostHeader = 8 * 1024
const feed = Buffer.from('\r\n')
const blank = Buffer.from('\r\n\r\n')

export type FormFile = { readonly filename: string; readonly bytes: Buffer }
type Part = { readonly name: string; readonly filename: string | null; readonly bytes: Buffer }

/** The one file of a form, in a part of this name. Throws 400 for bytes that are not such a form, 422 for a form with other parts. */
export function formFile(contentType: string, body: Buffer, name: string): FormFile {
  const parts = partsOf(boundaryOf(contentType), body)
  const other = parts.find(part => part.name !== name)
  if (other) throw fault(other.name.slice(0, 64), 'a part of this name is not read here', `send one part, named ${name}`)
  const [part] = parts
  if (!part) throw fault(name, 'the form has no part', `send the file as the part ${name}, for example curl -F ${name}=@release.pdf`)
  if (parts.length > 1) throw fault(name, `the form has ${parts.length} parts of this name, expected one`, 'send one file in a request')
  if (part.filename === null)
    throw fault(name, 'the part is a text, expected a file', `send the file itself, for example curl -F ${name}=@release.pdf (with the @)`)
  return { filename: part.filename, bytes: part.bytes }
}

function boundaryOf(contentType: string): Buffer {
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined || !/^[\x20-\x7e]+$/.test(boundary)) throw malformed('its Content-Type has no boundary of 1 to 70 characters')
  return Buffer.from(`--${boundary}`)
}

function partsOf(boundary: Buffer, body: Buffer): Part[] {
  const parts: Part[] = []
  // Text before the first boundary is ignored (RFC 2046); a first boundary begins a line.
  let at = body.subarray(0, boundary.length).equals(boundary) ? 0 : body.indexOf(Buffer.concat([feed, boundary]), 0)
  if (at < 0) throw malformed('its body has no boundary')
  if (at > 0) at += feed.length
  for (;;) {
    const after = at + boundary.length
    if (body.subarray(after, after + 2).toString('latin1') === '--') return parts
    // Blanks between the boundary and the end of the line are allowed.
    const line = body.indexOf(feed, after)
    if (line < 0 || line - after > 64 || !/^[ \t]*$/.test(body.subarray(after, line).toString('latin1')))
      throw malformed('a boundary is not followed by a line end')
    const from = line + feed.length
    const next = body.indexOf(Buffer.concat([feed, boundary]), line)
    if (next < 0) throw malformed('its last boundary is missing: the body is cut short')
    if (parts.length >= 16) throw malformed('it has more than 16 parts')
    parts.push(partOf(body.subarray(from, Math.max(from, next))))
    at = next + feed.length
  }
}

function partOf(bytes: Buffer): Part {
  const end = bytes.subarray(0, mostHeader).indexOf(blank)
  if (end < 0) throw malformed(`a part has no headers, or more than ${mostHeader} bytes of them`)
  const headers = bytes.subarray(0, end).toString('utf8')
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(headers)?.[1]
  const name = disposition === undefined ? undefined : /;\s*name="((?:[^"\\\r\n]|\\.)*)"/i.exec(disposition)?.[1]
  if (disposition === undefined || name === undefined) throw malformed('a part has no Content-Disposition: form-data with a name')
  if (/^content-transfer-encoding:\s*(?!binary|8bit|7bit)/im.test(headers))
    throw malformed('a part has a Content-Transfer-Encoding, which forms do not have')
  const filename = /;\s*filename(?:\*=[^;]*|="((?:[^"\\\r\n]|\\.)*)")/i.exec(disposition)
  return { name, filename: filename === null ? null : (filename[1] ?? ''), bytes: bytes.subarray(end + blank.length) }
}

const malformed = (why: string): BadRequest =>
  new BadRequest(`the form cannot be read: ${why}`, { hint: 'send multipart/form-data as curl -F and browsers write it' })
function fault(name: string, msg: string, hint: string): BadRequest {
  const items: BodyFault[] = [{ loc: ['body', name], msg, type: 'not_valid' }]
  return new BadRequest(`the form is not as described: ${name}: ${msg}`, { status: 422, code: 'validation_error', items, hint })
}

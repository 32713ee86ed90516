// Sends files, complete or one range (RFC 9110, section 14), so that DuckDB can query them over HTTP.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import type { Answered } from './handler.ts'
import { withHeaders } from './plugins/errors.ts'

type FileAnswer = Extract<Answered, { kind: 'file' }>
export type Range = { readonly start: number; readonly end: number }

/** The range of a Range header within `bytes`; null to send the whole file (no range, several, or another unit). Throws 416. */
export function readRange(header: string | undefined, bytes: number): Range | null {
  const match = header === undefined ? null : /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim())
  if (!match) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  if (start >= bytes || (first === '' && Number(last) === 0)) {
    const error = new BadRequest(`the file has ${bytes} bytes, the range begins after its end`, {
      status: 416,
      hint: `request bytes 0 to ${bytes - 1}`,
    })
    throw withHeaders(error, { 'Content-Range': `bytes */${bytes}` })
  }
  return { start, end }
}

const namesTag = (tags: string, etag: string, bare = (tag: string): string => tag): boolean =>
  tags.trim() === '*' || tags.split(',', 64).some(tag => bare(tag.trim()) === etag)

/** If-Match compares strongly (RFC 9110, section 13.1.1), so that a client continues a download only of the same bytes. */
function checkMatch(tags: string | undefined, etag: string): void {
  if (tags === undefined || namesTag(tags, etag)) return
  const error = new BadRequest('the file is not the one that If-Match names', {
    status: 412,
    hint: `its ETag is ${etag}; repeat the request with it, or without If-Match`,
  })
  throw withHeaders(error, { ETag: etag })
}

/**
 * Sends the file or the requested range and returns the status. `headers` are those of every response; `begin` is called when nothing can
 * be refused any more. Throws BadRequest (412, 416), and Upstream if the file changed since it was verified.
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: FileAnswer,
  headers: readonly string[],
  begin: () => void,
): Promise<number> {
  const etag = `"${file.sha256}"`
  const own = [...headers, 'ETag', etag, 'Accept-Ranges', 'bytes']
  checkMatch(request.headers['if-match'], etag)
  const tags = request.headers['if-none-match']
  if (tags !== undefined && namesTag(tags, etag, tag => tag.replace(/^W\//, ''))) {
    begin()
    response.writeHead(304, own)
    response.end()
    return 304
  }
  const { size } = await stat(file.path)
  if (size !== file.bytes || (file.confirm && !(await file.confirm())))
    throw new Upstream(`file ${file.sha256} was changed after it was verified`, { retryAfterSeconds: 5, hint: 'repeat the request' })
  const ifRange = request.headers['if-range']
  const range = ifRange === undefined || ifRange === etag ? readRange(request.headers.range, size) : null
  const { start, end } = range ?? { start: 0, end: size - 1 }
  own.push('Content-Type', file.media_type, 'Content-Length', String(end - start + 1))
  if (file.filename !== undefined) own.push('Content-Disposition', `attachment; filename="${file.filename.replaceAll(/[^A-Za-z0-9._-]/g, '-')}"`)
  if (range) own.push('Content-Range', `bytes ${start}-${end}/${size}`)
  begin()
  response.writeHead(range ? 206 : 200, own)
  if (request.method === 'HEAD' || size === 0) response.end()
  else await pipeline(verifiedPieces(file, start, end), response)
  return range ? 206 : 200
}

/**
 * The bytes of a range. Each part is sent only if the file had not changed when it was read. If the file changes, the response ends before
 * its Content-Length, so that no client takes it for complete.
 */
async function* verifiedPieces(file: FileAnswer, start: number, end: number): AsyncGenerator<Buffer> {
  for await (const piece of createReadStream(file.path, { start, end, highWaterMark: 1 << 20 })) {
    if (file.confirm && !(await file.confirm())) throw new Upstream(`file ${file.sha256} was changed while it was sent`)
    yield piece as Buffer
  }
}

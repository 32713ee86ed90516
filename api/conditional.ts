// Whether the client has an answer already (RFC 9110, section 13): If-None-Match takes precedence over If-Modified-Since.
import type { IncomingHttpHeaders } from 'node:http'
import { codings, type Finished } from './answer-cache.ts'

/** True if a 304 answers. A tag matches in every coding, because the client has the same answer in another compression. */
export function isHeld(headers: IncomingHttpHeaders, answer: Pick<Finished, 'etag' | 'last_modified'>): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) {
    const { etag } = answer
    if (tags.length === etag.length + 2 && tags.includes(etag)) return tags[0] === '"'
    return tags.trim() === '*' || tagsIn(tags).some(tag => names(tag, etag))
  }
  const since = headers['if-modified-since']
  if (since === undefined || answer.last_modified === null) return false
  const at = Date.parse(since)
  return !Number.isNaN(at) && Math.floor(Date.parse(answer.last_modified) / 1000) * 1000 <= at
}

/** The tags of an If-None-Match with their quotes; a weak one as the strong one, because they are compared weakly. */
export const tagsIn = (ifNoneMatch: string): string[] => ifNoneMatch.split(',', 64).map(part => part.trim().replace(/^W\//, ''))

function names(tag: string, etag: string): boolean {
  if (!tag.startsWith(`"${etag}`)) return false
  const rest = tag.slice(etag.length + 1)
  return rest === '"' || codings.some(coding => rest === `-${coding}"`)
}

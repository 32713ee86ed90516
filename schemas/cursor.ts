// The opaque cursor of a list. It contains the release, so that a list stays consistent while data is loaded, and the filters of its
// request. It has a checksum without a secret, because signed bodies contain it and must be equal on every machine.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { fitsKey } from './cursor-keys.ts'
import { BadRequest } from './errors.ts'
import { canonicalQuery } from './operations/canonical.ts'
import { operations } from './operations.ts'

const Cursor = z.strictObject({
  v: z.literal(1),
  k: z.array(z.union([z.string().max(128), z.number(), z.null()])).max(8), // the last row's sort key
  r: z.int().min(0), // release
  q: z.string().length(16), // operation and filters
})
const keyParts = new Map(operations.map(({ id, cursor_key }) => [id, cursor_key]))
export type SortKey = z.infer<typeof Cursor>['k']
export type Filters = Readonly<Record<string, unknown>>

/** The cursor after a row: `after` is the row's sort key, `filters` the question without cursor and limit. */
export function encodeCursor(operation: string, filters: Filters, release: number, after: SortKey): string {
  const body = JSON.stringify({ v: 1, k: after, r: release, q: digest(operation, filters) })
  return Buffer.from(`${check(body)}${body}`).toString('base64url')
}

/** The release of a cursor. Throws BadRequest if it is damaged. */
export function cursorRelease(cursor: string): number {
  return openCursor(cursor).r
}

/** The position at which a list continues. Throws BadRequest if the cursor is damaged or was made for other filters. */
export function decodeCursor(cursor: string, operation: string, filters: Filters): { readonly release: number; readonly after: SortKey } {
  const { q, r, k } = openCursor(cursor)
  if (q !== digest(operation, filters)) throw bad('cursor was made for another question')
  if (!fitsKey(keyParts.get(operation) ?? null, k)) throw bad('cursor is damaged or was not given by this service')
  return { release: r, after: k }
}

function openCursor(cursor: string): z.infer<typeof Cursor> {
  const text = cursor.length <= 2048 ? Buffer.from(cursor, 'base64url').toString('utf8') : ''
  const body = text.slice(8)
  if (text.slice(0, 8) !== check(body)) throw bad('cursor is damaged or was not given by this service')
  const parsed = Cursor.safeParse(parsedOrNull(body))
  if (!parsed.success) throw bad('cursor is damaged or was not given by this service')
  return parsed.data
}

/** The JSON value of a text; null if it is not valid. */
function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function bad(message: string): BadRequest {
  return new BadRequest(message, { hint: 'repeat the call that gave next_cursor with the same parameters, or leave cursor out to start again' })
}
function check(body: string): string {
  return createHash('sha256').update(`crossfile cursor 1\n${body}`).digest('base64url').slice(0, 8)
}
function digest(operation: string, filters: Filters): string {
  return createHash('sha256')
    .update(`${operation}\n${canonicalQuery(filters)}`)
    .digest('base64url')
    .slice(0, 16)
}

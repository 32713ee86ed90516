// The answer of a calculator: what was posted and a dated ruleset in, bytes out. Nothing of it is kept, signed or logged.
import { createHash } from 'node:crypto'
import type { Source } from '#schemas/answer.ts'
import type { Answered } from '../handler.ts'

/** What a calculator found, and from what. `release` null: no row of the lake had a part in it. */
export type Calculated = {
  readonly body: object
  readonly as_of: string
  readonly release: number | null
  readonly sources: readonly Source[]
}

export function calculated({ body, as_of, release, sources }: Calculated): Answered {
  const bytes = Buffer.from(JSON.stringify({ ...body, as_of, release, sources }))
  const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
  return { kind: 'bytes', body: bytes, etag, release, last_modified: null, receipt_id: null, immutable: false }
}

// The answer of a calculator, from the request and a dated ruleset. It is not stored, signed or logged.
import { createHash } from 'node:crypto'
import type { Source } from '#schemas/answer.ts'
import type { Answered } from '../handler.ts'

/** The result of a calculator with its sources. `release` is null if no row of the lake was used. */
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

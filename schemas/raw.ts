/** An upstream's answer as received. `body` is decoded from its transfer and content encoding, otherwise untouched. */
export type RawDocument = {
  readonly sha256: string // of body
  readonly source: string // the upstream's name
  readonly url: string // as requested, credentials removed; `recorded:<path>` where a recorded file does not tell
  readonly retrieved_at: string // instant
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** A response of an upstream as received. `body` is decoded from its transfer and content encoding, and otherwise unchanged. */
export type RawDocument = {
  readonly sha256: string // of body
  readonly source: string // the upstream's name
  readonly url: string // as requested, credentials removed; `recorded:<path>` if the address of a recorded file is unknown
  readonly retrieved_at: string // instant
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

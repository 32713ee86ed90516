// Reads a response body to its end, decoded, within caps. A body that grows too large, exceeds the decompression ratio, stalls or
// ends early becomes a `BodyFault`, with the bytes that arrived.

import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

export type BodyReason =
  | 'too_large'
  | 'decompression_bomb'
  | 'truncated'
  | 'body_stalled'
  | 'garbled_encoding'
  | 'unknown_encoding'
  | 'broken_connection'
export class BodyFault extends Error {
  readonly reason: BodyReason
  readonly partial: Uint8Array
  constructor(reason: BodyReason, message: string, partial: Uint8Array, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
    this.partial = partial
  }
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const
const isKnown = (name: string): name is keyof typeof decoders => Object.hasOwn(decoders, name)

/** Small bodies of blanks expand a thousandfold and are harmless; the ratio counts from here on. */
const ratioFromBytes = 1_048_576
const keptOfABomb = 65_536

/** The sink of a body that is too large for memory; a chunk may be reused when its promise resolves. */
export type Sink = (chunk: Uint8Array) => Promise<void>
/** Bytes of a body that are kept in addition to its sink: enough to classify it. */
const headBytes = 65_536

/**
 * The decoded body, or with a `sink`, which receives all of it, its first 64 KiB. `bodyBytes` caps it before and after decoding;
 * `ratio` caps the decoded bytes per received byte.
 */
export async function readBody(
  stream: Readable,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  caps: { readonly bodyBytes: number; readonly ratio: number },
  sink: Sink | null = null,
): Promise<Uint8Array> {
  const declared = Number(headers['content-length'] ?? Number.NaN)
  const encodings = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
  stream.on('error', () => {}) // reported through the pipeline; without a listener, a body abandoned earlier would end the process
  const chunks: Uint8Array[] = []
  let received = 0
  let total = 0
  const partial = (): Uint8Array => Buffer.concat(chunks)
  const fault = (reason: BodyReason, message: string): BodyFault => {
    const kept = partial()
    return new BodyFault(reason, message, reason === 'decompression_bomb' || reason === 'too_large' ? kept.subarray(0, keptOfABomb) : kept)
  }
  async function* count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      received += chunk.length
      if (received > caps.bodyBytes) throw fault('too_large', `more than ${caps.bodyBytes} bytes were sent`)
      yield chunk
    }
  }
  async function collect(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of source) {
      total += chunk.length
      if (total > ratioFromBytes && total > caps.ratio * received) {
        throw fault('decompression_bomb', `${received} bytes unpack to more than ${caps.ratio} times as much`)
      }
      if (total > caps.bodyBytes) throw fault('too_large', `the body unpacks to more than ${caps.bodyBytes} bytes`)
      if (sink) await sink(chunk)
      if (!sink || total - chunk.length < headBytes) chunks.push(chunk)
    }
  }
  try {
    if (declared > caps.bodyBytes) throw fault('too_large', `content-length ${declared} is over the limit of ${caps.bodyBytes} bytes`)
    const names = encodings.toReversed()
    const unknown = names.find(name => !isKnown(name))
    if (unknown !== undefined || names.length > 2)
      throw fault('unknown_encoding', `content-encoding "${encodings.join(', ').slice(0, 60)}" is not known`)
    await pipeline([stream, count, ...names.filter(isKnown).map(name => decoders[name]()), collect])
  } catch (error) {
    stream.destroy()
    throw error instanceof BodyFault ? error : describe(error, partial())
  }
  if (Number.isFinite(declared) && declared !== received) throw fault('truncated', `${received} of ${declared} bytes arrived`)
  return partial()
}

function describe(error: unknown, partial: Uint8Array): BodyFault {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message : String(error)
  if (code === 'UND_ERR_BODY_TIMEOUT') return new BodyFault('body_stalled', 'the body stopped coming', partial, error)
  if (code === 'Z_BUF_ERROR') return new BodyFault('truncated', 'the compressed body ends early', partial, error)
  if (/^(?:Z_|ERR__ERROR_FORMAT|ERR_BROTLI|ERR_ZSTD|ZSTD_)/.test(code) || /^ERR_.*DECOMPRESS/.test(code)) {
    return new BodyFault('garbled_encoding', `the compressed body cannot be unpacked: ${message}`, partial, error)
  }
  if (
    /^UND_ERR_(?:SOCKET|RES_CONTENT_LENGTH_MISMATCH|INFO|HTTP_PARSER)$|^HPE_/.test(code) ||
    /^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/.test(code)
  ) {
    return new BodyFault('truncated', `the connection closed before the body's end: ${message}`, partial, error)
  }
  return new BodyFault('broken_connection', `the body broke off: ${message}`, partial, error)
}

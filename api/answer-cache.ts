// Finished answers in memory, by question, release and format. When the byte budget is full the oldest go first, but one that was
// asked for since gets a second chance: a hit then costs one mark, not a move.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'

export type Coding = 'identity' | 'zstd' | 'br' | 'gzip'
export const codings: readonly Coding[] = ['identity', 'zstd', 'br', 'gzip']
/** Below this many bytes a body is not worth compressing. */
const compressAbove = 1400

export type Finished = {
  readonly status: number
  readonly media_type: string
  /** Without quotes; the coding's name is added for compressed bodies. */
  readonly etag: string
  readonly last_modified: string | null
  readonly receipt_id: string | null
  readonly immutable: boolean
  readonly release: number | null
  /** In addition to those of the operation: X-Meta, Content-Disposition, Link. */
  readonly headers: readonly string[]
  /** The page's own Content-Security-Policy; null: that of its media type. */
  readonly policy: string | null
  readonly bodies: Map<Coding, Buffer>
  /** Header lists, by kind of caller and coding; built on first use. */
  readonly lists: string[][]
  /** Monotonic milliseconds after which it is built again. */
  readonly expires: number
}
type Kept = { readonly answer: Finished; bytes: number; requested: boolean }

export class AnswerCache {
  readonly #budget: number
  readonly #kept = new Map<string, Kept>()
  #bytes = 0
  #clears = 0
  constructor(budget: number) {
    this.#budget = budget
  }
  get bytes(): number {
    return this.#bytes
  }
  get size(): number {
    return this.#kept.size
  }
  /** How often everything was dropped: an answer that was begun before a drop is not kept after it. */
  get clears(): number {
    return this.#clears
  }
  /** Drops every answer. */
  clear(): void {
    this.#kept.clear()
    this.#bytes = 0
    this.#clears += 1
  }
  /** The answer of a key; undefined if there is none or it has expired. */
  get(key: string, at: number): Finished | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    if (kept.answer.expires <= at) {
      this.#drop(key)
      return undefined
    }
    kept.requested = true
    return kept.answer
  }
  /** Keeps an answer, unless it alone would take more than a quarter of the budget. */
  set(key: string, answer: Finished): void {
    this.#drop(key)
    // 1 KiB for the lists, the key and the maps around it.
    const bytes = bytesOf(answer) + 1024
    if (bytes > this.#budget / 4) return
    this.#kept.set(key, { answer, bytes, requested: false })
    this.#bytes += bytes
    this.#shrink()
  }
  /** Counts a coding that was added to an answer since. */
  recount(key: string, answer: Finished): void {
    const kept = this.#kept.get(key)
    if (kept?.answer !== answer) return
    this.#bytes -= kept.bytes
    kept.bytes = bytesOf(answer) + 1024
    this.#bytes += kept.bytes
    this.#shrink()
  }
  #shrink(): void {
    // A Map is walked in the order of insertion, and what is set again while it is walked comes last: this ends.
    for (const [key, kept] of this.#kept) {
      if (this.#bytes <= this.#budget) break
      if (kept.requested) {
        kept.requested = false
        this.#kept.delete(key)
        this.#kept.set(key, kept)
      } else this.#drop(key)
    }
  }
  #drop(key: string): void {
    const kept = this.#kept.get(key)
    if (!kept) return
    this.#kept.delete(key)
    this.#bytes -= kept.bytes
  }
}

function bytesOf(answer: Finished): number {
  let bytes = 0
  for (const body of answer.bodies.values()) bytes += body.length
  return bytes
}

const chosen = new Map<string, Coding>()

/** The coding for an Accept-Encoding: the highest weight, among equals zstd, br, gzip; identity where nothing fits or is small. */
export function codingFor(header: string | undefined, bytes: number): Coding {
  if (header === undefined || bytes < compressAbove) return 'identity'
  const known = chosen.get(header)
  if (known !== undefined) return known
  const weights = new Map<string, number>()
  for (const part of header.slice(0, 512).split(',')) {
    const [name = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    const weight = parameters.find(each => each.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0)
  }
  const best = (['zstd', 'br', 'gzip'] as const)
    .map(coding => ({ coding, weight: weights.get(coding) ?? weights.get('*') ?? 0 }))
    .reduce<{ coding: Coding; weight: number }>((a, b) => (b.weight > a.weight ? b : a), { coding: 'identity', weight: 0 }).coding
  if (chosen.size > 256) chosen.clear()
  chosen.set(header, best)
  return best
}

const squeeze: Readonly<Record<Exclude<Coding, 'identity'>, (body: Buffer) => Promise<Buffer>>> = {
  zstd: body => promisify(zstdCompress)(body),
  br: body => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: body => promisify(gzip)(body, { level: 6 }),
}
/** The body in a coding, compressed off the event loop. */
export function compress(body: Buffer, coding: Exclude<Coding, 'identity'>): Promise<Buffer> {
  return squeeze[coding](body)
}

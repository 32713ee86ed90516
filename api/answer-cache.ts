// Cache of finished answers in memory, by question, release and format. If it exceeds its bytes, the oldest answers are removed, except
// those that were requested since the last pass (second chance): a hit then sets a flag and moves nothing. While it is full, a large answer
// is stored when it is requested for the second time: a client that reads every symbol once would replace what others request again, and
// each answer that is stored and removed costs V8 a share of a collection of its whole heap.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { cacheLimits } from '#schemas/cache-limits.ts'
import { giveBack, isLent } from '#warehouse/context/print-json.ts'

export type Coding = 'identity' | 'zstd' | 'br' | 'gzip'
export const codings: readonly Coding[] = ['identity', 'zstd', 'br', 'gzip']
/** A body with fewer bytes is not compressed. */
const compressAbove = 1400
/** An answer with more bytes is stored by its second request while the cache is full. */
const largeBytes = 65_536

export type Finished = {
  readonly status: number
  readonly media_type: string
  /** Without quotes; the name of the coding is added for compressed bodies. */
  readonly etag: string
  readonly last_modified: string | null
  readonly receipt_id: string | null
  readonly immutable: boolean
  readonly release: number | null
  /** In addition to those of the operation: X-Meta, Content-Disposition, Link. */
  readonly headers: readonly string[]
  /** The Content-Security-Policy of the page; null: that of its media type. */
  readonly policy: string | null
  readonly bodies: Map<Coding, Buffer>
  /** Header lists, by kind of caller and coding; built on first use. */
  readonly lists: string[][]
  /** Monotonic milliseconds after which the answer is built again. */
  readonly expires: number
  /** Whether it has more than one reader: the cache, or requests at the same time. If not, the request that made it has the only use of its bytes. */
  isShared: boolean
}
type Kept = { readonly answer: Finished; bytes: number; requested: boolean }

export class AnswerCache {
  readonly #budget: number
  readonly #kept = new Map<string, Kept>()
  #bytes = 0
  #clears = 0
  /** Keys of large answers that were not stored, newer and older ones. */
  #refused: readonly [Set<string>, Set<string>] = [new Set(), new Set()]
  constructor(budget: number) {
    this.#budget = budget
  }
  get bytes(): number {
    return this.#bytes
  }
  get size(): number {
    return this.#kept.size
  }
  /** Number of clears: an answer that was begun before a clear is not stored after it. */
  get clears(): number {
    return this.#clears
  }
  /** Removes every answer. */
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
  /** Stores an answer, unless it exceeds a quarter of the budget, or is large and requested for the first time while the cache is full. */
  set(key: string, answer: Finished): void {
    this.#drop(key)
    // 1 KiB for the lists, the key and the maps.
    const bytes = bytesOf(answer) + 1024
    const needsTwo = bytes > largeBytes && this.#bytes + bytes > this.#budget
    if (bytes > this.#budget / 4 || (needsTwo && !this.#wasRefused(key))) return
    answer.isShared = true
    keepCopies(answer)
    this.#kept.set(key, { answer, bytes, requested: needsTwo })
    this.#bytes += bytes
    this.#shrink()
  }
  /** Counts the bytes of a coding that was added to an answer later. */
  recount(key: string, answer: Finished): void {
    const kept = this.#kept.get(key)
    if (kept?.answer !== answer) return
    this.#bytes -= kept.bytes
    kept.bytes = bytesOf(answer) + 1024
    this.#bytes += kept.bytes
    this.#shrink()
  }
  /** Whether a large answer was refused before; if not, its key is remembered. */
  #wasRefused(key: string): boolean {
    const [newer, older] = this.#refused
    if (newer.delete(key) || older.delete(key)) return true
    if (newer.size >= cacheLimits.refusedAnswers) this.#refused = [new Set([key]), newer]
    else newer.add(key)
    return false
  }
  #shrink(): void {
    // A Map iterates in the order of insertion, and an entry that is set again during the iteration comes last, so this ends.
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

/** Replaces bytes in lent buffers, which are larger than their bytes, by copies. */
function keepCopies({ bodies }: Finished): void {
  for (const [coding, body] of bodies) {
    if (!isLent(body)) continue
    bodies.set(coding, Buffer.from(body))
    giveBack(body)
  }
}

/** Ends the use of the bytes of an answer that is not shared, after they were sent. */
export function giveBackBodies({ bodies }: Finished): void {
  for (const body of bodies.values()) giveBack(body)
}

function bytesOf(answer: Finished): number {
  let bytes = 0
  for (const body of answer.bodies.values()) bytes += body.length
  return bytes
}

const chosen = new Map<string, Coding>()

/** The coding for an Accept-Encoding: the highest weight, among equals zstd, br, gzip; identity if none fits or the body is small. */
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
  if (chosen.size >= cacheLimits.codings) chosen.clear()
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

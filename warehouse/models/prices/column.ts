// Columns of a block. Numbers become integers of the fewest bytes that hold their range: a price with two decimals takes two or three
// bytes instead of eight. Every value is decoded when it is encoded, so that a column either returns the same double or keeps it as it is.
import { Broken } from '#schemas/errors.ts'

/** Appends values to bytes that grow. Integers are little-endian. */
export class Bytes {
  #held = Buffer.allocUnsafe(4_096)
  #length = 0

  get length(): number {
    return this.#length
  }
  #room(count: number): number {
    const at = this.#length
    this.#length += count
    if (this.#length > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#length, 2 * this.#held.length))
      this.#held.copy(grown, 0, 0, at)
      this.#held = grown
    }
    return at
  }
  /** An integer of `width` bytes, 1 to 6. */
  uint(value: number, width: number): void {
    const at = this.#room(width)
    this.#held.writeUIntLE(value, at, width)
  }
  double(value: number): void {
    const at = this.#room(8)
    this.#held.writeDoubleLE(value, at)
  }
  /** The next `length` bytes, to be written by the caller before anything else is appended. */
  reserve(length: number): Buffer {
    const at = this.#room(length)
    return this.#held.subarray(at, at + length)
  }
  raw(bytes: Uint8Array): void {
    const at = this.#room(bytes.length)
    this.#held.set(bytes, at)
  }
  /** Text in UTF-8 after its length in one byte. */
  word(text: string): void {
    const bytes = Buffer.from(text)
    this.uint(bytes.length, 1)
    this.raw(bytes)
  }
  /** A copy of everything that was appended. */
  copy(): Buffer {
    return Buffer.from(this.#held.subarray(0, this.#length))
  }
  clear(): void {
    this.#length = 0
  }
}

/** Reads values of a block one after the other. A read after the end throws a `RangeError`. */
export class Reader {
  readonly bytes: Buffer
  at: number
  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes
    this.at = at
  }
  uint(width: number): number {
    this.at += width
    return this.bytes.readUIntLE(this.at - width, width)
  }
  double(): number {
    this.at += 8
    return this.bytes.readDoubleLE(this.at - 8)
  }
  raw(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new RangeError(`${length} bytes at ${this.at} of ${this.bytes.length}`)
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }
  word(): string {
    return this.raw(this.uint(1)).toString()
  }
}

const doubles = 0
const integers = 1
/** Decimals that a column of integers may have. */
const mostDecimals = 8
/** Steps that all values of a column may be multiples of: instants are whole seconds or milliseconds. */
const steps = [1_000_000, 1_000, 100]
const widest = 6

/** Bytes of an integer. */
function widthOf(largest: number): number {
  let width = 0
  while (256 ** width <= largest) width += 1
  return width
}

/** A column of numbers, null allowed. The values are (least + code * step) / 10^decimals, or doubles. */
export function writeNumbers(into: Bytes, values: readonly (number | null)[]): void {
  const scaled = scaledOf(values)
  if (scaled === null) {
    writeDoubles(into, values)
    return
  }
  const { decimals, whole, least, most, nulls } = scaled
  const step = steps.find(each => everyMultiple(whole, least, each)) ?? 1
  // With nulls, code 0 is null.
  const first = nulls ? 1 : 0
  const width = widthOf((most - least) / step + first)
  if (width > widest) {
    writeDoubles(into, values)
    return
  }
  into.uint(integers, 1)
  into.uint(decimals, 1)
  into.uint(first, 1)
  into.uint(width, 1)
  into.double(least)
  into.double(step)
  const bytes = into.reserve(width * values.length)
  let at = 0
  for (let place = 0; place < whole.length; place += 1) {
    const integer = whole[place] as number
    let code = Number.isNaN(integer) ? 0 : (integer - least) / step + first
    if (width <= 4) for (let byte = 0; byte < width; byte += 1, code >>>= 8) bytes[at++] = code & 255
    else
      for (let byte = 0; byte < width; byte += 1) {
        const rest = Math.floor(code / 256)
        bytes[at++] = code - rest * 256
        code = rest
      }
  }
}

/** Whether all integers are multiples of `step` above the least one; NaN is a null. */
function everyMultiple(whole: Float64Array, least: number, step: number): boolean {
  for (let place = 0; place < whole.length; place += 1) {
    const above = (whole[place] as number) - least
    if (above % step !== 0 && !Number.isNaN(above)) return false
  }
  return true
}

function writeDoubles(into: Bytes, values: readonly (number | null)[]): void {
  into.uint(doubles, 1)
  for (const value of values) into.double(value ?? Number.NaN)
}

type Scaled = {
  readonly decimals: number
  /** NaN for null. */
  readonly whole: Float64Array
  readonly least: number
  readonly most: number
  readonly nulls: boolean
}
/** The values as integers over a power of ten; null if some double would not be the same after the division. */
function scaledOf(values: readonly (number | null)[]): Scaled | null {
  const whole = new Float64Array(values.length)
  // A value that is exact with few decimals need not be with more, so that all are scaled again with each more decimal.
  for (let decimals = 0; decimals <= mostDecimals; decimals += 1) {
    const scaled = scaledWith(values, decimals, whole)
    if (scaled) return scaled
  }
  return null
}
const powers = Array.from({ length: mostDecimals + 1 }, (_, exponent) => 10 ** exponent)

/** Writes the integers into `whole`; null if a value needs more decimals. */
function scaledWith(values: readonly (number | null)[], decimals: number, whole: Float64Array): Scaled | null {
  const power = powers[decimals] as number
  let [least, most, nulls] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, false]
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place] as number | null
    if (value === null) {
      nulls = true
      whole[place] = Number.NaN
      continue
    }
    if (!Number.isFinite(value)) throw new Broken(`a price or volume is ${value}, expected a finite number`)
    const integer = Math.round(value * power)
    if (integer / power !== value || !Number.isSafeInteger(integer) || Object.is(value, -0)) return null
    whole[place] = integer
    if (integer < least) least = integer
    if (integer > most) most = integer
  }
  return least > most ? { decimals, whole, least: 0, most: 0, nulls } : { decimals, whole, least, most, nulls }
}

/** A column of `count` numbers, of which a part can be decoded. */
export type Numbers = {
  /** The value at a place. */
  at(place: number): number | null
  /** The values from one place to before another. */
  slice(from: number, to: number): (number | null)[]
  /** Writes the values from one place to before another into `into`, at `begin` and after it; NaN for null. */
  fill(into: Float64Array, begin: number, from: number, to: number): void
}

/** Reads the column that `writeNumbers` wrote, and moves the reader behind it. */
export function readNumbers(reader: Reader, count: number): Numbers {
  const kind = reader.uint(1)
  if (kind === doubles) {
    const bytes = reader.raw(8 * count)
    const at = (place: number): number | null => {
      const value = bytes.readDoubleLE(8 * place)
      return Number.isNaN(value) ? null : value
    }
    return {
      at,
      slice: (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, place) => at(from + place)),
      fill(into, begin, from, to) {
        for (let place = from; place < to; place += 1) into[begin + place - from] = bytes.readDoubleLE(8 * place)
      },
    }
  }
  if (kind !== integers) throw new RangeError(`a column of kind ${kind}`)
  const [decimals, first, width] = [reader.uint(1), reader.uint(1), reader.uint(1)]
  const [least, step] = [reader.double(), reader.double()]
  const power = powers[decimals] as number
  const bytes = reader.raw(width * count)
  const valueOf = (code: number): number | null => (code < first ? null : (least + (code - first) * step) / power)
  return {
    at(place) {
      return valueOf(readCodes(bytes, width, place, 1)[0] as number)
    },
    slice(from, to) {
      const count = Math.max(0, to - from)
      const codes = readCodes(bytes, width, from, count)
      const values: (number | null)[] = new Array(count)
      // Without nulls, the loop has numbers only, which is twice as fast.
      if (first > 0) for (let place = 0; place < count; place += 1) values[place] = valueOf(codes[place] as number)
      else if (power === 1) for (let place = 0; place < count; place += 1) values[place] = least + (codes[place] as number) * step
      else for (let place = 0; place < count; place += 1) values[place] = (least + (codes[place] as number) * step) / power
      return values
    },
    fill(into, begin, from, to) {
      const count = Math.max(0, to - from)
      if (width === 0) {
        into.fill(valueOf(0) ?? Number.NaN, begin, begin + count)
        return
      }
      const codes = readCodes(bytes, width, from, count)
      // As in `slice`, a loop without nulls; and one without a division, which is most of the time of the others.
      if (first > 0) for (let place = 0; place < count; place += 1) into[begin + place] = valueOf(codes[place] as number) ?? Number.NaN
      else if (power === 1) for (let place = 0; place < count; place += 1) into[begin + place] = least + (codes[place] as number) * step
      else for (let place = 0; place < count; place += 1) into[begin + place] = (least + (codes[place] as number) * step) / power
    },
  }
}

/**
 * The codes of the newest column that was read, until the next one. Its memory is reused: V8 collects garbage more often for arrays outside of
 * its heap, and one of each column was 200 KB an answer.
 */
let scratch = new Float64Array(4_096)

/** Reads `count` integers of `width` bytes from the place `from` on. One loop for each width: a third of the time. */
function readCodes(bytes: Buffer, width: number, from: number, count: number): Float64Array {
  if (scratch.length < count) scratch = new Float64Array(2 * count)
  const into = scratch
  let at = from * width
  if (width === 0) into.fill(0, 0, count)
  else if (width === 1) for (let place = 0; place < count; place += 1) into[place] = bytes[at++] as number
  else if (width === 2) for (let place = 0; place < count; place += 1, at += 2) into[place] = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
  else if (width === 3)
    for (let place = 0; place < count; place += 1, at += 3)
      into[place] = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  else if (width === 4)
    for (let place = 0; place < count; place += 1, at += 4)
      into[place] =
        ((bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)) + (bytes[at + 3] as number) * 16_777_216
  else if (width > 4)
    for (let place = 0; place < count; place += 1, at += width) {
      let code = 0
      for (let byte = width - 1; byte >= 0; byte -= 1) code = code * 256 + (bytes[at + byte] as number)
      into[place] = code
    }
  return into
}

/** A column of texts with few different values. */
export function writeWords(into: Bytes, values: readonly string[]): void {
  const words = [...new Set(values)]
  into.uint(words.length, 2)
  for (const word of words) into.word(word)
  const codes = new Map(words.map((word, code) => [word, code]))
  writeNumbers(
    into,
    values.map(value => codes.get(value) as number),
  )
}

/** Reads the column that `writeWords` wrote: the texts, and their codes. */
export function readCodedWords(reader: Reader, count: number): { readonly words: readonly string[]; readonly codes: Numbers } {
  const words = Array.from({ length: reader.uint(2) }, () => reader.word())
  return { words, codes: readNumbers(reader, count) }
}

/** Reads the column that `writeWords` wrote; the result returns the texts from one place to before another. */
export function readWords(reader: Reader, count: number): (from: number, to: number) => string[] {
  const { words, codes } = readCodedWords(reader, count)
  return (from, to) => codes.slice(from, to).map(code => words[code as number] as string)
}

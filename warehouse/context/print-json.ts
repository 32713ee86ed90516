// Prints numbers and days of an answer as JSON, straight into bytes. `JSON.stringify` of thousands of rows needs an object for each of
// them first, and its text is then copied into bytes: several times the processor time, and garbage of each answer.
import { cacheLimits } from '#schemas/cache-limits.ts'
import { dayMs } from '#schemas/days.ts'
import { Broken } from '#schemas/errors.ts'
import { decimalPlaces, isFastRatio, rounded, twelveDigits } from './rounded.ts'

/** Buffers that no answer uses now, the newest last. V8 collects garbage more often for buffers of hundreds of kilobytes, so they are used again. */
const free: Buffer[] = []
let freeBytes = 0
const leastBytes = 524_288
/** A shorter answer is copied out of its lent buffer. */
const leastWithin = 131_072
/** The buffers of bodies that `PrintedJson.within` returned. */
const lentTo = new WeakMap<Buffer, Buffer>()

const releasedMessage = 'a printed part of an answer was read after its buffer was released'

/** Room before a printed member, and behind it, for the other members of an answer. */
export const marginBytes = 16_384

/**
 * A member of an answer that is printed already, in a buffer that is lent to it until the answer has its bytes: from `start` to before `end`,
 * which are the places of its first byte and of the byte after its last one.
 */
export class PrintedJson {
  readonly #lent: Buffer
  readonly #start: number
  readonly #end: number
  #isReleased = false
  constructor(lent: Buffer, start: number, end: number) {
    this.#lent = lent
    this.#start = start
    this.#end = end
  }
  /** The JSON text in UTF-8. Throws `Broken` after `release` and `within`. */
  get bytes(): Buffer {
    if (this.#isReleased) throw new Broken(releasedMessage)
    return this.#lent.subarray(this.#start, this.#end)
  }
  /**
   * The whole answer: what comes before this member, its bytes, and what comes behind it, written around them in the same buffer, so that
   * 300 KB are not copied. The buffer is lent to the answer from then on, until `giveBack`. Null, and nothing has changed, if there is no
   * room, or if the answer is short: it would hold a buffer that is much larger.
   */
  within(before: string, behind: string): Buffer | null {
    if (this.#isReleased) throw new Broken(releasedMessage)
    const start = this.#start - Buffer.byteLength(before)
    const end = this.#end + Buffer.byteLength(behind)
    if (start < 0 || end > this.#lent.length || end - start < leastWithin) return null
    this.#isReleased = true
    this.#lent.write(before, start)
    this.#lent.write(behind, this.#end)
    const whole = this.#lent.subarray(start, end)
    lentTo.set(whole, this.#lent)
    return whole
  }
  /** Ends the use of the buffer. Without it, the buffer is left to the garbage collection. */
  release(): void {
    if (!this.#isReleased) keepFree(this.#lent)
    this.#isReleased = true
  }
  /** The value, for a reader that needs it. */
  toJSON(): unknown {
    return JSON.parse(this.bytes.toString())
  }
}

/** A buffer of at least so many bytes, to print into. */
export function lendBuffer(bytes: number): Buffer {
  const at = free.findLastIndex(buffer => buffer.length >= bytes)
  const [held] = at < 0 ? [] : free.splice(at, 1)
  if (held === undefined) return Buffer.allocUnsafeSlow(Math.max(leastBytes, bytes))
  freeBytes -= held.length
  return held
}

/** The oldest make room: they are of sizes that answers do not need any more. */
function keepFree(buffer: Buffer): void {
  if (buffer.length > cacheLimits.freeBufferBytes) return
  free.push(buffer)
  freeBytes += buffer.length
  while (freeBytes > cacheLimits.freeBufferBytes) freeBytes -= (free.shift() as Buffer).length
}

/** Whether the bytes of an answer are in a lent buffer. */
export const isLent = (body: Buffer): boolean => lentTo.has(body)

/**
 * Ends the use of the bytes of an answer: they change with the next answer. Without effect for bytes that are not in a lent buffer. A body
 * that is never given back is left to the garbage collection.
 */
export function giveBack(body: Buffer): void {
  const lent = lentTo.get(body)
  if (!lentTo.delete(body) || lent === undefined) return
  keepFree(lent)
}

/** The view of a buffer that the functions below write to. */
export const viewOf = (buffer: Buffer): DataView => new DataView(buffer.buffer, buffer.byteOffset, buffer.length)

/** The most bytes that a number, and a day, need behind their place. */
export const numberBytes = 32
export const dayBytes = 10

/**
 * ASCII text that is written eight bytes at a time, as doubles: none of them is a NaN, whose bits could change, because no byte of ASCII has
 * its first bit. Up to seven bytes behind it are written, too.
 */
export type Ascii = { readonly doubles: Float64Array; readonly length: number }
export function asciiOf(text: string): Ascii {
  const bytes = new Uint8Array(8 * Math.ceil(text.length / 8))
  bytes.set(Buffer.from(text, 'ascii'))
  const view = new DataView(bytes.buffer)
  return { doubles: Float64Array.from({ length: bytes.length / 8 }, (_, at) => view.getFloat64(8 * at, true)), length: text.length }
}

/** Writes a text of at least one character. Returns the place after it. */
export function printAscii(view: DataView, at: number, { doubles, length }: Ascii): number {
  view.setFloat64(at, doubles[0] as number, true)
  if (length > 8) {
    view.setFloat64(at + 8, doubles[1] as number, true)
    for (let place = 16; place < length; place += 8) view.setFloat64(at + place, doubles[place >> 3] as number, true)
  }
  return at + length
}

const [zero, minus, point] = [48, 45, 46]
/** `00` to `99`, as integers of two bytes. */
const pairs = Uint16Array.from({ length: 100 }, (_, at) => zero + Math.floor(at / 10) + 256 * (zero + (at % 10)))
const powers = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)
/** Two different decimals of up to fifteen digits are never the same double, so that one of them that gives the double is the shortest. */
const exactBelow = 1e15
/** JavaScript prints smaller numbers with an exponent. */
const plainFrom = 1e-6
const below32 = 2 ** 31

// Integers of four bytes, whose lowest byte is the first character: views are written in this order.
/** `0000` to `9999`. */
const fours = Uint32Array.from({ length: 10_000 }, (_, at) => (pairs[Math.floor(at / 100)] as number) + 65_536 * (pairs[at % 100] as number))
/** `0` to `9999`, with zero bytes behind the text. */
const wholes = fours.map((text, at) => text >>> (at < 10 ? 24 : at < 100 ? 16 : at < 1_000 ? 8 : 0))
/** A point and hundredths without the zero at their end, `.5` for 50; nothing for 0. */
const hundredths = Uint32Array.from({ length: 100 }, (_, at) =>
  at === 0 ? 0 : point + 256 * (at % 10 === 0 ? zero + at / 10 : (pairs[at] as number)),
)

/** The last `digits` digits of an integer below 2^31, with leading zeros. Returns the place after them. */
function printDigits(view: DataView, at: number, value: number, digits: number): number {
  const end = at + digits
  let [place, rest] = [end, value | 0]
  while (place - at > 3) {
    const next = (rest / 10_000) | 0
    place -= 4
    view.setUint32(place, fours[rest - next * 10_000] as number, true)
    rest = next
  }
  while (place > at) {
    const next = (rest / 10) | 0
    place -= 1
    view.setUint8(place, zero + rest - next * 10)
    rest = next
  }
  return end
}

/** An integer from 0 to 9,999. Up to three bytes behind it are written, too. */
function printShort(view: DataView, at: number, value: number): number {
  view.setUint32(at, wholes[value] as number, true)
  return at + (value < 100 ? (value < 10 ? 1 : 2) : value < 1_000 ? 3 : 4)
}

/** An integer from 0 to 2^31 - 1. Up to three bytes behind it are written, too. */
function printWhole(view: DataView, at: number, value: number): number {
  if (value < 10_000) return printShort(view, at, value)
  const above = (value / 10_000) | 0
  const end = above < 10_000 ? printShort(view, at, above) : printDigits(view, printShort(view, at, (above / 10_000) | 0), above % 10_000, 4)
  view.setUint32(end, fours[value - above * 10_000] as number, true)
  return end + 4
}

/**
 * A double as `JSON.stringify` prints it (ECMA-262, Number::toString): NaN, which is the null of a column, as `null`. It needs room for
 * `numberBytes`. Returns the place after it.
 */
export function printNumber(view: DataView, at: number, value: number): number {
  // Prices with two decimals, which nearly all are.
  if (value >= 0 && value < 1e6) {
    const cents = Math.round(value * 100)
    if (cents / 100 === value) {
      const whole = value | 0
      const end = whole < 10_000 ? printShort(view, at, whole) : printWhole(view, at, whole)
      const fraction = cents - whole * 100
      view.setUint32(end, hundredths[fraction] as number, true)
      return fraction === 0 ? end : fraction % 10 === 0 ? end + 2 : end + 3
    }
  }
  return printOther(view, at, value)
}

function printOther(view: DataView, at: number, value: number): number {
  if (!Number.isFinite(value)) return printText(view, at, 'null')
  if (value < 0) {
    view.setUint8(at, minus)
    return printNumber(view, at + 1, -value)
  }
  const whole = Math.floor(value)
  if (whole === value && whole < below32) return printWhole(view, at, whole)
  if (value >= plainFrom && whole < below32) {
    for (let decimals = 4; decimals <= 12; decimals += 4) {
      const power = powers[decimals] as number
      const scaled = Math.round(value * power)
      if (scaled >= exactBelow) break
      if (scaled / power === value) return printFraction(view, printWhole(view, at, whole), scaled - whole * power, decimals)
    }
  }
  return printText(view, at, String(value))
}

/** A ratio as `printNumber` prints it after `rounded`, from its digits. */
export function printRounded(view: DataView, at: number, value: number): number {
  if (!(isFastRatio(value) && value < below32)) return printNumber(view, at, rounded(value))
  const decimals = decimalPlaces(value)
  const digits = twelveDigits(value, decimals)
  if (Number.isNaN(digits)) return printNumber(view, at, rounded(value))
  const power = powers[decimals] as number
  const whole = Math.floor(digits / power)
  const end = printWhole(view, at, whole)
  const fraction = digits - whole * power
  return fraction === 0 ? end : printFraction(view, end, fraction, decimals)
}

function printText(view: DataView, at: number, text: string): number {
  for (let place = 0; place < text.length; place += 1) view.setUint8(at + place, text.charCodeAt(place))
  return at + text.length
}

/** A point and so many decimals, without the zeros at their end; there is another digit. */
function printFraction(view: DataView, at: number, fraction: number, decimals: number): number {
  view.setUint8(at, point)
  let end = at + 1
  if (decimals > 8) {
    const below = powers[decimals - 8] as number
    const first = Math.floor(fraction / below)
    end = printDigits(view, end, first, 8)
    end = printDigits(view, end, fraction - first * below, decimals - 8)
  } else end = printDigits(view, end, fraction, decimals)
  while (view.getUint8(end - 1) === zero) end -= 1
  return end
}

/** `from`: the first day, `to`: that of the next month, as days since 1970-01-01; `text`: year and month with both hyphens, eight bytes. */
type Month = { readonly from: number; readonly to: number; readonly text: Ascii }
/** Months that were printed, by 12 * year + month. Bars of twenty years are in 240 months, and asking a Date for each costs more than their text. */
const months: (Month | undefined)[] = []
let place = 0
let month: Month = { from: 0, to: 0, text: asciiOf('1970-01-') }

function monthAt(at: number): Month {
  const held = months[at]
  if (held) return held
  const first = new Date(0)
  first.setUTCFullYear(Math.floor(at / 12), at % 12, 1)
  const text = asciiOf(first.toISOString().slice(0, 8))
  const next = new Date(first)
  next.setUTCMonth(next.getUTCMonth() + 1)
  const found = { from: first.getTime() / dayMs, to: next.getTime() / dayMs, text }
  months[at] = found
  return found
}

function moveTo(day: number): void {
  // The next month or the one before it, in a table in order of days.
  const adjacent = place + (day < month.from ? -1 : 1)
  const guess = adjacent > 0 ? monthAt(adjacent) : month
  if (day >= guess.from && day < guess.to) place = adjacent
  else {
    const date = new Date(day * dayMs)
    place = 12 * date.getUTCFullYear() + date.getUTCMonth()
  }
  month = monthAt(place)
}

/** A day, as days since 1970-01-01 in the years 0 to 9999, as `2026-11-29`. Returns the place after it. */
export function printDay(view: DataView, at: number, day: number): number {
  if (day < month.from || day >= month.to) moveTo(day)
  const end = printAscii(view, at, month.text)
  view.setUint16(end, pairs[day - month.from + 1] as number, true)
  return end + 2
}

// The values of DuckDB's vectors as records contain them: plain texts and numbers. The package makes an object for each day and instant,
// two big integers for each check of null, and a call into native code for each longer text; here they are read from the vector's memory.

import { constants, isAscii } from 'node:buffer'
import {
  DuckDBBigIntVector,
  DuckDBBlobVector,
  DuckDBBooleanVector,
  DuckDBDateValue,
  DuckDBDateVector,
  DuckDBDecimalValue,
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  DuckDBListValue,
  DuckDBListVector,
  DuckDBMapValue,
  type DuckDBStructType,
  DuckDBStructValue,
  DuckDBStructVector,
  DuckDBTimestampTZValue,
  DuckDBTimestampTZVector,
  DuckDBTimestampValue,
  type DuckDBValue,
  DuckDBVarCharVector,
  type DuckDBVector,
} from '@duckdb/node-api'
import { dayMs, utcDay } from '#schemas/days.ts'
import { Broken } from '#schemas/errors.ts'

/** The value of a row of a vector; a vector of a list's items has a row for each item of all lists. */
export type ItemReader = (row: number) => unknown

/** What this module reads of a vector other than by its public methods. The tests of this module fail if a version of the package has others. */
type Inside = {
  readonly validity: Validity
  readonly items: ArrayBufferView
  readonly dataView: DataView
  readonly vector: ConstructorParameters<typeof DuckDBBlobVector>[2]
}
type Validity = ConstructorParameters<typeof DuckDBBlobVector>[1]
const inside = (vector: DuckDBVector): Inside => vector as unknown as Inside

/** Whether a row is not null, from the bits of the vector: bit 0 of byte 0 is row 0. No bits: no row is null. */
function validIn(vector: DuckDBVector): (row: number) => boolean {
  const { data, offset } = inside(vector).validity as unknown as { readonly data: BigUint64Array | null; readonly offset: number }
  if (data === null) return () => true
  const bits = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return row => {
    const bit = offset + row
    return (((bits[bit >> 3] as number) >> (bit & 7)) & 1) === 1
  }
}

/** The 32-bit words of a vector whose items are 4 or 8 bytes. */
function wordsOf(vector: DuckDBVector): Int32Array {
  const { items } = inside(vector)
  return new Int32Array(items.buffer, items.byteOffset, items.byteLength / 4)
}

/** The 64-bit integer in two words, the lower one first. Throws `Broken` if it is not a safe integer: `what` names it. */
function integerOf(low: number, high: number, what: string): number {
  const value = high * 4_294_967_296 + (low >>> 0)
  if (!Number.isSafeInteger(value)) throw new Broken(`DuckDB returned the ${what} ${(BigInt(high) << 32n) | BigInt(low >>> 0)}, beyond 2^53`)
  return value
}

/**
 * Reads the items of a vector as plain values: days as YYYY-MM-DD, instants in UTC, BIGINT as a number. The reader throws `Broken` for a value that
 * records cannot have: an integer or an instant beyond 2^53, a text of 2 GB, another type. It must not be used after its chunk.
 */
export function readerOf(vector: DuckDBVector): ItemReader {
  if (vector instanceof DuckDBVarCharVector) return textReader(vector)
  if (vector instanceof DuckDBListVector) return listReader(vector)
  if (vector instanceof DuckDBStructVector) return structReader(vector)
  if (vector instanceof DuckDBDateVector || vector instanceof DuckDBIntegerVector) {
    const [isValid, items] = [validIn(vector), wordsOf(vector)]
    if (vector instanceof DuckDBIntegerVector) return row => (isValid(row) ? items[row] : null)
    return row => (isValid(row) ? dayText(items[row] as number) : null)
  }
  if (vector instanceof DuckDBDoubleVector) {
    const [isValid, items] = [validIn(vector), inside(vector).items as Float64Array]
    return row => (isValid(row) ? items[row] : null)
  }
  if (vector instanceof DuckDBBooleanVector) {
    const [isValid, { dataView }] = [validIn(vector), inside(vector)]
    return row => (isValid(row) ? dataView.getUint8(row) !== 0 : null)
  }
  if (vector instanceof DuckDBBigIntVector) {
    const [isValid, words] = [validIn(vector), wordsOf(vector)]
    return row => (isValid(row) ? integerOf(words[2 * row] as number, words[2 * row + 1] as number, 'integer') : null)
  }
  if (vector instanceof DuckDBTimestampTZVector) return instantReader(vector)
  return row => plain(vector.getItem(row))
}

/** Instants repeat in runs, as the times at which filings became known: each of a run is printed once. */
function instantReader(vector: DuckDBTimestampTZVector): ItemReader {
  const [isValid, words] = [validIn(vector), wordsOf(vector)]
  let held = -1
  let text = ''
  return row => {
    if (!isValid(row)) return null
    if (held < 0 || words[2 * row] !== words[2 * held] || words[2 * row + 1] !== words[2 * held + 1]) {
      held = row
      text = instantText(integerOf(words[2 * row] as number, words[2 * row + 1] as number, 'instant'))
    }
    return text
  }
}

function listReader(vector: DuckDBListVector): ItemReader {
  const [isValid, read] = [validIn(vector), readerOf(vector.childVector)]
  return row => {
    if (!isValid(row)) return null
    const length = vector.getEntryLength(row)
    if (length === 0) return []
    const from = vector.getEntryOffset(row)
    return Array.from({ length }, (_, at) => read(from + at))
  }
}

function structReader(vector: DuckDBStructVector): ItemReader {
  const parts = (vector.type as DuckDBStructType).entryNames.map((name, at) => [name, readerOf(vector.entryVectorAt(at))] as const)
  return row => (vector.isItemValid(row) ? Object.fromEntries(parts.map(([name, read]) => [name, read(row)])) : null)
}

const days: string[] = []
/** The day that is so many days after 1970-01-01; each day of 1970 to 2079 is made once. */
export function dayText(day: number): string {
  if (day < 0 || day > 40_000) return utcDay(day * dayMs)
  const known = days[day] ?? utcDay(day * dayMs)
  days[day] = known
  return known
}

/** Texts of up to 12 bytes that were read, by their four words: most repeat, as currencies, kinds and flags do. */
const shortTexts = 4_096
const shortWords = new Int32Array(4 * shortTexts)
const shortHeld: (string | undefined)[] = new Array<undefined>(shortTexts)
const inlineBytes = 12
const notAscii = 0x80_80_80_80

/**
 * A text is 16 bytes in a vector: its length and 12 bytes of it, or its length, a prefix of 4 bytes and the address of the whole. If they
 * equal those of the row before, the text is equal too.
 */
function textReader(vector: DuckDBVarCharVector): ItemReader {
  const { dataView } = inside(vector)
  const isValid = validIn(vector)
  const words = new Int32Array(dataView.buffer, dataView.byteOffset, dataView.byteLength / 4)
  const [short, long] = [shortReader(words), longReader(vector, words, isValid)]
  let held = -1
  let text = ''
  return row => {
    if (!isValid(row)) return null
    const at = row * 4
    if (
      held < 0 ||
      words[at] !== words[held] ||
      words[at + 1] !== words[held + 1] ||
      words[at + 2] !== words[held + 2] ||
      words[at + 3] !== words[held + 3]
    ) {
      held = at
      text = (words[at] as number) >>> 0 <= inlineBytes ? short(at) : long(row)
    }
    return text
  }
}

/** Words of 2,048 texts, the rows of a chunk. A list's items may be more, and all of their bytes more than a string can contain. */
const blockWords = 4 * 2_048

/** Reads texts of up to 12 bytes whose four words begin at a place; DuckDB fills the bytes behind them with zeros. */
function shortReader(words: Int32Array): (at: number) => string {
  // All bytes of a block as one text, made by its first text that is not known: a part of it is taken in a tenth of the time of a call.
  let block = ''
  let [begin, end] = [0, 0]
  const readBlock = (at: number): void => {
    begin = at - (at % blockWords)
    end = Math.min(begin + blockWords, words.length)
    block = Buffer.from(words.buffer, words.byteOffset + 4 * begin, 4 * (end - begin)).toString('latin1')
  }
  return at => {
    const [length, first, second, third] = [words[at] as number, words[at + 1] as number, words[at + 2] as number, words[at + 3] as number]
    const mixed = Math.imul(first, 0x9e_37_79_b1) ^ Math.imul(second, 0x85_eb_ca_6b) ^ Math.imul(third, 0xc2_b2_ae_35) ^ length
    const place = (mixed ^ (mixed >>> 15)) & (shortTexts - 1)
    const known = 4 * place
    const held = shortHeld[place]
    if (
      held !== undefined &&
      shortWords[known] === length &&
      shortWords[known + 1] === first &&
      shortWords[known + 2] === second &&
      shortWords[known + 3] === third
    )
      return held
    let text: string
    if (((first | second | third) & notAscii) === 0) {
      if (at < begin || at >= end) readBlock(at)
      const from = 4 * (at - begin) + 4
      text = block.slice(from, from + length)
    } else text = Buffer.from(words.buffer, words.byteOffset + 4 * at + 4, length).toString()
    shortWords[known] = length
    shortWords[known + 1] = first
    shortWords[known + 2] = second
    shortWords[known + 3] = third
    shortHeld[place] = text
    return text
  }
}

/** At most so many bytes of longer texts are read by one call, or one text that has more. A text that is kept keeps those of its call. */
const runBytes = 64 * 1024

/**
 * Reads texts of more than 12 bytes. DuckDB stores those of a result one behind the other, so that one call reads many: a run ends where the
 * next text does not begin at the last byte of the one before, since what lies between may belong to no text.
 */
function longReader(vector: DuckDBVarCharVector, words: Int32Array, isValid: (row: number) => boolean): (row: number) => string {
  const addressOf = (at: number): number => (words[at + 3] as number) * 4_294_967_296 + ((words[at + 2] as number) >>> 0)
  // A length has no sign.
  const lengthOf = (at: number): number => (words[at] as number) >>> 0
  let [begin, end] = [0, 0]
  let bytes: Buffer = Buffer.alloc(0)
  let ascii: string | null = null
  const readRun = (row: number): void => {
    begin = addressOf(4 * row)
    end = begin + lengthOf(4 * row)
    for (let next = row + 1; 4 * next < words.length && end - begin < runBytes; next += 1) {
      const length = lengthOf(4 * next)
      if (!isValid(next) || length <= inlineBytes) continue
      if (addressOf(4 * next) !== end || end - begin + length > runBytes) break
      end += length
    }
    bytes = bytesAt(vector, row, end - begin)
    ascii = isAscii(bytes) ? bytes.toString('latin1') : null
  }
  return row => {
    const [from, length] = [addressOf(4 * row), lengthOf(4 * row)]
    if (from < begin || from + length > end) readRun(row)
    return ascii?.slice(from - begin, from - begin + length) ?? bytes.toString('utf8', from - begin, from - begin + length)
  }
}

/** More bytes of UTF-8 are more characters than a string can contain. */
const mostBytes = 3 * constants.MAX_STRING_LENGTH

/** A copy of the bytes from the beginning of a row's text, which has more than 12 bytes; `count` may include the texts behind it. */
function bytesAt(vector: DuckDBVarCharVector, row: number, count: number): Buffer {
  if (count > mostBytes) throw new Broken(`DuckDB returned a text of ${count} bytes, more than a string can contain`)
  const { dataView, validity, vector: own } = inside(vector)
  // The 16 bytes of a text of that length at the same address.
  const record = new DataView(new ArrayBuffer(16))
  record.setUint32(0, count, true)
  record.setBigUint64(8, dataView.getBigUint64(row * 16 + 8, true), true)
  const bytes = new DuckDBBlobVector(record, validity.slice(row, 1), own, 0, 1).getItemBytes(0)
  if (bytes?.byteLength !== count) throw new Broken(`DuckDB returned ${bytes?.byteLength ?? 0} of the ${count} bytes of a text`)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** A DuckDB value as records contain it: dates and instants as text, BIGINT as a safe integer, lists and structs plain. */
function plain(value: DuckDBValue): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'bigint') {
    const number = Number(value)
    if (!Number.isSafeInteger(number)) throw new Broken(`DuckDB returned the integer ${value}, beyond 2^53`)
    return number
  }
  if (value instanceof DuckDBDateValue) return utcDay(value.days * dayMs)
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue) return instantOf(value.micros)
  if (value instanceof DuckDBDecimalValue) return value.toString()
  if (value instanceof DuckDBListValue) return value.items.map(plain)
  if (value instanceof DuckDBStructValue) return Object.fromEntries(Object.entries(value.entries).map(([name, part]) => [name, plain(part)]))
  if (value instanceof DuckDBMapValue) return Object.fromEntries(value.entries.map(({ key, value: part }) => [String(key), plain(part)]))
  throw new Broken(`DuckDB returned a value of a type that records do not have: ${String(value)}`)
}

const dayMicros = 86_400_000_000
const times: string[] = []
/** `HH:MM:SS` of a second of the day. */
function timeOf(second: number): string {
  times[second] ??= new Date(second * 1000).toISOString().slice(11, 19)
  return times[second]
}

/** An instant from microseconds since 1970; milliseconds and microseconds are printed only if they are not zero. */
export function instantOf(micros: bigint): string {
  const count = Number(micros)
  if (!Number.isSafeInteger(count)) throw new Broken(`DuckDB returned the instant ${micros} µs, beyond the years that records have`)
  return instantText(count)
}

function instantText(micros: number): string {
  const day = Math.floor(micros / dayMicros)
  const ofDay = micros - day * dayMicros
  const second = Math.floor(ofDay / 1_000_000)
  const rest = ofDay - second * 1_000_000
  const fraction =
    rest === 0
      ? ''
      : `.${String(rest)
          .padStart(6, '0')
          .replace(/(?<=^...)000$/, '')}`
  // Joined, not concatenated: a single rope string disables the fast path of JSON.stringify for the whole answer (three times slower).
  return [dayText(day), 'T', timeOf(second), fraction, 'Z'].join('')
}

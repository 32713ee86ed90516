// Fast path for the rows of an information table. Software writes all rows of a table alike: the bytes between the contents of one cell and
// of the next, tags and white space, repeat from row to row. A row with the bytes of an earlier one is read by comparing them. They were
// checked when information-table.ts read the earlier row from the same state: with the root element open, and no other. A row with other
// bytes is left to information-table.ts.
import { type Cell, cellText, decodedReferences, type TableRow } from './table-row.ts'

/** The cells in the order of `TableRow`. */
const cellNames: readonly Cell[] = [
  'issuer',
  'title',
  'cusip',
  'figi',
  'value',
  'amount',
  'amountType',
  'putCall',
  'discretion',
  'otherManager',
  'sole',
  'shared',
  'none',
]
const places = new Map(cellNames.map((cell, place) => [cell, place]))
const rowEnds = -1

/** Bytes between two contents, and the cell whose content follows (`rowEnds`: none, the row is at its end). */
type Step = { readonly markup: Uint8Array; readonly view: DataView; readonly place: number; readonly next: Step[] }

/** A table with many forms of row, or with long runs of white space, is not worth remembering. */
const limits = { alternatives: 6, steps: 400, markup: 1000 }

const longestKnown = 64 // bytes

/** Contents that were read before, with their values: managers write the same names, titles and marks again and again. */
class KnownTexts {
  readonly #mask: number
  readonly #contents: Uint8Array
  readonly #lengths: Uint8Array
  readonly #values: (string | null)[]

  /** `slots` is a power of two. A content replaces the one that was in its slot, so that memory is bounded. */
  constructor(slots: number) {
    this.#mask = slots - 1
    this.#contents = new Uint8Array(slots * longestKnown)
    this.#lengths = new Uint8Array(slots)
    this.#values = new Array(slots).fill(null)
  }

  /** The value of the content (ASCII) from `start` to `end`, of which `hash` is a hash; undefined if the content has an unknown reference. */
  at(bytes: Uint8Array, text: string, start: number, end: number, hash: number): string | null | undefined {
    const slot = (hash ^ (hash >>> 15)) & this.#mask
    if (this.#lengths[slot] === end - start) {
      const contents = this.#contents
      let at = start
      let own = slot * longestKnown
      while (at < end && bytes[at] === contents[own]) {
        at += 1
        own += 1
      }
      if (at === end) return this.#values[slot]
    }
    const decoded = decodedReferences(text.slice(start, end))
    if (decoded === null) return undefined
    const value = cellText(decoded)
    if (end - start <= longestKnown) {
      for (let at = start, own = slot * longestKnown; at < end; at += 1, own += 1) this.#contents[own] = bytes[at] as number
      this.#lengths[slot] = end - start
      this.#values[slot] = value
    }
    return value
  }
}

const names = new KnownTexts(32_768)
const numbers = new KnownTexts(4096)
const isNumber = cellNames.map(cell => ['value', 'amount', 'sole', 'shared', 'none'].includes(cell))
const noOddities: string[] = []

export class RowShapes {
  /** The position after the row that `match` returned last. */
  end = 0
  readonly #text: string
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #first: Step[] = []
  #steps = 0
  /** Of the row that is being read: its start, then place, start and end of every content; null if it is not to be remembered. */
  #row: number[] | null = null
  #seen = 0
  readonly #contents: (string | null)[] = cellNames.map(() => null)

  /** `bytes` has one byte for each character of `text`: of a character of ASCII its code, of another one 128 or more. */
  constructor(text: string, bytes: Uint8Array) {
    this.#text = text
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** A row that begins at `from`, outside all elements but the root, is read by other means from here on. */
  begin(from: number): void {
    this.#row = [from]
    this.#seen = 0
  }

  /** That row has a cell, with its content from `start` to `end`; both are 0 for an empty tag. */
  cell(cell: Cell, start: number, end: number): void {
    const place = places.get(cell) as number
    // The value of a cell that occurs twice depends on the content of the first.
    if ((this.#seen & (1 << place)) !== 0) this.#row = null
    this.#seen |= 1 << place
    if (start > 0) this.#row?.push(place, start, end)
  }

  /** That row has a part that the comparison of bytes does not cover. */
  spoil(): void {
    this.#row = null
  }

  /** That row ends at `to`: rows with the same bytes between their contents are recognised from now on. */
  learn(to: number): void {
    const row = this.#row
    this.#row = null
    if (row === null) return
    let steps = this.#first
    let from = row[0] as number
    for (let at = 1; at < row.length; at += 3) {
      const next = this.#step(steps, this.#bytes.subarray(from, row[at + 1]), row[at] as number)
      if (next === null) return
      steps = next.next
      from = row[at + 2] as number
    }
    this.#step(steps, this.#bytes.subarray(from, to), rowEnds)
  }

  #step(steps: Step[], markup: Uint8Array, place: number): Step | null {
    const known = steps.find(step => step.place === place && Buffer.compare(step.markup, markup) === 0)
    if (known !== undefined) return known
    if (steps.length >= limits.alternatives || this.#steps >= limits.steps || markup.length > limits.markup) return null
    const own = Uint8Array.from(markup)
    const step: Step = { markup: own, view: new DataView(own.buffer), place, next: [] }
    this.#steps += 1
    steps.push(step)
    return step
  }

  /** The row at `from`, where no element but the root is open; null if it is none of the known forms. `end` is then unchanged. */
  match(from: number): TableRow | null {
    const bytes = this.#bytes
    const contents = this.#contents
    contents.fill(null)
    let steps = this.#first
    let at = from
    for (;;) {
      const step = stepAt(this.#view, at, steps)
      if (step === null) return null
      at += step.markup.length
      if (step.place === rowEnds) break
      const start = at
      let hash = 0
      let codes = 0
      for (; at < bytes.length; at += 1) {
        const code = bytes[at] as number
        if (code === 60) break
        codes |= code
        hash = Math.imul(hash ^ code, 16_777_619)
      }
      // The character of another byte depends on the document's encoding.
      if (codes > 127) return null
      if (at > start) {
        const value = (isNumber[step.place] ? numbers : names).at(bytes, this.#text, start, at, hash)
        if (value === undefined) return null
        contents[step.place] = value
      }
      steps = step.next
    }
    this.end = at
    return rowOf(contents)
  }
}

function stepAt(document: DataView, from: number, steps: readonly Step[]): Step | null {
  for (const step of steps) {
    const { view } = step
    const length = view.byteLength
    if (from + length > document.byteLength) continue
    let at = 0
    while (at + 4 <= length && document.getInt32(from + at) === view.getInt32(at)) at += 4
    while (at < length && document.getInt8(from + at) === view.getInt8(at)) at += 1
    if (at === length) return step
  }
  return null
}

const rowOf = (contents: readonly (string | null)[]): TableRow => ({
  issuer: contents[0] as string | null,
  title: contents[1] as string | null,
  cusip: contents[2] as string | null,
  figi: contents[3] as string | null,
  value: contents[4] as string | null,
  amount: contents[5] as string | null,
  amountType: contents[6] as string | null,
  putCall: contents[7] as string | null,
  discretion: contents[8] as string | null,
  otherManager: contents[9] as string | null,
  sole: contents[10] as string | null,
  shared: contents[11] as string | null,
  none: contents[12] as string | null,
  oddities: noOddities,
})

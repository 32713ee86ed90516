// The shortest edit between two sequences of numbers (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986, section
// 4b: linear space). The search of one middle is bounded, so that texts with nothing in common do not take quadratic time.

export type Edit = {
  /** 1 if the element of `old` is not in `new`. */
  readonly removed: Uint8Array
  /** 1 if the element of `new` is not in `old`. */
  readonly added: Uint8Array
}

/** Approximate number of steps that all searches of one comparison may take together; each middle is searched for at least `leastReach` edits. */
const budget = 60_000_000
const leastReach = 64

/**
 * Marks what is not common to both. The result is shortest while the edits are fewer than the search may reach (about 60 million
 * steps over both lengths: exact for any two sections of a filing), and a valid edit, not the shortest, beyond.
 */
export function shortestEdit(old: Int32Array, added: Int32Array): Edit {
  const edit: Edit = { removed: new Uint8Array(old.length), added: new Uint8Array(added.length) }
  const search = new Search(old, added)
  const waiting: Box[] = [{ left: 0, right: old.length, top: 0, bottom: added.length }]
  for (let box = waiting.pop(); box; box = waiting.pop()) {
    let { left, right, top, bottom } = box
    while (left < right && top < bottom && old[left] === added[top]) {
      left += 1
      top += 1
    }
    while (left < right && top < bottom && old[right - 1] === added[bottom - 1]) {
      right -= 1
      bottom -= 1
    }
    if (left === right) edit.added.fill(1, top, bottom)
    else if (top === bottom) edit.removed.fill(1, left, right)
    else {
      const [x, y] = search.middle({ left, right, top, bottom })
      waiting.push({ left: x, right, top: y, bottom }, { left, right: x, top, bottom: y })
    }
  }
  return edit
}

/** A part of the edit graph: `old` runs from left to right, `new` from top to bottom. */
type Box = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }

class Search {
  readonly #old: Int32Array
  readonly #new: Int32Array
  /** Furthest x on each diagonal (x - y), forward from the first corner and backward from the last. */
  readonly #forward: Int32Array
  readonly #backward: Int32Array
  readonly #zero: number
  readonly #reach: number

  constructor(old: Int32Array, added: Int32Array) {
    this.#old = old
    this.#new = added
    const diagonals = old.length + added.length + 3
    this.#forward = new Int32Array(diagonals)
    this.#backward = new Int32Array(diagonals)
    this.#zero = added.length + 1
    this.#reach = Math.max(leastReach, Math.floor(budget / diagonals))
  }

  /** A point on a shortest path through the box, neither corner of it; the furthest point found if the limit is reached first. */
  middle(box: Box): readonly [number, number] {
    const { left, right, top, bottom } = box
    const [first, last] = [left - top, right - bottom]
    const meetsForward = ((first - last) & 1) !== 0
    const ahead = new Band(first, left - bottom, right - top)
    const behind = new Band(last, left - bottom, right - top)
    this.#forward[this.#zero + first] = left
    this.#backward[this.#zero + last] = right
    for (let edits = 1; ; edits += 1) {
      const met = this.#advance(box, ahead, meetsForward ? behind : null) ?? this.#retreat(box, behind, meetsForward ? null : ahead)
      if (met) return met
      if (edits >= this.#reach) return this.#furthest(box, ahead, behind)
    }
  }

  #advance({ right, bottom }: Box, band: Band, other: Band | null): readonly [number, number] | null {
    const [reached, old, added] = [this.#forward, this.#old, this.#new]
    band.widen(reached, this.#zero, -1)
    for (let diagonal = band.high; diagonal >= band.low; diagonal -= 2) {
      const at = this.#zero + diagonal
      const [below, above] = [reached[at - 1] as number, reached[at + 1] as number]
      let x = below < above ? above : below + 1
      let y = x - diagonal
      while (x < right && y < bottom && old[x] === added[y]) {
        x += 1
        y += 1
      }
      reached[at] = x
      if (other?.holds(diagonal) && (this.#backward[at] as number) <= x) return [x, y]
    }
    return null
  }

  #retreat({ left, top }: Box, band: Band, other: Band | null): readonly [number, number] | null {
    const [reached, old, added] = [this.#backward, this.#old, this.#new]
    band.widen(reached, this.#zero, 0x7fffffff)
    for (let diagonal = band.high; diagonal >= band.low; diagonal -= 2) {
      const at = this.#zero + diagonal
      const [below, above] = [reached[at - 1] as number, reached[at + 1] as number]
      let x = below < above ? below : above - 1
      let y = x - diagonal
      while (x > left && y > top && old[x - 1] === added[y - 1]) {
        x -= 1
        y -= 1
      }
      reached[at] = x
      if (other?.holds(diagonal) && x <= (this.#forward[at] as number)) return [x, y]
    }
    return null
  }

  #furthest({ left, right, top, bottom }: Box, ahead: Band, behind: Band): readonly [number, number] {
    let best: readonly [number, number] = [left, top]
    let gained = 0
    for (let diagonal = ahead.low; diagonal <= ahead.high; diagonal += 2) {
      const x = Math.min(this.#forward[this.#zero + diagonal] as number, right, bottom + diagonal)
      const gain = x - left + (x - diagonal - top)
      if (gain > gained) [best, gained] = [[x, x - diagonal], gain]
    }
    for (let diagonal = behind.low; diagonal <= behind.high; diagonal += 2) {
      const x = Math.max(this.#backward[this.#zero + diagonal] as number, left, top + diagonal)
      const gain = right - x + (bottom - (x - diagonal))
      if (gain > gained) [best, gained] = [[x, x - diagonal], gain]
    }
    return best
  }
}

/** The diagonals that were reached with so many edits; each step adds one on either side, within the box. */
class Band {
  low: number
  high: number
  readonly #least: number
  readonly #most: number

  constructor(from: number, least: number, most: number) {
    this.low = from
    this.high = from
    this.#least = least
    this.#most = most
  }

  widen(reached: Int32Array, zero: number, unreached: number): void {
    if (this.low > this.#least) {
      this.low -= 1
      reached[zero + this.low - 1] = unreached
    } else this.low += 1
    if (this.high < this.#most) {
      this.high += 1
      reached[zero + this.high + 1] = unreached
    } else this.high -= 1
  }

  holds(diagonal: number): boolean {
    return diagonal >= this.low && diagonal <= this.high
  }
}

// Compares two texts word by word: returns where they differ, with offsets into both. A word is a run without whitespace.
import { shortestEdit } from './myers.ts'

/** One place where the texts differ. Offsets count UTF-16 units; if a side has no words, its start is its end. */
export type Hunk = {
  readonly old_start: number
  readonly old_end: number
  readonly new_start: number
  readonly new_end: number
  readonly old_text: string
  readonly new_text: string
}

type Words = { readonly text: string; readonly starts: number[]; readonly ends: number[]; readonly ids: Int32Array }

/**
 * The differences in reading order. A single word that is in both texts between two changes belongs to the change, so that
 * a rewritten sentence is one hunk. `wordDiff(b, a)` is `wordDiff(a, b)` with its sides exchanged.
 */
export function wordDiff(oldText: string, newText: string): Hunk[] {
  if (oldText === newText) return []
  // Among equally short edits the search result depends on the order of its arguments, so the order is derived from the texts.
  const swapped = oldText.length === newText.length ? oldText > newText : oldText.length > newText.length
  const numbers = new Map<string, number>()
  const [first, second] = (swapped ? [newText, oldText] : [oldText, newText]).map(text => readWords(text, numbers)) as [Words, Words]
  const { removed, added } = shortestEdit(first.ids, second.ids)
  const spans = joined(spansOf(removed, added))
  return spans.map(({ left, right, top, bottom }) => {
    const [old, recent] = swapped
      ? ([cut(second, top, bottom), cut(first, left, right)] as const)
      : ([cut(first, left, right), cut(second, top, bottom)] as const)
    return {
      old_start: old.start,
      old_end: old.end,
      new_start: recent.start,
      new_end: recent.end,
      old_text: oldText.slice(old.start, old.end),
      new_text: newText.slice(recent.start, recent.end),
    }
  })
}

type Span = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }

function spansOf(removed: Uint8Array, added: Uint8Array): Span[] {
  const spans: Span[] = []
  let [x, y] = [0, 0]
  while (x < removed.length || y < added.length) {
    const [left, top] = [x, y]
    while (removed[x] === 1) x += 1
    while (added[y] === 1) y += 1
    if (x > left || y > top) spans.push({ left, right: x, top, bottom: y })
    x += 1
    y += 1
  }
  return spans
}

/** Changes with one common word between them are one, if both are longer than that. */
function joined(spans: readonly Span[]): Span[] {
  const out: Span[] = []
  for (const span of spans) {
    const before = out.at(-1)
    if (before && span.left - before.right === 1 && sizeOf(before) > 1 && sizeOf(span) > 1) {
      out[out.length - 1] = { left: before.left, right: span.right, top: before.top, bottom: span.bottom }
    } else out.push(span)
  }
  return out
}
const sizeOf = ({ left, right, top, bottom }: Span): number => Math.max(right - left, bottom - top)

/** Offsets of the words from `from` up to `to`; between two words if there are none. */
function cut({ text, starts, ends }: Words, from: number, to: number): { readonly start: number; readonly end: number } {
  const start = starts[from] ?? text.length
  return from === to ? { start, end: start } : { start, end: ends[to - 1] ?? text.length }
}

function readWords(text: string, numbers: Map<string, number>): Words {
  const starts: number[] = []
  const ends: number[] = []
  const ids: number[] = []
  for (let at = 0; at < text.length; ) {
    while (at < text.length && isBlank(text.charCodeAt(at))) at += 1
    const start = at
    while (at < text.length && !isBlank(text.charCodeAt(at))) at += 1
    if (at === start) break
    const word = text.slice(start, at)
    let id = numbers.get(word)
    if (id === undefined) {
      id = numbers.size
      numbers.set(word, id)
    }
    starts.push(start)
    ends.push(at)
    ids.push(id)
  }
  return { text, starts, ends, ids: Int32Array.from(ids) }
}

/** As a regular expression's white space. */
const isBlank = (code: number): boolean =>
  code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code > 127 && /\s/.test(String.fromCharCode(code))

// Decodes the bars of one symbol into columns of numbers that the next table uses again. V8 collects garbage more often for arrays outside
// of its heap, and those of one table were 200 KB an answer.
import type { PriceColumns } from '../../context/price-model.ts'
import { readCodedWords, readNumbers } from './column.ts'
import { numbersOf, openTable, wordsOf } from './entry.ts'

const columnNames = ['day', ...numbersOf, ...wordsOf] as const
type Scratch = Readonly<Record<(typeof columnNames)[number], Float64Array>>

const scratchOf = (length: number): Scratch => Object.fromEntries(columnNames.map(name => [name, new Float64Array(length)])) as unknown as Scratch
let scratch = scratchOf(4_096)

/**
 * The bars between two days (days since 1970-01-01, both included) of one symbol's tables, oldest first. Null if the days of a later table do
 * not follow those of an earlier one. The result has the arrays of the result before.
 */
export function decodeColumns(tables: readonly Buffer[], from: number, to: number): PriceColumns | null {
  const opened = tables.map(bytes => openTable(bytes, from, to))
  const count = opened.reduce((sum, { begin, end }) => sum + end - begin, 0)
  if (scratch.day.length < count) scratch = scratchOf(2 * count)
  const into = scratch
  const words: Record<(typeof wordsOf)[number], string[]> = { currency: [], basis: [], source: [] }
  let at = 0
  for (const { reader, count: rows, days, begin, end } of opened) {
    days.fill(into.day, at, begin, end)
    if (at > 0 && begin < end && (into.day[at] as number) <= (into.day[at - 1] as number)) return null
    for (const name of numbersOf) readNumbers(reader, rows).fill(into[name], at, begin, end)
    for (const name of wordsOf) {
      const column = readCodedWords(reader, rows)
      column.codes.fill(into[name], at, begin, end)
      addWords(words[name], column.words, into[name].subarray(at, at + end - begin))
    }
    at += end - begin
  }
  const word = (name: (typeof wordsOf)[number]) => ({ words: words[name], codes: into[name] })
  return { count, ...into, currency: word('currency'), basis: word('basis'), source: word('source') }
}

/** Adds the texts of another table to those of a column, and changes the codes of that table to their places. */
function addWords(all: string[], words: readonly string[], codes: Float64Array): void {
  const places = words.map(word => {
    const held = all.indexOf(word)
    return held >= 0 ? held : all.push(word) - 1
  })
  if (places.every((place, code) => place === code)) return
  for (let at = 0; at < codes.length; at += 1) codes[at] = places[codes[at] as number] as number
}

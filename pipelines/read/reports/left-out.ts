// Items of the form that a report does not print: the words that omit them, or the rule of the form. They are listed, to distinguish them
// from sections that were not read.
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'
import type { FormItems, ItemSlot } from './form-items.ts'
import { partLine, textOf } from './heading-look.ts'
import type { LocatedItem } from './located.ts'

/** Items that Form 10-K has had in every year since 1994, and those that came with the risk factors (SEC Release 33-8591). */
const always = new Set('I.1 I.2 I.3 II.5 II.7 II.8 II.9 III.10 III.11 III.12 III.13'.split(' '))
const since2005 = new Set('I.1B II.9A II.9B III.14'.split(' '))
const quarterly = new Set('I.1 I.2 I.3 I.4 II.1 II.2 II.3 II.5 II.6'.split(' '))

const keyOf = ({ part, item }: Pick<ItemSlot, 'part' | 'item'>): string => `${part}.${item}`

function expectedOf(form: string, found: ReadonlySet<string>): ReadonlySet<string> {
  if (/^10-?Q(?!SB)/i.test(form)) return quarterly
  if (!/^10-?K(?!T?SB)/i.test(form)) return new Set()
  const isModern = ['I.1A', 'I.1B', 'I.1C', 'II.9C'].some(key => found.has(key))
  return isModern ? new Set([...always, ...since2005]) : always
}

/** Items that the report omits, with the words that state it. A document with less than half of its form omits nothing. */
export function itemsLeftOut(prose: Prose, form: string, slots: FormItems, items: readonly LocatedItem[]): LocatedItem[] {
  const found = new Set(items.filter(({ end, start }) => end > start).map(keyOf))
  const expected = expectedOf(form, found)
  const held = [...expected].filter(key => found.has(key)).length
  const sentences = omissions(prose, slots)
  const left: LocatedItem[] = []
  for (const slot of slots.slots) {
    const key = keyOf(slot)
    if (found.has(key) || items.some(item => keyOf(item) === key) || left.some(item => keyOf(item) === key)) continue
    const stated = sentences.find(({ keys }) => keys.has(key))?.words
    const isExpected = held * 2 > expected.size && expected.has(key)
    if (stated === undefined && !isExpected) continue
    const reason = stated ?? partAnswer(prose, items, slot) ?? ruleOf(form, slot)
    left.push({ ...slotOnly(slot), status: 'omitted', reason: reason.slice(0, 400) })
  }
  return left
}

const slotOnly = ({ part, item }: ItemSlot): LocatedItem => ({
  ...{ part, item, title: null, status: 'omitted', reason: null, start: 0, headingEnd: 0, end: 0, words: 0, located: null, anchor: null, flags: [] },
})

/** Form 10-Q, Part II: an item that is inapplicable, or answered in the negative, may be omitted without a reference to it. */
const ruleOf = (form: string, { part }: ItemSlot): string =>
  /^10-?Q/i.test(form) && part === 'II'
    ? 'the report prints no heading of this item: part II of Form 10-Q lets an item be left out that is inapplicable or answered in the negative'
    : 'the report prints no heading of this item'

type Omission = { readonly keys: ReadonlySet<string>; readonly words: string }
const statesOmitted = /\b(?:omitted|not\sapplicable|not\srequired|inapplicable)\b/i
const namesItems = /\bitems?\s{1,3}((?:\d{1,2}[A-C]?(?:\([a-z]\))?(?:\s?,\s?(?:and\s|or\s)?|\s(?:and|or|&|through|to)\s|\s?[-–]\s?)?){2,14})/gi
const namedItem = /\bitem\s{1,3}(\d{1,2}[A-C]?)\b/gi

/** Sentences that omit several items: `Items 3, 4 and 5 are not applicable and have been omitted.` */
function omissions(prose: Prose, slots: FormItems): Omission[] {
  const found: Omission[] = []
  let part: string | null = null
  for (const block of prose.blocks) {
    if (block.end - block.start > 1200) continue
    const line = textOf(prose, block)
    part = partLine(line) ?? part
    if (!/\bitems?\b/i.test(line) || !statesOmitted.test(line)) continue
    const numbers = [...line.matchAll(namesItems)].flatMap(match => numbersIn(match[1] ?? ''))
    for (const match of line.matchAll(namedItem)) numbers.push(match[1]?.toUpperCase() ?? '')
    // A short answer names only its item; a sentence about several items names them together.
    if (new Set(numbers).size < 2) continue
    const named = /\bpart\s(iv|i{1,3})\b/i.exec(line)?.[1]?.toUpperCase() ?? part
    const keys = numbers.flatMap(number => {
      const candidates = slots.byNumber.get(number) ?? []
      return (candidates.filter(slot => slot.part === named)[0] ?? candidates[0]) === undefined
        ? []
        : [keyOf((candidates.find(slot => slot.part === named) ?? candidates[0]) as ItemSlot)]
    })
    found.push({ keys: new Set(keys), words: line.replace(/\s+/g, ' ').trim() })
  }
  return found
}

/** `3, 4 and 5`, `10 through 14`: each number, with ranges filled in. */
function numbersIn(list: string): string[] {
  const numbers: string[] = []
  const pattern = /(\d{1,2})([A-C]?)|(through|to|[-–])/gi
  let range = false
  for (const [, digits, letter, link] of list.matchAll(pattern)) {
    if (link !== undefined) range = true
    else if (digits !== undefined) {
      const before = Number.parseInt(numbers.at(-1) ?? '', 10)
      if (range && before < Number(digits)) for (let number = before + 1; number < Number(digits); number += 1) numbers.push(String(number))
      numbers.push(`${Number(digits)}${(letter ?? '').toUpperCase()}`)
      range = false
    }
  }
  return numbers
}

/** The text of a part that prints no item: the words between its line and the next part or item. */
function partAnswer(prose: Prose, items: readonly LocatedItem[], slot: ItemSlot): string | null {
  for (const [at, block] of prose.blocks.entries()) {
    if (partLine(textOf(prose, block)) !== slot.part) continue
    if (items.some(item => item.start <= block.start && item.end > block.end)) continue
    const next = Math.min(prose.text.length, ...items.filter(({ start, end }) => end > start && start > block.end).map(({ start }) => start))
    const last = blockAt(prose, next - 1)
    const lines: string[] = []
    for (let line = at + 1; line <= last && lines.join(' ').length < 600; line += 1) {
      const text = textOf(prose, prose.blocks[line] as Block)
      if (partLine(text) !== null) break
      lines.push(text)
    }
    const words = lines.join(' ').replace(/\s+/g, ' ').trim()
    // Words about some items do not apply to items that they do not name.
    const named = [...words.matchAll(namesItems)].flatMap(match => numbersIn(match[1] ?? ''))
    const isOfOthers = (named.length > 0 && !named.includes(slot.item)) || /\bfollowing\sitems?\b/i.test(words)
    if (/\b(?:incorporated|omitted|not\s(?:required|applicable))\b/i.test(words) && !isOfOthers) return words
  }
  return null
}
